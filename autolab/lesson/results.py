"""What came out of the exercises in this session, as data: `report`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .outcome import Outcome

Verdict = Literal["right", "wrong", "not yet", "not tried"]


@dataclass(frozen=True)
class Result:
    """How one exercise came out.

    Attributes
    ----------
    exercise : str
    verdict : "right", "wrong", "not yet" or "not tried"
        That of the last check. "not yet" is an answer that was left empty.
    cause : str
        The kind of the mistake, in one word; empty unless the verdict is "wrong".
    hints : int
        How many hints were on the screen at most.
    attempts : int
        In grading, how many different answers the notebook handed in.
    points : int
        1 for a right answer, 0 for any other.

    Examples
    --------
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
        """1 for a right answer, 0 for any other."""
        return int(self.verdict == "right")


_results: dict[str, Result] = {}


def note(outcome: Outcome) -> None:
    """Keep what a check said."""
    before = _results.get(outcome.exercise, Result(outcome.exercise))
    hints = max(before.hints, len(outcome.hints))
    _results[outcome.exercise] = replace(before, verdict=outcome.state, cause=outcome.kind, hints=hints)


def report(lesson: str | None = None) -> tuple[Result, ...]:
    """How the exercises have come out in this session.

    Parameters
    ----------
    lesson : str, optional
        The name of a lesson, as in ``"muladd"``. Without it, every lesson of which an exercise was checked.

    Returns
    -------
    tuple of Result
        One for each exercise of these lessons, in their order, also for those that nobody has tried.

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
