"""What the check lens and its saved page show of a report, a measurement and a recording, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..display.escape import clean
from ..display.heatmap import MAX_CELLS
from ..display.lens_view import cell_of, chosen, curves, label, moved_on, panels, verdict
from ..display.listing import listing
from ..display.messages import say
from ..display.scene import readings, scene
from ..gradcheck.report import GradientReport
from ..gradcheck.reveal import LEVELS
from .lens_session import Backward, LensSession, LensState, Looked, Scenery, place_of, taker_of

_MOST_LINES = 200


def look_of(state: LensState, report: GradientReport | None = None, most: int = MAX_CELLS) -> dict[str, Any]:
    """What a page looks at that shows a state; without the report, the worst element."""
    item = None if report is None or state.place is None else report.inputs[state.input]
    cell = None if item is None or state.place is None else [*cell_of(item, state.place, most)]
    check = {"order": state.order, "seed": state.seed}
    return {**check, "input": state.input, "cell": cell, "whole": state.whole, "direction": state.direction}


def questions_of(look: Mapping[str, Any]) -> list[list[Any]]:
    """What a page asks that looks at something, as static/lens.js does."""
    check, along = [look["order"], look["seed"]], look["direction"] if look["whole"] else look["cell"]
    of_input = [["chosen", *check, look["input"], look["cell"]], ["study", *check, look["input"], along]]
    return [["check", *check], ["scenery", *check], ["directions", *check, look["input"]], *of_input]


def of_report(
    report: GradientReport, order: int, seed: int | None, session: LensSession, most: int = MAX_CELLS
) -> dict[str, Any]:
    """What shows a report, with heatmaps of at most ``most`` rows and columns; and the seeds of the other orders."""
    told, cells = panels(report, most)
    draw = say("lens_draw_given") if seed is None else say("lens_draw", seed=seed)
    orders = [[other, session.seed_of(other)] for other in session.orders]
    return {**verdict(report), "orders": orders, "draw": draw, "panels": told, "cells": cells}


def of_directions(report: GradientReport, position: int, seeds: Iterable[int]) -> list[list[Any]]:
    """The directions with these seeds, with what is said while an input moves in them; none if it cannot be moved."""
    if not 0 <= position < len(report.inputs) or not (item := report.inputs[position]).measured:
        return []
    name = clean(item.name, 60)
    return [[seed, say("lens_moving", what=say("lens_direction", name=name, seed=seed))] for seed in seeds]


def of_choice(report: GradientReport, state: LensState, most: int = MAX_CELLS) -> dict[str, Any]:
    """The chosen element, as far as the check knows it, and what is said while it moves."""
    place = place_of(report, state)
    if place is None:
        return {}
    item = report.inputs[state.input]
    moves = say("lens_moving", what=label(item, place)) if item.measured else ""
    return {**chosen(report, state.input, place, most), "moves": moves}


def of_study(looked: Looked) -> dict[str, Any]:
    """What was measured along the chosen element or direction; nothing where nothing was."""
    if looked.study is None:
        return {}
    item = looked.report.inputs[looked.state.input]
    return {**curves(looked.study, item), "moved_on": moved_on(looked.study, item)}


def of_scenery(found: Scenery, report: GradientReport) -> dict[str, Any]:
    """What shows the graph, its source and each written backward; nothing in an exercise."""
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
        "inputs": [inputs.get(item.name) for item in report.inputs],
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
