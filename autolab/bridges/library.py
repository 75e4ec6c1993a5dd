"""What a bridge needs to know about its library's arrays, and snapshots of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..recording.arrays import Budget
from ..recording.model import Snapshot


@dataclass(frozen=True)
class Library:
    """The operations of a library on its arrays.

    ``array_of(value)`` returns the numbers in main memory; dtypes that NumPy lacks are converted to float32. ``like(y,
    given)`` returns an array of the library with the dtype of ``y``; ones of its shape if ``given`` is None.
    ``exchanged(tree, swap, label)`` returns a container with ``swap(label, value)`` in place of every input, with
    labels such as ``params[w]``; ``rebuilt(tree, leaf)`` one with ``leaf(value)`` in place of every leaf. ``function``
    describes what the user must pass, ``literal`` is the source code of an array, with ``numbers`` and ``dtype``, and
    ``nan`` that of NaN.
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
        """Copies of the arrays, as NumPy arrays."""
        return {name: np.array(self.array_of(value)) for name, value in values.items()}

    def ones(self, value: Any) -> np.ndarray | None:
        """Ones of the shape of a value, if it has a gradient; else None."""
        return np.ones_like(self.array_of(value)) if self.has_gradient(value) else None

    def flat(self, value: Any) -> np.ndarray:
        """The numbers as a one-dimensional float64 array."""
        return np.asarray(self.array_of(value), np.float64).ravel()


class LibraryBudget(Budget):
    """A budget whose snapshots have the library's names for dtype and device."""

    def __init__(self, total: int, library: Library) -> None:
        super().__init__(total)
        self._library = library

    def snapshot(self, value: Any, cost: int | None = None) -> Snapshot:
        kept = super().snapshot(self._library.array_of(value), cost)
        dtype, device = self._library.dtype_of(value), self._library.device_of(value)
        if kept.dtype == dtype and kept.device == device:
            return kept
        return replace(kept, dtype=dtype, device=device, nbytes=value.nbytes)
