"""MonitorView: the live view of a monitor. Python says what is drawn; JavaScript only draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from ..display import mimebundle
from ..display.chart import drawing
from ..display.colors import DASHES, LINES
from ..display.detail import about, array_entry
from ..display.escape import clean
from ..display.heat import legends
from ..display.messages import say
from ..display.monitor_view import charts, status
from ..display.registry import Bundle
from ..training.measure import State
from .live_view import LiveView, at_first
from .messages import on_message

if TYPE_CHECKING:
    from .monitor import LiveMonitor

MOST_CELLS = 128
"""Rows and columns of a heatmap, at most: an update stays below 256 kB."""

_WORDS = ("nothing", "running", "stopping", "latest", "stop", "follow", "saved", "value", "gradient_of", "past")


class MonitorView(LiveView):
    """Charts of all curves, and a heatmap of one parameter or gradient, of the latest state or of a past one.

    Two threads use it: the one that trains paints, another one obeys the page. They take turns, and what the monitor
    keeps never changes.
    """

    kind = "monitor"

    title = traitlets.Unicode().tag(sync=True)
    status: traitlets.List[Any] = traitlets.List().tag(sync=True)
    stage = traitlets.Enum(("", "running", "stopping"), "").tag(sync=True)
    charts: traitlets.List[Any] = traitlets.List().tag(sync=True)
    params: traitlets.List[Any] = traitlets.List().tag(sync=True)
    places: traitlets.List[Any] = traitlets.List().tag(sync=True)
    at = traitlets.Int(None, allow_none=True).tag(sync=True)  # the past state that is shown; None follows the latest
    path = traitlets.Unicode().tag(sync=True)
    which = traitlets.Enum(("value", "gradient"), "gradient").tag(sync=True)
    heat = traitlets.Dict().tag(sync=True)
    heat_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)
    lines = traitlets.Dict().tag(sync=True)

    def __init__(self, monitor: LiveMonitor) -> None:
        self._monitor = monitor
        first = at_first()
        words = first["words"] | {name: say(f"monitor_{name}") for name in _WORDS}
        super().__init__(**first | {"words": words}, lines={**LINES, "dashes": DASHES})
        self._listen()
        self.paint()

    # ------------------------------------------------------------------ for the monitor
    def begin(self) -> None:
        """Training begins, or goes on."""
        with self._turn:
            self._publish({"stage": "running"})

    def end(self) -> None:
        """Training has ended, or pauses."""
        with self._turn:
            self._publish({"stage": ""})
        self.paint()

    def paint(self) -> None:
        """Show what the monitor has."""
        with self._turn, self.hold_sync():
            self._publish(self._picture())

    def look_again(self) -> None:
        """A cell has run: a loop in it has ended."""
        self._monitor._cell_ran()

    def _static(self) -> Bundle:
        return mimebundle(self._monitor)

    # ------------------------------------------------------------------ what is shown
    def _picture(self) -> dict[str, Any]:
        monitor = self._monitor
        states = monitor.states
        state = self._state()
        names = list(state.values) if state else []
        path = self.path if self.path in names else _first(state)
        model = monitor.model
        past = None if self.at is None or state is None else state.iteration
        return {
            "title": clean(type(model).__name__) if model is not None else "",
            "status": status(monitor),
            "charts": [_packed(one) for one in charts(monitor, past, drawing)],
            "places": [kept.iteration for kept in states],
            "at": past,
            "params": [[name, clean(name.lstrip("/"))] for name in names],
            "path": path,
            **self._heatmap(state, path, self.which),
        }

    def _state(self) -> State | None:
        """The state that is shown: the latest, or the nearest to the one that was asked for."""
        states = self._monitor.states
        if not states:
            return None
        wished = self.at
        return states[-1] if wished is None else min(states, key=lambda kept: abs(kept.iteration - wished))

    def _heatmap(self, state: State | None, path: str, which: str) -> dict[str, Any]:
        if state is None or path not in state.values:
            return {"heat": {}, "heat_buffers": []}
        shown = state.values[path] if which == "value" else state.gradients[path]
        caption = {"iteration": state.iteration, "title": say("monitor_state", iteration=state.iteration)}
        caption["silent"] = " ".join(
            say("monitor_silent_now", silent=n, total=total, layer=clean(layer, 60))
            for layer, (n, total) in state.silent.items()
            if n
        )
        if shown is None or not shown.size:
            absent = say("monitor_gone", iteration=state.iteration) if shown is None else say("empty")
            return {"heat": {**caption, "absent": absent}, "heat_buffers": []}
        entry, cells = array_entry(which, shown, MOST_CELLS)
        return {
            "heat": {**caption, **entry, **legends(shown)["linear"], "facts": about(shown)},
            "heat_buffers": [cells],
        }

    # ------------------------------------------------------------------ for the page
    @on_message("stop")
    def _stop(self) -> None:
        if self.stage == "running":
            self._publish({"stage": "stopping"})
            self._monitor.stop()

    @on_message("choose", path=str, which=str)
    def _choose(self, path: str, which: str) -> None:
        self._publish({"which": which, "path": path})
        self._publish(self._picture())

    @on_message("scrub", at=int)
    def _scrub(self, at: int) -> None:
        self._publish({"at": at})
        self._publish(self._picture())

    @on_message("follow")
    def _follow(self) -> None:
        self._publish({"at": None})
        self._publish(self._picture())


def _packed(chart: dict[str, Any]) -> dict[str, Any]:
    """A chart with the numbers of its lines as bytes: as a list, they would take most of the time of a paint."""
    lines = [{**line, "x": _bytes(line["x"]), "y": _bytes(line["y"])} for line in chart["lines"]]
    return {**chart, "lines": lines}


def _bytes(numbers: np.ndarray) -> bytes:
    return numbers.astype("<f4").tobytes()


def _first(state: State | None) -> str:
    """The first parameter that is more than a row."""
    values: Mapping[str, Any] = state.values if state else {}
    return next((path for path, kept in values.items() if len(kept.shape) > 1), next(iter(values), ""))
