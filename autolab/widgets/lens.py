"""Lens: the live view of a gradient check. Python measures and words everything; JavaScript only draws."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import traitlets

from ..display import mimebundle
from ..display.colors import DASHES, LINES
from ..display.escape import clean
from ..display.lens_view import chosen, curves, element_in, label, moved_on, panels, verdict
from ..display.listing import listing
from ..display.messages import say
from ..display.scene import readings, scene
from ..gradcheck.report import GradientReport
from ..gradcheck.reveal import LEVELS
from ..gradcheck.study import Study
from . import notebook
from .computation import Computation
from .computing import Computing
from .conversation import Conversation, at_first
from .front_end import LightWidget
from .lens_session import Backward, LensSession, Looked, Scenery, place_of, taker_of
from .part import obeys
from .user_error import UserError, for_page

_LENS_WORDS = (
    *(
        "analytic",
        "numeric",
        "error",
        "analytic_says",
        "numeric_says",
        "error_says",
        "keys",
        "chosen",
        "worst",
        "steps",
    ),
    *("moves", "one", "all", "other", "step", "order", "again", "where", "verdict", "show"),
)
_NEEDED = 2
"""A report that reveals less has no numbers to look at."""

_FIRST_STEP = 12
_MOST_ORDER = 2
_SEEDS = 2**32
_MOST_LINES = 200


class Lens(Computing, Conversation, LightWidget):
    """A live view of a gradient check: analytic and numeric gradients side by side, and what the step size shows.

    Made by ``report.explore()``. All of its state is in the model, so that one model can have many views.
    """

    kind = "lens"

    lines = traitlets.Dict().tag(sync=True)
    dashes: traitlets.List[Any] = traitlets.List().tag(sync=True)

    check = traitlets.Dict().tag(sync=True)
    panels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    panel_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)
    chosen = traitlets.Dict().tag(sync=True)
    along = traitlets.Dict().tag(sync=True)
    study = traitlets.Dict().tag(sync=True)

    scene = traitlets.Dict().tag(sync=True)
    readings = traitlets.Dict().tag(sync=True)
    listing = traitlets.Dict().tag(sync=True)
    boxes: traitlets.List[Any] = traitlets.List().tag(sync=True)
    takers: traitlets.List[Any] = traitlets.List()
    suspects: traitlets.List[Any] = traitlets.List().tag(sync=True)
    backwards: traitlets.List[Any] = traitlets.List().tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    frame = traitlets.Dict().tag(sync=True)  # the source's part walks along it in the explorer; here it rests
    changed: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, session: LensSession) -> None:
        self._session: Any = session
        self._step = _FIRST_STEP
        self._measured: Looked | None = None
        first = at_first()
        words = first["words"] | {f"lens_{key}": say(f"lens_{key}") for key in _LENS_WORDS}
        words |= {"live_old": say("lens_old"), "live_stale": say("lens_stale")}
        super().__init__(**{**first, "words": words}, lines=dict(LINES), dashes=list(DASHES))
        self._publish({**self._checked(), **self._selection()})
        self.on_msg(self._on_message)
        notebook.opened(self)
        with self._lock, self.hold_sync():
            self._refresh()
            self._wait_a_little()

    # ------------------------------------------------------------------ for Python
    @property
    def report(self) -> GradientReport:
        """The check that is shown: the one that was given, or a later one."""
        found: GradientReport | None = self._session.report(self._session.state)
        return self._session.report(self._session.start) if found is None else found  # a wrong one is not true

    def look_again(self) -> None:
        """A cell has run; the next measurement tells whether the function has changed."""

    def close(self) -> None:
        """Remove the views and stop listening; what is being computed is stopped."""
        self.on_msg(self._on_message, remove=True)
        self._end()
        notebook.closed(self)
        self.layout.close()  # a widget of its own, which ipywidgets would keep
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and the report itself for where there is none (an untrusted notebook, a web page)."""
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live if isinstance(live, tuple) else (live or {}, {})
        return {**data, **mimebundle(self.report)}, metadata

    # ------------------------------------------------------------------ what is shown
    def _checked(self) -> dict[str, Any]:
        """The traits that show the report."""
        state, report = self._session.state, self.report
        told, buffers = panels(report)
        orders = sorted({1, _MOST_ORDER, self._session.origin.order})
        draw = say("lens_draw_given") if state.seed is None else say("lens_draw", seed=state.seed)
        check = {**verdict(report), "order": state.order, "orders": orders, "draw": draw}
        return {"check": check, "panels": told, "panel_buffers": buffers}

    def _selection(self) -> dict[str, Any]:
        """The traits that show the chosen element, as far as the check knows it."""
        state, report = self._session.state, self.report
        place = place_of(report, state)
        if place is None:
            return {"chosen": {}, "along": {"whole": False, "seed": 0, "label": ""}, "selected": None}
        item = report.inputs[state.input]
        moving = label(item, place)
        if state.whole:
            moving = say("lens_direction", name=clean(item.name, 60), seed=state.direction)
        selected = self.takers[state.input] if state.input < len(self.takers) else None
        along = {
            "whole": state.whole,
            "seed": state.direction,
            "label": say("lens_moving", what=moving) if item.measured else "",
        }
        return {"chosen": chosen(report, state.input, place), "along": along, "selected": selected}

    def _curves(self) -> dict[str, Any]:
        """The traits that show what was measured; nothing while it belongs to another state than is shown."""
        looked = self._measured
        if looked is None or looked.study is None or looked.state != self._session.state:
            return {"study": {}}
        study: Study = looked.study
        self._step = max(0, min(self._step, len(study.sweep.steps) - 1))
        item = looked.report.inputs[looked.state.input]
        return {"study": {**curves(study, item, self._step), "moved_on": moved_on(study, item)}}

    def _scenery(self, found: Scenery) -> dict[str, Any]:
        """The traits that show the graph, its source and each written backward; nothing in an exercise."""
        if self._session.origin.reveal < LEVELS[-1]:
            return {}
        shown: dict[str, Any] = {"backwards": [_listing(backward) for backward in found.backwards]}
        recording = found.recording
        if recording is None:
            return shown
        holders = recording.outline.holders(recording.outline.at_first())
        shown |= {"scene": scene(recording), "readings": readings(recording), "listing": listing(recording, holders)}
        takers = [taker_of(recording, item.name) for item in self.report.inputs]
        suspects = [holders[step.id] for step in recording.steps if step.backward_code is not None]
        inputs = {step.name: holders[step.id] for step in recording.steps if step.kind == "input"}
        return {
            **shown,
            "boxes": [inputs.get(item.name) for item in self.report.inputs],
            "takers": [None if step is None else holders[step] for step in takers],
            "suspects": list(dict.fromkeys(suspects)),
        }

    # ------------------------------------------------------------------ what is computed
    def _show(self, computation: Computation[Any], outcome: Any) -> None:
        if isinstance(outcome, Looked):
            self._measured = outcome
            self._publish(self._scenery(outcome.scenery))
            self._publish({"error": None, **self._checked(), **self._selection(), **self._curves()})
            return
        reason = f"lens_stopped_{computation.stopped}"
        error = outcome or UserError(say("stopped"), say(reason, seconds=self._session.seconds))
        if self._session.report(self._session.state) is None:  # the check that was asked for is not there
            self._session.state = self._measured.state if self._measured else self._session.start
        self._publish({"error": for_page(error), **self._checked(), **self._selection(), **self._curves()})

    def _look(self, **changes: Any) -> None:
        """Look at something else: what is known of it is shown at once, the rest follows."""
        self._session.state = replace(self._session.state, **changes)
        self._publish({"error": None, **self._selection(), **self._curves()})
        self._refresh()

    # ------------------------------------------------------------------ messages
    @obeys("hello")
    def _hello(self) -> None:
        """A page has opened, or is not sure that somebody answers."""

    @obeys("cell", key=int, row=int, column=int)
    def _cell(self, key: int, row: int, column: int) -> None:
        """Choose the element that a cell of an input shows."""
        self._look(input=key, place=element_in(self._input(key), row, column))

    @obeys("worst", key=int)
    def _worst(self, key: int) -> None:
        """Choose the worst element of an input."""
        self._input(key)
        self._look(input=key, place=None)

    @obeys("along", whole=bool, seed=int)
    def _along(self, whole: bool, seed: int) -> None:
        """Move the chosen element alone, or the whole input in a random direction."""
        self._look(whole=whole, direction=_seed(seed))

    @obeys("step", k=int)
    def _to_step(self, k: int) -> None:
        """Show the numeric derivative at another step; 0 is the finest."""
        if self._measured is not None and self._measured.study is not None:
            self._step = len(self._measured.study.sweep.steps) - 1 - k
            self._publish(self._curves())

    @obeys("order", order=int)
    def _order(self, order: int) -> None:
        if order not in self.check["orders"]:
            raise ValueError(f"explore: order is {order}; expected one of {self.check['orders']}")
        self._look(order=order, seed=None if order == self._session.origin.order else 0, place=None)

    @obeys("check again")
    def _again_(self) -> None:
        """Check with other upstream gradients, at the same inputs."""
        self._look(seed=0 if self._session.state.seed is None else _seed(self._session.state.seed + 1), place=None)

    def _input(self, key: int) -> Any:
        if not 0 <= key < len(self.report.inputs):
            raise ValueError(f"explore: there is no input number {key}")
        return self.report.inputs[key]

    def _answer(self, content: dict[str, Any]) -> None:
        with self._lock:
            super()._answer(content)


