"""check_inplace(): takes fingerprints of the values that backward needs; changing one in place is then an error.

The engine itself retains arrays without copying them: changing one in place before backward gives a wrong gradient. A
version counter would miss writes through a NumPy view, and locking arrays would miss views created earlier and make the
user's own arrays read-only. Therefore the values are compared: when a step retains them, and before backward uses them.

The engine's `watched_nodes` maps each node to a callable that compares its values. An entry is removed with its node,
so graphs are freed as usual; if no graph is watched, backward only checks whether the dictionary is empty.

Fingerprints: checksums that reveal whether an array, or a list, has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary, ref
from zlib import crc32

import numpy as np

from ..engine import Array, Node, OutputNode, Primitive, Variable, is_array, to_cpu
from ..engine.backward import watched_nodes
from ..engine.errors import DamagedValueError
from ..engine.leaving import Exit, ExitEvent, watch_leaving
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from ..engine.retention import kept_values
from ..engine.schema import Many, Shapes
from ..engine.sharing import changed_by
from ..engine.source import caller, file_label, position
from .provenance import graph_of

WHOLE = 1000
"""Up to this many elements the checksum is of all bytes; above, it is of sums over them."""

_COLUMNS = 1021  # prime, so that exchanged rows or columns do not contribute to the same sums
_SAMPLES = 256

_shared: dict[int, ref[Fingerprint]] = {}  # by identity; stale entries stay until the identity is used again


class Fingerprint:
    """A value and its fingerprint. All nodes that retain the value in the same state share one object."""

    __slots__ = ("__weakref__", "look", "value")

    def __init__(self, value: Any, look: object) -> None:
        self.value, self.look = value, look

    @property
    def intact(self) -> bool:
        """Whether the value is unchanged."""
        return fingerprint(self.value) == self.look


def taken(value: Any) -> Fingerprint:
    """The fingerprint of the value as it is now; the existing object, if the value has not changed since."""
    look, last = fingerprint(value), _shared.get(id(value))
    known = None if last is None else last()
    if known is None or known.value is not value or known.look != look:
        known = Fingerprint(value, look)
        _shared[id(value)] = ref(known)
    return known


def fingerprint(value: Any) -> object:
    """A checksum of an array (or a list), which differs after a change.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(3.0)
    >>> before = fingerprint(x)
    >>> x[0] = -0.0
    >>> fingerprint(x) == before
    False
    """
    if not is_array(value):
        return crc32(repr(value).encode())
    if value.size <= WHOLE and type(value) is np.ndarray:
        return value.shape, value.dtype, crc32(value.tobytes("A"))
    flat = value.ravel("A")  # in memory order, if that is C's or Fortran's
    if value.size <= WHOLE:
        return value.shape, value.dtype, _crc(flat)
    return value.shape, value.dtype, _crc(flat[:: value.size // _SAMPLES]), _sums(flat)


def _sums(flat: Array) -> tuple[int, int]:
    """Checksums of the sums, modulo 2**64, over every 1021st word, and of the remaining words.

    Changing one element changes one sum; exchanging two elements changes two, unless they are a multiple of 1021 words
    apart.
    """
    size = min(flat.itemsize, 8)
    words = flat.view(f"u{size}")
    even = words.size - words.size % _COLUMNS
    return _crc(words[:even].reshape(-1, _COLUMNS).sum(axis=0, dtype="u8")), _crc(words[even:])


def _crc(flat: Array) -> int:
    return crc32(to_cpu(flat).tobytes())


@dataclass(slots=True)
class Watch:
    """The fingerprints of what one step retained, each with its role and name for a message, and the step's place in
    the source."""

    step: str
    prints: tuple[tuple[str, str, Fingerprint], ...]
    code: CodeType | None
    instruction: int
    backward: CodeType | None = None  # a user's own, which may itself have changed them

    def __call__(self, visited: bool) -> None:
        """Raise `DamagedValueError` if a value that the step retained was changed in place; called by backward."""
        if visited and self.backward is None:
            return
        damaged = next((f"{role} {name!r:.60}" for role, name, kept in self.prints if not kept.intact), None)
        if damaged is None:
            return
        what = f"{damaged} of {self.step:.60}"
        if visited and self.backward is not None:
            raise changed_by("backward", self.backward, what)
        file = None if self.code is None else self.code.co_filename
        line = 0 if self.code is None else position(self.code, self.instruction)[0] or 0
        place = f" ({file_label(file)}, line {line})" if file is not None else ""
        told = f"{what}{place:.60} was changed in place after the forward pass. Use x = x + 1, or copy."
        raise DamagedValueError(told, file, line)


_Kept = tuple[str, Any, Any]
"""A retained value: ``input``, ``result``, ``attribute`` or ``saved value``; its index or name; the value itself."""


class _Hook:
    """Takes fingerprints of what each step retains. ``blames`` says whether a forward or backward that changes its
    arguments in place is an error of its own."""

    def __init__(self, known: Callable[[Variable], str | None], blames: bool = True) -> None:
        self._known, self.blames = known, blames

    def __call__(self, event: ForwardEvent | BackwardEvent) -> None:
        if not isinstance(event, ForwardEvent):
            return
        node = node_of(event)
        if node is None:
            return
        prints: dict[int, tuple[str, str, Fingerprint]] = {}
        for role, name, value in _kept(event, node, self._known):
            if id(value) not in prints:
                prints[id(value)] = (role, name, taken(value))
        if prints:
            code, instruction = _position(caller())
            written = getattr(event.function, "written_backward", None) if self.blames else None
            own = getattr(written, "__code__", None)
            watch = Watch(event.function.name, tuple(prints.values()), code, instruction, own)
            watched_nodes.setdefault(ref(node, _forget), watch)


class _CheckInplace(observe):
    """Takes fingerprints of retained values, and records where values leave the graph."""

    def __init__(self) -> None:
        super().__init__(_Hook(lambda value: value.name))
        self._leaving = watch_leaving(_note)

    def __enter__(self) -> None:
        departed.clear()
        super().__enter__()
        self._leaving.__enter__()  # the end of the outer block also closes this one


def check_inplace() -> _CheckInplace:
    """Detect changes in place: a ``with`` block in which they raise an error instead of giving a wrong gradient.

    Every step inside the block takes fingerprints of the values that its gradient rules retain, and any later backward
    through it compares them, even outside the block. In addition, ``x.grad_status`` then lists the lines at which
    numbers and arrays that depend on ``x`` left the graph. `autolab.record`, `autolab.explore` and
    `autolab.check_gradients` do this automatically; otherwise it is off, as it costs about 20 microseconds per step,
    and half a millisecond more for a value of a million elements.

    Raises
    ------
    DamagedValueError
        In backward. Values that no rule needs may change: ``x.data += 1`` after ``y = x + 1`` does no harm.

    Notes
    -----
    Up to 1,000 elements the fingerprint is a checksum of all bytes. Above, it consists of checksums of 1,021 sums over
    all of them and of a sample: it detects every change of a single element and, unless contrived, any other.

    Examples
    --------
    >>> import autolab
    >>> x = autolab.Variable([1.0, 2.0], name="x")
    >>> with autolab.check_inplace():
    ...     y = (x * x).sum()
    >>> x.data += 1
    >>> y.backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    autolab.engine.errors.DamagedValueError: input 'x' of mul (...) was changed in place after the forward pass. ...
    """
    return _CheckInplace()


departed: WeakKeyDictionary[Node, dict[Exit, None]] = WeakKeyDictionary()
"""Node -> where values computed from it left the graph, in the last block of `check_inplace`."""


def _note(event: ExitEvent) -> None:
    for node in graph_of(event.variable):
        departed.setdefault(node, {})[event.exit] = None


def watching(name: Callable[[Variable], str | None], blame: bool = True) -> observe:
    """`check_inplace` for a tool that knows the user's name of a Variable; ``blame`` is False for a tool that itself
    finds out which backward changes retained values."""
    return observe(_Hook(name, blame))


_forget: Callable[[ref[Node]], Any] = watched_nodes.pop


def _position(frame: FrameType | None) -> tuple[CodeType | None, int]:
    """The position of a frame. Its line is only looked up when needed, which is slow for long functions."""
    return (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


def node_of(event: ForwardEvent) -> Node | None:
    """The node that the step created: that of its result, or the common parent of several results."""
    for y in event.outputs:
        if y.node is not None:
            whole = y.node.parent if isinstance(y.node, OutputNode) else y.node
            if whole.function is event.function:  # a result may be a Variable that existed before
                return whole
    return None


def _kept(event: ForwardEvent, node: Node, known: Callable[[Variable], str | None]) -> Iterator[_Kept]:
    """All values that the gradient rules of the step will use and that could be changed in place."""
    function = event.function
    found = [*(_of_rules(function, node) if isinstance(function, Primitive) else function.held())]
    if len(found) > 1:
        found.sort(key=lambda kept: kept[1] if kept[0] == "input" else -1)
    for role, place, value in found:
        name = _input_name(function, place, event.inputs[place], known) if role == "input" else str(place)
        yield from [(role, name, item) for item in _mutable(value)]


def _input_name(function: Any, i: int, value: Any, known: Callable[[Variable], str | None]) -> str:
    """The user's name for an input, or else the function's."""
    if isinstance(value, Variable) and (name := known(value)):
        return name
    return function.schema.label(i) if isinstance(function, Primitive) else function.input_label(i)


def _of_rules(function: Primitive, node: Node) -> Iterator[_Kept]:
    shared: set[int] = set()  # values that all edges share are visited once
    for edge in node.edges:
        if edge.saved is None or _is_of_number(edge.saved):
            continue
        for role, (_, value) in zip(_roles(function, edge.place), kept_values(function, edge), strict=False):
            if isinstance(value, Many | Shapes):
                if id(value) in shared:
                    continue
                shared.add(id(value))
            if isinstance(value, Many) and role[0] == "input":
                yield from [("input", i, item) for i, item in enumerate(value, role[1])]
            else:
                yield *role, value


def _is_of_number(value: Any) -> bool:
    """Whether it is the read-only array that the engine creates for a number."""
    return type(value) is np.ndarray and not value.ndim and not value.flags.writeable


@cache
def _roles(function: Primitive, place: int) -> tuple[tuple[str, Any], ...]:
    """The role of each value that the rule of an input retains: ``input``, ``result`` or ``attribute``, and which."""
    return tuple([_role(function, name) for name in function.retained[function.input_at(place)]])


def _role(function: Primitive, name: str) -> tuple[str, Any]:
    if name in function.schema.outputs:
        return "result", name
    return ("input", function.inputs.index(name)) if name in function.inputs else ("attribute", name)


def _mutable(value: Any) -> list[Any]:
    """The arrays and lists in a value; numbers, shapes and slices cannot change."""
    if type(value) is np.ndarray:
        return [value]
    value = value._data if isinstance(value, Variable) else value
    if is_array(value) or isinstance(value, list):
        return [value]
    return [found for item in value for found in _mutable(item)] if isinstance(value, tuple) else []
