"""The recording that a view shows, and the answers that its pages need at present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..recording.model import Recording
from .free import Corners, free
from .messages import Shelf, not_understood, question_key
from .panels.terms import derivation_of
from .questions import Reader, first_questions, shelf_of
from .session import Session

if TYPE_CHECKING:
    from .order_curves import OrderCurves

NOTHING_FREE: dict[str, Any] = {"controls": [], "settings": []}


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
    """

    def __init__(self, recording: Recording, session: Session | None = None) -> None:
        self._session = session
        self._reader = Reader(recording)
        self._curves: OrderCurves | None = None
        orders = [["curves"]] if recording.higher else []
        self.first: list[Any] = [*first_questions(recording), ["free", []], *orders]

    @property
    def recording(self) -> Recording:
        """What is shown."""
        return self._reader.recording

    @recording.setter
    def recording(self, recording: Recording) -> None:
        self._reader = Reader(recording, before=self._reader)

    def answer(self, question: Any) -> tuple[Shelf, Any]:
        """The answer to a question, and where it is kept."""
        own = {"free": self.free, "curves": self.curves}
        shelf = shelf_of(question)
        return shelf, own.get(question[0], self._reader.ask)(question)

    def free(self, question: Sequence[Any]) -> dict[str, Any]:
        """What can be changed: the answer to ``["free", [[key, row, column], ...]]``."""
        match question:
            case ["free", list(corners)]:
                return NOTHING_FREE if self._session is None else free(self._session, self.recording, _corners(corners))
        raise not_understood(question)

    def curves(self, question: Sequence[Any]) -> dict[str, Any] | None:
        """The curves of all orders with their point, and the input ``along`` which they run: the answer to
        ``["curves"]``. None where there are none, or no function that could be run."""
        if question != ["curves"]:
            raise not_understood(question)
        session, found = self._session, derivation_of(self._reader) if self.recording.higher else None
        if session is None or found is None:
            return None
        from .order_curves import OrderCurves  # with the first derivative

        self._curves = self._curves or OrderCurves()
        drawn, moving = self._curves.shown(session, self.recording, found, self.free(["free", []])["controls"])
        return {"panels": drawn, "moving": moving, "along": found.wrt.text} if drawn else None

    def free_now(self, numbers: Mapping[str, Any], questions: Sequence[Any]) -> dict[str, Any]:
        """Published numbers with what can be changed as it is at this moment, while something is computed."""
        asked = [question for question in questions if question[0] == "free"]
        return {**numbers, **{question_key(question): self.free(question) for question in asked}}


def _corners(given: list[Any]) -> Corners:
    found = {}
    for entry in given:
        match entry:
            case [str() | int() as key, int() as row, int() as column]:
                found[key] = (row, column)
            case _:
                raise not_understood(["free", given])
    return found
