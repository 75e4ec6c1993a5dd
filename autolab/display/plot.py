"""The places of a plot's curves, points and ticks, as plain data: SVG and the live view only draw what stands here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .chart import axis

_FAR = 20.0
"""Points further outside than so many heights are moved there: a picture's numbers have their limits."""


_BINS = 500


@dataclass(frozen=True)
class Size:
    """Width and height of a plot, and the margins of its box."""

    width: float
    height: float
    left: float = 58.0
    right: float = 14.0
    top: float = 30.0
    bottom: float = 28.0


class Frame:
    """From the numbers of a plot to places in its box."""

    def __init__(self, size: Size, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.size = size
        self.x_axis, self.y_axis = axis(list(x)), axis(list(y))
        self.wide = size.width - size.left - size.right
        self.high = size.height - size.top - size.bottom

    def x(self, value: Any) -> Any:
        """Places across."""
        low, high = self.x_axis["lo"], self.x_axis["hi"]
        return self.size.left + (value - low) / (high - low) * self.wide

    def y(self, value: Any) -> Any:
        """Places down."""
        low, high = self.y_axis["lo"], self.y_axis["hi"]
        return self.size.top + (high - value) / (high - low) * self.high

    def path(self, x: np.ndarray, y: np.ndarray) -> str:
        """The curve as an SVG path; NaN is a gap."""
        across = np.round(self.x(x), 1)
        down = np.round(np.clip(self.y(y), -_FAR * self.high, _FAR * self.high), 1)
        steps: list[str] = []
        pen, last = "M", (math.nan, math.nan)
        for place in zip(across.tolist(), down.tolist(), strict=True):
            if math.isnan(place[1]):
                pen = "M"
            elif place != last or pen == "M":
                steps.append(f"{pen}{place[0]:g} {place[1]:g}")
                pen, last = "L", place
        return "".join(steps)

    def is_near(self, y: np.ndarray) -> np.ndarray:
        """Which heights are in the box, or at most once its height away."""
        return np.asarray(np.abs(self.y(y) - self.size.top - self.high / 2) <= 1.5 * self.high)

    def point(self, x: float, y: float) -> dict[str, float] | None:
        """The place of a point; None where it is outside of the box or no number."""
        if not math.isfinite(y):
            return None
        across, down = round(float(self.x(x)), 2), round(float(self.y(y)), 2)
        inside = self.size.top - 1 <= down <= self.size.top + self.high + 1
        return {"x": across, "y": down} if inside else None

    def data(self) -> dict[str, Any]:
        """Box, axes and ticks, with their places."""
        size = self.size
        return {
            "width": size.width,
            "height": size.height,
            "box": {"x": size.left, "y": size.top, "w": self.wide, "h": self.high},
            "x": {**self.x_axis, "ticks": [[round(self.x(v), 1), text] for v, text in self.x_axis["ticks"]]},
            "y": {**self.y_axis, "ticks": [[round(self.y(v), 1), text] for v, text in self.y_axis["ticks"]]},
        }


def height_of(x: np.ndarray, y: np.ndarray, cut: bool) -> tuple[float, float]:
    """The heights that a plot of a curve shows: all with a margin, or where it goes to infinity, the bulk."""
    bins = np.floor((x - x[0]) / (x[-1] - x[0]) * _BINS)
    y = y[np.unique(bins, return_index=True)[1]] if cut else y  # samples crowd near a pole
    finite = y[np.isfinite(y)]
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if cut:
        inner = np.quantile(finite, (0.08, 0.92))
        reach = 0.6 * float(inner[1] - inner[0]) or 1.0
        low, high = max(low, float(inner[0]) - reach), min(high, float(inner[1]) + reach)
    level = high - low <= 1e-9 * max(abs(low), abs(high)) or high - low < 1e-300
    margin = (0.5 * abs(low) or 1.0) if level else 0.08 * (high - low)
    return low - margin, high + margin
