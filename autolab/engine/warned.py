"""Attributes NumPy's RuntimeWarnings to the user's line.

NumPy names the Python line that is running when it warns: a line of AutoLab, which means nothing to the reader, and
because of which Python's filters would suppress the next warning from a different user line. So a warning from this
package's own files is issued again with the user's line that led there, through the same filters.
"""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType
from typing import TextIO

from .source import is_own

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def point_to_users() -> None:
    """Install this for all warnings, on top of what showed them before."""
    before = warnings.showwarning

    def showwarning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        frame = _users(filename) if category is RuntimeWarning else None
        if frame is None:
            before(message, category, filename, lineno, file, line)
        else:
            warn_of(frame, message, category)

    warnings.showwarning = showwarning


def warn_of(frame: FrameType, message: Warning | str, category: type[Warning]) -> None:
    """Issue a warning for the current line of a frame."""
    where, line = frame.f_globals, (frame.f_code.co_filename, frame.f_lineno)
    registry = where.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, *line, where.get("__name__", "<unknown>"), registry)


def _users(filename: str) -> FrameType | None:
    """The user's frame, for a warning from a file of AutoLab's, which may be given again: of another line perhaps."""
    if not filename.startswith(_PACKAGE):
        return None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != filename:  # of the module warnings
        frame = frame.f_back
    if frame is not None:
        frame.f_globals.get("__warningregistry__", {}).clear()
    while frame is not None and is_own(frame):
        frame = frame.f_back
    return frame
