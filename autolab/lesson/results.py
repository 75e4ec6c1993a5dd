"""The results of the exercises in this session, as data: `report`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .outcome import Outcome

Verdict = Literal["right", "wrong", "not yet", "not tried"]


@dataclass(frozen=True)
class Result:
    """The result of one exercise.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    verdict : "right", "wrong", "not yet" or "not tried"
        The verdict of the last check; "not yet" if the answer was left empty.
    cause : str
        The kind of mistake, in one word; empty unless the verdict is "wrong".
    hints : int
        The largest number of hints that were shown.
    attempts : int
        In grading, the number of different answers that the notebook handed in.
    points : int
        1 for a right answer, otherwise 0.

    Examples
    --------
    >>> from autolab.lesson import Result
    >>> Result("start-zero", "right").points
    1
    """

    exercise: str
    verdict: Verdict = "not tried"
    cause: str = ""
    hints: int = 0
    attempts: int = 0

    @property
    def points(self) -> int:
        """1 for a right answer, otherwise 0."""
        return int(self.verdict == "right")


_results: dict[str, Result] = {}


def note(outcome: Outcome) -> None:
    """Record the outcome of a check."""
    before = _results.get(outcome.exercise, Result(outcome.exercise))
    hints = max(before.hints, len(outcome.hints))
    _results[outcome.exercise] = replace(before, verdict=outcome.state, cause=outcome.kind, hints=hints)


def report(lesson: str | None = None) -> tuple[Result, ...]:
    """The results of the exercises in this session.

    Parameters
    ----------
    lesson : str, optional
        The name of a lesson, such as ``"muladd"``. By default every lesson of which an exercise has been checked.

    Returns
    -------
    tuple of Result
        One for each exercise of these lessons, in order, including those that have not been tried.

    Raises
    ------
    KeyError
        If no lesson has this name.

    Examples
    --------
    >>> from autolab import lesson
    >>> outcome = lesson.check("start-zero", 1)
    >>> results = lesson.report("start")
    >>> [(one.exercise, one.verdict, one.cause, one.points) for one in results if one.exercise == "start-zero"]
    [('start-zero', 'wrong', 'sign', 0)]
    """
    from .checking import exercises, lessons

    known = lessons()
    if lesson is not None and lesson not in known:
        raise KeyError(f"lesson.report: no lesson is called {lesson!r:.60}; the names are {', '.join(known):.200}")
    tried = {name.partition("-")[0] for name in _results}
    chosen = [name for name in known if name == lesson or (lesson is None and name in tried)]
    return tuple([_results.get(name, Result(name)) for one in chosen for name in exercises(one)])
