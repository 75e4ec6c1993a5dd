"""From a loss to its position in the colour map: linear, logarithmic, or by rank."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from ..draw import number
from ..draw.chart import axis, log_axis

Tone = Literal["linear", "log", "rank"]
TONES: tuple[Tone, ...] = get_args(Tone)

_STEEP = 30.0
"""Beyond this ratio of the losses, a linear scale would show one colour nearly everywhere."""
_CROWDED = 10.0
"""The same if half of the losses lie in the lowest tenth of their range."""
_TINY = 1e-12
"""Losses up to this fraction of the largest are 0 up to rounding and are ignored on the logarithmic scale."""
_RANKS = 4


class LossColors:
    """Positions in the colour map, from 0 to 1, for the losses of a surface.

    Without a ``tone``, it is ``linear``, unless the largest loss is more than 30 times the smallest one above 0
    (``log``), or some losses are negative and half of all lie in the lowest tenth of the range (``rank``). On ``log``,
    a loss of 0 has the colour of the smallest one above 0.

    Examples
    --------
    >>> colors = LossColors(np.array([[1.0, 10.0], [100.0, 1000.0]]))
    >>> colors.tone, colors.place(np.array([10.0])).round(3).tolist()
    ('log', [0.333])
    >>> LossColors(np.array([[1.0, 2.0], [50.0, 1000.0]]), "rank").place(np.array([50.0])).round(3).tolist()
    [0.667]
    """

    def __init__(self, values: np.ndarray, tone: Tone | None = None) -> None:
        known = np.sort(values[np.isfinite(values)])
        self.low, self.high = (float(known[0]), float(known[-1])) if known.size else (0.0, 1.0)
        above = known[known > _TINY * self.high]
        has_log = self.low >= 0 and bool(above.size)
        self.offered = [t for t in TONES if t != "log" or has_log]
        self.tone: Tone = tone if tone in self.offered else _best(known, above if has_log else None)
        if self.tone == "log":
            self.low = float(above[0])
        self._sorted, first = np.unique(known, return_index=True)
        last = np.append(first[1:], known.size) - 1
        self._ranks = (first + last) / 2 / max(1, known.size - 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Losses for the legend, each with its text."""
        if self.tone == "rank":
            if not self._sorted.size:
                return []
            places = np.linspace(0, 1, _RANKS + 1)
            return [(v, number(v)) for v in np.interp(places, self._ranks, self._sorted).tolist()]
        found = log_axis([self.low, self.high]) if self.tone == "log" else axis([self.low, self.high])
        return [(v, text) for v, text in found["ticks"] if self.low <= v <= self.high]

    def place(self, values: Any) -> Any:
        if self.tone == "rank":
            ranked = np.interp(values, self._sorted, self._ranks) if self._sorted.size else values
            return np.where(np.isfinite(values), ranked, np.nan)
        low, high = self.low, self.high
        with np.errstate(all="ignore"):
            if self.tone == "log":
                low, high, values = math.log10(low), math.log10(high), np.log10(np.maximum(values, low))
            return (values - low) / ((high - low) or 1.0)


def _best(known: np.ndarray, above: np.ndarray | None) -> Tone:
    """The default tone for sorted losses; ``above`` are those above 0, if none is negative."""
    if above is not None:
        return "log" if above[-1] > _STEEP * above[0] else "linear"
    if not known.size:
        return "linear"
    low, high = float(known[0]), float(known[-1])
    return "rank" if high - low > _CROWDED * (float(np.median(known)) - low) else "linear"
