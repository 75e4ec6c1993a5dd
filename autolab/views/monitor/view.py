"""MonitorView: the live view of a monitor. Python decides what is drawn; JavaScript only draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...training.boundary import SIDE, DecisionBoundary, Units, parting
from ...training.model_state import ModelState
from ..draw import clean, number, say
from ..draw.arrays import about, array_entry, bytes_of
from ..draw.heatmap_data import legends
from ..draw.plot import contour
from ..live.protocol import not_understood, on_message, on_question
from ..live.widget import LiveView
from .static import charts, spent, status, title_of

if TYPE_CHECKING:
    from .monitor import LiveMonitor

# A net drawn unit by unit over the plane of its features: `training.boundary` as data for the page.

MOST_UNITS = 16
"""The maximum number of units drawn per layer."""


def plane(found: DecisionBoundary) -> dict[str, Any]:
    """The examples and the plane in which they lie: a feature and its range for each axis."""
    ends = ("low", found.low), ("high", found.high)
    return {
        "side": SIDE,
        "low": found.low.tolist(),
        "high": found.high.tolist(),
        "x": np.round(found.x.astype(float), 6).tolist(),
        "t": found.t.tolist(),
        "axes": say(
            "monitor_axes", **{f"{end}{i}": number(float(f"{at[i]:.3g}")) for end, at in ends for i in range(2)}
        ),
    }


def units(found: DecisionBoundary, state: ModelState) -> dict[str, Any]:
    """Every layer with its units, the weights between them, and the result.

    ``result`` is the quantity that separates the classes (see `training.boundary.parting`).
    """
    title = say("monitor_state", iteration=state.iteration)
    try:
        columns = found.at(state)
    except ValueError as error:
        return {"title": title, "absent": say("monitor_no_boundary", why=clean(str(error), 200)), "columns": []}
    result = parting(columns[-1].pictures)
    return {
        "title": title,
        "absent": "",
        "columns": [_column(column, i) for i, column in enumerate(columns)],
        "classes": max(2, len(columns[-1].pictures)),
        "result": bytes_of(result),
        "zero": _zero(result) if len(columns[-1].pictures) <= 2 else "",
    }


def _zero(result: np.ndarray) -> str:
    """The decision boundary of two classes: straight pieces between the centres of the cells, in percent."""
    pieces = [[[100 * (place + 0.5) / SIDE for place in end] for end in piece] for piece in contour(result, 0.0)]
    return "".join([f"M{a:.2f} {b:.2f}L{c:.2f} {d:.2f}" for (a, b), (c, d) in pieces])


def _column(column: Units, place: int) -> dict[str, Any]:
    shown = min(MOST_UNITS, len(column.pictures))
    total = len(column.pictures)
    name = clean(column.name, 40)
    names = [f"x[:, {i}]" if place == 0 else f"{name}[{i}]" for i in range(shown)]
    gradients = column.weight_gradients, column.bias_gradients
    return {
        "note": "" if shown == total else say("monitor_hidden_units", shown=shown, total=total),
        "units": names,
        "titles": [say("monitor_unit", unit=unit) for unit in names],
        "pictures": [bytes_of(picture) for picture in column.pictures[:shown]],
        "weights": _rows(column.weights, shown),
        "bias": _numbers(column.bias[:shown]),
        "gradients": None if gradients[0] is None else _rows(gradients[0], shown),
        "bias_gradients": None if gradients[1] is None else _numbers(gradients[1][:shown]),
    }


def _rows(array: np.ndarray, shown: int) -> list[list[float | None]]:
    return [_numbers(row[:MOST_UNITS]) for row in array[:shown]]


def _numbers(row: np.ndarray) -> list[float | None]:
    """Numbers for JSON: NaN and infinities become None."""
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in row.tolist()]


MOST_CELLS = 128
"""The maximum number of rows and of columns of a heatmap, so that an update stays below 256 kB."""

_AT_FIRST = [["training"], ["examples"], ["state", None, "", "gradient"], ["boundary", None]]
_WORDS = (
    *("latest", "stop", "saved", "value", "gradient_of", "past", "shown"),
    *("plane", "result", "weights", "back", "from", "weight", "bias"),
)


class MonitorView(LiveView):
    """Charts of all curves and, on a click, the latest or a past state: a parameter or its gradient as a heatmap.

    Two threads use it: the training thread paints, and another one answers the page. They take turns, and what the
    monitor keeps never changes.
    """

    kind = "monitor"

    def __init__(self, monitor: LiveMonitor) -> None:
        self._monitor = monitor
        self._stage: Literal["", "running", "stopping"] = ""
        self._was_stopped = False  # by the button
        super().__init__(_AT_FIRST, {name: say(f"monitor_{name}") for name in _WORDS})

    # ------------------------------------------------------------------ for the monitor
    def begin(self) -> None:
        """Training begins or continues."""
        with self._turn:
            self._was_stopped = False
            self._be("running")

    def end(self) -> None:
        """Training has ended or pauses."""
        with self._turn:
            self._be("")

    def paint(self) -> None:
        """Show what the monitor has."""
        with self._turn, self.hold_sync():
            self._answer_anew()

    def look_again(self) -> None:
        """A cell has run, so its training loop has ended."""
        self._monitor._cell_ran()

    def _still(self) -> LiveMonitor:
        return self._monitor

    # ------------------------------------------------------------------ what is shown
    def _be(self, stage: Literal["", "running", "stopping"]) -> None:
        self._stage = stage
        self.paint()

    @on_question("training", "numbers")
    def _training(self) -> dict[str, Any]:
        """The progress of training, and the states and arrays that can be shown."""
        monitor, states = self._monitor, self._monitor.states
        return {
            "title": title_of(monitor),
            "stage": self._stage,
            "sentence": self._sentence(),
            "hint": "" if self._stage or not self._monitor.iteration else say("monitor_click"),
            "spent": spent(monitor),
            "charts": [_packed(one) for one in charts(monitor, arrays=True)],
            "places": [kept.iteration for kept in states],
            "params": [[name, clean(name.lstrip("/"))] for name in (states[-1].values if states else ())],
        }

    def _sentence(self) -> str:
        if not self._monitor.iteration:
            return say("monitor_nothing")
        stage = self._stage or ("stopped" if self._was_stopped else "rest")
        return say(f"monitor_{stage}", status=", ".join(status(self._monitor)))

    @on_question("state", "numbers", at=(int, type(None)), path=str, which=str)
    def _past(self, at: int | None, path: str, which: str) -> dict[str, Any] | None:
        """One parameter or gradient after an update, or the latest (``at`` is None); None if nothing was kept.

        If nothing was kept ``at`` that update, the nearest state; if there is no such array, the first one with more
        than one row.
        """
        if which not in ("value", "gradient"):
            raise not_understood(["state", at, path, which])
        state = self._state(at)
        if state is None:
            return None
        shown = path if path in state.values else _first(state)
        place = None if at is None else state.iteration
        after = say("monitor_after", iteration=state.iteration, last=self._monitor.iteration)
        told = {"hint": "", "sentence": self._sentence() if place is None or self._stage else after}
        return {"at": place, "path": shown, "which": which, "told": told, "heat": _heat(state, shown, which)}

    def _state(self, at: int | None) -> ModelState | None:
        """The kept state nearest to an update, or the last one."""
        states = self._monitor.states
        if not states:
            return None
        return states[-1] if at is None else min(states, key=lambda kept: abs(kept.iteration - at))

    @on_question("examples", "numbers")
    def _plane(self) -> dict[str, Any] | None:
        """The examples in the plane over which the net is drawn; None if there are none."""
        found = self._monitor.boundary
        return None if found is None else plane(found)

    @on_question("boundary", "numbers", at=(int, type(None)))
    def _boundary(self, at: int | None) -> dict[str, Any] | None:
        """The net unit by unit after an update, or the latest (``at`` is None); None if there is nothing to draw."""
        found, state = self._monitor.boundary, self._state(at)
        return None if found is None or state is None else units(found, state)

    # ------------------------------------------------------------------ for the page
    @on_message("stop")
    def _stop(self) -> None:
        if self._stage == "running":
            self._was_stopped = True
            self._be("stopping")
            self._monitor.stop()


def _heat(state: ModelState, path: str, which: str) -> dict[str, Any]:
    """An array as a heatmap with its ``cells``, or why there is none."""
    silent = " ".join(
        say("monitor_silent_now", silent=n, total=total, layer=clean(layer, 60))
        for layer, (n, total) in state.silent.items()
        if n
    )
    caption = {"title": say("monitor_state", iteration=state.iteration), "silent": silent}
    shown = (state.values if which == "value" else state.gradients).get(path)
    if shown is None or not shown.size:
        absent = say("monitor_gone", iteration=state.iteration) if shown is None else say("empty")
        return {**caption, "absent": absent}
    return {**caption, **array_entry(which, shown, MOST_CELLS), **legends(shown)["linear"], "facts": about(shown)}


def _packed(chart: dict[str, Any]) -> dict[str, Any]:
    """A chart with the numbers of its lines as bytes: as lists, they would take most of the time to paint."""
    lines = [{**line, "x": bytes_of(line["x"]), "y": bytes_of(line["y"])} for line in chart["lines"]]
    return {**chart, "lines": lines}


def _first(state: ModelState) -> str:
    """The first parameter with more than one row."""
    return next((path for path, kept in state.values.items() if len(kept.shape) > 1), next(iter(state.values), ""))
