"""A ``no_grad`` that is open at a ``yield``: it also applies to the steps of the code that asked for the value.

Python gives generators no context of their own, so the block stays open while its generator waits. In a context manager
that is intended. In a loop over the values it hardly ever is, and the loop's steps would silently be left out of the
graph. So a block remembers the generator that opened it, and the frame that had asked for a value: if that frame is
still running and takes a step that is not recorded for this reason alone, it gets a warning, once per block. If the
generator is a context manager, the frame that asked has returned by then. Frames are identified by their addresses,
because a reference would keep their variables alive.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

from .captured import ModesOfForward
from .modes import Modes
from .source import caller, file_label
from .tracebacks import PACKAGE
from .warned import warn_of

_YIELDS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_BETWEEN = (PACKAGE, contextlib.__file__)
"""Files of frames that may lie between a ``with`` statement or an exit stack and the block that it opens."""


class OpenedBlock:
    """Where a generator opened a block: the address of its frame, and address and code of the frame that asked it for a
    value, because another frame may have the address later."""

    def __init__(self, generator: int, asker: tuple[int, CodeType], code: CodeType, line: int) -> None:
        self.generator, self.asker, self.code, self.line, self.is_told = generator, asker, code, line, False

    def is_waiting(self) -> bool:
        """Whether the current step belongs to the frame that asked, while the generator waits."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if id(frame) == self.generator:
                return False
            if (id(frame), frame.f_code) == self.asker:
                return True
            frame = frame.f_back
        return self.asker[1].co_name == "<module>"  # a cell: the block stays open in all later cells


def opened_in(frame: FrameType | None) -> OpenedBlock | None:
    """The opened block, if ``frame`` belongs to a generator that is not run as a context manager."""
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
    """The modes inside a block that a generator opened; a step that is not recorded may cause a warning."""

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
    """The same modes without hooks, in the same block. `notify` needs them at every step, so they are cached."""
    inside.unheard = found = modes_with({**inside.__dict__, "hooks": ()})
    return found


def modes_with(own: dict[str, Any]) -> Modes:
    """The modes with the given settings of a context."""
    if own.get("noticed") is not None:
        return ModesOfForward(own)
    return (Modes if own.get("opened") is None else ModesOfGenerator)(own)
