"""Memory for the results of a program: a reused buffer, a new array, or the memory of another array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .call_tape import Step
from .lowering import Lowered, is_elementwise, is_of_floats
from .references import Ref, resolved

# The reused memory for the results of a program.


class Buffers:
    """Blocks of memory, each reused for one result after another."""

    def __init__(self, free: Iterable[np.ndarray] = ()) -> None:
        self._free = [*free]
        self._used: dict[int, np.ndarray] = {}

    def array(self, number: int, like: np.ndarray) -> np.ndarray:
        """An array like ``like``, in a block of its own."""
        fits = [block for block in self._free if like.nbytes <= block.nbytes <= 2 * like.nbytes]
        if fits:
            block = min(fits, key=lambda one: one.nbytes)
            self._free = [one for one in self._free if one is not block]
        else:
            block = _aligned(like.nbytes)
        self._used[number] = block
        return np.ndarray(like.shape, like.dtype, block, 0, like.strides)

    def blocks(self) -> list[np.ndarray]:
        """All blocks, for another program that never runs at the same time."""
        return [*self._free, *self._used.values()]

    def release(self, number: int) -> bool:
        """Free the block of a result for the next one; False if it is in none."""
        if number in self._used:
            self._free.append(self._used.pop(number))
            return True
        return False


def _aligned(size: int) -> np.ndarray:
    whole = np.empty(size + 64, np.uint8)
    start = -whole.__array_interface__["data"][0] % 64
    return whole[start : start + size]


def offset(value: np.ndarray, base: np.ndarray) -> int:
    """The distance in bytes from the start of ``base`` to that of ``value``."""
    return int(value.__array_interface__["data"][0]) - int(base.__array_interface__["data"][0])


LARGE = 1 << 16
"""In bytes: smaller arrays stay in the cache anyway."""

_WARNING = (np.maximum, np.minimum)
"""Functions that warn about a third positional argument."""

_WITH_OUT = (np.dot, np.ndarray.dot, np.concatenate, np.cumsum, np.clip)


class Placement:
    """The memory of the results of some steps.

    Attributes
    ----------
    kept : set of int
        Slots that outlive the run.
    """

    def __init__(
        self, low: Lowered, steps: Sequence[Step], escaping: set[int], free: Sequence[np.ndarray] = ()
    ) -> None:
        self._low, self._values, self._buffers = low, low.tape.values, Buffers(free)
        self.kept = {low.slot(slot) for slot in escaping}
        last: dict[int, int] = {}
        for i, step in enumerate(steps):
            for slot in [*step.slots, *[slot for _, slot in step.outs]]:
                last[low.memory[low.slot(slot)]] = i
        kept = {low.memory[slot] for slot in self.kept}
        self._last: dict[int, list[int]] = {}
        for number, i in last.items():
            if number not in kept:
                self._last.setdefault(i, []).append(number)
        self._under = self._overlaid(steps)

    def blocks(self) -> list[np.ndarray]:
        """The memory of the buffers."""
        return self._buffers.blocks()

    def ending(self, i: int) -> list[int]:
        """The memory blocks that are no longer needed after a step."""
        return self._last.get(i, [])

    def release(self, number: int) -> bool:
        """Free the buffer of a result that is no longer needed; False if it has none."""
        return self._buffers.release(number)

    def is_static_view(self, step: Step) -> bool:
        """Whether a step makes a view of a buffer or a constant; the view is then made once, not in every run."""
        low = self._low
        base = low.viewed(step)
        slots = step.slots
        if base is None or any([low.slot(slot) not in low.static for slot in slots]):
            return False
        args, options = resolved((step.args, step.options), lambda slot: low.static[low.slot(slot)])
        found = step.function(*args, **options)
        slot = step.outs[0][1]
        value, base = self._values[slot], low.slot(base)
        if not isinstance(found, np.ndarray) or (found.shape, found.strides) != (value.shape, value.strides):
            return False
        if found.size and offset(found, low.static[base]) != offset(value, self._values[base]):
            return False
        low.static[slot] = found
        return True

    def _overlaid(self, steps: Sequence[Step]) -> dict[int, int]:
        """Large results that outlive the run -> the dead operands whose new memory they reuse: saves an allocation."""
        low, made = self._low, set[int]()
        found: dict[int, int] = {}
        for i, step in enumerate(steps):
            if not is_elementwise(step) or not _takes_out(step):
                continue
            slot = step.outs[0][1]
            value = self._values[slot]
            if low.memory[slot] in low.escaping and value.base is None and value.nbytes >= LARGE:
                for one in made.intersection(step.slots):
                    if low.memory[one] in self.ending(i) and _is_laid(self._values[one], value):
                        found[slot] = one
            elif low.is_fresh(slot) and value.base is None:
                made.add(slot)
        return found

    def under(self, slot: int) -> int | None:
        """The slot of the operand, needed for the last time, whose memory a result overwrites."""
        under = self._under.get(slot)
        return under if under is None or under not in self._low.static else None

    def buffer(self, step: Step, i: int) -> np.ndarray | None:
        """The buffer for the result of a step, if its function accepts one."""
        low = self._low
        if not _takes_out(step) or low.memory[slot := step.outs[0][1]] in low.escaping:
            return None
        if slot in self._under.values():
            return None
        value = self._values[slot]
        if value.base is not None or value.size * value.itemsize != value.nbytes or not value.size:
            return None
        if is_elementwise(step):
            for arg in step.args:
                if type(arg) is Ref and self._gives_way(low.slot(arg.slot), value, i):
                    break
        return self.buffer_of(slot)

    def buffer_of(self, slot: int) -> np.ndarray:
        """Give a slot a buffer."""
        made = self._buffers.array(self._low.memory[slot], self._values[slot])
        self._low.static[slot] = made
        return made

    def _gives_way(self, slot: int, value: np.ndarray, i: int) -> bool:
        """Free the buffer of an operand that is needed here for the last time, if the result has the same layout."""
        static, number = self._low.static.get(slot), self._low.memory[slot]
        if static is None or number not in self.ending(i) or not _is_laid(static, value):
            return False
        return self._buffers.release(number)


def _is_laid(array: np.ndarray, like: np.ndarray) -> bool:
    """Whether two arrays have the same shape, strides and dtype."""
    return (array.shape, array.strides, array.dtype) == (like.shape, like.strides, like.dtype)


def _takes_out(step: Step) -> bool:
    function = step.function
    if "out" in step.options or "where" in step.options or len(step.outs) != 1 or step.outs[0][0] is not None:
        return False
    if isinstance(function, np.ufunc):
        return function.nout == 1 and len(step.args) == function.nin
    owner = getattr(function, "__self__", None)
    return (isinstance(owner, np.ufunc) and function.__name__ in ("reduce", "accumulate")) or function in _WITH_OUT


def settled(step: Step, dtype: np.dtype) -> list[Any]:
    """The arguments, with Python numbers converted to arrays of the result's dtype, as NumPy would do in each run."""
    if not is_of_floats(step, dtype):
        return list(step.args)
    return [np.asarray(arg, dtype) if type(arg) in (int, float) else arg for arg in step.args]


def takes_third(function: Any) -> bool:
    """Whether a function accepts the array for its result by position, which is faster."""
    return isinstance(function, np.ufunc) and function.nout == 1 and function not in _WARNING
