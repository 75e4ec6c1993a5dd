"""KeyboardInterrupt at a chosen bytecode, as Ctrl-C would raise it, inside AutoLab's own code."""

from __future__ import annotations

import dis
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy as np

import autolab
from autolab.engine import store

_PACKAGE = os.path.dirname(autolab.__file__) + os.sep
_MONITORS = sys.version_info >= (3, 12)  # there, what sys.settrace shows of opcodes is not all of them


class Interrupter:
    """Counts the opcodes that run inside AutoLab (and ``extra`` files) and interrupts before number ``at``."""

    def __init__(
        self, at: int | None, extra: str | None = None, spare: Callable[[FrameType], bool] = lambda frame: False
    ) -> None:
        self._at, self._extra, self._spare = at, extra, spare
        self.count = 0

    def run(self, call: Callable[[], Any]) -> bool:
        """Whether ``call`` was interrupted."""
        begin, end = (self._begin_monitoring, self._end_monitoring) if _MONITORS else (self._begin, self._end)
        begin()
        try:
            call()
        except KeyboardInterrupt:
            while store._guard._is_owned():  # type: ignore[attr-defined]
                store._guard.release()  # left held right before `__exit__`, where CPython looks for no signal
            return True
        finally:
            end()
        return False

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename.startswith(_PACKAGE) or code.co_filename == self._extra

    def _count(self, frame: FrameType) -> None:
        self.count += 1
        if self.count == self._at and not self._spare(frame):
            raise KeyboardInterrupt

    # ------------------------------------------------------------------ Python 3.11
    def _begin(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._enter)

    def _end(self) -> None:
        sys.settrace(self._before)

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        if not self._is_ours(frame.f_code):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "opcode":
            self._count(frame)
        return self._step

    # ------------------------------------------------------------------ from Python 3.12 on
    def _begin_monitoring(self) -> None:
        monitoring = sys.monitoring
        self._tool = next(tool for tool in range(6) if monitoring.get_tool(tool) is None)
        self._thread = threading.get_ident()
        monitoring.use_tool_id(self._tool, "interrupts")
        monitoring.register_callback(self._tool, monitoring.events.INSTRUCTION, self._instruction)
        monitoring.restart_events()  # those that an earlier one said it does not want
        monitoring.set_events(self._tool, monitoring.events.INSTRUCTION)

    def _end_monitoring(self) -> None:
        monitoring = sys.monitoring
        monitoring.set_events(self._tool, monitoring.events.NO_EVENTS)
        monitoring.register_callback(self._tool, monitoring.events.INSTRUCTION, None)
        monitoring.free_tool_id(self._tool)

    def _instruction(self, code: CodeType, offset: int) -> Any:
        if not self._is_ours(code):
            return sys.monitoring.DISABLE
        if threading.get_ident() == self._thread:  # Ctrl-C reaches one thread
            self._count(sys._getframe(1))
        return None


def leaves_enter(frame: FrameType) -> bool:
    """Whether nothing but the return of ``__enter__`` is left.

    CPython looks for signals where a function begins, after a call and at a jump back, so no Ctrl-C falls there, and no
    Python code could undo what was done before it; the next look is inside the with block.
    """
    code = frame.f_code
    opcodes = [instruction.opname for instruction in dis.get_instructions(code) if instruction.offset >= frame.f_lasti]
    returns = opcodes[0].startswith("RETURN") or (opcodes[0] == "LOAD_CONST" and opcodes[1].startswith("RETURN"))
    return code.co_name == "__enter__" and returns


def every_point(make: Callable[[], Callable[[], Any]], step: int = 1, extra: str | None = None) -> Iterator[int]:
    """Run ``make()()`` once for every ``step``-th opcode, interrupted there; yields its number after each."""
    make()()  # caches are filled at first
    counter = Interrupter(None, extra)
    assert not counter.run(make())
    modes = np.geterr()
    for at in range(1, counter.count + 1, step):
        interrupted = Interrupter(at, extra, leaves_enter).run(make())
        np.seterr(**modes)  # an interrupt right before a `with` block calls `__exit__`, where no signal is seen
        if interrupted:
            yield at


def real_interrupt(call: Callable[[], Any], delay: float) -> tuple[str, str] | None:
    """Ctrl-C after ``delay`` seconds of ``call()``: the function and the instruction that it interrupted; None if the
    call was over before. The frame itself would keep what it was about to make."""
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    over, found = False, None
    try:
        timer.start()
        call()
        over = True
        timer.join()
        while True:  # the signal is seen a little later
            pass
    except KeyboardInterrupt as error:
        found = _innermost(error.__traceback__)
    timer.join()
    return None if over else found


def _innermost(trace: TracebackType | None) -> tuple[str, str]:
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return code.co_name, dis.opname[code.co_code[trace.tb_lasti]]
