"""Lens: the live view of a gradient check. Python measures and writes all sentences; JavaScript only draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...gradcheck import GradientReport
from ...gradcheck.report import LEVELS
from ..draw import clean, say
from ..draw.arrays import cell_of
from ..draw.heatmap_data import block_of
from ..draw.heatmap_svg import MAX_CELLS
from ..graph.readings import readings
from ..graph.scene import scene
from ..live.computation import UserError, for_page
from ..live.protocol import not_understood, on_question
from ..live.session_view import SessionView
from .contents import chosen, curves, element_in, moved_on, panels, start_of, verdict
from .session import DIRECTIONS, Backward, CheckResult, LensSession, LensState, Scenery, place_of, taker_of

_LENS_WORDS = (
    *("analytic", "numeric", "error", "analytic_says", "numeric_says", "error_says", "inputs"),
    *("why", "back", "steps", "taylor", "order", "again", "along", "colors", "graph", "not_saved"),
)
_NEEDED = 2
"""A report that reveals less has no numbers to show."""

_SEEDS = 2**32


class Lens(SessionView):
    """A live view of a gradient check, created by ``report.explore()``: analytic and numeric gradients side by side,
    and how the error depends on the step size.

    All state is in the widget's model, so one model can have many views.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.check_gradients(lambda x, y: x * y, x=2.0, y=3.0).explore()
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.report.passed
    True
    >>> view.close()
    """

    kind = "lens"

    stopped_words = "lens_stopped"

    def __init__(self, session: LensSession) -> None:
        self._session = session
        self._measured: CheckResult | None = None
        words = {f"lens_{key}": say(f"lens_{key}") for key in _LENS_WORDS}
        words |= {"rest": say("lens_rest"), "live_old": "", "live_stale": say("lens_stale")}
        look = look_of(session.state)
        super().__init__(questions_of(look), words, look=look)
        with self._lock, self.hold_sync():
            self._refresh()
            self._wait_a_little()

    # ------------------------------------------------------------------ for Python
    @property
    def report(self) -> GradientReport:
        """The check that is shown: the given one or a later one."""
        found: GradientReport | None = self._session.report(self._session.state)
        return self._session.report(self._session.start) if found is None else found  # a wrong report is falsy

    def _still(self) -> GradientReport:
        return self.report

    # ------------------------------------------------------------------ what is shown
    @on_question("check", "page", order=int, seed=(int, type(None)))
    def _check(self, order: int, seed: int | None) -> dict[str, Any]:
        """A check: its verdict, and the gradient of every input."""
        if order not in self._session.orders:
            raise ValueError(f"explore: order is {order}; expected one of {self._session.orders}")
        if seed is not None and not 0 <= seed < _SEEDS:
            raise ValueError(f"explore: the seed is {seed}; expected 0 to {_SEEDS - 1}")
        report = self._session.report(LensState(order, seed))
        return {"refused": say("live_computing")} if report is None else of_report(report, seed, self._session)

    @on_question("scenery", "page", order=int, seed=(int, type(None)))
    def _scenery(self, order: int, seed: int | None) -> dict[str, Any] | None:
        """Where the gradients of a check come from; None until that is recorded."""
        found, report = self._session.scenery(order, seed), self._session.report(LensState(order, seed))
        return None if found is None or report is None else of_scenery(found, report)

    @on_question("directions", "page", order=int, seed=(int, type(None)), input=int)
    def _directions(self, order: int, seed: int | None, input: int) -> list[Any]:
        """The random directions in which an input can move."""
        report = self._session.report(LensState(order, seed))
        return [] if report is None else of_directions(report, input, DIRECTIONS)

    @on_question("chosen", "answers", order=int, seed=(int, type(None)), input=int, cell=(list, type(None)))
    def _chosen(self, order: int, seed: int | None, input: int, cell: list[Any] | None) -> dict[str, Any]:
        """The element that a cell of an input shows, or its worst one, as far as the check knows it."""
        state = self._state(order, seed, input, cell)
        report = self._session.report(state)
        return {} if report is None else of_choice(report, state)

    @on_question("study", "answers", order=int, seed=(int, type(None)), input=int, along=(list, int, type(None)))
    def _study(self, order: int, seed: int | None, input: int, along: Any) -> dict[str, Any] | None:
        """What was measured along an element or a direction of an input; None until it is measured."""
        state, looked = self._state(order, seed, input, along), self._measured
        return of_study(looked) if looked is not None and looked.state == state else None

    def _state(self, order: int, seed: int | None, input: int, along: Any) -> LensState:
        """What is selected: a cell of an input, a direction, or the worst element (None)."""
        first = LensState(order, seed, input)
        report = self._session.report(first)
        match along:
            case None:
                return first
            case int() if along in DIRECTIONS:
                return replace(first, whole=True, direction=along)
            case int():
                raise ValueError(f"explore: direction is {along}; expected {DIRECTIONS[0]} to {DIRECTIONS[-1]}")
            case [int(row), int(column)]:
                if report is None or not 0 <= input < len(report.inputs):
                    return first
                place = element_in(report.inputs[input], row, column)
                return first if place == start_of(report.inputs[input]) else replace(first, place=place)
        raise not_understood(["study", order, seed, input, along])

    # ------------------------------------------------------------------ what is computed
    def _turned(self) -> None:
        """Compute what is selected, unless that was computed last or is being computed."""
        asked = next((question[1:] for question in self._asked if question[0] == "study"), None)
        if asked is None:
            return
        state, looked = self._state(*asked), self._measured
        if state != self._session.state or (self.error and (looked is None or looked.state != state)):
            self._session.state = state
            self._tell(error=None)
            self._refresh()

    def _show_result(self, result: CheckResult) -> None:
        self._measured = result
        self._answer_anew()
        self._tell(error=None, since=self._since())
        self._turned()  # before, the element of a cell may have been unknown

    def _show_error(self, error: UserError) -> None:
        if self._session.report(self._session.state) is None:  # the requested check does not exist
            self._look(self._measured.state if self._measured else self._session.start)
        else:
            self._answer_anew()
        self._tell(error=for_page(error))

    def _compute_again(self) -> None:
        """Check the function again in its current state."""
        self._session.forget()
        self._look(replace(self._session.state, seed=self._session.state.seed or 0, place=None))
        self._refresh()

    def _look(self, state: LensState) -> None:
        """Make all pages show something else."""
        self._session.state = state
        look = {**self.look, **look_of(state, self._session.report(state))}
        self._publish({**self._answers(questions_of(look)), "look": look})


def look_closely(report: GradientReport) -> Lens:
    """Open the lens on a report, for ``report.explore()``."""
    origin = report._origin
    if origin is None:
        raise ValueError("explore: this copy of a report does not know its function; check again and explore that")
    if origin.reveal < _NEEDED:
        raise ValueError(f"explore: reveal={origin.reveal} holds back the numbers that a lens would show")
    lens = Lens(LensSession(report, origin))
    lens._save_here("explore", "check", report.function)
    return lens


_MOST_LINES = 200


def look_of(state: LensState, report: GradientReport | None = None, most: int = MAX_CELLS) -> dict[str, Any]:
    """The look of a page that shows a state; without the report, at the worst element."""
    item = None if report is None or state.place is None else report.inputs[state.input]
    cell = None if item is None or state.place is None else cell_of(item.shape, state.place, block_of(item, most))
    check = {"order": state.order, "seed": state.seed}
    return {**check, "input": state.input, "cell": cell, "whole": state.whole, "direction": state.direction}


def questions_of(look: Mapping[str, Any]) -> list[list[Any]]:
    """The questions of a page with this look, as in views/check/lens.js."""
    check, along = [look["order"], look["seed"]], look["direction"] if look["whole"] else look["cell"]
    of_input = [["chosen", *check, look["input"], look["cell"]], ["study", *check, look["input"], along]]
    return [["check", *check], ["scenery", *check], ["directions", *check, look["input"]], *of_input]


def of_report(report: GradientReport, seed: int | None, session: LensSession, most: int = MAX_CELLS) -> dict[str, Any]:
    """A report for the page, with heatmaps of at most ``most`` rows and columns; and the seeds of other orders."""
    draw = say("lens_draw_given") if seed is None else say("lens_draw", seed=seed)
    orders = [[other, session.seed_of(other)] for other in session.orders]
    return {**verdict(report), "orders": orders, "draw": draw, "panels": panels(report, most)}


def of_directions(report: GradientReport, position: int, seeds: Iterable[int]) -> list[list[Any]]:
    """The directions with these seeds and their names; none if the input cannot move."""
    if not 0 <= position < len(report.inputs) or not (item := report.inputs[position]).measured:
        return []
    name = clean(item.name, 60)
    return [[seed, say("lens_direction", name=name, seed=seed)] for seed in seeds]


def of_choice(report: GradientReport, state: LensState, most: int = MAX_CELLS) -> dict[str, Any]:
    """The selected element, as far as the check knows it."""
    place = place_of(report, state)
    return {} if place is None else chosen(report, state.input, place, most)


def of_study(looked: CheckResult) -> dict[str, Any]:
    """What was measured along the selected element or direction; empty if nothing was."""
    if looked.study is None:
        return {}
    item = looked.report.inputs[looked.state.input]
    return {**curves(looked.study, item), "moved_on": moved_on(looked.study, item)}


def of_scenery(found: Scenery, report: GradientReport) -> dict[str, Any]:
    """The graph, and for each input the user's backwards that its gradient may come from; empty in an exercise."""
    origin = report._origin
    if origin is None or origin.reveal < LEVELS[-1]:
        return {}
    recording = found.recording
    if recording is None:
        return {"backwards": [[_listing(backward) for backward in found.backwards]] * len(report.inputs)}
    holders = recording.outline.holders(recording.outline.at_first())
    takers = [taker_of(recording, item.name) for item in report.inputs]
    names = [None if step is None else step.function for step in takers]
    suspects = [holders[step.id] for step in recording.steps if step.backward_code is not None]
    inputs = {step.name: holders[step.id] for step in recording.steps if step.kind == "input"}
    return {
        "scene": scene(recording),
        "readings": readings(recording),
        "inputs": [inputs.get(item.name) for item in report.inputs],
        "takers": [None if step is None else holders[step.id] for step in takers],
        "suspects": list(dict.fromkeys(suspects)),
        "backwards": [[_listing(backward) for backward in _of(found.backwards, name)] for name in names],
    }


def _of(backwards: tuple[Backward, ...], function: str | None) -> list[Backward]:
    """The backward of the function that takes an input; all of them if that function is not the user's."""
    return [backward for backward in backwards if backward.function == function] or list(backwards)


def _listing(backward: Backward) -> dict[str, Any]:
    lines = backward.source.splitlines()[:_MOST_LINES]
    return {
        "title": say("lens_backward", function=clean(backward.function, 60), file=clean(backward.file)),
        "first": backward.first,
        "lines": [clean(line) if line else "" for line in lines],
        "returns": backward.returns(),
    }
