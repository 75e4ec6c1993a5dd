"""`check`: the one function that notebooks call."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any, TextIO

import numpy as np

from ..engine import using_config
from .exercise import Exercise
from .messages import say
from .outcome import Outcome
from .own import own_lessons
from .results import note, report
from .shipped import notebooks

# Limits what an answer prints: a check runs it hundreds of times, and would repeat each `print` as often.

MOST = 20
"""The number of lines that are shown."""


class _First(io.TextIOBase):
    """Passes the first lines on to ``out`` and counts the others."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.lines = 0

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            if self.lines < MOST:
                self.out.write(line)
            self.lines += line.endswith("\n")
        return len(text)

    def flush(self) -> None:
        self.out.flush()


@contextlib.contextmanager
def first_lines() -> Iterator[None]:
    """In the block, only the first lines that are printed appear; the end says how many more there were.

    Examples
    --------
    >>> with first_lines():
    ...     print("\\n".join(["forward"] * 22))
    forward
    ...
    forward
    (Your code printed more: 2 lines. A check runs it many times.)
    """
    first = _First(sys.stdout)
    try:
        with contextlib.redirect_stdout(first):
            yield
    finally:
        if first.lines > MOST:
            print(say("printed", count=first.lines - MOST))


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
