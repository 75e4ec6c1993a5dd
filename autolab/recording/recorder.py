"""record(): run a function and its gradient once, and keep every step as plain data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..binding import Bound, bind, chosen_options
from ..engine.backend import Array, array_of, is_array
from ..engine.backward import grad
from ..engine.checked import watching
from ..engine.errors import a_kind
from ..engine.leaving import watch_leaving
from ..engine.node import Bundle
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from ..engine.primitive import Primitive
from ..engine.variable import Variable
from .arrays import Budget
from .collector import collector_waits
from .departures import Departures
from .departures import key_of as _key
from .drafts import Draft, Use
from .events import attributes_of, backward_code, given_inputs, input_index
from .explain import Explainer, Sums
from .inner import describe_inner_steps
from .locate import Locator, Place, python_function, source_of
from .memory import PoolWatch
from .model import BackwardStep, Kind, Recording, Snapshot
from .opening import Opener, fused_names
from .orders import input_to_differentiate, with_derivatives
from .rules import exact_text
from .scopes import ScopeTracker
from .serialize import digest
from .upstream import one_each

BUDGET = 64 << 20
OPTIONS = ("upstream", "budget", "order", "wrt", "open")


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run ``fn`` on the inputs, then its gradient, and return every step of both as plain data.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a tuple of them.
    *args, **inputs
        Its arguments, bound by its signature. Numbers (float64), lists, arrays and Variables become fresh inputs; the
        caller's own Variables and their gradients stay as they are. An argument annotated ``int``, ``bool`` or
        ``str`` is passed on as it is.
    options : dict, optional
        ``upstream``: the upstream gradient of the output (by default 1, or ones of its shape); a tuple for several
        outputs.
        ``budget``: how many bytes of arrays the recording may keep (by default 64 MiB); larger ones are block-reduced.
        ``order``: up to which order the output's sum is differentiated by the input ``wrt`` (by default the first that
        can be), at most 4; the graphs of the derivatives are the recordings in ``.higher``.
        ``open``: names of fused functions (``"linear"``, ``"muladd"`` ...) whose steps are to stand in their place; the
        recording says how far both ways to compute are apart.

    Returns
    -------
    Recording
        It displays itself in a notebook: the graph with the value and the gradient of every step, and the tape as a
        table.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns something else than Variables.

    Examples
    --------
    >>> import autolab
    >>> def muladd(x, y, z):
    ...     h = x * y
    ...     return h + z
    >>> recording = autolab.record(muladd, x=2.0, y=3.0, z=4.0)
    >>> [step.function for step in recording.steps]
    [None, None, None, 'mul', 'add']
    >>> float(recording["x"].grad.values)
    3.0
    """
    return record_bound(bind("record", fn, args, inputs), **chosen_options("record", options, OPTIONS))


def record_bound(
    bound: Bound,
    variables: Mapping[str, Variable] | None = None,
    upstream: Any = None,
    budget: int = BUDGET,
    order: int = 0,
    wrt: str | None = None,
    open: Collection[str] = (),
) -> Recording:
    """`record` for bound inputs, with other Variables in their place if given.

    ``upstream`` may be a function that is called with the outputs, for callers who do not know their shapes before.
    """
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        raise TypeError(f"{bound.caller}: option 'budget' is {budget!r:.60}; expected a number of bytes: 0, 1, 2, ...")
    variables = {**bound.variables, **(variables or {})}
    x = input_to_differentiate("record", variables, order, wrt)
    locator = Locator(bound.fn)
    recorder = Recorder(
        Budget(budget), locator, ScopeTracker(sys._getframe(), locator), names=fused_names("record", open)
    )
    for name, variable in variables.items():
        recorder.add_leaf(variable, "input", name)
    try:
        with watching(recorder.name_of), observe(recorder.hear_forward), watch_leaving(recorder.departures.hear):
            returned = bound.call(variables)
    finally:
        recorder.tracker.close()
    outputs = _outputs(bound, returned, recorder.departures)
    given = upstream(outputs) if callable(upstream) else upstream
    recorder.run_backward(outputs, one_each(bound.caller, outputs, given))
    recording = recorder.finish(bound, len(variables), outputs)
    return recording if x is None else with_derivatives(recording, recorder, outputs, x, order)


