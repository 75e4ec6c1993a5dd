"""`check`: the one function that notebooks call."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.switches import using_config
from .exercise import Exercise
from .outcome import Outcome
from .printing import first_lines

_given: dict[str, int] = {}  # how many hints each exercise has shown since it was last right


def check(name: str, answer: Any, more: bool = False) -> Outcome:
    """Say whether ``answer`` solves an exercise, and help if it does not.

    Every call draws fresh inputs (float64, at two points or more) and a fresh upstream gradient, so a right answer is
    right for all inputs. After a wrong answer, each further call shows one more hint. The expected array or
    formula is never shown. Of what an answer prints, the first lines appear.

    Parameters
    ----------
    name : str
        The name of the exercise, as in ``"muladd-gz"``.
    answer : number, str, function or class
        What the exercise asks for. None, ``...`` or an empty body is "not yet", and costs nothing.
    more : bool
        Show one hint more than this call would.

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
    from .judge import judged  # the first picture of a lesson waits for nothing that judges

    lesson = str(name).partition("-")[0]
    if lesson not in lessons():
        names = ", ".join([f"{known}-..." for known in lessons()])
        raise KeyError(f"lesson.check: no exercise is called {name!r:.60}; the names are {names}")
    known = exercises(lesson)
    if name not in known:
        raise KeyError(f"lesson.check: no exercise is called {name!r:.60}; the names are {', '.join(known)}")
    exercise = known[name]
    with using_config("train", True), first_lines():
        judgement = judged(exercise, answer, np.random.default_rng())
    shown = _hints_to_show(name, judgement.state, len(judgement.hints), more)
    hints, further = judgement.hints[:shown], max(len(judgement.hints) - shown, 0)
    return Outcome(name, judgement.state, judgement.kind, hints, further, exercise.says.get("right", ""))


@cache
def lessons() -> tuple[str, ...]:
    """The names of the lessons, in their order: that of the numbers of their notebooks."""
    notebooks = Path(__file__).parents[1].glob("lessons/*/*.ipynb")
    return tuple([notebook.parent.name for notebook in sorted(notebooks, key=lambda path: path.name)])


def exercises(lesson: str) -> dict[str, Exercise]:
    """The exercises of a lesson, by name."""
    module = import_module(f"autolab.lessons.{lesson}.exercises")
    return {exercise.name: exercise for exercise in module.EXERCISES}


def _hints_to_show(name: str, state: str, available: int, more: bool) -> int:
    if state == "right":
        _given.pop(name, None)
    elif state == "wrong":
        _given[name] = min(_given.get(name, 0) + 1 + bool(more), max(available, 1))
    return _given.get(name, 0)
