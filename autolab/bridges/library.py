"""What a bridge knows of its library's arrays, and the snapshots of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..recording.arrays import Budget
from ..recording.model import Snapshot


@dataclass(frozen=True)
class Library:
    """``array_of(value)`` has the numbers in main memory; those of a dtype that NumPy does not have are float32.

    ``like(y, given)`` is an array of the library with the dtype of ``y``; ones of its shape for None.
    ``exchanged(tree, swap, label)`` is a structure with ``swap(label, value)`` in the place of every input, as labels
    are ``params[w]``; ``rebuilt(tree, leaf)`` is one with ``leaf(value)`` in the place of every leaf. ``function`` is
    what a user is to give, ``literal`` an array as source text with its ``numbers`` and ``dtype``, ``nan`` that of
    not-a-number.
    """

    title: str
    function: str
    literal: str
    nan: str
    array_of: Callable[[Any], np.ndarray]
    as_input: Callable[[Any], Any]
    like: Callable[[Any, Any], Any]
    has_gradient: Callable[[Any], bool]
    dtype_of: Callable[[Any], str]
    device_of: Callable[[Any], str]
    exchanged: Callable[[Any, Callable[[str, Any], Any], str], Any]
    rebuilt: Callable[[Any, Callable[[Any], Any]], Any]

    def arrays(self, values: dict[str, Any]) -> dict[str, np.ndarray]:
        """Copies of the numbers."""
        return {name: np.array(self.array_of(value)) for name, value in values.items()}

    def ones(self, value: Any) -> np.ndarray | None:
        """Ones of the shape of a value that has a gradient."""
        return np.ones_like(self.array_of(value)) if self.has_gradient(value) else None

    def flat(self, value: Any) -> np.ndarray:
        """The numbers in one row, as float64."""
        return np.asarray(self.array_of(value), np.float64).ravel()


class LibraryBudget(Budget):
    """A budget whose snapshots say dtype and device as the library does."""

    def __init__(self, total: int, library: Library) -> None:
        super().__init__(total)
        self._library = library

    def snapshot(self, value: Any, cost: int | None = None) -> Snapshot:
        return self.described(value, super().snapshot(self._library.array_of(value), cost))

    def described(self, value: Any, kept: Snapshot) -> Snapshot:
        """A snapshot of the value's numbers with its own dtype and device."""
        dtype, device = self._library.dtype_of(value), self._library.device_of(value)
        if kept.dtype == dtype and kept.device == device:
            return kept
        return replace(kept, dtype=dtype, device=device, nbytes=value.nbytes)
