"""Tracebacks show the user's frames and few of AutoLab's: folded(), for exceptions of the user's code that pass through
AutoLab, and brief_in_notebooks(), for wrong calls.

Between the call of `record` and the user's line there are frames that say nothing about the user's program. They are
removed from the traceback when it passes the function that was called. The frame of that function itself cannot be
removed: it sets ``__tracebackhide__``, which IPython and pytest respect.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import reduce
from types import ModuleType, TracebackType
from typing import Any

from .habit_tables import ALIASES

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

_PACKAGE = __name__.partition(".")[0]
_SETTING = "AUTOLAB_TRACEBACK"
_WRONG_CALL = r"['\"]?[\w.]+(: |\(\) (missing|takes|got) )|module 'autolab"
"""How a message that names what was called begins; that of a KeyError is quoted."""

_KINDS = (TypeError, ValueError, LookupError, AttributeError, RuntimeError, OverflowError, OSError)
"""What a wrong call raises; not SyntaxError, which IPython shows better itself."""


def hidden() -> bool:
    """The value of ``__tracebackhide__`` in functions that the user calls."""
    return os.environ.get(_SETTING) != "full"


class folded:
    """A ``with`` block in functions that users call: removes AutoLab's frames from exceptions of the user's function.

    A traceback without user frames is unchanged.

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
    """Make IPython show wrong calls of AutoLab's functions as only the user's cell and the message.

    A handler that is already set is kept.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc(_KINDS, _show)


def _show(shell: Any, kind: type, error: Exception, trace: TracebackType, tb_offset: int | None = None) -> None:
    """Show an exception as IPython does, without AutoLab's frames if the message is about the user's call."""
    entries = entries_of(trace)
    if isinstance(error, AttributeError):
        _say_similar(error)
    elif (unknown := re.search(r"got an unexpected keyword argument '(\w+)'$", str(error))) and entries:
        with suppress(Exception):  # what is called may have no signature
            _say_similar_keywords(error, unknown[1], entries[-1])
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


def _say_similar(error: AttributeError) -> None:
    """Name similar attributes of an object or module of AutoLab's, as Python's own display does, but not IPython's."""
    from difflib import get_close_matches

    name = error.name or ""
    wanted = _letters(name)
    if not wanted or ";" in str(error):  # the message says what to use instead
        return
    there = {known: letters for known in sorted({*_names(error.obj)}) if (letters := _letters(known))}
    found = sorted([known for known in there if len(wanted) > 2 and wanted in there[known]], key=len)[:4]
    if found or (found := get_close_matches(name, there, 2, 0.7)):
        add_note(error, f"Similar: {', '.join(found)}")


def _say_similar_keywords(error: Exception, name: str, entry: TracebackType) -> None:
    """Name similar keywords of a function of AutoLab's that was called in the last frame."""
    from difflib import get_close_matches

    from .source import by_position

    found, frame = by_position(entry.tb_frame, entry.tb_lasti), entry.tb_frame
    written = "" if found is None or not isinstance(found.node, ast.Call) else ast.unparse(found.node.func)
    first, *parts = written.split(".")
    owner = {**frame.f_globals, **frame.f_locals}.get(first)
    called: Any = reduce(lambda owner, part: getattr(owner, part, None), parts, owner)
    is_ours = callable(called) and str(called.__module__).partition(".")[0] == _PACKAGE
    similar = get_close_matches(name, inspect.signature(called).parameters, 2, 0.6) if is_ours else ()
    if similar:
        add_note(error, f"Similar: {', '.join(similar)}")


def _names(owner: Any) -> Iterable[str]:
    """What an object or a module of AutoLab's has, aliases included; nothing of anything else."""
    if isinstance(owner, ModuleType):
        package, _, part = owner.__name__.partition(".")
        return [*dir(owner), *ALIASES.get(part or package, ())] if package == _PACKAGE else ()
    is_ours = any(kind.__module__.startswith(_PACKAGE) for kind in type(owner).__mro__)
    return object.__dir__(owner) if is_ours else ()


def _letters(name: str) -> str:
    return name.lower().replace("_", "") if name[:1] != "_" else ""


def _say_left_out(error: BaseException, count: int) -> None:
    frames = "1 frame" if count == 1 else f"{count} frames"
    add_note(error, f"{_SETTING}=full in the environment shows {frames} of AutoLab left out here")


def add_note(error: BaseException, text: str) -> None:
    """Add a line below the message. It replaces an earlier one that starts with the same word, as when an exception is
    raised again."""
    head = text.partition(" ")[0]
    with suppress(Exception):  # custom exceptions may not support notes, or use the name for something else
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
    """Remove AutoLab's frames below ``head``, unless there are no others; returns how many."""
    below = entries_of(head.tb_next)
    kept = [entry for entry in below if not _is_own(entry)]
    if not kept and _is_own(head):
        return 0
    for entry, following in zip([head, *kept], [*kept, None], strict=True):
        entry.tb_next = following
    return len(below) - len(kept)


def _before(error: BaseException) -> list[BaseException]:
    """The exceptions that Python prints above this one."""
    found = {id(error): error}
    while True:
        above = error.__context__ if error.__cause__ is None and not error.__suppress_context__ else error.__cause__
        if above is None or id(above) in found:
            return list(found.values())[1:]
        error = found[id(above)] = above


def _is_own(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(PACKAGE)
