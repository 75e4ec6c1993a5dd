"""Tone: how numbers become colours, in even steps or, symmetric about zero, in powers of ten."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

SCALES: dict[str, int | None] = {"linear": None, "symlog": 3}
"""The scales to choose from, and how many powers of ten below the strongest colours each begins to follow them."""


@dataclass(frozen=True)
class Tone:
    """``scale`` is the magnitude of the strongest colours, 0 where there is no finite number but zero.

    ``ends`` are those of the bar that explains the colours, as fractions: where no number is negative it begins at
    zero, where none is positive it ends there. What colour a number has does not depend on them.

    Without a ``threshold`` colours are proportional to the numbers. With one, that holds up to this magnitude only;
    beyond it, each power of ten takes as much of the colours as all from zero to the threshold.
    """

    scale: float
    threshold: float | None = None
    ends: tuple[int, int] = (-1, 1)

    def fractions(self, values: np.ndarray) -> np.ndarray:
        """Where the numbers stand among the colours, -1 to 1; NaN and infinities stay what they are.

        Examples
        --------
        >>> Tone(100.0).fractions(np.array([50.0, -100.0])).tolist()
        [0.5, -1.0]
        >>> Tone(100.0, threshold=1.0).fractions(np.array([1.0, -10.0, 100.0])).round(3).tolist()
        [0.333, -0.667, 1.0]
        """
        values = np.asarray(values, np.float64)
        if not self.scale:
            return np.where(np.isfinite(values), 0.0, values)
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
        if self.threshold is None or not self.scale:
            return fractions * self.scale
        sizes = np.abs(fractions) * self._powers
        return np.sign(fractions) * self.threshold * np.where(sizes <= 1.0, sizes, 10.0 ** np.maximum(sizes - 1.0, 0.0))

    def ticks(self) -> list[float]:
        """The numbers to write at the bar."""
        inner = [] if self.threshold is None or not self.scale else [self.threshold]
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


def spanning(low: float | None, high: float | None, decades: int | None = None) -> Tone:
    """A tone for the numbers between two; its bar shows no sign that they do not have.

    Examples
    --------
    >>> spanning(-3.0, 1.0).ticks(), spanning(0.0, 41.0).ticks(), spanning(-2.0, -1.0).ticks()
    ([-3.0, 0.0, 3.0], [0.0, 41.0], [-2.0, 0.0])
    """
    low, high = low or 0.0, high or 0.0
    ends = (0, 1) if low >= 0 < high else (-1, 0) if high <= 0 > low else (-1, 1)
    return replace(tone(max(abs(low), abs(high)), decades), ends=ends)
