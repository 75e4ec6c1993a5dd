"""The check lens as a saved page: every cell can be chosen, and some elements and directions moved."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..display.heatmap import MAX_CELLS
from ..display.lens_view import element_in
from ..display.messages import say
from ..display.tone import SCALES
from ..gradcheck.report import GradientReport
from .computation import Stopped
from .lens import Lens
from .lens_session import DIRECTIONS, LensSession, LensState, Looked, place_of
from .lens_shown import SCENERY, of_choice, of_report, of_scenery, of_study
from .saved import SavedPage, deadline, message_key, still

SECONDS, OTHER_SECONDS = 5.0, 2.0
"""So long the page may measure, and then for the check of the other order; what was not measured by then, it says."""

_CELLS = (MAX_CELLS, 32, 16, 8)
_STUDIES = (90, 30, 12)
_FEW = 24
"""Every element of an input that has no more is measured along."""


@dataclass(frozen=True, eq=False)
class Chapter:
    """A check that a page holds, with what was measured; ``scenery`` are the traits that show where it comes from."""

    report: GradientReport
    state: LensState
    scenery: dict[str, Any]
    measured: dict[LensState, dict[str, Any]]


def lens_page(lens: Lens) -> SavedPage:
    """The page of a lens as it stands, with the check that it shows and, if that is quick, that of the other order.

    Each is a chapter of the page, with answers of its own.
    """
    return SavedPage(f"check_gradients({lens.report.function})", "lens", _ever_smaller(lens))


def _ever_smaller(lens: Lens) -> Iterator[dict[str, Any]]:
    """With smaller heatmaps; with one check; with fewer measurements."""
    session = lens._session
    known = {lens._measured.state: lens._measured} if lens._measured else {}
    scenery = {name: getattr(lens, name) for name in SCENERY}
    now = Chapter(lens.report, session.state, scenery, _measured(session, lens.report, session.state, known, SECONDS))
    both = [now, *_others(lens)]
    for cells in _CELLS:
        yield _content(lens, both, cells)
    for count in _STUDIES:
        yield _content(lens, [replace(now, measured=dict(list(now.measured.items())[:count]))], _CELLS[-1])


def _others(lens: Lens) -> Iterator[Chapter]:
    """The checks of the other orders, as far as the time goes."""
    session, end = lens._session, time.monotonic() + OTHER_SECONDS
    for order in lens.check["orders"]:
        state = session.of_order(order)
        if order == session.state.order:
            continue
        try:
            looked = session.compute(state, deadline(end - time.monotonic()))
        except Stopped:
            return
        if isinstance(looked, Looked):
            left = end - time.monotonic()
            measured = _measured(session, looked.report, state, {state: looked}, left)
            yield Chapter(looked.report, state, of_scenery(looked.scenery, looked.report), measured)


def _measured(
    session: LensSession, report: GradientReport, now: LensState, known: Mapping[LensState, Looked], seconds: float
) -> dict[LensState, dict[str, Any]]:
    """What is to be measured, the most telling first, as far as the time goes."""
    end = time.monotonic() + seconds
    found: dict[LensState, dict[str, Any]] = {}
    for state in list(dict.fromkeys([now, *_telling(report, now)]))[: _STUDIES[0]]:
        try:
            looked = known.get(state) or session.compute(state, deadline(end - time.monotonic()))
        except Stopped:
            break
        if isinstance(looked, Looked) and looked.study is not None:
            found[_placed(report, state)] = of_study(looked)
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


def _content(lens: Lens, chapters: list[Chapter], most: int) -> dict[str, Any]:
    orders = sorted([chapter.state.order for chapter in chapters])
    told = {str(chapter.state.order): _told(chapter, orders, most) for chapter in chapters}
    turns = {message_key({"do": "order", "order": int(name)}): shown for name, shown in told.items()}
    steps = max([len(study["steps"]) for chapter in chapters for study in chapter.measured.values()], default=0)
    turns |= {message_key({"do": "step", "k": k}): {"at_step": k} for k in range(steps)}
    turns |= {message_key({"do": "scale", "scale": scale}): {"scale": scale} for scale in SCALES}
    answers = {name: _answers(chapter, told[name], most) for name, chapter in zip(told, chapters, strict=True)}
    is_bare = not any([item.measured for chapter in chapters for item in chapter.report.inputs])
    words = say("lens_still_bare" if is_bare else "lens_still_orders" if len(orders) > 1 else "lens_still")
    return {
        "state": still(lens.state(), words, **told[str(chapters[0].state.order)]),
        "messages": {**answers, "all": turns},
    }


def _told(chapter: Chapter, orders: list[int], most: int) -> dict[str, Any]:
    """The traits with which a chapter begins."""
    shown = of_report(chapter.report, chapter.state, chapter.state.order, most)
    shown["check"]["orders"] = orders
    return {
        "chapter": str(chapter.state.order),
        **chapter.scenery,
        **shown,
        **_looked_at(chapter, chapter.state, most),
    }


def _looked_at(chapter: Chapter, state: LensState, most: int) -> dict[str, Any]:
    found = of_choice(chapter.report, state, chapter.scenery.get("takers", []), most)
    found["along"]["directions"] = _held(chapter.measured, state)
    return {**found, "study": chapter.measured.get(_placed(chapter.report, state), {})}


def _answers(chapter: Chapter, shown: dict[str, Any], most: int) -> dict[str, Any]:
    """What a chapter answers where an element or a direction is chosen."""
    report, answers = chapter.report, {}
    for key, panel in enumerate(shown["panels"]):
        first = replace(chapter.state, input=key, place=None, whole=False, direction=DIRECTIONS[0])
        if panel["rows"] and panel["cols"] and place_of(report, first) is not None:
            for message, state in _choices(report, first, (panel["rows"], panel["cols"]), most):
                told = _looked_at(chapter, state, most)
                if state.whole:  # the chosen element stays chosen
                    told = {name: told[name] for name in ("along", "study")}
                answers[message_key(message)] = told
    return answers


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
