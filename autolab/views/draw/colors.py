"""Colours: a zero-centred map for signed numbers, the two themes of every picture, and the scales from numbers to
colours: asinh, linear and symlog (linear around zero, logarithmic beyond).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...shared.numerals import round_up

Theme = Literal["light", "dark"]

STOPS: dict[str, tuple[str, ...]] = {
    "light": (
        "#1369cb", "#4786d9", "#70a2e6", "#9abef0", "#c4daf7",
        "#f5f5f5",
        "#f3d0bd", "#e7ad8d", "#d98a5e", "#c76829", "#a94e00",
    ),
    "dark": (
        "#75baff", "#499bea", "#407dba", "#38618b", "#30465c",
        "#2b2b2b",
        "#573e2a", "#80522c", "#ab672d", "#d67d2d", "#ff9738",
    ),
}  # fmt: skip

THEMES: dict[str, dict[str, str]] = {
    "light": {
        "card": "#ffffff", "box": "#ffffff", "input": "#e8f0fb", "constant": "#f4f4f5",
        "frame": "#c3c8d0", "strong": "#1f2937",
        "ink": "#111827", "muted": "#566071", "gradient": "#a0187f", "free": "#0a5cc4", "edge": "#868f9c",
        "warning": "#b42318", "table": "#d8dce2", "tangent": "#00695c",
    },
    "dark": {
        "card": "#15181d", "box": "#20252d", "input": "#1d2e47", "constant": "#1a1d23",
        "frame": "#4a5362", "strong": "#e5e7eb",
        "ink": "#f3f4f6", "muted": "#a6b0be", "gradient": "#ff9fc8", "free": "#62a9ff", "edge": "#8791a0",
        "warning": "#ff9b8f", "table": "#3a424e", "tangent": "#5eead4",
    },
}  # fmt: skip

ANY_PAGE = {"ink": "#757d8b", "strong": "#2f7fd6"}
"""Colours of text and lines directly on the page, where it is unknown whether the page is light or dark."""

ON_ANY_PAGE = ("#2f7fd6", "#cb6320")
"""The strongest colours on such a page, for negative and for positive numbers."""

LINES: dict[str, tuple[str, ...]] = {
    "light": ("#0b62b4", "#b8480a", "#00806a", "#8a3ea8", "#8f6a00", "#c2417c", "#2a86a8", "#4b5563"),
    "dark": ("#6db3f2", "#ff9d5c", "#4fd1b5", "#d49bf0", "#e3c04b", "#ff8fb8", "#7fd6f0", "#b6bec9"),
}
"""Colours of the lines of a chart."""

DASHES = ("", "7 4", "2 3", "10 3 2 3", "14 5", "4 2", "1 4", "10 3 2 3 2 3")
"""Each line of a chart also has a dash pattern of its own, for readers who cannot tell the colours apart."""


def rgb(color: str) -> tuple[int, int, int]:
    """The three bytes of a colour."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


_TABLES = {theme: np.array([rgb(c) for c in stops], float) for theme, stops in STOPS.items()}


def palette() -> dict[str, Any]:
    """Stops, theme colours and line styles of charts, ``[color, dashes]``, as plain data for the widget."""
    lines = {
        theme: [[line, dash or "none"] for line, dash in zip(LINES[theme], DASHES, strict=True)] for theme in STOPS
    }
    return {theme: {"stops": list(STOPS[theme]), "lines": lines[theme], **THEMES[theme]} for theme in STOPS}


def paint(t: np.ndarray, theme: Theme = "light") -> np.ndarray:
    """Colours of signed fractions ``t`` (-1 to 1, clipped): uint8 RGB, of the shape of ``t`` with a last axis of three.

    NaN and infinities get the colour of the theme's card: they are shown as a glyph, never as a colour.
    """
    table = _TABLES[theme]
    known = np.isfinite(t)
    position = (np.clip(np.where(known, t, 0.0), -1.0, 1.0) + 1.0) * 0.5 * (len(table) - 1)
    steps = np.arange(len(table))
    found = np.stack([np.interp(position, steps, table[:, channel]) for channel in range(3)], axis=-1)
    found[~known] = rgb(THEMES[theme]["card"])
    return np.rint(found).astype(np.uint8)


