"""What the user's function raised, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..display.escape import clean
from ..recording.model import Recording
from ..recording.raised import MAX_MESSAGE, last_recording, place_of, told_as

__all__ = ["MAX_MESSAGE", "UserError", "for_page", "user_error"]


@dataclass(frozen=True)
class UserError:
    """What the user's function raised, and the innermost line of the user's own code on the way there.

    ``recording`` is what was computed up to there; None where the error did not come out of a recorded run.
    """

    type: str
    message: str
    file: str | None = None
    line: int | None = None
    statement: str | None = None
    recording: Recording | None = field(default=None, compare=False, repr=False)


def user_error(error: BaseException) -> UserError:
    """An exception as data: its type and message, and the innermost line of its traceback that is the user's.

    Where NumPy says only that an element could not be set, the cause says why.
    """
    (kind, message), (file, line, statement) = told_as(error), place_of(error)
    return UserError(kind, message, file, line, statement, last_recording(error))


def for_page(error: UserError) -> dict[str, Any]:
    """An error as the page shows it: every text on one line, what cannot be seen replaced."""
    limits = {"message": MAX_MESSAGE, "statement": 400}
    told = {key: getattr(error, key) for key in ("type", "message", "file", "line", "statement")}
    return {key: clean(value, limits.get(key, 200)) if isinstance(value, str) else value for key, value in told.items()}
