"""How often the numbers of an array fall where among the colours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..engine.backend import Array, to_cpu
from .tone import Tone

BINS = 41  # odd: zero stands in the middle of one; where all numbers have one sign, at the end of the outermost
SAMPLE = 1_000_000


@dataclass(frozen=True, eq=False)
class Sample:
    """Finite elements of an array, evenly taken, and the share that they are of all."""

    values: np.ndarray
    stride: int

    def counts(self, tone: Tone) -> list[int]:
        """How many elements of the sample fall into each of `BINS` equal parts of the colours."""
        places = np.clip(np.rint(tone.along(self.values) * (BINS - 1)), 0, BINS - 1)
        return np.bincount(places.astype(np.intp), minlength=BINS).tolist()

    @property
    def zeros(self) -> float:
        """The share of elements that are exactly zero."""
        return float((self.values == 0).mean()) if self.values.size else 0.0


def sample(array: Array) -> Sample:
    """About `SAMPLE` elements, taken on the device that holds them: whole arrays where they are small enough."""
    stride = _stride(array.size)
    values = to_cpu(array.reshape(-1)[::stride] if _is_flat(array) else _spread(array, stride)).reshape(-1)
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
    return Sample(values.astype(np.float64), stride)


def _stride(size: int) -> int:
    """How many elements there are for one that is taken; odd, so that it does not beat with even lengths."""
    return -(-size // SAMPLE) | 1 if size > SAMPLE else 1


def _is_flat(array: Array) -> bool:
    return bool(array.flags.c_contiguous)


def _spread(array: Array, stride: int) -> Array:
    """The same of an array whose elements do not lie in order: every so many along each axis, without a copy."""
    step = max(1, math.ceil(stride ** (1 / max(1, array.ndim))))
    return array[(slice(None, None, step),) * array.ndim]
