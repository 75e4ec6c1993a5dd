"""Outcome: the result of `lesson.check`, which displays itself."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.display import Displayed, register
from ..views.live.notebook import voila
from .judgement import AnswerState, Hint
from .messages import say

register("autolab.lesson.outcome.Outcome", {"bundle": "autolab.lesson.outcome_view:bundle"})


@dataclass(frozen=True, eq=False)
class Outcome(Displayed):
    """The result of checking an answer.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    state : "right", "wrong" or "not yet"
    kind : str
        The kind of mistake, in one word; empty if there is none.
    hints : tuple of Hint
        The hints that are shown.
    further : int
        Number of hints that are not shown yet.
    remark : str
        The exercise's sentence for a right answer.
    progress : tuple of int, optional
        The number of exercises of the lesson that are right in this session, and the number of all.

    Examples
    --------
    >>> from autolab import lesson
    >>> outcome = lesson.check("start-zero", 1)
    >>> outcome.state, outcome.passed, len(outcome.hints) > 0
    ('wrong', False, True)
    """

    exercise: str
    state: AnswerState
    kind: str = ""
    hints: tuple[Hint, ...] = ()
    further: int = 0
    remark: str = ""
    progress: tuple[int, int] | None = None

    @property
    def passed(self) -> bool:
        """True only if the answer is right."""
        return self.state == "right"

    @property
    def headline(self) -> str:
        """The state in words; on a page without code, that the exercise is left out."""
        state = "no code" if self.state == "not yet" and voila() else self.state
        return say(f"state.{state}", exercise=self.exercise)

    @property
    def closing(self) -> str:
        """The remark on a right answer, or how to get more help; empty if there is neither."""
        if self.passed:
            told = "" if self.progress is None else say("progress", right=self.progress[0], total=self.progress[1])
            return f"{self.remark} {told}".strip()
        return say("more", count=self.further) if self.further else ""

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.headline, *(f"  {hint.text}" for hint in self.hints), self.closing)))

    __repr__ = __str__
