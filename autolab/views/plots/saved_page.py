"""A loss surface as a saved page: its colours and arrows, and the paths of balls from many starting points."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..draw import say
from ..live.protocol import question_key
from ..live.saved_page import SavedPage, state_of, still
from .surface import LossColors, title_of
from .surface_view import SurfaceView, as_text, roll_question

SECONDS = 2.0
"""The time for computing paths; starting points that come later have none."""

_SIDES = (3, 6)
"""Starting points form square grids over the surface with this many on a side, the coarse one first."""


def surface_page(view: SurfaceView) -> SavedPage:
    """The page of a surface in its current state, with the paths of the same optimizers from other points."""
    return SavedPage(title_of(view._surface), view.kind, _ever_smaller(view))


def _ever_smaller(view: SurfaceView) -> Iterator[dict[str, Any]]:
    """The contents with fewer and fewer starting points, finally none."""
    questions: list[list[Any]] = [["slope", f"{i} {j}"] for i, j in view._arrows.places]
    questions += [["arrows", shown] for shown in (False, True)]
    answers = {question_key(question): view._answer(question) for question in questions}
    ways = _ways(view)
    for count in (len(ways), 1 + _SIDES[0] ** 2, 0):
        yield _content(view, answers, dict([*ways.items()][:count]))


def _ways(view: SurfaceView) -> dict[str, Any]:
    """The answers about paths by starting point, the current one first."""
    x, y = view._surface.x, view._surface.y
    look, end, problem = view.look, time.monotonic() + SECONDS, view._problem
    spread = [as_text((a, b)) for n in _SIDES for b in _spread(y, n) for a in _spread(x, n)]
    found = {}
    for ball in dict.fromkeys([look["ball"], *spread] if look["ball"] else spread):
        if time.monotonic() > end:
            break
        if (way := view._answer(roll_question({**look, "ball": ball}))[1]) is not None:
            found[ball] = way
    view._problem = problem
    return found


def _spread(axis: np.ndarray, count: int) -> np.ndarray:
    """Points along an axis, away from its ends."""
    return np.interp((np.arange(count) + 0.5) / count, np.linspace(0, 1, len(axis)), axis).round(6)


def _content(view: SurfaceView, answers: dict[str, Any], ways: dict[str, Any]) -> dict[str, Any]:
    sentence = say("surface_still_starts", count=len(ways)) if ways else say("surface_still")
    held = {question_key(roll_question({**view.look, "ball": ball})): ["numbers", way] for ball, way in ways.items()}
    pictures = {
        question_key(["surface", tone]): ["page", {**view._picture(tone), "starts": [*ways]}]
        for tone in LossColors(view._surface.values).offered
    }
    now = question_key(["surface", view.look["tone"]])
    state = still(state_of(view), sentence)
    state["page"] = {**state["page"], now: pictures[now][1]}
    return {"state": state, "answers": {**answers, **held, **pictures}}
