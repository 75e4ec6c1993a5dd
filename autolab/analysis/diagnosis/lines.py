"""The lines of the user's code that are to blame where no step is."""

from __future__ import annotations

import inspect
import linecache
import re
from typing import Any

from ...engine.source import file_label
from .evidence import Evidence


def _code(e: Evidence) -> Any:
    return getattr(inspect.unwrap(getattr(e.program.fn, "__func__", e.program.fn)), "__code__", None)


def line_above(e: Evidence, pattern: str) -> tuple[int | None, str | None]:
    """The last line above the function that fits, where something was made that the function uses."""
    code = _code(e)
    above = [] if code is None else linecache.getlines(code.co_filename)[: code.co_firstlineno - 1]
    found = [i for i, text in enumerate(above, 1) if re.search(pattern, text)]
    return (found[-1], file_label(code.co_filename)) if found else (None, None)


def line_near(e: Evidence, text: str) -> tuple[int | None, str | None]:
    """The line of the function's file that holds a text, the nearest to its first."""
    code = _code(e)
    lines = [] if code is None else linecache.getlines(code.co_filename)
    found = [i for i, line in enumerate(lines, 1) if text in line]
    return (
        (min(found, key=lambda i: abs(i - code.co_firstlineno)), file_label(code.co_filename))
        if found
        else (None, None)
    )


def line_in(e: Evidence, text: str) -> tuple[int | None, str | None]:
    """The line of the function that holds a text."""
    first, file = first_line(e)
    lines = (e.recording.source or "").splitlines() if e.recording is not None else []
    at = next((i for i, line in enumerate(lines) if text in line), None)
    return (None if at is None or first is None else first + at), file


def first_line(e: Evidence) -> tuple[int | None, str | None]:
    """Where the function begins."""
    return (None, None) if e.recording is None else (e.recording.first_line, e.recording.file)
