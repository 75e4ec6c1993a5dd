"""`check`: the one function that notebooks call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.switches import using_config
from .outcome import Outcome
from .printing import first_lines

_given: dict[str, int] = {}  # how many steps of help each exercise has shown since it was last right


def check(name: str, answer: Any, more: bool = False) -> Outcome:
    """Say whether ``answer`` solves an exercise, and help if it does not.

    Every call draws fresh inputs (float64, at two points or more) and a fresh upstream gradient, so a right answer is
    right for all inputs. After a wrong answer, each further call shows one more step of help. The expected array or
    formula is never shown. Of what an answer prints, the first lines appear.

    Parameters
    ----------
    name : str
        The name of the exercise, as in ``"muladd-gz"``.
    answer : number, str, function or class
        What the exercise asks for. None, ``...`` or an empty body is "not yet", and costs nothing.
    more : bool
        Show a step more than this call would.

    Returns
    -------
    Outcome
        It displays itself; ``outcome.passed`` is True only for a right answer.

    Raises
    ------
    KeyError
        If no exercise has this name.

    Examples
    --------
    >>> from autolab import lesson
    >>> lesson.check("start-zero", None).state
    'not yet'
    >>> lesson.check("start-zero", -1).passed
    True
    """
    from .book import EXERCISES  # the first picture of a lesson waits for no exercise
    from .judge import judged

    exercise = EXERCISES.get(name)
    if exercise is None:
        names = ", ".join(_similar(name, EXERCISES))
        raise KeyError(f"lesson.check: no exercise is called {name!r:.60}; the names are {names}")
    with using_config("train", True), first_lines():
        judgement = judged(exercise, answer, np.random.default_rng())
    shown = _steps_to_show(name, judgement.state, len(judgement.steps), more)
    return Outcome(name, judgement.state, judgement.kind, judgement.steps[:shown], max(len(judgement.steps) - shown, 0))


def _steps_to_show(name: str, state: str, available: int, more: bool) -> int:
    if state == "right":
        _given.pop(name, None)
    elif state == "wrong":
        _given[name] = min(_given.get(name, 0) + 1 + bool(more), max(available, 1))
    return _given.get(name, 0)


def _similar(name: str, known: Iterable[str]) -> list[str]:
    """The exercises of the same lesson; the lessons if there is no such lesson."""
    lesson = str(name).partition("-")[0]
    lessons = dict.fromkeys(f"{key.partition('-')[0]}-..." for key in known)
    return [key for key in known if key.partition("-")[0] == lesson] or list(lessons)
