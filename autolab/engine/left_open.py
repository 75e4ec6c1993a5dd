"""A ``no_grad`` that stands open at a ``yield``: it holds for the steps of whoever asked for the value as well.

Python gives generators no context of their own, so the block stays open while its generator waits. A context manager
means that. A loop over the values hardly does, and its steps would be left out of the graph without a word. So a
block remembers the generator that opened it, and who had asked that one for a value: who still runs, and takes a step
that is not recorded for this reason alone, is warned, once for each block. Where a generator is a context manager, who
asked it has returned by then. Frames are told apart by their addresses: one that is held would keep what is in it.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

from .modes import Modes
from .source import caller, file_label
from .tracebacks import PACKAGE
from .warned import warn_of

_YIELDS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_BETWEEN = (PACKAGE, contextlib.__file__)
"""The files of what may stand between a ``with`` statement or an exit stack and the block that is opened."""


class OpenedBlock:
    """Where a generator opened a block, the address of its frame, and address and code of that which asked it for a
    value: another frame may have the address later."""

    def __init__(self, generator: int, asker: tuple[int, CodeType], code: CodeType, line: int) -> None:
        self.generator, self.asker, self.code, self.line, self.is_told = generator, asker, code, line, False

    def is_waiting(self) -> bool:
        """Whether the step that is taken now is one of who asked, while the generator waits."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if id(frame) == self.generator:
                return False
            if (id(frame), frame.f_code) == self.asker:
                return True
            frame = frame.f_back
        return self.asker[1].co_name == "<module>"  # a cell: the block is open in all that follow


def opened_in(frame: FrameType | None) -> OpenedBlock | None:
    """Who opens a block in ``frame``, if that is a generator which is not run as a context manager."""
    if frame is None:
        return None
    if not frame.f_code.co_flags & _YIELDS:
        is_between = frame.f_code.co_filename.startswith(_BETWEEN)
        return opened_in(frame.f_back) if is_between else None
    asker = frame.f_back
    while asker is not None and asker.f_code.co_flags & _YIELDS:
        asker = asker.f_back
    if asker is None or asker.f_code.co_filename == contextlib.__file__:
        return opened_in(asker)
    return OpenedBlock(id(frame), (id(asker), asker.f_code), frame.f_code, frame.f_lineno)


class ModesOfGenerator(Modes):
    """The modes inside a block that a generator opened; a step that asks whether it is recorded may be warned."""

    opened: OpenedBlock

    @property
    def enable_backprop(self) -> bool:  # type: ignore[override]
        if not (self.recording or self.opened.is_told) and self._is_left_open():
            self.opened.is_told = True
            if (frame := caller()) is not None:
                warn_of(frame, self._said(), UserWarning)
        return self.recording

    def joins(self, args: Iterable[Any]) -> bool:
        return not any([getattr(x, "node", None) is not None for x in args]) or self.enable_backprop

    def _is_left_open(self) -> bool:
        """Whether this step would be recorded if no generator had left a block open."""
        level: Modes | None = self
        while level is not None and not level.recording:
            opened = level.__dict__.get("opened")
            if opened is None or not opened.is_waiting():
                return False
            level = level.before
        return True

    def _said(self) -> str:
        code, line = self.opened.code, self.opened.line
        return (
            f"this step is not recorded, as the generator {code.co_name:.40} waits at a yield inside its no_grad "
            f"({file_label(code.co_filename):.60}, line {line}); leave the block before the yield, or write `with "
            "no_grad():` around this step if that is meant"
        )


def unheard(inside: Modes) -> Modes:
    """The same modes without hooks, in the same block. `notify` asks at every step, so they are made once."""
    inside.unheard = found = modes_with({**inside.__dict__, "hooks": ()})
    return found


def modes_with(own: dict[str, Any]) -> Modes:
    """Modes of what is set in a context."""
    return (Modes if own.get("opened") is None else ModesOfGenerator)(own)
