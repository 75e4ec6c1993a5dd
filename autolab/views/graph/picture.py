"""The recording that a view shows, and the answers that its pages need at present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...recording.model import Recording
from ..live.protocol import Shelf, question_key
from .questions import Reader, first_questions, of_session, shelf_of
from .session import Session


class Picture:
    """Answers what the pages of one view ask, again and again as recordings follow each other.

    Parameters
    ----------
    recording : Recording
    session : Session, optional
        Where something can be moved.

    Attributes
    ----------
    first : list
        What a page asks that has just been opened.
    reader : Reader
        Answers what the recording alone can.
    lasting : dict
        What an answer keeps from one recording to the next.
    """

    def __init__(self, recording: Recording, session: Session | None = None) -> None:
        self.session = session
        self.reader = Reader(recording)
        self.lasting: dict[str, Any] = {}
        orders = [["curves"]] if recording.higher else []
        self.first: list[Any] = [*first_questions(recording), ["free", []], *orders]

    @property
    def recording(self) -> Recording:
        """What is shown."""
        return self.reader.recording

    @recording.setter
    def recording(self, recording: Recording) -> None:
        self.reader = Reader(recording, before=self.reader)

    def answer(self, question: Any) -> tuple[Shelf, Any]:
        """The answer to a question, and where it is kept."""
        shelf, of_its_own = shelf_of(question), of_session(question)
        return shelf, self.reader.ask(question) if of_its_own is None else of_its_own(self, question)

    def free_now(self, numbers: Mapping[str, Any], questions: Sequence[Any]) -> dict[str, Any]:
        """Published numbers with what can be changed as it is at this moment, while something is computed."""
        asked = [question for question in questions if question[0] == "free"]
        return {**numbers, **{question_key(question): self.answer(question)[1] for question in asked}}