def _listing(backward: Backward) -> dict[str, Any]:
    lines = backward.source.splitlines()[:_MOST_LINES]
    return {
        "title": say("lens_backward", function=clean(backward.function, 60)),
        "file": clean(backward.file),
        "first": backward.first,
        "lines": [clean(line) if line else "" for line in lines],
    }


def look_closely(report: GradientReport) -> Lens:
    """Open the lens on a report: what ``report.explore()`` does."""
    origin = report._origin
    if origin is None:
        raise ValueError("explore: this copy of a report does not know its function; check again and explore that")
    if origin.reveal < _NEEDED:
        raise ValueError(f"explore: reveal={origin.reveal} holds back the numbers that a lens would show")
    lens = Lens(LensSession(report, origin))
    if notebook.shell() is None:
        print(f"explore: no notebook to draw in; open {_save(report)} in a browser")
    return lens


def _seed(value: int) -> int:
    if not 0 <= value < _SEEDS:
        raise ValueError(f"explore: the seed is {value}; expected 0 to {_SEEDS - 1}")
    return value


def _save(report: GradientReport) -> Path:
    """The report as a page in the current folder."""
    from .export import export_html

    name = re.sub(r"\W+", "_", report.function, flags=re.ASCII).strip("_") or "function"
    path = Path.cwd() / f"check_{name}.html"
    export_html(report, path)
    return path
