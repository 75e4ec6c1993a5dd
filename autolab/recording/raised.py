"""Runs that end with an exception: the exception as data, and the recording of the steps before it."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from ..authoring.base import Authored
from ..engine import Primitive, Variable
from ..engine.errors import DamagedValueError, DetachError
from ..engine.observe import notify
from ..engine.source import by_position, file_label, is_own
from ..engine.tracebacks import add_note, entries_of
from .locate import OWN_FRAMES, loops_around
from .model import Recording

if TYPE_CHECKING:
    from .recorder import Recorder

RAISED = (Exception, KeyboardInterrupt, SystemExit)
"""The exceptions that are reported. Others are a program's own way to end something, such as a view's computation."""

MAX_MESSAGE = 2000

_NOTE = "autolab.recording.last_recording() shows what was computed before this"
_ATTRIBUTE = "_autolab_recording"
_LIBRARIES = tuple([sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")])
_NOT_THE_USERS = (*_LIBRARIES, "<frozen ", "<__array_function__")


@dataclass(frozen=True)
class Raised:
    """The exception that a recorded function raised, and where.

    ``type`` and ``message`` are those of the exception. ``line`` is the innermost line of the user's own code in its
    traceback, in ``file`` (a notebook cell or a module), ``statement`` its text, and ``rounds`` the iterations of the
    loops around it. ``outer_line`` is the line of the recorded function itself that was running.
    ``phase`` is ``forward``, or ``backward`` if all values had been computed and a gradient rule raised.
    ``function`` is the function that was being applied, and ``operands`` are the steps to which it was applied; in the
    backward pass, ``operands`` holds the one step whose gradient rule raised. Both are empty if no function was being
    applied.

    Examples
    --------
    >>> import autolab
    >>> def f(x):
    ...     h = x * 2
    ...     return h.reshape(7)
    >>> try:
    ...     autolab.record(f, [1.0, 2.0])
    ... except ValueError as error:
    ...     recording = autolab.recording.last_recording()
    >>> recording.raised.type, recording.raised.function, [recording.steps[i].name for i in recording.raised.operands]
    ('ValueError', 'reshape', ['h'])
    """

    type: str
    message: str
    phase: Literal["forward", "backward"]
    file: str | None = None
    line: int | None = None
    statement: str | None = None
    outer_line: int | None = None
    rounds: tuple[str, ...] = ()
    function: str | None = None
    operands: tuple[int, ...] = ()


def last_recording(error: BaseException | None = None) -> Recording | None:
    """The recording up to the line that raised, which an exception from `record` or `explore` carries.

    Parameters
    ----------
    error : exception, optional
        By default, the exception that is being handled, or else the last uncaught one, which Python, IPython and
        notebooks keep.

    Returns
    -------
    Recording or None
        Its ``raised`` says what happened. None if the exception does not come from a recording.

    Examples
    --------
    >>> import autolab
    >>> try:
    ...     autolab.record(lambda x: (x * 2).reshape(7), 1.0)
    ... except ValueError as error:
    ...     [step.source or step.name for step in autolab.recording.last_recording(error).steps]
    ['x', 'x * 2']
    """
    if error is None:
        handled = sys.exc_info()[1]
        error = getattr(sys, "last_value", None) if handled is None else handled
    found = None if error is None else vars(error).get(_ATTRIBUTE)
    return found if isinstance(found, Recording) else None


def carry(error: BaseException, recording: Recording) -> None:
    """Attach the recording so far to an exception; a notebook shows it if nothing catches the exception."""
    vars(error)[_ATTRIBUTE] = recording  # not setattr, which the class may override
    if recording.raised is not None and recording.raised.line is not None:
        add_note(error, _NOTE)
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None and _show not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _show)


def _show(result: Any = None) -> None:
    """After a cell has run: show the picture of the steps so far below the traceback."""
    recording = None if result is None or result.error_in_exec is None else last_recording(result.error_in_exec)
    if recording is not None:
        from IPython.display import display

        display(recording)


# ---------------------------------------------------------------------------------------------- what and where
def raised_in(error: BaseException, phase: Literal["forward", "backward"], recorder: Recorder) -> Raised:
    """The exception as data. Operands that were not steps yet become leaves and constants."""
    file, line, statement = place_of(error)
    kind, message = told_as(error)
    entries = entries_of(error.__traceback__)
    own = [entry.tb_lineno for entry in entries if recorder.locator.is_recorded(entry.tb_frame)]
    function, operands = (_rule if phase == "backward" else _call)(entries, recorder)
    if phase == "backward" and file is None and operands:
        step = recorder.drafts[operands[0]]
        if step.place is not None and step.place.line:
            file, line, statement = step.place.file, step.place.line, step.place.statement
    return Raised(
        type=kind,
        message=message,
        phase=phase,
        file=file,
        line=line,
        statement=statement,
        outer_line=own[-1] if own else None,
        rounds=_rounds(entries),
        function=function,
        operands=operands,
    )


def told_as(error: BaseException) -> tuple[str, str]:
    """The type and the message. If NumPy says only that an element could not be set, its cause says why."""
    told = error.__cause__ if isinstance(error.__cause__, DetachError) else error
    return type(told).__name__, _message(told)


def place_of(error: BaseException) -> tuple[str | None, int | None, str | None]:
    """File, line and text of the innermost line of the user's code; for a damaged value, of the step that needs it
    rather than of the call of backward."""
    trace = users_entry(error.__traceback__)
    if isinstance(error, DamagedValueError) and error.file is not None:
        file, line, names = error.file, error.line, None
    elif trace is not None:
        file, line, names = trace.tb_frame.f_code.co_filename, trace.tb_lineno, trace.tb_frame.f_globals
    else:
        return None, None, None
    return file_label(file), line, linecache.getline(file, line, names).strip()


def _message(error: BaseException) -> str:
    try:
        return str(error)[: MAX_MESSAGE + 1]  # one character too many shows that it was cut
    except RAISED as another:  # also those that would end the program
        return f"its message could not be made: {type(another).__name__}"


def users_entry(trace: TracebackType | None) -> TracebackType | None:
    """The innermost frame of the user's code, or else the innermost frame outside this package."""
    outside = [entry for entry in entries_of(trace) if not is_own(entry.tb_frame)]
    users = [entry for entry in outside if not entry.tb_frame.f_code.co_filename.startswith(_NOT_THE_USERS)]
    found = users or outside
    return found[-1] if found else None


