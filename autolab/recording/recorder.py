"""Recorder: observes a function and its gradient while they run, and makes a recording.

What an event says about the application of a function, besides its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np

from ..debug.inplace import watching
from ..engine import Array, ForwardEvent, Primitive, Variable, array_of, grad
from ..engine.arrays import pool_bytes
from ..engine.backend import get_array_module, on_gpu
from ..engine.leaving import watch_leaving
from ..engine.multi_output import Bundle
from ..engine.observe import BackwardEvent, observe
from ..functions.arrays.device_transfer import Transfer
from ..shared.binding import Bound
from ..shared.collector import PatientCollector, collector_waits
from .arrays import Budget, maker
from .departures import Departures
from .departures import key_of as _key
from .drafts import Draft, Use
from .finished import finished
from .fused_functions import Opener
from .kept_memory import KeptArrays, buffer_of, kept_by
from .local_derivatives import LocalDerivatives, Sums
from .locate import CodePosition, Locator, python_function, source_of
from .model import BackwardStep, Kind, Pool, Recording, Snapshot
from .raised import Raised
from .replacing import Replacements
from .rule_text import exact_text
from .scopes import ScopeTracker
from .tangents import Tangents


def attributes_of(event: ForwardEvent) -> tuple[tuple[str, str], ...]:
    """The names and texts of the attributes that differ from their defaults."""
    defaults = event.function.schema.defaults if isinstance(event.function, Primitive) else {}
    texts = {name: f"{value!r:.60}" for name, value in event.attributes.items()}
    return tuple([(name, text) for name, text in texts.items() if text != repr(defaults.get(name, ...))])


def given_inputs(event: ForwardEvent) -> tuple[Any, ...]:
    """The inputs, without optional ones at the end that were not given to a declared function."""
    count = len(event.inputs)
    while isinstance(event.function, Primitive) and event.inputs[count - 1] is None:
        count -= 1
    return event.inputs[:count]


def backward_code(function: Any) -> str | None:
    """The source of a backward that a user wrote; None for declared functions, which have rules, and for transfers."""
    if isinstance(function, Primitive) or type(function) is Transfer:
        return None
    return source_of(function.written_backward)[0]


# The GPU memory that a run takes, as CuPy's memory pool reports it.


class PoolWatch:
    """Checks the pool whenever a value on a GPU is computed."""

    def __init__(self) -> None:
        self._module: ModuleType | None = None
        self._peak = 0

    def look(self, array: Any) -> None:
        """Check the pool after a value was computed; nothing to do on the CPU, or if there is no value."""
        if type(array) is np.ndarray:
            return
        array = getattr(array, "_data", array)
        if array is not None and not isinstance(array, dict) and on_gpu(array):
            self._module = get_array_module(array)
            self._peak = max(self._peak, pool_bytes(self._module)[0])

    def look_again(self, gradients: Sequence[Any]) -> None:
        """Check the pool after gradients were computed, which are on the same device as the values."""
        if self._module is not None:
            self.look(next((share for share in gradients if share is not None), None))

    def figures(self) -> Pool | None:
        """The current state of the pool; None if no value was on a GPU."""
        if self._module is None:
            return None
        used, total = pool_bytes(self._module)
        return Pool(used, max(self._peak, used), total)


_backward_step = maker(BackwardStep)


@dataclass
class Recorder:
    """Observes the engine and collects the steps.

    Steps are identified by their node (its order; a leaf's id) or, for constants, by the Variable. Leaves and constants
    are kept alive until the recording is finished, so that no id is reused by another object.
    """

    bound: Bound
    budget: Budget
    locator: Locator
    tracker: ScopeTracker
    replacements: Replacements
    opener: Opener
    outputs: tuple[Variable, ...] | None = None  # set when the function has returned
    recording: Recording | None = None  # set when it is finished
    drafts: list[Draft] = field(default_factory=list)
    backward: list[BackwardStep] = field(default_factory=list)
    upstream: list[Snapshot | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    departures: Departures = field(default_factory=Departures)
    _ids: dict[Any, int] = field(default_factory=dict)
    _arrays: dict[int, Array] = field(default_factory=dict)  # of constants, which get another one when they are changed
    held: list[Variable] = field(default_factory=list)
    forward: tuple[Variable, Array] | None = None  # the input that moves in forward mode, and its direction

    def __post_init__(self) -> None:
        spare = self.budget.share(0.25)  # so that explanations of gradients do not crowd out values and gradients
        self._pool = PoolWatch()
        self._locals, self._sums = LocalDerivatives(spare), Sums(spare)
        self._tangents = None if self.forward is None else Tangents(*self.forward, self.budget, spare)

    # ------------------------------------------------------------------ forward
    def run_forward(self, variables: Mapping[str, Variable]) -> Any:
        """Run the function and return its result."""
        try:
            with (
                watching(self.name_of),
                observe(self.hear_forward),
                watch_leaving(self.departures.hear),
                PatientCollector(),
            ):
                return self.bound.call(variables)
        finally:
            self.tracker.close()

    def add_leaf(self, variable: Variable, kind: Kind, name: str | None) -> int:
        self.held.append(variable)
        self._pool.look(variable._data)
        return self._add(variable, Draft(0, kind, None, name, [], self.budget.snapshot(variable._data)))

    def _add(self, variable: Variable | None, draft: Draft) -> int:
        draft.id = len(self.drafts)
        self.drafts.append(draft)
        if variable is not None:
            self._ids[_key(variable)] = draft.id
            draft.requires_grad, draft.is_float = variable.node is not None, variable._data.dtype.kind == "f"
            if variable.node is None or draft.replaced:
                self.held.append(variable)
            if variable.node is None:
                self._arrays[draft.id] = variable._data
            if self._tangents is not None:
                self._tangents.meet(variable, draft)
        return draft.id

    def hear_forward(self, event: ForwardEvent | BackwardEvent) -> None:
        if not isinstance(event, ForwardEvent):
            return  # the function computes a gradient of its own
        site = self.tracker.here()
        self.departures.look(event)
        if self.opener.opens(event):
            scope, first = self.tracker.call(event.function.name, site), len(self.drafts)
            self.opener.forward(self, event, site.place, site.outer_line, scope)
            self.replacements.close(range(first, len(self.drafts)), event.function.name)
        else:
            call = self.add_call(event, site.place, site.outer_line, site.scope, self.replacements)
            self.drafts[call].is_inner = site.is_inner

    def add_call(
        self,
        event: ForwardEvent,
        place: CodePosition | None,
        outer_line: int | None = None,
        scope: int | None = None,
        replacements: Replacements | None = None,
    ) -> int:
        """Add a step for an application of a function and return its id. ``replacements`` may replace its result."""
        uses = self._uses(event, () if place is None else place.operands)
        names = place.names if place is not None else ()
        single = len(event.outputs) == 1
        name = names[0] if single and len(names) == 1 else None
        is_replaced = single and self._replaced(replacements, event, 0, name)
        self._pool.look(event.outputs[0]._data)
        draft = Draft(
            id=0,
            kind="call",
            function=event.function.name,
            name=name,
            uses=uses,
            value=self.budget.snapshot(event.outputs[0]._data) if single else None,
            place=place,
            outer_line=outer_line,
            seconds=event.seconds,
            backward_code=backward_code(event.function),
            attributes=attributes_of(event) if event.attributes else (),
            scope=scope,
            replaced=is_replaced,
            call=(event.function, event.attributes) if isinstance(event.function, Primitive) else None,
        )
        call = self._add(event.outputs[0] if single else None, draft)
        if not single:
            self._add_parts(call, event, names, replacements)
        if self._tangents is not None:
            self._tangents.push(event, uses, [draft] if single else self.drafts[call + 1 :])
        return call

    def _replaced(self, replacements: Replacements | None, event: ForwardEvent, i: int, name: str | None) -> bool:
        """Whether result ``i``, which becomes the next step, was replaced."""
        return replacements is not None and replacements.apply(event, event.outputs[i], len(self.drafts), name)

    def _add_parts(
        self, call: int, event: ForwardEvent, names: tuple[str, ...], replacements: Replacements | None
    ) -> None:
        whole = self.drafts[call]
        named = names if len(names) == len(event.outputs) else (None,) * len(event.outputs)
        for i, (name, output) in enumerate(zip(named, event.outputs, strict=True)):
            use, node = Use("part", call, None), output.node
            is_replaced = self._replaced(replacements, event, i, name)
            value = self.budget.snapshot(output._data)
            draft = Draft(0, "part", whole.function, name, [use], value, whole.place, whole.outer_line)
            draft.scope, draft.replaced = whole.scope, is_replaced
            self._add(output, draft)
            if node is not None:
                self._ids[node.parent.order] = call

    def same(self, variable: Variable, step: int) -> None:
        """Let a value represent an existing step."""
        self._ids[_key(variable)] = step

    def name_of(self, variable: Variable) -> str | None:
        """The user's name for a value."""
        step = self._ids.get(_key(variable))
        return variable.name if step is None or self.drafts[step].name is None else self.drafts[step].name

    def find(self, variable: Variable) -> int:
        """The id of the step that computed a value, or of a new constant if there is none."""
        step = self._ids.get(_key(variable))
        return self.add_leaf(variable, "constant", variable.name) if step is None else step

    def step_at(self, node: Any) -> int | None:
        """The id of the step of a node, if there is one."""
        return self._ids.get(node.order or ("leaf", id(node)))

    def _uses(self, event: ForwardEvent, texts: Sequence[str]) -> list[Use]:
        """The uses of the inputs; ``texts`` are the inputs as written."""
        function, found = event.function, []
        label = function.schema.label if isinstance(function, Primitive) else function.input_label
        for i, value in enumerate(event.inputs if event.inputs[-1] is not None else given_inputs(event)):
            step = None
            constant = None if isinstance(value, Variable) else exact_text(value)
            if constant is None and (variable := operand_variable(value)) is not None:
                step = self.operand(variable, texts[i] if i < len(texts) else None)
            elif constant is None:
                constant = f"{value!r:.60}"
            found.append(Use(label(i), step, constant))
        return found

    def operand(self, value: Variable, text: str | None) -> int:
        """The id of the step of an operand written as ``text``, or of a new leaf or constant if none has its array."""
        step = self._ids.get(_key(value))
        if step is None or self._arrays.get(step, value._data) is not value._data:
            name = value.name or (text if text is not None and text.isidentifier() else None)
            step = self.add_leaf(value, "leaf" if value.requires_grad else "constant", name)
        self.departures.look_again(value, self.drafts[step].value)
        return step

    # ------------------------------------------------------------------ backward
    def run_backward(self, outputs: tuple[Variable, ...], given: list[Array]) -> None:
        """Differentiate the outputs, starting with the ``given`` upstream gradients; no ``.grad`` changes."""
        self.outputs = outputs
        reached = [y for y in outputs if y.node is not None]
        for y in outputs:
            if _key(y) not in self._ids:
                self.add_leaf(y, "constant" if y.node is None else "leaf", y.name)
        computed = [self.drafts[self._ids[_key(x)]].kind for x in self.held if x.creator is not None]
        self.notes += ["steps_elsewhere"] * ("leaf" in computed)
        if not reached:
            self.notes.append("no_gradient")
            return
        starts = [start for y, start in zip(outputs, given, strict=True) if y.node is not None]
        self._keep_starts(outputs, iter(starts))
        leaves = [variable for variable in self.held if variable.node is not None]
        self._kept = KeptArrays(buffer_of, [array_of(variable._data) for variable in self.held])
        with observe(self.hear_backward), PatientCollector():
            found = grad(reached, leaves, starts)
        for variable, g in zip(leaves, found, strict=True):
            if g is not None:
                self.drafts[self._ids[_key(variable)]].grad = self.budget.snapshot(g.data)

    def _keep_starts(self, outputs: tuple[Variable, ...], starts: Iterator[Any]) -> None:
        for y in outputs:
            if y.node is not None:
                self._sums.start(self._ids[_key(y)], array_of(y._like(next(starts))))
        totals = [self._sums.total(self._ids[_key(y)]) for y in outputs]
        self.upstream = [None if total is None else self.budget.snapshot(total) for total in totals]

    def hear_backward(self, event: ForwardEvent | BackwardEvent) -> None:
        if not isinstance(event, BackwardEvent) or (step := self._ids.get(event.node.order)) is None:
            return  # an operation inside a FunctionNode's backward, or in a graph from outside the function
        if self.opener.backward(event, self.hear_backward):
            return
        draft, arrived = self.drafts[step], event.upstream
        self._pool.look_again(event.gradients)
        upstream = self._sums.done(step, arrived)
        if upstream is None and not isinstance(arrived, Bundle):
            upstream = self.budget.snapshot(arrived)
        draft.grad, draft.reached = upstream, True
        if draft.kind != "call" or step in self.replacements.changed:
            return  # a part, or a value computed before the recording began, whose own graph is not followed
        draft.keeps = self._kept.told(kept_by(event.node))
        for edge, share in zip(event.node.edges, event.gradients, strict=True):
            use = draft.uses[edge.place]
            if share is not None:  # an addition passes on the same array that arrived
                use.contribution = upstream if share is arrived and upstream else self.budget.snapshot(share)
            self._locals.fill_in(use, event, edge, share, upstream)
            self._sums.add(use, share)
        self.backward.append(_backward_step(len(self.backward), step, upstream, event.seconds))

    # ------------------------------------------------------------------ the result
    @collector_waits()
    def finish(self, raised: Raised | None = None) -> Recording:
        """The recording as plain data; a run that ended with ``raised`` has only the steps before it."""
        self.recording = finished(
            self.drafts,
            None if self.outputs is None else [self._ids[_key(y)] for y in self.outputs],
            self.tracker.scopes(self.drafts),
            self.departures,
            self._ids,
            python_function(self.bound.fn),
            raised,
            not hasattr(self.bound.given, "__wrapped__"),
            function=self.bound.name,
            inputs=tuple(range(len(self.bound.inputs))),
            backward=tuple(self.backward),
            upstream=tuple(self.upstream),
            reduced=self.budget.reduced,
            notes=tuple(self.notes),
            openable=tuple(self.opener.found),
            openings=tuple(self.opener.openings.values()),
            pool=self._pool.figures(),
            moved=None if self._tangents is None else self._tangents.start,
        )
        return self.recording

    def unfinished(self, raised: Raised) -> Recording:
        """The recording of a run that raised; without derivatives, if these did."""
        return self.finish(raised) if self.recording is None else replace(self.recording, raised=raised)


def operand_variable(value: Any) -> Variable | None:
    """An input as a Variable; None if it is not an array: None itself, or any object that a ContextFunction takes."""
    try:
        return value if isinstance(value, Variable) else Variable(value, requires_grad=False)
    except TypeError:
        return None
