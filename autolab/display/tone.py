"""Tone: how numbers become colours, in even steps or, symmetric about zero, in powers of ten."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SCALES: dict[str, int | None] = {"linear": None, "symlog": 3}
"""The scales to choose from, and how many powers of ten below the strongest colours each begins to follow them."""


@dataclass(frozen=True)
class Tone:
    """``scale`` is the magnitude of the strongest colours, 0 where there is no finite number but zero.

    Without a ``threshold`` colours are proportional to the numbers. With one, that holds up to this magnitude only;
    beyond it, each power of ten takes as much of the colours as all from zero to the threshold.
    """

    scale: float
    threshold: float | None = None

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
        return [*[-value for value in reversed(above)], 0.0, *above]

    @property
    def _powers(self) -> float:
        assert self.threshold is not None
        return 1.0 + float(np.log10(self.scale / self.threshold))


def tone(scale: float, decades: int | None) -> Tone:
    """A tone with a threshold so many powers of ten below the scale; None is for even steps."""
    threshold = None if decades is None or not scale else scale * 10.0**-decades
    return Tone(scale, threshold if threshold else None)  # beside the smallest numbers it would be 0
