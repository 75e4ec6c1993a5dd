"""What the user's function raised, as data."""

from __future__ import annotations

import linecache
import os
import sysconfig
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any

from ..display.escape import clean
from ..engine.errors import DamagedValueError, DetachError
from ..engine.observe import file_label
from .computation import Stopped

MAX_MESSAGE = 2000

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_LIBRARIES = tuple([sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")])
_NOT_THE_USERS = (*_LIBRARIES, "<frozen ", "<__array_function__")


@dataclass(frozen=True)
class UserError:
    """What the user's function raised, and the innermost line of the user's own code on the way there."""

    type: str
    message: str
    file: str | None = None
    line: int | None = None
    statement: str | None = None


def user_error(error: BaseException) -> UserError:
    """An exception as data: its type and message, and the innermost line of its traceback that is the user's.

    Where NumPy says only that an element could not be set, the cause says why.
    """
    told = error.__cause__ if isinstance(error.__cause__, DetachError) else error
    kind, message = type(told).__name__, _message(told)
    if isinstance(error, DamagedValueError) and error.file is not None:  # the step that suffers, not who ran backward
        file, line, names = error.file, error.line, None
    elif (trace := _users(error.__traceback__)) is not None:
        file, line, names = trace.tb_frame.f_code.co_filename, trace.tb_lineno, trace.tb_frame.f_globals
    else:
        return UserError(kind, message)
    return UserError(kind, message, file_label(file), line, linecache.getline(file, line, names).strip())


def for_page(error: UserError) -> dict[str, Any]:
    """An error as the page shows it: every text on one line, what cannot be seen replaced."""
    limits = {"message": MAX_MESSAGE, "statement": 400}
    return {
        key: clean(value, limits.get(key, 200)) if isinstance(value, str) else value
        for key, value in asdict(error).items()
    }


def _message(error: BaseException) -> str:
    try:
        return str(error)[: MAX_MESSAGE + 1]  # the one too many shows that the end was cut
    except Stopped:
        raise
    except BaseException as another:  # also one that would end the program, and with it the answer
        return f"its message could not be made: {type(another).__name__}"


def _users(trace: TracebackType | None) -> TracebackType | None:
    """The innermost frame of the user's code; where there is none, the innermost outside this package."""
    outside = None
    users = None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(_PACKAGE):
            outside = trace
            if not file.startswith(_NOT_THE_USERS):
                users = trace
        trace = trace.tb_next
    return users or outside
