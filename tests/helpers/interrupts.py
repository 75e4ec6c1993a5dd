"""KeyboardInterrupt at a chosen bytecode, as Ctrl-C would raise it, inside AutoLab's own code."""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Callable, Iterator
from types import FrameType
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
    """Whether ``__enter__`` is about to return: Python looks for signals after calls and jumps back, not there."""
    code = frame.f_code
    opcodes = [instruction.opname for instruction in dis.get_instructions(code) if instruction.offset >= frame.f_lasti]
    return code.co_name == "__enter__" and any(name.startswith("RETURN") for name in opcodes[:2])


def every_point(make: Callable[[], Callable[[], Any]], step: int = 1, extra: str | None = None) -> Iterator[int]:
    """Run ``make()()`` once for every ``step``-th opcode, interrupted there; yields its number after each."""
    make()()  # caches are filled at first
    counter = Interrupter(None, extra)
    assert not counter.run(make())
    for at in range(1, counter.count + 1, step):
        if Interrupter(at, extra, leaves_enter).run(make()):
            yield at
