"""Derivatives of higher order as recordings of their own: the graphs of y', y'' ... in addition to that of y.

The backward pass of order k is recorded like any other computation, since under ``create_graph`` its rules run on
Variables. Each of its steps has an ``of``: the step whose rule was running, or whose gradient was being summed.

Groups in the graphs of y', y'' ...: steps that come from the same call, loop or link are together there, too.

A step of a derivative belongs to the step whose rule computed it (``Step.of``), and so to that step's scope: the
backward of a call is a group of its own. The values of lower order that it uses stay in their own groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from ..engine import Array, Variable, get_array_module, grad
from ..engine.multi_output import Bundle
from ..engine.observe import BackwardEvent, ForwardEvent, observe, silence
from .drafts import Draft, Use
from .locate import CodePosition
from .model import LEAVES, Recording, Scope, Step
from .step import enclosing, innermost_around
from .step_text import expression_of

if TYPE_CHECKING:
    from .recorder import Recorder


POWERS = ("", "", "²", "³", "⁴")

_Instruction = tuple[tuple[int, ...], int]
"""The orders of a step, of the step whose rule computed it, and so on down to a step of the function; and its scope."""


def grouped(graph: Recording, drafts: Sequence[Draft], forward: Sequence[Scope]) -> Recording:
    """The graph of a derivative with its scopes; ``forward`` are those of the function.

    If the groups could not be boxes, because two of them use each other's values, the graph is returned unchanged.
    """
    if not forward:
        return graph
    groups = _Groups(forward)
    scopes = {step.id: groups.at(_position_of(step, drafts)) for step in graph.steps if step.kind not in LEAVES}
    for leaf, users in _users(graph.steps).items():
        scopes[leaf] = groups.common([scopes.get(user) for user in users])
    steps = tuple([replace(step, scope=scopes.get(step.id)) for step in graph.steps])
    found = replace(graph, steps=steps, scopes=groups.scopes(steps))
    return found if _is_in_order(found) else graph


def _position_of(step: Step, drafts: Sequence[Draft]) -> _Instruction | None:
    """Where a step belongs; None if it belongs directly to the function, or if that is not known."""
    draft, orders = drafts[step.id], [step.order]
    while draft.order:
        if draft.of is None:
            return None
        draft = drafts[draft.of]
        orders.append(draft.order)
    return None if draft.scope is None else (tuple(orders), draft.scope)


def _users(steps: Sequence[Step]) -> dict[int, list[int]]:
    """For each leaf or constant, the steps that use it."""
    users: dict[int, list[int]] = {step.id: [] for step in steps if step.kind in LEAVES[1:]}
    for step in steps:
        for operand in step.operands:
            if operand.step in users:
                users[operand.step].append(step.id)
    return users


class _Groups:
    """The scopes of one graph, created when needed."""

    def __init__(self, forward: Sequence[Scope]) -> None:
        self._forward = forward
        self._found: dict[_Instruction, Scope] = {}

    def at(self, place: _Instruction | None) -> int | None:
        """The scope of a position, created after those around it."""
        if place is None:
            return None
        orders, innermost = place
        for scope in [self._forward[i] for i in enclosing(self._forward, innermost)][::-1]:
            if (orders, scope.id) not in self._found:
                parent = None if scope.parent is None else self._found[orders, scope.parent].id
                self._found[orders, scope.id] = _copy(scope, len(self._found), parent, len(orders) - 1)
        return self._found[place].id

    def common(self, scopes: Sequence[int | None]) -> int | None:
        """The innermost scope around all of these."""
        found = list(self._found.values())
        return reduce(partial(innermost_around, found), scopes) if scopes else None

    def scopes(self, steps: Sequence[Step]) -> tuple[Scope, ...]:
        """All scopes, with the steps directly in each."""
        inside: dict[int | None, list[int]] = {}
        for step in steps:
            inside.setdefault(step.scope, []).append(step.id)
        return tuple([replace(scope, steps=tuple(inside.get(scope.id, ()))) for scope in self._found.values()])


def _copy(scope: Scope, identity: int, parent: int | None, hops: int) -> Scope:
    """A copy of a scope of the function, for the function itself or for its backward."""
    if not hops:
        return replace(scope, id=identity, parent=parent)
    written = scope.label if scope.name is None else f"{scope.name} = {scope.label}"
    label = f"backward{POWERS[hops]} of {written}"
    return replace(scope, id=identity, parent=parent, label=label, name=None)


def _is_in_order(graph: Recording) -> bool:
    """Whether every value comes before the steps that use it, even if groups are closed."""
    outline = graph.outline
    places: dict[int, int] = {}
    for items in (outline.items, *[group.items for group in outline.groups.values()]):
        places |= {item.id: i for i, item in enumerate(items)}
    for step in graph.steps:
        for operand in step.operands:
            if operand.step is None:
                continue
            source, target = [[*outline.around(i), i] for i in (operand.step, step.id)]
            first = next(k for k, (a, b) in enumerate(zip(source, target, strict=False)) if a != b)
            if places[source[first]] > places[target[first]]:
                return False
    return True


MAX_ORDER = 4

_PRIMES = ("", "′", "″", "‴")


def result_name(y: str, x: str, order: int) -> str:
    """The name of the derivative of an order.

    Examples
    --------
    >>> result_name("w", "x", 1), result_name("w", "x", 2)
    ('dw/dx', 'd²w/dx²')
    """
    return f"d{POWERS[order]}{y}/d{x}{POWERS[order]}"


def output_name(recording: Recording) -> str:
    """The numerator in the derivatives' names: the output's name, or the function's."""
    names = [step.name for step in recording.steps if step.id in recording.outputs]
    return (
        names[0] if len(names) == 1 and names[0] else recording.function if recording.function.isidentifier() else "y"
    )


