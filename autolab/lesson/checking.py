"""`check`: the one function that notebooks call."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from ..engine import using_config
from .exercise import Exercise
from .outcome import Outcome
from .own import own_lessons
from .printing import first_lines
from .results import note, report
from .shipped import notebooks

_given: dict[str, int] = {}  # how many hints each exercise has shown since it was last right


def check(name: str, answer: Any, more: bool = False) -> Outcome:
    """Say whether ``answer`` solves an exercise, and help if it does not.

    Every call draws new inputs (float64, at two points or more) and a new upstream gradient, so that an answer passes
    only if it is right for all inputs. After a wrong answer, each further call shows one more hint. The expected array
    or formula is never shown. Only the first lines that an answer prints are shown.

    Parameters
    ----------
    name : str
        The name of the exercise, such as ``"muladd-gz"``.
    answer : number, str, function or class
        What the exercise asks for. None, ``...`` or an empty body counts as "not yet", without a hint.
    more : bool
        Show one more hint than this call otherwise would.

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
    from .judge import judged  # imported late, so that the first picture of a lesson appears sooner

    exercise = exercise_called(name)
    with using_config("train", True), first_lines():
        judgement = judged(exercise, answer, np.random.default_rng())
    shown = _hints_to_show(name, judgement.state, len(judgement.hints), more)
    hints, further = judgement.hints[:shown], max(len(judgement.hints) - shown, 0)
    outcome = Outcome(name, judgement.state, judgement.kind, hints, further, exercise.says.get("right", ""))
    note(outcome)
    results = report(name.partition("-")[0])
    return replace(outcome, progress=(sum([one.points for one in results]), len(results)))


def exercise_called(name: str) -> Exercise:
    """The exercise with this name; a KeyError that lists the names if there is none."""
    lesson = str(name).partition("-")[0]
    known = lessons()
    if lesson not in known:
        names = ", ".join([f"{one}-..." for one in known])
        raise KeyError(f"lesson.check: no exercise is called {name!r:.60}; the names are {names}")
    found = exercises(lesson)
    if name not in found:
        raise KeyError(f"lesson.check: no exercise is called {name!r:.60}; the names are {', '.join(found)}")
    return found[name]


def lessons() -> tuple[str, ...]:
    """The names of the lessons: AutoLab's, in the order of their notebooks' numbers, then those loaded by `use`."""
    return (*notebooks(), *own_lessons)


def exercises(lesson: str) -> dict[str, Exercise]:
    """The exercises of a lesson, by name."""
    if lesson in own_lessons:
        return own_lessons[lesson]
    module = import_module(f"autolab.lessons.{lesson}.exercises")
    return {exercise.name: exercise for exercise in module.EXERCISES}


def _hints_to_show(name: str, state: str, available: int, more: bool) -> int:
    if state == "right":
        _given.pop(name, None)
    elif state == "wrong":
        _given[name] = min(_given.get(name, 0) + 1 + bool(more), max(available, 1))
    return _given.get(name, 0)
