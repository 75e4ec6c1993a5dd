"""The check lens as a saved page: every cell can be chosen, and some elements and directions moved."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..display.heatmap import MAX_CELLS
from ..display.lens_view import element_in
from ..display.messages import say
from ..gradcheck.report import GradientReport
from .computation import Stopped
from .lens import Lens
from .lens_session import DIRECTIONS, LensSession, LensState, Looked, place_of
from .lens_shown import of_choice, of_report, of_study
from .saved import SavedPage, deadline, message_key, still

SECONDS = 5.0
"""So long the page may measure; what was not measured by then, it says."""

_CELLS = (MAX_CELLS, 32, 16, 8)
_STUDIES = (90, 30, 12)
_FEW = 24
"""Every element of an input that has no more is measured along."""


def lens_page(lens: Lens) -> SavedPage:
    """The page of a lens as it stands, with the check that it shows."""
    return SavedPage(f"check_gradients({lens.report.function})", "lens", _ever_smaller(lens))


def _ever_smaller(lens: Lens) -> Iterator[dict[str, Any]]:
    """With smaller heatmaps; with fewer measurements."""
    measured = _measured(lens)
    for cells in _CELLS:
        yield _content(lens, measured, cells)
    for count in _STUDIES[1:]:
        yield _content(lens, dict(list(measured.items())[:count]), _CELLS[-1])


def _measured(lens: Lens) -> dict[LensState, dict[str, Any]]:
    """What is to be measured, the most telling first, as far as the time goes."""
    end = time.monotonic() + SECONDS
    known = {lens._measured.state: lens._measured} if lens._measured else {}
    found: dict[LensState, dict[str, Any]] = {}
    session: LensSession = lens._session
    for state in list(dict.fromkeys([session.state, *_telling(lens.report, session.state)]))[: _STUDIES[0]]:
        try:
            looked = known.get(state) or session.compute(state, deadline(end - time.monotonic()))
        except Stopped:
            break
        if isinstance(looked, Looked) and looked.study is not None:
            found[_placed(lens.report, state)] = of_study(looked)
    return found


def _telling(report: GradientReport, now: LensState) -> Iterator[LensState]:
    """The worst element of each input, its directions, and all elements of small inputs; what is wrong comes first."""
    first = sorted(range(len(report.inputs)), key=lambda i: report.inputs[i].verdict != "wrong")
    worst = [replace(now, input=i, place=None, whole=False, direction=DIRECTIONS[0]) for i in first]
    yield from worst
    yield from [replace(state, whole=True, direction=seed) for seed in DIRECTIONS for state in worst]
    for state in worst:
        item = report.inputs[state.input]
        if item.numeric.size <= _FEW:
            yield from [replace(state, place=place) for place in np.ndindex(item.shape)]


def _placed(report: GradientReport, state: LensState) -> LensState:
    """The state as it is looked up: with its element by name, and a direction without one."""
    return replace(state, place=None if state.whole else place_of(report, state))


def _held(measured: dict[LensState, dict[str, Any]], state: LensState) -> list[int]:
    """The directions of the input of a state that were measured."""
    moved = replace(state, place=None, whole=True)
    return [seed for seed in DIRECTIONS if replace(moved, direction=seed) in measured]


def _content(lens: Lens, measured: dict[LensState, dict[str, Any]], most: int) -> dict[str, Any]:
    session, report = lens._session, lens.report
    shown = of_report(report, session.state, session.origin.order, most)

    def looked_at(state: LensState) -> dict[str, Any]:
        found = of_choice(report, state, lens.takers, most)
        found["along"]["directions"] = _held(measured, state)
        return {**found, "study": measured.get(_placed(report, state), {})}

    answers: dict[str, Any] = {}
    for key, panel in enumerate(shown["panels"]):
        first = replace(session.state, input=key, place=None, whole=False, direction=DIRECTIONS[0])
        if panel["rows"] and panel["cols"] and place_of(report, first) is not None:
            for message, state in _choices(report, first, (panel["rows"], panel["cols"]), most):
                told = looked_at(state)
                if state.whole:  # the chosen element stays chosen
                    told = {name: told[name] for name in ("along", "study")}
                answers[message_key(message)] = told
    steps = max([len(study["steps"]) for study in measured.values()], default=0)
    answers |= {message_key({"do": "step", "k": k}): {"at_step": k} for k in range(steps)}
    return {"state": still(lens.state(), say("lens_still"), **shown, **looked_at(session.state)), "answers": answers}


def _choices(
    report: GradientReport, first: LensState, extent: tuple[int, int], most: int
) -> Iterator[tuple[dict[str, Any], LensState]]:
    """The messages that choose something of an input, and what is looked at then."""
    key = first.input
    for row, column in itertools.product(*map(range, extent)):
        place = element_in(report.inputs[key], row, column, most)
        yield {"do": "cell", "key": key, "row": row, "column": column}, replace(first, place=place)
    yield {"do": "worst", "key": key}, first
    for seed in DIRECTIONS:
        yield {"do": "along", "key": key, "seed": seed}, replace(first, whole=True, direction=seed)
