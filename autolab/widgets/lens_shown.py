"""What the check lens and its saved page show of a report, a measurement and a recording, as traits."""

from __future__ import annotations

from typing import Any

from ..display.escape import clean
from ..display.heatmap import MAX_CELLS
from ..display.lens_view import chosen, curves, label, moved_on, panels, verdict
from ..display.listing import listing
from ..display.messages import say
from ..display.scene import readings, scene
from ..gradcheck.report import GradientReport
from ..gradcheck.reveal import LEVELS
from .lens_session import DIRECTIONS, Backward, LensState, Looked, Scenery, place_of, taker_of

MOST_ORDER = 2
SCENERY = ("scene", "readings", "listing", "boxes", "takers", "suspects", "backwards")
"""The traits that show where the gradients come from."""

_MOST_LINES = 200


def of_report(report: GradientReport, state: LensState, given_order: int, most: int = MAX_CELLS) -> dict[str, Any]:
    """The traits that show a report, with heatmaps of at most ``most`` rows and columns."""
    told, buffers = panels(report, most)
    orders = sorted({1, MOST_ORDER, given_order})
    draw = say("lens_draw_given") if state.seed is None else say("lens_draw", seed=state.seed)
    check = {**verdict(report), "order": state.order, "orders": orders, "draw": draw}
    return {"check": check, "panels": told, "panel_buffers": buffers}


def of_choice(report: GradientReport, state: LensState, takers: list[Any], most: int = MAX_CELLS) -> dict[str, Any]:
    """The traits that show the chosen element, as far as the check knows it."""
    place = place_of(report, state)
    if place is None:
        return {"chosen": {}, "along": {"label": ""}, "selected": None}
    item = report.inputs[state.input]
    moving = label(item, place)
    if state.whole:
        moving = say("lens_direction", name=clean(item.name, 60), seed=state.direction)
    says = say("lens_moving", what=moving) if item.measured else ""
    along = {"whole": state.whole, "seed": state.direction, "directions": list(DIRECTIONS), "label": says}
    selected = takers[state.input] if state.input < len(takers) else None
    return {"chosen": chosen(report, state.input, place, most), "along": along, "selected": selected}


def of_study(looked: Looked) -> dict[str, Any]:
    """What was measured along the chosen element or direction; nothing where nothing was."""
    if looked.study is None:
        return {}
    item = looked.report.inputs[looked.state.input]
    return {**curves(looked.study, item), "moved_on": moved_on(looked.study, item)}


def of_scenery(found: Scenery, report: GradientReport) -> dict[str, Any]:
    """The traits that show the graph, its source and each written backward; nothing in an exercise."""
    origin = report._origin
    if origin is None or origin.reveal < LEVELS[-1]:
        return {}
    shown: dict[str, Any] = {"backwards": [_listing(backward) for backward in found.backwards]}
    recording = found.recording
    if recording is None:
        return shown
    holders = recording.outline.holders(recording.outline.at_first())
    shown |= {"scene": scene(recording), "readings": readings(recording), "listing": listing(recording, holders)}
    takers = [taker_of(recording, item.name) for item in report.inputs]
    suspects = [holders[step.id] for step in recording.steps if step.backward_code is not None]
    inputs = {step.name: holders[step.id] for step in recording.steps if step.kind == "input"}
    return {
        **shown,
        "boxes": [inputs.get(item.name) for item in report.inputs],
        "takers": [None if step is None else holders[step] for step in takers],
        "suspects": list(dict.fromkeys(suspects)),
    }


def _listing(backward: Backward) -> dict[str, Any]:
    lines = backward.source.splitlines()[:_MOST_LINES]
    return {
        "title": say("lens_backward", function=clean(backward.function, 60)),
        "file": clean(backward.file),
        "first": backward.first,
        "lines": [clean(line) if line else "" for line in lines],
    }
