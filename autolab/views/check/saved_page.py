"""The check lens as a saved page: every cell can be selected, and some elements and directions can be moved."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...gradcheck import GradientReport
from ..draw import say
from ..draw.heatmap_svg import MAX_CELLS
from ..live.computation import Stopped
from ..live.protocol import question_key
from ..live.saved_page import SavedPage, content, deadline
from .contents import call_of, element_in
from .lens import Lens, look_of, of_choice, of_directions, of_report, of_scenery, of_study, questions_of
from .session import DIRECTIONS, CheckResult, LensSession, LensState, place_of

SECONDS, OTHER_SECONDS = 5.0, 2.0
"""The time for measuring, and then for the check of the other order; the page says what was not measured."""

_CELLS = (MAX_CELLS, 32, 16, 8)
_STUDIES = (90, 30, 12)
_FEW = 24
"""In inputs with no more elements, every element is measured."""


@dataclass(frozen=True, eq=False)
class Chapter:
    """A check in a page, with where its gradients come from, and what was measured."""

    report: GradientReport
    state: LensState
    scenery: dict[str, Any] | None
    measured: dict[LensState, dict[str, Any]]


def lens_page(lens: Lens) -> SavedPage:
    """The page of a lens in its current state, with the check that it shows and, if that is quick, that of the other
    order."""
    return SavedPage(call_of(lens.report), "lens", _ever_smaller(lens))


def _ever_smaller(lens: Lens) -> Iterator[dict[str, Any]]:
    """The contents with smaller heatmaps, with just one check, and with fewer measurements."""
    session = lens._session
    known = {lens._measured.state: lens._measured} if lens._measured else {}
    state = session.state
    measured = _measured(session, lens.report, state, known, SECONDS)
    now = Chapter(lens.report, state, lens._scenery(state.order, state.seed), measured)
    both = [now, *_others(lens)]
    for cells in _CELLS:
        yield _content(lens, both, cells)
    for count in _STUDIES:
        yield _content(lens, [replace(now, measured=dict(list(now.measured.items())[:count]))], _CELLS[-1])


def _others(lens: Lens) -> Iterator[Chapter]:
    """The checks of the other orders, as far as time allows."""
    session, end = lens._session, time.monotonic() + OTHER_SECONDS
    for order in session.orders:
        state = session.of_order(order)
        if order == session.state.order:
            continue
        try:
            looked = session.compute(state, deadline(end - time.monotonic()))
        except Stopped:
            return
        if isinstance(looked, CheckResult):
            left = end - time.monotonic()
            measured = _measured(session, looked.report, state, {state: looked}, left)
            yield Chapter(looked.report, state, of_scenery(looked.scenery, looked.report), measured)


def _measured(
    session: LensSession, report: GradientReport, now: LensState, known: Mapping[LensState, CheckResult], seconds: float
) -> dict[LensState, dict[str, Any]]:
    """The measurements, the most informative first, as far as time allows."""
    end = time.monotonic() + seconds
    found: dict[LensState, dict[str, Any]] = {}
    for state in list(dict.fromkeys([now, *_telling(report, now)]))[: _STUDIES[0]]:
        try:
            looked = known.get(state) or session.compute(state, deadline(end - time.monotonic()))
        except Stopped:
            break
        if isinstance(looked, CheckResult) and looked.study is not None:
            found[_placed(report, state)] = of_study(looked)
    return found


def _telling(report: GradientReport, now: LensState) -> Iterator[LensState]:
    """The worst element of each input, its directions, and all elements of small inputs; wrong inputs come first."""
    first = sorted(range(len(report.inputs)), key=lambda i: report.inputs[i].verdict != "wrong")
    worst = [replace(now, input=i, place=None, whole=False, direction=DIRECTIONS[0]) for i in first]
    yield from worst
    yield from [replace(state, whole=True, direction=seed) for seed in DIRECTIONS for state in worst]
    for state in worst:
        item = report.inputs[state.input]
        if item.numeric.size <= _FEW:
            yield from [replace(state, place=place) for place in np.ndindex(item.shape)]


def _placed(report: GradientReport, state: LensState) -> LensState:
    """The state used as a key: with its element by index, and a direction without one."""
    return replace(state, place=None if state.whole else place_of(report, state))


def _content(lens: Lens, chapters: list[Chapter], most: int) -> dict[str, Any]:
    held: dict[str, list[Any]] = {}
    orders = sorted([[chapter.state.order, chapter.state.seed] for chapter in chapters])
    for chapter in chapters:
        for question, shelf, answer in _answers(lens, chapter, most):
            held[question_key(question)] = [shelf, {**answer, "orders": orders} if question[0] == "check" else answer]
    words = say("lens_still_orders" if len(orders) > 1 else "lens_still")
    look = {**lens.look, **look_of(chapters[0].state, chapters[0].report, most)}
    return {**content(lens, held, look, words, questions_of(look)), "refusal": say("lens_not_saved")}


def _answers(lens: Lens, chapter: Chapter, most: int) -> Iterator[tuple[list[Any], str, Any]]:
    """The answers of a chapter: questions, the traits that keep the answers, and the answers."""
    report, check = chapter.report, [chapter.state.order, chapter.state.seed]
    told = of_report(report, chapter.state.seed, lens._session, most)
    yield ["check", *check], "page", told
    yield ["scenery", *check], "page", chapter.scenery
    for key, panel in enumerate(told["panels"]):
        first = LensState(chapter.state.order, chapter.state.seed, key)
        along = {seed: chapter.measured.get(replace(first, whole=True, direction=seed)) for seed in DIRECTIONS}
        held = [seed for seed, study in along.items() if study is not None]
        yield ["directions", *check, key], "page", of_directions(report, key, held)
        yield from [(["study", *check, key, seed], "answers", along[seed]) for seed in held]
        is_known = place_of(report, first) is not None
        cells = itertools.product(range(panel["rows"]), range(panel["cols"])) if is_known else ()
        for cell in (None, *map(list, cells)):
            state = (
                first if cell is None else replace(first, place=element_in(report.inputs[key], cell[0], cell[1], most))
            )
            yield ["chosen", *check, key, cell], "answers", of_choice(report, state, most)
            if (study := chapter.measured.get(_placed(report, state))) is not None:
                yield ["study", *check, key, cell], "answers", study
