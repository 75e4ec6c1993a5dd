"""What a recording keeps of an array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def made(kind: type[T], /, **fields: Any) -> T:
    """A frozen dataclass of these fields, in a fifth of the time; what has a default may be left out."""
    found = object.__new__(kind)
    found.__dict__.update(fields)
    return found


@dataclass(frozen=True)
class Pool:
    """CuPy's memory pool at the end of a run: bytes in use, the most that any step found in use, and bytes it holds."""

    used: int
    peak: int
    total: int


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a recording keeps of one array: all of it, or a block-reduced copy, and the facts about the whole.

    ``values`` is a read-only NumPy array that belongs to the recording. Where ``block`` has an entry above 1, each of
    its cells stands for that many elements along the axis and holds the one of largest magnitude, with its sign.
    ``minimum`` and ``maximum`` are over the finite elements of the whole array; None if there is none.
    ``reduced_norm`` is kept where the values no longer tell the norm.

    Examples
    --------
    >>> import autolab
    >>> snapshot = autolab.record(lambda x: x * 2.0, [1.0, float("inf")]).steps[0].value
    >>> snapshot.shape, snapshot.maximum, snapshot.inf_count, snapshot.is_whole
    ((2,), 1.0, 1, True)
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    nbytes: int
    values: np.ndarray
    block: tuple[int, ...]
    minimum: float | None
    maximum: float | None
    nan_count: int
    inf_count: int
    reduced_norm: float | None = None

    @cached_property
    def norm(self) -> float:
        """The Euclidean norm of the whole array's finite elements."""
        if self.reduced_norm is not None:
            return self.reduced_norm
        if self.values.size == 1 and self.values.dtype.kind == "f":
            return abs(self.minimum or 0.0)
        values = np.abs(self.values.astype(complex if self.values.dtype.kind == "c" else float))
        finite = values[np.isfinite(values)]
        largest = float(finite.max(initial=0.0))  # squares of very small and large numbers would be 0 and infinite
        return largest * math.sqrt(float(np.square(finite / largest).sum())) if largest else 0.0

    @cached_property
    def size(self) -> int:
        """Number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def is_whole(self) -> bool:
        """True if ``values`` is the array itself and not a reduced copy."""
        return all(n == 1 for n in self.block)


@dataclass(frozen=True)
class KeptArray:
    """An array that a step keeps for its backward: ``nbytes`` is the size of the memory ``buffer`` that it is in, which
    other steps may keep as well."""

    buffer: int
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