def input_to_differentiate(
    tool: str, variables: Mapping[str, Variable], order: int, wrt: str | None
) -> Variable | None:
    """The input with respect to which to differentiate; None for order 0. Options that do not fit are an error."""
    if isinstance(order, bool) or not isinstance(order, int) or not 0 <= order <= MAX_ORDER:
        raise ValueError(f"{tool}: option 'order' is {order!r:.40}; expected a whole number from 0 to {MAX_ORDER}")
    able = [name for name, variable in variables.items() if variable.requires_grad]
    if wrt is not None and wrt not in able:
        raise ValueError(f"{tool}: option 'wrt' is {wrt!r:.40}; expected one of {', '.join(able) or 'no input'}"[:300])
    if order and not able:
        raise ValueError(f"{tool}: option 'order' needs an input that has a gradient; there is none")
    return variables[wrt or able[0]] if order else None


def with_derivatives(
    recording: Recording, recorder: Recorder, outputs: tuple[Variable, ...], x: Variable, order: int
) -> Recording:
    """The recording with those of its derivatives with respect to ``x`` up to an order, and notes about them."""
    graphs = Orders(recorder, x, output_name(recording)).run(outputs, order)
    higher = tuple([grouped(graph, recorder.drafts, recording.scopes) for graph in graphs])
    notes = recording.notes
    if len(higher) < order:
        notes += ("orders_end",)
    return replace(recording, wrt=x.name, higher=higher, notes=notes, reduced=recorder.budget.reduced)


