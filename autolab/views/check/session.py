"""LensSession: the state of a check lens without its picture: what is selected, and the results.

It knows nothing of widgets. All calls of the user's function are in `compute`, which may run in a thread of its own.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...engine import Variable, get_array_module
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...engine.undisturbed import quietly
from ...gradcheck import GradientReport, check_bound
from ...gradcheck.checks.judge import FirstOrder
from ...gradcheck.checks.taylor import DirectionStudy, study
from ...gradcheck.report import CheckedFunction, kept
from ...recording.locate import source_of
from ...recording.model import Recording, Step
from ...recording.record import record_bound
from ...shared.binding import Bound
from ..live.computation import RerunContext, UserError, told
from .contents import Index, first_input, start_of

SECONDS = 60.0
DIRECTIONS = range(1, 9)
"""The random directions that can be selected: the number of each is its seed."""

MOST_ORDER = 2

_KEPT = 8


@dataclass(frozen=True)
class LensState:
    """What is selected: the check (``seed`` None: the given one), the element, and how it moves.

    ``place`` None means the worst element. ``whole`` moves the whole input in the random direction drawn with the seed
    ``direction``.
    """

    order: int
    seed: int | None = None
    input: int = 0
    place: Index | None = None
    whole: bool = False
    direction: int = DIRECTIONS[0]


@dataclass(frozen=True, eq=False)
class Backward:
    """The source of a backward written by a user."""

    function: str
    file: str
    first: int
    source: str

    def returns(self) -> list[int]:
        """The lines that return the gradients."""
        try:
            found = [node for node in ast.walk(ast.parse(self.source)) if isinstance(node, ast.Return)]
        except SyntaxError:  # a lambda in the middle of a statement
            return []
        return [self.first + k - 1 for node in found for k in range(node.lineno, (node.end_lineno or node.lineno) + 1)]


@dataclass(frozen=True, eq=False)
class Scenery:
    """Where the gradients come from: the recorded function, and each backward written by a user."""

    recording: Recording | None = None
    backwards: tuple[Backward, ...] = ()


@dataclass(frozen=True, eq=False)
class CheckResult:
    """The result for a state. ``study`` is None if there is nothing to measure."""

    state: LensState
    report: GradientReport
    study: DirectionStudy | None
    scenery: Scenery


class LensSession(RerunContext):
    """A report and the function that was checked.

    Modes and random numbers are those of the thread that opened the session, whichever thread computes.
    """

    seconds = SECONDS

    def __init__(self, report: GradientReport, origin: CheckedFunction) -> None:
        super().__init__(origin.base.fn)
        self.origin = origin
        self.start = self.state = LensState(origin.order, input=first_input(report))
        self._checks: dict[tuple[int, int | None], tuple[GradientReport, Scenery | None]]
        self._checks = {(origin.order, None): (report, None)}
        self._of_now = True  # the next run shows what the reports depend on
        with contextlib.suppress(Exception):  # the first computation reports what the function raises
            self._reach()

    def _reach(self) -> None:
        """Run the function once to note what it depends on: a later cell may change that before a computation ends."""
        with self.running(lambda: None) as origins:
            self.origin.base.call(kept(self.origin.base).variables)
        self.origins, self._of_now = origins, False

    def report(self, state: LensState) -> GradientReport | None:
        """The report of a state, if its check has been made."""
        return self._checks.get((state.order, state.seed), (None, None))[0]

    def scenery(self, order: int, seed: int | None) -> Scenery | None:
        """Where the gradients of a check come from, if that has been recorded."""
        return self._checks.get((order, seed), (None, None))[1]

    @property
    def orders(self) -> list[int]:
        """The orders that can be checked."""
        return sorted({1, MOST_ORDER, self.origin.order})

    def seed_of(self, order: int) -> int | None:
        """The seed of the check of an order that is shown first: None for the given one, or another draw."""
        return None if order == self.origin.order else 0

    def of_order(self, order: int) -> LensState:
        """The initial state of the check of an order."""
        return replace(self.state, order=order, seed=self.seed_of(order), place=None)

    def compute(self, state: LensState, check: Callable[[], None] = lambda: None) -> CheckResult | UserError:
        """Check and measure what the state asks for; an exception of the user's function is returned as data.

        ``check`` is called at every step of the engine; an exception that it raises ends the computation.
        """
        return told(lambda: self._measured(state, check))

    def _measured(self, state: LensState, check: Callable[[], None]) -> CheckResult:
        with self.running(check) as origins:
            report = self._checked(state)
            found, scenery = _study(report, state), self.scenery(state.order, state.seed)
            scenery = scenery or _scenery(self.origin.base, _upstreams(report))
            self._keep(state, report, scenery)
        if self._of_now:
            self.origins, self._of_now = origins, False
        return CheckResult(state, report, found, scenery)

    def forget(self) -> None:
        """Discard all results, so that the function is checked again in its current state; the given report is kept."""
        first = self.start.order, self.start.seed
        self._checks = {first: (self._checks[first][0], None)}
        self._of_now = True

    def _checked(self, state: LensState) -> GradientReport:
        found = self.report(state)
        if found is None:
            rng, origin = np.random.default_rng(state.seed), self.origin
            found = check_bound(origin.base, rng, state.order, reveal=origin.reveal)
            self._keep(state, found, None)
        return found

    def _keep(self, state: LensState, report: GradientReport, scenery: Scenery | None) -> None:
        """Keep the given check and the latest ones."""
        self._checks[state.order, state.seed] = report, scenery
        for key in list(self._checks)[1:-_KEPT]:
            del self._checks[key]


def place_of(report: GradientReport, state: LensState) -> Index | None:
    """The element that a state selects; None if its input has none."""
    if not 0 <= state.input < len(report.inputs):
        return None
    return start_of(report.inputs[state.input]) if state.place is None else state.place


def _study(report: GradientReport, state: LensState) -> DirectionStudy | None:
    place = place_of(report, state)
    origin = report._origin
    if place is None or origin is None or report.inputs[state.input].measured == 0:
        return None
    name = report.inputs[state.input].name
    return study(origin.checked, report.upstream, name, None if state.whole else place, state.direction)


def taker_of(recording: Recording, name: str) -> Step | None:
    """The step that takes an input: one with a user's backward, or else the first; None if there is none."""
    inputs = [step.id for step in recording.steps if step.kind == "input" and step.name == name]
    takers = [step for step in recording.steps if any(o.step in inputs for o in step.operands)]
    written = [step for step in takers if step.backward_code is not None]
    return next(iter([*written, *takers]), None)


