"""Tone: how numbers become colours, symmetric about zero: as asinh, in even steps, or in powers of ten.

`asinh` is the scale of a whole view: a hundredth of the largest number can still be seen, and nothing that is much
smaller looks as large. It has no threshold to choose, and all its colours mean the same in every array of the view.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

SCALES = ("asinh", "linear", "symlog")
"""The scales to choose from."""

DECADES = 3
"""How many powers of ten below the strongest colours ``symlog`` begins to follow them, at first."""

BEND = 100.0
"""A view's colours are ``asinh(BEND v / largest) / asinh(BEND)``."""


@dataclass(frozen=True)
class Tone:
    """``scale`` is the magnitude of the strongest colours, 0 where there is no finite number but zero.

    ``ends`` are those of the bar that explains the colours, as fractions: where no number is negative it begins at
    zero, where none is positive it ends there. What colour a number has does not depend on them.

    Without a ``threshold`` colours are proportional to the numbers. With one, that holds up to this magnitude only;
    beyond it, each power of ten takes as much of the colours as all from zero to the threshold. With a ``bend`` they
    follow asinh.
    """

    scale: float
    threshold: float | None = None
    ends: tuple[int, int] = (-1, 1)
    bend: float = 0.0

    def fractions(self, values: np.ndarray) -> np.ndarray:
        """Where the numbers stand among the colours, -1 to 1; NaN and infinities stay what they are.

        Examples
        --------
        >>> Tone(100.0).fractions(np.array([50.0, -100.0])).tolist()
        [0.5, -1.0]
        >>> Tone(100.0, threshold=1.0).fractions(np.array([1.0, -10.0, 100.0])).round(3).tolist()
        [0.333, -0.667, 1.0]
        >>> view_tone(20.0).fractions(np.array([20.0, 0.1, -1e-9])).round(3).tolist()
        [1.0, 0.091, -0.0]
        """
        values = np.asarray(values, np.float64)
        if not self.scale:
            return np.where(np.isfinite(values), 0.0, values)
        if self.bend:
            return np.arcsinh(values / self.scale * self.bend) / np.arcsinh(self.bend)
        if self.threshold is None:
            return values / self.scale
        sizes = np.abs(values) / self.threshold
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = 1.0 + np.log10(sizes)
        return np.sign(values) * np.where(sizes <= 1.0, sizes, beyond) / self._powers

    def along(self, values: np.ndarray) -> np.ndarray:
        """Where the numbers stand on the bar, from 0 to 1.

        Examples
        --------
        >>> Tone(100.0).along(np.array([0.0, 50.0])), Tone(100.0, ends=(0, 1)).along(np.array([0.0, 50.0]))
        (array([0.5 , 0.75]), array([0. , 0.5]))
        """
        low, high = self.ends
        return (self.fractions(values) - low) / (high - low)

    def values(self, fractions: np.ndarray) -> np.ndarray:
        """The numbers that stand at some fractions: the inverse of `fractions`."""
        fractions = np.asarray(fractions, np.float64)
        if self.bend:
            return np.sinh(fractions * np.arcsinh(self.bend)) / self.bend * self.scale
        if self.threshold is None or not self.scale:
            return fractions * self.scale
        sizes = np.abs(fractions) * self._powers
        return np.sign(fractions) * self.threshold * np.where(sizes <= 1.0, sizes, 10.0 ** np.maximum(sizes - 1.0, 0.0))

    def ticks(self) -> list[float]:
        """The numbers to write at the bar."""
        inner = [self.scale / 10] if self.bend else [] if self.threshold is None or not self.scale else [self.threshold]
        above = [*inner, self.scale] if self.scale else []
        below = [-value for value in reversed(above)]
        return [*(below if self.ends[0] else []), 0.0, *(above if self.ends[1] else [])]

    @property
    def _powers(self) -> float:
        assert self.threshold is not None
        return 1.0 + float(np.log10(self.scale / self.threshold))


def tone(scale: float, decades: int | None) -> Tone:
    """A tone with a threshold so many powers of ten below the scale; None is for even steps."""
    threshold = None if decades is None or not scale else scale * 10.0**-decades
    return Tone(scale, threshold if threshold else None)  # beside the smallest numbers it would be 0


def rounded_up(size: float) -> float:
    """The next of 1, 2 and 5 times a power of ten, where the scale of a view ends.

    Examples
    --------
    >>> [rounded_up(size) for size in (0.0, 1.0, 13.0, 0.021, 7e-5)]
    [0.0, 1.0, 20.0, 0.05, 0.0001]
    """
    if not 0 < size < math.inf:
        return 0.0
    power = math.floor(math.log10(size))
    ends = [float(f"{digit}e{power + more}") for digit, more in ((1, 0), (2, 0), (5, 0), (1, 1))]
    return next((end for end in ends if size <= end < math.inf), size)  # at the ends of what a float can be


def view_tone(largest: float) -> Tone:
    """The tone of a view in which no number is larger than ``largest``."""
    return Tone(rounded_up(largest), bend=BEND)


def spanning(low: float | None, high: float | None, scale: str = "linear", decades: int = DECADES) -> Tone:
    """A tone for the numbers between two; its bar shows no sign that they do not have.

    Examples
    --------
    >>> spanning(-3.0, 1.0).ticks(), spanning(0.0, 41.0).ticks(), spanning(-2.0, -1.0).ticks()
    ([-3.0, 0.0, 3.0], [0.0, 41.0], [-2.0, 0.0])
    >>> spanning(-3.0, 1.0, "asinh").ticks()
    [-5.0, -0.5, 0.0, 0.5, 5.0]
    """
    largest = max(abs(low or 0.0), abs(high or 0.0))
    found = view_tone(largest) if scale == "asinh" else tone(largest, decades if scale == "symlog" else None)
    return replace(found, ends=signs_of(low, high))


def signs_of(low: float | None, high: float | None) -> tuple[int, int]:
    """The ends of the bar for the numbers between two."""
    low, high = low or 0.0, high or 0.0
    return (0, 1) if low >= 0 < high else (-1, 0) if high <= 0 > low else (-1, 1)