@dataclass
class Orders:
    """Differentiates the sum of the outputs with respect to one input repeatedly, and records each order.

    Parameters
    ----------
    recorder : Recorder
        The recorder of the run, to which the steps of the derivatives are added.
    wrt : Variable
        The input.
    y : str
        The name of the output in the names of its derivatives.
    """

    recorder: Recorder
    wrt: Variable
    y: str
    order: int = 0
    _first: list[int] = field(default_factory=list)
    _starts: tuple[int, ...] = ()
    _variables: dict[int, Variable] = field(default_factory=dict)
    _pending: list[tuple[int, ForwardEvent]] = field(default_factory=list)
    _repeated: list[int] = field(default_factory=list)  # by a rule that runs the function again, as checkpoint's does
    _shares: dict[int, list[int]] = field(default_factory=dict)  # one array can be the share of several steps
    _delivered: dict[int, list[int]] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def run(self, outputs: tuple[Variable, ...], order: int) -> Iterator[Recording]:
        """The recordings of order 1, 2 ... up to ``order``, or up to the last one that is not zero everywhere."""
        self._first = [0, len(self.recorder.drafts)]
        for variable in self.recorder.held:
            self._remember(variable)
        ys: tuple[Variable, ...] = tuple([y for y in outputs if y.node is not None])
        while self.order < order and ys:
            self.order += 1
            derivative = self._differentiated(ys)
            if derivative is None:
                return
            yield self._recording(derivative)
            ys = (derivative,) if derivative.node is not None else ()

    def _differentiated(self, ys: tuple[Variable, ...]) -> Variable | None:
        upstream = [Variable(_ones(y), requires_grad=False) for y in ys]
        with observe(self._hear):
            (derivative,) = grad(ys, [self.wrt], upstream, create_graph=True)
        self._attribute(self._id(self.wrt))
        result = None if derivative is None else self.recorder.find(derivative)
        for draft in self.recorder.drafts[self._first[-1] :]:
            draft.order = self.order
            if draft.kind == "call":
                draft.place = CodePosition(file="", line=0, source=expression_of(draft, self.recorder.drafts))
            elif draft.name is None:
                draft.name = _constant_name(draft)
        if result is not None and result >= self._first[-1]:
            self.recorder.drafts[result].name = result_name(self.y, str(self.wrt.name), self.order)
        self._starts = tuple([self.recorder.find(ones) for ones in upstream])
        self._first.append(len(self.recorder.drafts))
        return derivative

    # ------------------------------------------------------------------ listening
    def _hear(self, event: ForwardEvent | BackwardEvent) -> None:
        if isinstance(event, ForwardEvent):
            for value in (*event.inputs, *event.outputs):
                self._remember(value)
            self._pending.append((self.recorder.add_call(event, None), event))
            for output in event.outputs:
                self._remember(output)
            return
        step = self.recorder.step_at(event.node)
        self._attribute(step)
        if step is not None and isinstance(event.upstream, Variable):
            self._name(event.upstream, step)
        self._shares = {}
        for edge, share in zip(event.node.edges, event.gradients, strict=True):
            if share is not None and not isinstance(share, Bundle):
                self._deliver(share, self.recorder.step_at(edge.parent))
        for identity, steps in self._shares.items():
            self._delivered.setdefault(identity, []).extend(steps)

    def _remember(self, value: Any) -> None:
        if isinstance(value, Variable) and value.node is not None:
            step = self.recorder.step_at(value.node)
            if step is not None:
                self._variables.setdefault(step, value)

    def _deliver(self, share: Any, step: int | None) -> None:
        self._kept.append(share)  # keeps its id from being reused
        if step is not None:
            self._shares.setdefault(id(share), []).append(step)

    def _attribute(self, step: int | None) -> None:
        """Assign the steps since the last event to the rule of ``step``, except the sums of shares before it ran, and
        the steps up to ``step`` itself: they belong to the rule of an older one."""
        if step is not None and self._repeated and step < self._repeated[0]:
            for identity in self._repeated:
                self.recorder.drafts[identity].of = step
            self._repeated.clear()
        for identity, event in self._pending:
            if step is not None and identity <= step:
                self._repeated.append(identity)
                continue
            owner = self._summed(event)
            if owner is not None:
                self._delivered[id(event.outputs[0])] = [owner]
                self._kept.append(event.outputs[0])
            self.recorder.drafts[identity].of = step if owner is None else owner
        self._pending.clear()

    def _summed(self, event: ForwardEvent) -> int | None:
        """The step whose gradient an addition accumulates: the sum so far plus a share of the last node."""
        if event.function.name != "add" or len(event.inputs) != 2:
            return None
        before, share = map(id, event.inputs)
        owners = [step for step in self._shares.get(share, ()) if step in self._delivered.get(before, ())]
        if owners:
            self._shares[share].remove(owners[0])  # the next sum with this share belongs to another step
        return owners[0] if owners else None

    def _name(self, gradient: Variable, step: int) -> None:
        """Name a complete gradient, if its step has a name."""
        found, of = self.recorder.find(gradient), self.recorder.drafts[step]
        if found >= self._first[-1] and of.name and self.recorder.drafts[found].kind == "call":
            draft = self.recorder.drafts[found]
            below = of.name if of.order == 0 else f"({of.name})"
            draft.name = draft.name or f"∂{self.y}{_PRIMES[self.order - 1]}/∂{below}"

    # ------------------------------------------------------------------ the result
    def _id(self, variable: Variable) -> int | None:
        return None if variable.node is None else self.recorder.step_at(variable.node)

    def _recording(self, derivative: Variable) -> Recording:
        """The graph of one order: the steps of this order that its result needs, and the lower-order values used."""
        result = self.recorder.find(derivative)
        shown = sorted(self._needed(result))
        gradients = self._gradients(derivative, shown)
        steps = tuple([self._step(i, set(shown), gradients) for i in shown])
        name = result_name(self.y, str(self.wrt.name), self.order)
        inputs = tuple([step.id for step in steps if step.kind == "input"])
        return Recording(name, inputs, (result,), steps, (), order=self.order, wrt=self.wrt.name, starts=self._starts)

    def _needed(self, result: int) -> set[int]:
        x = self._id(self.wrt)
        needed, waiting = {result} | ({x} if x is not None else set()), [result]
        while waiting:
            draft = self.recorder.drafts[waiting.pop()]
            if draft.order < self.order and draft.id != result:
                continue
            new = {use.step for use in draft.uses if use.step is not None} - needed
            needed |= new
            waiting += new
        return needed

    def _gradients(self, derivative: Variable, shown: list[int]) -> dict[int, Any]:
        """The gradient of the derivative's sum with respect to each of the steps."""
        known = [i for i in shown if i in self._variables]
        if derivative.node is None or not known:
            return {}
        start = _ones(derivative)
        with silence:
            found = grad([derivative], [self._variables[i] for i in known], [start])
        return {i: self.recorder.budget.snapshot(g.data) for i, g in zip(known, found, strict=True) if g is not None}

    def _step(self, i: int, shown: set[int], gradients: dict[int, Any]) -> Step:
        draft = self.recorder.drafts[i]
        is_own = draft.order == self.order or draft.kind in LEAVES
        uses = draft.uses if is_own else [Use("", source, None) for source in self._sources(i, shown)]
        requires = i in self._variables
        kept = replace(draft, uses=uses, grad=gradients.get(i), reached=False, requires_grad=requires)
        return replace(kept.step(), kind=draft.kind if is_own else "reference", scope=None)

    def _sources(self, i: int, shown: set[int]) -> list[int]:
        """The nearest steps in the picture that a value of lower order was computed from."""
        found: dict[int, None] = {}
        waiting, seen = [use.step for use in self.recorder.drafts[i].uses], set()
        while waiting:
            step = waiting.pop(0)
            if step is None or step in seen:
                continue
            seen.add(step)
            if step in shown:
                found[step] = None
            else:
                waiting += [use.step for use in self.recorder.drafts[step].uses]
        return list(found)


def _constant_name(draft: Draft) -> str | None:
    """The name of a constant whose elements are all equal, such as ``2``, ``ones`` or ``all 2``."""
    value = draft.value
    if value is None or value.minimum is None or value.minimum != value.maximum or value.nan_count or value.inf_count:
        return None
    return f"{value.minimum:g}" if value.size == 1 else "ones" if value.minimum == 1 else f"all {value.minimum:g}"


def _ones(y: Variable) -> Array:
    """The upstream gradient of the sum of ``y``, on the device of ``y``."""
    return get_array_module(y._data).ones(y.shape, y.dtype)