def _upstreams(report: GradientReport) -> tuple[np.ndarray, ...]:
    """The upstream gradients of the function itself, even if the report is about its gradient."""
    upstreams, bound = report.upstream, report._origin.checked if report._origin else None
    while bound is not None and isinstance(bound.fn, FirstOrder):
        upstreams, bound = bound.fn.constants, bound.fn.bound
    return upstreams


def _scenery(base: Bound, upstreams: tuple[np.ndarray, ...]) -> Scenery:
    """The recording of the run that a report is about, with the same upstream gradients."""
    found: dict[str, Any] = {}

    def hook(event: ForwardEvent | BackwardEvent) -> None:
        backward = getattr(event.function, "written_backward", None) if isinstance(event, ForwardEvent) else None
        if backward is not None:
            found[event.function.name] = backward  # type: ignore[union-attr]

    def upstream(outputs: tuple[Variable, ...]) -> Any:
        drawn = iter(upstreams)
        each = [
            get_array_module(y.array).asarray(next(drawn), y.dtype) if y.dtype.kind == "f" else None for y in outputs
        ]
        return each[0] if len(each) == 1 else tuple(each)

    try:
        with observe(hook), quietly():
            recording = record_bound(base, kept(base).variables, upstream)
    except Exception:  # a backward that breaks its contract, which the findings report
        recording = None
    return Scenery(recording, tuple([b for name, function in found.items() for b in _source(name, function)]))


def _source(name: str, function: Any) -> list[Backward]:
    source, file, first = source_of(function)
    return [] if source is None or first is None else [Backward(name, file or "", first, source)]
