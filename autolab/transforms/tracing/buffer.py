"""The memory that traced arrays are views of, and what a trace knows about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .trace import ArrayTrace


@dataclass(eq=False)
class Buffer:
    """Memory that arrays are views of, and the slot of the trace that currently holds its elements.

    ``trace`` is None as long as nothing in it depends on an input; ``slot`` is then that of a constant, if any.
    ``start`` is the position in the slot of the first element of ``flat``.
    """

    flat: np.ndarray
    own: ArrayTrace | None = None
    slot: int | None = None
    start: int = 0
    owner: ArrayTrace | None = None
    """The trace that the slot of a constant belongs to."""

    @property
    def trace(self) -> ArrayTrace | None:
        """The trace that this depends on, as long as the trace is open."""
        if self.own is not None and not self.own.is_open:
            self.own, self.slot, self.start = None, None, 0  # a value that a function kept for itself
        return self.own

    def offset(self, value: np.ndarray) -> int:
        """The position in the slot of the first element of a view of ``flat``."""
        if not value.size:
            return self.start
        return self.start + (_address(value) - _address(self.flat)) // self.flat.itemsize

    def holds(self, value: np.ndarray) -> bool:
        """Whether an array is a view of this memory."""
        return bool(value.size) and value.dtype == self.flat.dtype and np.may_share_memory(value, self.flat)


def _address(value: np.ndarray) -> int:
    return int(value.__array_interface__["data"][0])