def _outputs(bound: Bound, returned: Any, departures: Departures) -> tuple[Variable, ...]:
    values = tuple(returned) if isinstance(returned, list | tuple) else (returned,)
    if not values or not all(isinstance(value, Variable) for value in values):
        came = f"{bound.caller}: {bound.name} returned {_kinds(values):.150}"
        is_number = any([isinstance(value, int | float) or is_array(value) for value in values])
        hint = ": is a return missing?" if returned is None else departures.hint if is_number else ""
        raise TypeError(f"{came}; expected a Variable or a tuple of Variables{hint}")
    return values


def _kinds(values: tuple[Any, ...]) -> str:
    return ", ".join(map(a_kind, values)) or "an empty tuple"


@dataclass
class Recorder:
    """Listens to the engine and collects the steps.

    Steps are found again by their node (its order; a leaf's identity) or, for constants, by the Variable. Leaves and
    constants are held until the recording is finished, so that an identity cannot be taken over by another object.
    """

    budget: Budget
    locator: Locator
    tracker: ScopeTracker
    drafts: list[Draft] = field(default_factory=list)
    backward: list[BackwardStep] = field(default_factory=list)
    upstream: list[Snapshot | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    names: Collection[str] = ()  # of the fused functions that are to be opened
    departures: Departures = field(default_factory=Departures)
    _ids: dict[Any, int] = field(default_factory=dict)
    held: list[Variable] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.opener = Opener(self.names)
        spare = self.budget.share(0.25)  # what explains a gradient never costs a value or a gradient its place
        self._pool = PoolWatch()
        self._explainer, self._sums = Explainer(spare), Sums(spare)

    # ------------------------------------------------------------------ forward
    def add_leaf(self, variable: Variable, kind: Kind, name: str | None) -> int:
        self.held.append(variable)
        self._pool.look(variable.data)
        return self._add(variable, Draft(0, kind, None, name, [], self.budget.snapshot(variable.data)))

    def _add(self, variable: Variable | None, draft: Draft) -> int:
        draft.id = len(self.drafts)
        self.drafts.append(draft)
        if variable is not None:
            self._ids[_key(variable)] = draft.id
            draft.requires_grad, draft.is_float = variable.requires_grad, variable.dtype.kind == "f"
            if variable.node is None:
                self.held.append(variable)
        return draft.id

    def hear_forward(self, event: ForwardEvent | BackwardEvent) -> None:
        if not isinstance(event, ForwardEvent):
            return  # the function computes a gradient of its own
        place, is_inner, outer_line = self.tracker.here()
        self.departures.look(event)
        if self.opener.opens(event):
            scope = self.tracker.call(event.function.name, place)
            self.opener.forward(self, event, place, outer_line, scope)
        else:
            call = self.add_call(event, place, outer_line, self.tracker.now())
            self.drafts[call].is_inner = is_inner

    def add_call(
        self, event: ForwardEvent, place: Place | None, outer_line: int | None = None, scope: int | None = None
    ) -> int:
        """A step for an application of a function; its id."""
        uses = [self._use(event.function, i, value, place) for i, value in enumerate(given_inputs(event))]
        names = place.names if place is not None else ()
        single = len(event.outputs) == 1
        self._pool.look(event.outputs[0].data)
        draft = Draft(
            id=0,
            kind="call",
            function=event.function.name,
            name=names[0] if single and len(names) == 1 else None,
            uses=uses,
            value=self.budget.snapshot(event.outputs[0].data) if single else None,
            place=place,
            outer_line=outer_line,
            seconds=event.seconds,
            backward_code=backward_code(event.function),
            attributes=attributes_of(event),
            scope=scope,
        )
        call = self._add(event.outputs[0] if single else None, draft)
        if not single:
            self._add_parts(call, event, names)
        return call

    def _add_parts(self, call: int, event: ForwardEvent, names: tuple[str, ...]) -> None:
        place, outer_line = self.drafts[call].place, self.drafts[call].outer_line
        named = names if len(names) == len(event.outputs) else (None,) * len(event.outputs)
        for name, output in zip(named, event.outputs, strict=True):
            use = Use("part", call, None)
            draft = Draft(
                0, "part", event.function.name, name, [use], self.budget.snapshot(output.data), place, outer_line
            )
            draft.scope = self.drafts[call].scope
            self._add(output, draft)
            if output.node is not None:
                self._ids[output.node.parent.order] = call

    def same(self, variable: Variable, step: int) -> None:
        """Let a value stand for a step that is there."""
        self._ids[_key(variable)] = step

    def name_of(self, variable: Variable) -> str | None:
        """What the user calls a value."""
        step = self._ids.get(_key(variable))
        return variable.name if step is None or self.drafts[step].name is None else self.drafts[step].name

    def find(self, variable: Variable) -> int:
        """The id of the step that made a value; of a new constant where there is none."""
        step = self._ids.get(_key(variable))
        return self.add_leaf(variable, "constant", variable.name) if step is None else step

    def step_at(self, node: Any) -> int | None:
        """The id of the step of a node, if there is one."""
        return self._ids.get(node.order or ("leaf", id(node)))

    def _use(self, function: Any, i: int, value: Any, place: Place | None) -> Use:
        parameter = function.schema.label(i) if isinstance(function, Primitive) else function.input_label(i)
        text = place.operands[i] if place is not None and i < len(place.operands) else None
        if not isinstance(value, Variable):
            number = exact_text(value)
            if number is not None:
                return Use(parameter, None, number)
            try:
                value = Variable(value, requires_grad=False)
            except TypeError:  # no array: None for an input, or any object that a ContextFunction takes
                return Use(parameter, None, f"{value!r:.60}")
        step = self._ids.get(_key(value))
        if step is None:
            name = value.name or (text if text is not None and text.isidentifier() else None)
            step = self.add_leaf(value, "leaf" if value.requires_grad else "constant", name)
        return Use(parameter, step, None)

    # ------------------------------------------------------------------ backward
    def run_backward(self, outputs: tuple[Variable, ...], given: list[Array]) -> None:
        """Differentiate the outputs from the ``given`` upstream gradients; nobody's ``.grad`` changes."""
        reached = [y for y in outputs if y.node is not None]
        for y in outputs:
            if _key(y) not in self._ids:
                self.add_leaf(y, "constant", y.name)
        if not reached:
            self.notes.append("no_gradient")
            return
        starts = [start for y, start in zip(outputs, given, strict=True) if y.node is not None]
        self._keep_starts(outputs, iter(starts))
        leaves = [variable for variable in self.held if variable.node is not None]
        with observe(self.hear_backward):
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
        if not isinstance(event, BackwardEvent) or event.node.order not in self._ids:
            return  # an operation inside a FunctionNode's backward, or a graph that the function brought along
        if self.opener.backward(event, self.hear_backward):
            return
        draft = self.drafts[self._ids[event.node.order]]
        self._pool.look(next((share for share in event.gradients if share is not None), None))
        upstream = self._sums.done(draft.id, event.upstream)
        if upstream is None and not isinstance(event.upstream, Bundle):
            upstream = self.budget.snapshot(event.upstream)
        draft.grad, draft.reached = upstream, True
        if draft.kind != "call":
            return  # a part, or a value that was computed before the recording began: its own graph is not followed
        for edge, share in zip(event.node.edges, event.gradients, strict=True):
            use = draft.uses[input_index(event.node.function, edge.rule)]
            use.contribution = None if share is None else self.budget.snapshot(share)
            self._explainer.explain(use, event, edge, share)
            self._sums.add(use, share)
        self.backward.append(BackwardStep(len(self.backward), draft.id, upstream, event.seconds))

    # ------------------------------------------------------------------ the result
    @collector_waits()
    def finish(self, bound: Bound, inputs: int, outputs: tuple[Variable, ...]) -> Recording:
        scopes, ends = self.tracker.scopes(self.drafts), tuple([self._ids[_key(y)] for y in outputs])
        describe_inner_steps(self.drafts, scopes, ends)
        steps = tuple([draft.step() for draft in self.drafts])
        source, file, line = source_of(python_function(bound.fn))
        return Recording(
            id=digest(bound.name, steps),
            function=bound.name,
            inputs=tuple(range(inputs)),
            outputs=ends,
            steps=steps,
            backward=tuple(self.backward),
            source=source,
            file=file,
            first_line=line,
            upstream=tuple(self.upstream),
            reduced=self.budget.reduced,
            notes=tuple(self.notes),
            scopes=scopes,
            openable=tuple(self.opener.found),
            openings=tuple(self.opener.openings.values()),
            pool=self._pool.figures(),
            departures=self.departures.settled(self._ids, steps),
        )
