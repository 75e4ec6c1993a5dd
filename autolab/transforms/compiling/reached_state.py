"""The state that a run reads and changes besides arguments and results: data, gradients, buffers of links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...engine import Leaf, Node, Variable, wrap
from ...engine.reach import is_the_users
from ...engine.source import EMPTY
from ...engine.store import publish
from .call_tape import CallTape
from .reads import Reads
from .recorded_array import Recorded

Text = Callable[[Any], str]


def alike(text: str, array: np.ndarray, bound: Text) -> str:
    """A test, as Python source, that an array can replace another."""
    kind, dtype = bound(np.ndarray), bound(array.dtype)
    lies = f"d.strides == {array.strides} and d.shape == {array.shape}"
    return f"type(d := {text}) is {kind} and {lies} and d.dtype is {dtype}"


def gradient_alike(text: str, grad: Variable | None, bound: Text) -> str:
    """The same for a gradient, which may be missing, or part of a graph."""
    if grad is None:
        return f"{text} is None"
    test = alike("g._data", grad._data, bound)
    return f"(g := {text}) is not None and (g.node is None) is {grad.node is None} and {test}"


@dataclass(frozen=True)
class Given:
    """The argument at this position among those that are arrays or Variables."""

    index: int


@dataclass(frozen=True, eq=False)
class StatePlace:
    """Where an array is found: an argument or object itself, its data, its gradient, or one of its attributes."""

    holder: Any
    kind: Literal["self", "data", "grad", "attribute"]
    name: str = ""

    def text(self, held: Text) -> str:
        """The expression that looks it up; ``held`` gives the name of the holder."""
        behind = {"self": "", "data": "._data", "grad": ".node.grad._data", "attribute": f".{self.name}"}
        return held(self.holder) + behind[self.kind]

    def now(self, leaves: list[Any]) -> Any:
        """The array that is currently there."""
        holder = leaves[self.holder.index] if type(self.holder) is Given else self.holder
        if self.kind == "grad":
            return None if holder.node.grad is None else holder.node.grad._data
        found = holder if self.kind == "self" else getattr(holder, "_data" if self.kind == "data" else self.name)
        return getattr(found, "_data", found) if self.kind == "attribute" else found


_SEEN = "-{leaf}.moved if {leaf}.moved > 0 else {leaf}.moved"
"""The value of `Leaf.moved` after a backward pass, as Python source."""


@dataclass(frozen=True, eq=False)
class Effect:
    """What a run stores in a place: the content of a slot, or None; and the state of the leaf there afterwards."""

    place: StatePlace
    slot: int | None
    passes: int = 0
    moved: str = ""
    """The new value of `Leaf.moved`, as Python source."""
    had_one: bool = True
    """Whether there was a gradient before, possibly one that the user set."""
    is_variable: bool = False
    is_joined: bool = False
    """Whether the Variable was part of a graph."""
    is_there: bool = False
    """Whether the array stayed in its place and was written to."""

    def stores(
        self, held: Text, variable: Callable[[int, bool], str], at: Callable[[int], str]
    ) -> list[tuple[str, str, str]]:
        """What to set, as Python source: an object, the name of an attribute, and its value."""
        owner, kind = held(self.place.holder), self.place.kind
        if kind == "attribute":
            filled = variable(self._filled, self.is_joined) if self.is_variable else at(self._filled)
            return [(owner, self.place.name, filled)]
        leaf = f"{owner}.node"
        moved = [(leaf, "moved", self.moved.format(leaf=leaf))] * bool(self.moved)
        if kind == "data":
            data = [] if self.is_there else [(owner, "_data", at(self._filled))]
            return data + moved
        grad = "None" if self.slot is None else variable(self.slot, self.is_joined)
        passes = [(leaf, "passes", f"{self.passes}")] * (self.slot is not None)
        return [(leaf, "grad", grad), *passes, *[(leaf, "given", "False")] * self.had_one, *moved]

    @property
    def is_only_kept(self) -> bool:
        """Whether an attribute gets an array without a graph, which does not stand in the way of a gradient."""
        return self.place.kind == "attribute" and not self.is_joined

    @property
    def _filled(self) -> int:
        assert self.slot is not None
        return self.slot


@dataclass(frozen=True, eq=False)
class Out:
    """A value among the results: an array, a NumPy scalar if ``is_scalar``, or a Variable, which was part of a graph if
    ``spent``."""

    slot: int
    is_variable: bool
    spent: Callable[[Any], Any] | None = None
    is_scalar: bool = False
    name: str | None = None

    def text(self, value: str, bound: Text) -> str:
        if self.is_scalar:
            return f"{value}[()]"
        value = value if self.spent is None else f"{bound(self.spent)}({value})"
        return value if self.name is None else f"{bound(_called)}({value}, {self.name!r})"


def _called(value: Variable, name: str) -> Variable:
    value._name = name
    return value


class ReachedState:
    """The Variables and buffers that a function can reach, recorded for one run of it.

    Parameters
    ----------
    variables : iterable of (Variable, holder)
        The holder is the Variable itself, or the `Given` argument that it is.
    buffers : iterable of (link, name)
    """

    def __init__(self, variables: Iterable[tuple[Variable, Any]], buffers: Iterable[tuple[Any, str]]) -> None:
        first: dict[int, tuple[Variable, Any]] = {}
        for variable, holder in variables:
            first.setdefault(id(variable), (variable, holder))
        self.variables = [pair for pair in first.values() if type(pair[0]._data) is np.ndarray]
        self.buffers = [(link, name) for link, name in buffers if type(link.__dict__[name]) is np.ndarray]
        self._before = [(v, v._name, v.node) for v, _ in self.variables]
        self._found = [(v, v._data, getattr(v.node, "grad", None)) for v, h in self.variables if type(h) is not Given]
        self._found_kept = [(link, name, link.__dict__[name]) for link, name in self.buffers]
        self._had_none = {id(v): getattr(v.node, "grad", None) is None for v, _ in self.variables}
        self._data: dict[int, Any] = {}
        self._grads: dict[int, Any] = {}
        self._moved: dict[int, int] = {}
        self._kept: dict[tuple[int, str], Any] = {}
        self.attributes: list[tuple[Any, str, Any]] = []
        self._reread: set[tuple[int, str]] = set()
        self._inside: dict[tuple[int, str], tuple[Any, Any]] = {}
        self.stale: dict[int, str] = {}

    def earlier(self) -> frozenset[Node]:
        """The nodes of values computed before the run, including those of gradients."""
        nodes = [v.node for v, _ in self.variables]
        nodes += [leaf.grad.node for leaf in nodes if isinstance(leaf, Leaf) and leaf.grad is not None]
        return frozenset([node for node in nodes if node is not None and node.order])

    def note(self, attributes: Iterable[tuple[Any, str]], reread: set[tuple[int, str]]) -> None:
        """Note attributes that the function writes, and those that it may read once it has written them."""
        self.attributes = [(held, name, held.__dict__.get(name, EMPTY)) for held, name in attributes]
        self._reread = reread

    def enter(self, tape: CallTape, make: Callable[..., Recorded]) -> None:
        """Put recorded arrays into all places; ``make`` is `CallTape.source` or `CallTape.load`."""
        for variable, holder in self.variables:
            data = make(variable._data, StatePlace(holder, "data"))
            variable._data = self._data[id(variable)] = data
            leaf = variable.node
            if isinstance(leaf, Leaf):
                if leaf.grad is not None and type(leaf.grad._data) is np.ndarray:
                    leaf.grad = wrap(make(leaf.grad._data, StatePlace(holder, "grad")), leaf.grad.node)
                self._grads[id(variable)], self._moved[id(variable)] = leaf.grad, leaf.moved
        for link, name in self.buffers:
            place = StatePlace(link, "attribute", name)
            link.__dict__[name] = self._kept[id(link), name] = make(link.__dict__[name], place)
        for held, name, before in self.attributes:
            key = id(held), name
            if key not in self._inside and key in self._reread and has_array(before):
                self._inside[key] = before, self._of_a_former_call(tape, name, before)
            outside, inside = self._inside.get(key, (EMPTY, EMPTY))
            if held.__dict__.get(name, before) is outside is not EMPTY:
                held.__dict__[name] = inside

    def _of_a_former_call(self, tape: CallTape, name: str, value: Any) -> Any:
        """The same value, recorded; a function that uses it is refused."""
        data = tape.source(getattr(value, "_data", value), None)
        self.stale[data._slot] = name
        return wrap(data, None) if isinstance(value, Variable) else data

    def snapshot(self) -> list[tuple[Any, str, Any]]:
        """All that `publish` needs to restore the state."""
        found: list[tuple[Any, str, Any]] = []
        for variable, _ in self.variables:
            found.append((variable, "_data", variable._data))
            if isinstance(leaf := variable.node, Leaf):
                found += [(leaf, name, getattr(leaf, name)) for name in ("grad", "passes", "moved", "given")]
        return [*found, *[(link, name, link.__dict__[name]) for link, name in self.buffers]]

    def effects(self) -> list[Effect]:
        """What the function has stored in the places since."""
        found = []
        for variable, holder in self.variables:
            leaf = variable.node
            has_moved = isinstance(leaf, Leaf) and abs(leaf.moved) != abs(self._moved.get(id(variable), leaf.moved))
            is_there = variable._data is self._data[id(variable)]
            if has_moved or not is_there:
                place = StatePlace(holder, "data")
                moved = "" if not isinstance(leaf, Leaf) else "new_order()" if leaf.moved > 0 else "-new_order()"
                found.append(Effect(place, _slot(variable._data), 0, moved, is_there=is_there))
            if isinstance(leaf, Leaf) and leaf.grad is not self._grads.get(id(variable)):
                slot = None if leaf.grad is None else _slot(leaf.grad._data)
                had_one = not self._had_none[id(variable)]
                is_joined = leaf.grad is not None and leaf.grad.node is not None
                place = StatePlace(holder, "grad")
                moved = "" if has_moved or slot is None else _SEEN
                found.append(Effect(place, slot, leaf.passes, moved, had_one, is_joined=is_joined))
        for link, name in self.buffers:
            if link.__dict__[name] is not self._kept[id(link), name]:
                found.append(Effect(StatePlace(link, "attribute", name), _slot(link.__dict__[name])))
        for held, name, before in self.attributes:
            now = held.__dict__.get(name)
            data = getattr(now, "_data", now)
            if now is not before and isinstance(data, Recorded) and data._slot not in self.stale:
                is_joined = getattr(now, "node", None) is not None
                place = StatePlace(held, "attribute", name)
                found.append(Effect(place, _slot(data), is_variable=now is not data, is_joined=is_joined))
        return found

    def is_former_gradient(self, value: Variable) -> bool:
        """Whether a value is a gradient that a Variable had on entry; it comes back as a different object."""
        return any([value is grad for grad in self._grads.values()])

    def is_altered(self) -> bool:
        """Whether the name or the node of a Variable has changed."""
        return any([v._name != name or v.node is not node for v, name, node in self._before])

    def tests(self, bound: Text) -> list[str]:
        """Tests, as Python source, for the places that are not arguments."""
        found = []
        for variable, data, grad in self._found:
            name, node = bound(variable), variable.node
            found += [alike(f"{name}._data", data, bound), f"{name}.node is {bound(node)}"]
            if isinstance(node, Leaf):
                found.append(gradient_alike(f"{bound(node)}.grad", grad, bound))
        return [*found, *[alike(f"{bound(link)}.{name}", kept, bound) for link, name, kept in self._found_kept]]

    def leave(self) -> None:
        """Put NumPy arrays back into all places, with their current values."""
        for variable, _ in self.variables:
            if isinstance(variable._data, Recorded):
                variable._data = variable._data._value
            leaf = variable.node
            if isinstance(leaf, Leaf) and leaf.grad is not None and isinstance(leaf.grad._data, Recorded):
                leaf.grad._data = leaf.grad._data._value
        for link, name in self.buffers:
            if isinstance(link.__dict__[name], Recorded):
                link.__dict__[name] = link.__dict__[name]._value
        for held, name, _ in self.attributes:
            key, now = (id(held), name), held.__dict__.get(name)
            if isinstance(now, Recorded):
                self._inside[key] = now._value, now
            if key in self._inside and now is self._inside[key][1]:
                held.__dict__[name] = self._inside[key][0]


_CHANGING: tuple[Any, ...] = (dict, list, set, deque)


def to_put_back(found: Reads) -> Callable[[], None]:
    """A function that puts back what a function can reach now, but for iterators, files and large arrays."""
    generators = [value for _, value, _ in found.others if hasattr(value, "bit_generator")]
    drawn = [(one.bit_generator, one.bit_generator.state) for one in generators]
    containers = [one for _, one, _ in found.sizes if isinstance(one, _CHANGING)]
    held = [(one, next(kind for kind in _CHANGING if isinstance(one, kind)), one.copy()) for one in containers]
    classes = [(one, {*vars(one)}) for kind in found.classes for one in kind.__mro__ if is_the_users(one)]
    state = ReachedState([(v, v) for v in found.variables], found.buffers).snapshot()
    arrays = [(array, array.copy()) for array in found.small_arrays()]
    memories = [(one, _copied(one, before)) for _, one, before in found.memories]

    def put_back() -> None:
        for generator, numbers in drawn:
            generator.state = numbers
        for container, own, content in held:
            own.clear(container)
            (own.extend if own in (list, deque) else own.update)(container, content)
        for kind, names in classes:
            for name in {*vars(kind)} - names:
                type.__delattr__(kind, name)
        for spot in found.spots:
            if spot.now() is not spot.value:
                spot.put(spot.value)
        publish(state)
        for array, numbers in arrays:
            array[...] = numbers
        for memory, content in memories:
            memory[:] = content

    return put_back


def _copied(memory: Any, content: bytes) -> Any:
    if type(memory) is not memoryview:
        return memory[:]
    return memoryview(content).cast(memory.format)  # type: ignore[call-overload]


def has_array(value: Any) -> bool:
    """Whether a value is an array, or a Variable without a graph that holds one."""
    return type(getattr(value, "_data", value)) is np.ndarray and getattr(value, "node", None) is None


def _slot(array: Any) -> int:
    return int(array._slot) if isinstance(array, Recorded) else -1
