"""The reused memory for the results of a program."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


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
