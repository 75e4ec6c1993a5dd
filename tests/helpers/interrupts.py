"""KeyboardInterrupt at a chosen bytecode, as Ctrl-C would raise it, inside AutoLab's own code."""

from __future__ import annotations

import dis
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

import autolab

_PACKAGE = os.path.dirname(autolab.__file__) + os.sep


class Interrupter:
    """Counts the opcodes that run inside AutoLab (and ``extra`` files) and interrupts before number ``at``."""

    def __init__(
        self, at: int | None, extra: str | None = None, spare: Callable[[FrameType], bool] = lambda frame: False
    ) -> None:
        self._at, self._extra, self._spare = at, extra, spare
        self.count = 0

    def run(self, call: Callable[[], Any]) -> bool:
        """Whether ``call`` was interrupted."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE) and file != self._extra:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "opcode":
            self.count += 1
            if self.count == self._at and not self._spare(frame):
                raise KeyboardInterrupt
        return self._step


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
    Interrupter(None, extra).run(make())  # the first Pythons 3.12 see opcodes only after they were asked to once
    counter = Interrupter(None, extra)
    assert not counter.run(make())
    for at in range(1, counter.count + 1, step):
        if Interrupter(at, extra, leaves_enter).run(make()):
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
