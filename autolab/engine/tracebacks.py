"""Tracebacks show the user's frames, and few of AutoLab's: folded(), where an exception of the user's passes through
AutoLab, and brief_in_notebooks() for wrong calls.

Between the call of `record` and the user's line stand frames that say nothing about his program. They are taken out of
the traceback where it passes the function that he called. That one's own frame cannot be: it sets
``__tracebackhide__``, which IPython and pytest respect.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from types import TracebackType
from typing import Any

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

_SETTING = "AUTOLAB_TRACEBACK"
_WRONG_CALL = r"['\"]?[\w.]+(: |\(\) (missing|takes|got) )|module 'autolab"
"""How a message begins that names what was called; that of a KeyError is quoted."""

_KINDS = (TypeError, ValueError, LookupError, AttributeError, RuntimeError, OverflowError, OSError)
"""What a wrong call raises. IPython would hand over the errors of its own parser as well, which it shows better."""


def hidden() -> bool:
    """What a function that the user calls sets ``__tracebackhide__`` to."""
    return os.environ.get(_SETTING) != "full"


class folded:
    """A ``with`` block of a function that users call: what their own function raises inside loses AutoLab's frames.

    Where no frame of the user's is in it, it stays as it is.

    Examples
    --------
    >>> import traceback
    >>> import autolab
    >>> def f(x):
    ...     return x * (1 // 0)
    >>> try:
    ...     autolab.record(f, 2.0)
    ... except ZeroDivisionError as error:
    ...     [frame.name for frame in traceback.extract_tb(error.__traceback__)][1:]
    ['record', 'f']
    """

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None or not hidden():
            return
        head = error.__traceback__
        count = 0 if head is None or head.tb_next is None else _fold(head)
        for other in _before(error):
            users = next((entry for entry in entries_of(other.__traceback__) if not _is_own(entry)), None)
            if users is not None:
                other.__traceback__ = users
                count += _fold(users)
        if count:
            _say_left_out(error, count)


def brief_in_notebooks() -> None:
    """From now on IPython shows a wrong call of whatever AutoLab has as the user's cell and the sentence.

    A handler that somebody else has set stays.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc(_KINDS, _show)


def _show(shell: Any, kind: type, error: Exception, trace: TracebackType, tb_offset: int | None = None) -> None:
    """What IPython does with an exception; without AutoLab's frames where their words are about the user's call."""
    entries = entries_of(trace)
    own = sum(map(_is_own, entries))
    shown: TracebackType | None = trace
    if own and hidden() and (isinstance(error, OSError) or re.match(_WRONG_CALL, str(error))):
        shown = None
        for entry in reversed([entry for entry in entries if not _is_own(entry)]):
            shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        if not any(note.startswith(_SETTING) for note in getattr(error, "__notes__", ())):
            _say_left_out(error, own)
        above = _before(error)
        if above and any(map(_is_own, entries_of(above[0].__traceback__)[:1])):  # AutoLab has caught it
            error.__cause__ = None
    shell.showtraceback((kind, error, shown), tb_offset=tb_offset, running_compiled_code=True)


def _say_left_out(error: BaseException, count: int) -> None:
    frames = "1 frame" if count == 1 else f"{count} frames"
    add_note(error, f"{_SETTING}=full in the environment shows {frames} of AutoLab that are left out here")


def add_note(error: BaseException, text: str) -> None:
    """Let a line stand below the message. An exception that is raised again has only the last that begins
    with the same word."""
    head = text.partition(" ")[0]
    with suppress(Exception):  # an exception of somebody's own class may take no notes, or keep something else there
        for note in [note for note in getattr(error, "__notes__", ()) if note.startswith(head)]:
            error.__notes__.remove(note)
        error.add_note(text)


def entries_of(trace: TracebackType | None) -> list[TracebackType]:
    """The frames of a traceback, the outermost first."""
    found = []
    while trace is not None:
        found.append(trace)
        trace = trace.tb_next
    return found


def _fold(head: TracebackType) -> int:
    """Take AutoLab's frames out below ``head``; how many. None if there are no others."""
    below = entries_of(head.tb_next)
    kept = [entry for entry in below if not _is_own(entry)]
    if not kept and _is_own(head):
        return 0
    for entry, following in zip([head, *kept], [*kept, None], strict=True):
        entry.tb_next = following
    return len(below) - len(kept)


def _before(error: BaseException) -> list[BaseException]:
    """The exceptions that are printed above this one."""
    found = {id(error): error}
    while True:
        above = error.__context__ if error.__cause__ is None and not error.__suppress_context__ else error.__cause__
        if above is None or id(above) in found:
            return list(found.values())[1:]
        error = found[id(above)] = above


def _is_own(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(PACKAGE)
