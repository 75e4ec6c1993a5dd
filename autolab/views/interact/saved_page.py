"""interact() as a saved page, which holds the function's results for some values of its sliders and choices."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from ..draw import say
from ..live.protocol import question_key
from ..live.saved_page import MAX_BYTES, SavedPage, as_json, content, state_of, still
from .interact import Interact
from .knobs import Choice, Dice, Slider

SECONDS = 2.0
"""The time for running the function for the page."""

_VALUES = (41, 21, 13, 9, 7, 5, 4, 3, 2)
"""The numbers of values per slider to try, the first for which time and space suffice for all combinations."""


class _NoResult(Exception):
    """Raised if the function raises for some inputs."""


def interact_page(view: Interact) -> SavedPage:
    """The page of a view in its current state, with the results of its function for other values of its inputs."""
    return SavedPage(view.title, view.kind, _ever_smaller(view))


def _ever_smaller(view: Interact) -> Iterator[dict[str, Any]]:
    """The contents with fewer and fewer values per slider; finally just the current state."""
    most = _most(view)
    for count in _VALUES:
        places = {name: _values(knob, count) for name, knob in view._knobs.items() if not isinstance(knob, Dice)}
        if places and 1 < math.prod([len(values) for values in places.values()]) <= most:
            try:
                yield _content(view, places)
            except _NoResult:
                break
    yield {"state": still(state_of(view), say("interact_still"))}


def _most(view: Interact) -> float:
    """The number of results for which time and space suffice; 0 if the function raises."""
    before = time.monotonic()
    try:
        _compute(view)
    except _NoResult:
        return 0.0
    size = len(as_json({"answers": [view._answer(question)[1] for question in _questions(view)]}))
    return min(MAX_BYTES / size, SECONDS / max(time.monotonic() - before, 1e-6))


def _questions(view: Interact) -> list[list[Any]]:
    return [["free"], ["result"], ["heat", view.look.get("colours"), view.look.get("planes", [])]]


def _compute(view: Interact) -> None:
    """Run the function without its printed output, which was already shown."""
    with redirect_stdout(StringIO()):
        try:
            view._compute()
        except Exception as error:
            raise _NoResult from error


def _values(knob: Slider | Choice, count: int) -> list[Any]:
    """Values of a knob, including its current one; all of them for a choice."""
    if isinstance(knob, Choice):
        return [*knob.values]
    entry = knob.entry("")
    spread = np.linspace(entry["min"], entry["max"], count).tolist()
    if isinstance(knob.start, int):
        spread = sorted({round(value) for value in spread})
    spread[int(np.argmin(np.abs(np.array(spread) - knob.value)))] = knob.value
    return spread


def _content(view: Interact, places: dict[str, list[Any]]) -> dict[str, Any]:
    """The answers for all combinations of these values."""
    knobs: dict[str, Any] = {name: view._knobs[name] for name in places}
    before = {name: knob.value for name, knob in knobs.items()}
    held: dict[str, Any] = {}
    try:
        for at in itertools.product(*[range(len(values)) for values in places.values()]):
            for (name, values), i in zip(places.items(), at, strict=True):
                knobs[name].set(values[i])
            _compute(view)
            for question in _questions(view):
                answer = view._answer(question)[1]
                if question == ["free"]:
                    answer = {**answer, "places": [*places.items()], "controls": _stepping(answer["controls"], places)}
                held[question_key([*question, [*at]])] = ["numbers", answer]
    finally:
        for name, value in before.items():
            knobs[name].set(value)
        _compute(view)
    now = [values.index(before[name]) for name, values in places.items()]
    asked = [[*question, now] for question in _questions(view)]
    sentence = say("interact_still_places", count=len(held) // len(asked))
    return content(view, held, {**view.look, "at": now}, sentence, asked)


def _stepping(controls: list[dict[str, Any]], places: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Sliders that step from one of their values to the next."""
    held = [places[control["key"]] for control in controls]
    steps = [(values[-1] - values[0]) / max(1, len(values) - 1) for values in held]
    return [{**control, "step": step} for control, step in zip(controls, steps, strict=True)]