def _rounds(entries: list[TracebackType]) -> tuple[str, ...]:
    """Texts such as ``t = 3`` for the loops around a line whose current iteration is known from their targets."""
    labels = []
    for entry in entries:
        found = None if is_own(entry.tb_frame) else by_position(entry.tb_frame, entry.tb_lasti)
        alone = entry.tb_frame.f_code.co_name in OWN_FRAMES
        loops = () if found is None else loops_around(found.node, alone)
        labels += [loop.round_label(loop.values(entry.tb_frame.f_locals), 0) for loop in loops]
    return tuple([label for label in labels if label != "pass 0"])


def _has_gone_on(entry: TracebackType) -> bool:
    """Whether a frame is no longer at the line that raised, but at the end of a ``finally``."""
    return entry.tb_frame.f_lasti != entry.tb_lasti


# ---------------------------------------------------------------------------------------------- which function
def _call(entries: list[TracebackType], recorder: Recorder) -> tuple[str | None, tuple[int, ...]]:
    """The function that was being applied (the outermost, if it applies others) and its operands."""
    codes = [entry.tb_frame.f_code for entry in entries]
    if notify.__code__ in codes:
        return None, ()  # the function had been applied: an observer raised
    for i, entry in enumerate(entries):
        names = {Primitive.apply.__code__: "args", Authored._apply.__code__: "inputs"}.get(codes[i])
        if names is not None:
            variables = entry.tb_frame.f_locals
            caller = next((e for e in reversed(entries[:i]) if not is_own(e.tb_frame)), None)
            place = None if caller is None or _has_gone_on(caller) else recorder.locator.place(caller.tb_frame)
            texts = place.operands if place is not None else ()
            found = [
                recorder.operand(value, texts[k] if k < len(texts) else None)
                for k, value in enumerate(variables[names])
                if isinstance(value, Variable)
            ]
            return variables["self"].name, tuple(dict.fromkeys(found))
    return None, ()


def _rule(entries: list[TracebackType], recorder: Recorder) -> tuple[str | None, tuple[int, ...]]:
    """The function whose gradient rule was running, and its step."""
    nodes = [entry.tb_frame.f_locals.get("node") for entry in entries if is_own(entry.tb_frame)]
    for node in nodes:
        step = None if getattr(node, "function", None) is None else recorder.step_at(node)
        if step is not None:
            return recorder.drafts[step].function, (step,)
    return None, ()


class CarryUnfinished:
    """A ``with`` block around part of a run: an exception inside carries what the recorder has so far."""

    def __init__(self, recorder: Recorder, phase: Literal["forward", "backward"]) -> None:
        self._recorder, self._phase = recorder, phase

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, RAISED):
            with suppress(Exception):  # the user's exception must propagate, whatever state its objects are in
                carry(error, self._recorder.unfinished(raised_in(error, self._phase, self._recorder)))
