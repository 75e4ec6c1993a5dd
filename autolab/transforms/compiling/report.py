"""The report of the compiler: each NumPy call that a function makes, and what became of it in the program."""

from __future__ import annotations

import math
import operator
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import Savable, show
from .call_tape import Step
from .references import memory

if TYPE_CHECKING:
    from .compiled_program import CompiledProgram

_NAMES = {operator.getitem: "[]", operator.setitem: "[] ="}
_QUIET = ("load", "errstate", "tell")
_FATES = {"guard": "check", "shape": "check", "update": "update", "draw": "new array"}


@dataclass(frozen=True)
class CallMade:
    """A NumPy call of the function as written, and its fate in the program.

    Attributes
    ----------
    line : (str, int) or None
        The user's file and line.
    name : str
    shape : tuple of int or None
        Shape of the result.
    fate : str
        ``"buffer"``, ``"block"``, ``"new array"``, ``"in place"``, ``"view"``, ``"check"`` and ``"update"`` are made in
        each run; ``"same"``, ``"constant"`` and ``"dropped"`` are not.
    number : int or None
        Number of the buffer, or of the call with the same result.
    is_backward : bool
        Whether a backward pass makes the call; its line is then that of the differentiated function.
    """

    line: tuple[str, int] | None
    name: str
    shape: tuple[int, ...] | None
    fate: str
    number: int | None = None
    is_backward: bool = False


@dataclass(frozen=True)
class ProgramTable:
    """One program: its calls, the memory of its buffers, and the seconds taken by it and by the function itself."""

    calls: list[CallMade]
    buffers: int
    bytes: int
    seconds: float | None
    written: float | None

    @property
    def count(self) -> Counter[str]:
        """The number of calls by fate."""
        return Counter([call.fate for call in self.calls])


@dataclass(frozen=True)
class CompileReport(Savable):
    """What `autolab.compile` made of a function: a table per kind of call, and why other calls are not compiled.

    Examples
    --------
    >>> import numpy as np
    >>> import autolab
    >>> @autolab.compile
    ... def wave(x):
    ...     return np.sin(x * 2) * np.sin(x * 2) + 1
    >>> for i in range(3):
    ...     y = wave(np.full(4, float(i)))
    >>> [call.fate for call in wave.report().programs[0].calls]
    ['buffer', 'buffer', 'same', 'same', 'buffer', 'new array']
    """

    name: str
    programs: list[ProgramTable]
    refusals: list[str]

    def __str__(self) -> str:
        return str(show(self, "text"))


def table_of(program: CompiledProgram) -> ProgramTable:
    """The table of a program."""
    tape = program.traced.tape
    shown = [(i, step) for i, step in enumerate(tape.steps) if step.kind not in _QUIET]
    rows = {slot: row for row, (_, step) in enumerate(shown, 1) for _, slot in step.outs}
    kept, blocks = {step.number for step in program._low.steps}, dict[int, int]()
    calls = []
    for i, step in shown:
        slot = step.outs[0][1] if step.outs else None
        fate = _fate(program, step, slot, blocks) if i in kept else _left_out(program, slot)
        number = fate[1] if fate[0] != "same" else rows.get(fate[1])
        shape = None if slot is None else tape.values[slot].shape
        calls.append(CallMade(step.line, _name(step), shape, fate[0], number, step.is_pulled))
    seconds = None if math.isinf(program.seconds) else program.seconds
    return ProgramTable(calls, len(blocks), sum(blocks.values()), seconds, program.traced.seconds)


def _fate(program: CompiledProgram, step: Step, slot: int | None, blocks: dict[int, int]) -> tuple[str, Any]:
    """The fate of a call that the program makes."""
    if step.kind in _FATES:
        return _FATES[step.kind], None
    if slot is None or step.writes is not None:
        return "in place", None
    part = program.backward if step.is_backward else program.forward
    if part is not None and slot in part.between:
        return "block", None
    static = None if part is None else part.static(slot)
    if program._low.viewed(step) is not None:
        return "view", None
    if static is None:
        return "new array", None
    block = id(memory(static))
    blocks[block] = max(blocks.get(block, 0), static.nbytes)
    return "buffer", [*blocks].index(block) + 1


def _left_out(program: CompiledProgram, slot: int | None) -> tuple[str, Any]:
    """The fate of a call that the program does not make."""
    low = program._low
    if slot is None or (low.slot(slot) == slot and slot not in low.static):
        return "dropped", None
    return ("constant", None) if slot in low.static else ("same", low.slot(slot))


def _name(step: Step) -> str:
    if step.kind == "update":
        return f"{type(step.function.__self__).__name__}.update"
    if step.kind in ("guard", "shape"):
        return "branch" if step.kind == "guard" else "shape"
    owner = getattr(step.function, "__self__", None)
    name = getattr(step.function, "__name__", str(step.function))
    return f"{owner.__name__}.{name}" if isinstance(owner, np.ufunc) else _NAMES.get(step.function, name)