def color(t: float, theme: Theme = "light") -> str:
    """The colour of one signed fraction, as a hex string.

    Examples
    --------
    >>> color(0.0), color(-1.0), color(1.0)
    ('#f5f5f5', '#1369cb', '#a94e00')
    """
    red, green, blue = paint(np.array(t), theme).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb(color))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink_on(background: str) -> Literal["black", "white"]:
    """The ink, black or white, that is easier to read; its contrast is at least 4.5 on every background."""
    return "black" if contrast(background, "#000000") >= math.sqrt(21) else "white"


SCALES = ("asinh", "linear", "symlog")
"""The available colour scales."""

DECADES = 3
"""Default number of powers of ten for which ``symlog`` is logarithmic, below the largest magnitude."""

BEND = 100.0
"""The colours of a view follow ``asinh(BEND v / largest) / asinh(BEND)``."""


ALIKE = 0.05
"""Colours closer together than this fraction of the colour bar cannot be told apart."""


@dataclass(frozen=True)
class Tone:
    """A scale from numbers to colours, as signed fractions.

    ``scale`` is the magnitude with the strongest colours, 0 if no finite number differs from zero.

    ``ends`` are the ends of the colour bar, as fractions: it begins at zero if no number is negative and ends there if
    none is positive. They do not affect the colour of a number.

    Without a ``threshold`` colours are proportional to the numbers. With one, they are so only up to this magnitude;
    beyond it, each power of ten takes the same range of colours as the interval from zero to the threshold. With a
    ``bend`` they follow asinh.
    """

    scale: float
    threshold: float | None = None
    ends: tuple[int, int] = (-1, 1)
    bend: float = 0.0

    def fractions(self, values: np.ndarray) -> np.ndarray:
        """The signed fractions of numbers, from -1 to 1; NaN and infinities are kept.

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
        sizes, powers = np.abs(values) / self.threshold, 1.0 + np.log10(self.scale / self.threshold)
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = 1.0 + np.log10(sizes)
        return np.sign(values) * np.where(sizes <= 1.0, sizes, beyond) / powers

    def along(self, values: np.ndarray) -> np.ndarray:
        """The positions of numbers on the colour bar, from 0 to 1.

        Examples
        --------
        >>> Tone(100.0).along(np.array([0.0, 50.0])), Tone(100.0, ends=(0, 1)).along(np.array([0.0, 50.0]))
        (array([0.5 , 0.75]), array([0. , 0.5]))
        """
        low, high = self.ends
        return (self.fractions(values) - low) / (high - low)

    def is_alike(self, low: float | None, high: float | None) -> bool:
        """Whether all numbers in a range, although not equal, have almost the same colour."""
        return bool(self.scale) and low != high and float(np.ptp(self.fractions(np.array([low, high])))) < ALIKE

    def ticks(self) -> list[float]:
        """The numbers to write at the colour bar."""
        inner = [self.scale / 10] if self.bend else [] if self.threshold is None or not self.scale else [self.threshold]
        above = [*inner, self.scale] if self.scale else []
        below = [-value for value in reversed(above)]
        return [*(below if self.ends[0] else []), 0.0, *(above if self.ends[1] else [])]


def tone(scale: float, decades: int | None) -> Tone:
    """A tone that is logarithmic for ``decades`` powers of ten below the scale; with None it is linear."""
    threshold = None if decades is None or not scale else scale * 10.0**-decades
    return Tone(scale, threshold if threshold else None)  # the threshold of a subnormal scale would be 0


def view_tone(largest: float) -> Tone:
    """The tone of a view whose largest magnitude is ``largest``."""
    return Tone(round_up(largest) if 0 < largest < math.inf else 0.0, bend=BEND)


def spanning(low: float | None, high: float | None, scale: str = "linear", decades: int = DECADES) -> Tone:
    """A tone for numbers from ``low`` to ``high``; its bar shows a sign only if they have it.

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
    """The ends of the colour bar for numbers from ``low`` to ``high``."""
    low, high = low or 0.0, high or 0.0
    return (0, 1) if low >= 0 < high else (-1, 0) if high <= 0 > low else (-1, 1)
