"""Elementwise steps on large arrays, run block by block so that intermediate results stay in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .call_tape import Step
from .lowering import Lowered, is_of_floats
from .references import Ref

_BLOCK_BYTES = 1 << 20
"""Total size of the blocks: about the second-level cache of a core."""


class Blocks:
    """Consecutive elementwise steps on arrays of one shape and dtype.

    Attributes
    ----------
    steps : list of Step
    read, written, between : list of int
        Slots of their inputs, of their results, and of intermediates that no other step needs.
    length : int
        Number of elements in a block.
    """

    def __init__(self, low: Lowered, steps: list[Step], leaving: set[int]) -> None:
        self.steps = steps
        made = [step.outs[0][1] for step in steps]
        used = [low.slot(arg.slot) for step in steps for arg in step.args if type(arg) is Ref]
        like = low.tape.values[made[0]]
        self.read = [s for s in dict.fromkeys(used) if s not in made and low.tape.values[s].shape == like.shape]
        self.written = [slot for slot in made if slot in leaving]
        self.between = [slot for slot in made if slot not in leaving]
        columns = len(self.read) + len(self.written) + len(self.shared())
        self.size, self.dtype = like.size, like.dtype
        length = max(1, _BLOCK_BYTES // (like.itemsize * columns))
        self.length = length - length % 64 if length > 64 else length  # aligned blocks are faster

    @property
    def is_worth_it(self) -> bool:
        """Whether there are more intermediates than results, and whole arrays are too large for the cache."""
        return len(self.between) > len(self.written) and self.size > 2 * self.length

    def shared(self) -> list[list[int]]:
        """The intermediates, grouped so that each group shares one block: every next one replaces one that is dead."""
        found: list[list[int]] = []
        for i, step in enumerate(self.steps):
            later = {slot for other in self.steps[i + 1 :] for slot in other.slots}
            free = [one for one in found if one[-1] not in later]
            if (slot := step.outs[0][1]) in self.between:
                place = free[0] if free else []
                found += [] if free else [place]
                place.append(slot)
        return found


def in_blocks(low: Lowered, steps: Sequence[Step], leaving: set[int]) -> dict[int, Blocks]:
    """The steps to run in blocks, by the position of the first step.

    Parameters
    ----------
    low : Lowered
    steps : sequence of Step
    leaving : set of int
        Slots that outlive the run.
    """
    found: dict[int, Blocks] = {}
    start = 0
    while start < len(steps):
        end = start
        while end < len(steps) and _goes_on(low, steps[start], steps[end]):
            end += 1
        if end - start > 1:
            later = {low.slot(slot) for step in steps[end:] for slot in step.slots}
            blocks = Blocks(low, list(steps[start:end]), leaving | later)
            if blocks.is_worth_it:
                found[start] = blocks
        start = max(end, start + 1)
    return found


def _goes_on(low: Lowered, first: Step, step: Step) -> bool:
    """Whether a step can join the blocks that start with ``first``."""
    values = low.tape.values
    if step.kind != "call" or step.writes is not None or not step.outs:
        return False
    like, made = values[first.outs[0][1]], values[step.outs[0][1]]
    if not is_copy(step) and not (is_of_floats(step, made.dtype) and len(step.args) == step.function.nin):
        return False
    operands = [values[arg.slot] if type(arg) is Ref else arg for arg in step.args]
    return made.base is None and _is_like(made, like) and all([_fits(operand, like) for operand in operands])


def is_copy(step: Step) -> bool:
    """Whether a step copies an array."""
    return step.function is np.ndarray.copy and len(step.args) == 1 and not step.options


def _is_like(array: np.ndarray, like: np.ndarray) -> bool:
    return array.dtype is like.dtype and array.shape == like.shape and array.flags.c_contiguous


def _fits(operand: Any, like: np.ndarray) -> bool:
    """Whether an operand can be cut into blocks, or is the same for all of them."""
    if not isinstance(operand, np.ndarray):
        return type(operand) in (int, float)
    return _is_like(operand, like) or (not operand.ndim and operand.dtype is like.dtype)
