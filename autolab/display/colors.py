"""Colours: one zero-centred map for signed numbers and the two themes of every picture.

The map runs blue – neutral – orange, which people with red–green blindness tell apart. Its stops were computed in
OKLab: lightness falls (light theme) or rises (dark theme) in even steps from zero to both ends, so equal magnitudes
look equal.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

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
        "warning": "#b42318", "table": "#d8dce2",
    },
    "dark": {
        "card": "#15181d", "box": "#20252d", "input": "#1d2e47", "constant": "#1a1d23",
        "frame": "#4a5362", "strong": "#e5e7eb",
        "ink": "#f3f4f6", "muted": "#a6b0be", "gradient": "#ff9fc8", "free": "#62a9ff", "edge": "#8791a0",
        "warning": "#ff9b8f", "table": "#3a424e",
    },
}  # fmt: skip

ANY_PAGE = {"ink": "#757d8b", "strong": "#2f7fd6"}
"""Colours of what stands on the page itself where nobody knows whether that is light or dark."""

LINES: dict[str, tuple[str, ...]] = {
    "light": ("#0b62b4", "#b8480a", "#00806a", "#8a3ea8", "#8f6a00", "#c2417c", "#2a86a8", "#4b5563"),
    "dark": ("#6db3f2", "#ff9d5c", "#4fd1b5", "#d49bf0", "#e3c04b", "#ff8fb8", "#7fd6f0", "#b6bec9"),
}
"""Colours of the lines of a chart."""

DASHES = ("", "7 4", "2 3", "10 3 2 3", "14 5", "4 2", "1 4", "10 3 2 3 2 3")
"""Each line of a chart has a pattern of its own too, for those who do not tell the colours apart."""


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


_TABLES = {theme: np.array([_channels(c) for c in stops], float) for theme, stops in STOPS.items()}


def palette() -> dict[str, Any]:
    """Stops, theme colours and the lines of charts, ``[color, dashes]``, as plain data, for the widget."""
    lines = {
        theme: [[line, dash or "none"] for line, dash in zip(LINES[theme], DASHES, strict=True)] for theme in STOPS
    }
    return {theme: {"stops": list(STOPS[theme]), "lines": lines[theme], **THEMES[theme]} for theme in STOPS}


def paint(t: np.ndarray, theme: Theme = "light") -> np.ndarray:
    """Colours of signed fractions ``t`` (-1 to 1, clipped): an array of the same shape with a last axis of three
    bytes.

    What is not finite becomes the theme's card: a glyph must stand there, never a colour.
    """
    table = _TABLES[theme]
    known = np.isfinite(t)
    position = (np.clip(np.where(known, t, 0.0), -1.0, 1.0) + 1.0) * 0.5 * (len(table) - 1)
    steps = np.arange(len(table))
    rgb = np.stack([np.interp(position, steps, table[:, channel]) for channel in range(3)], axis=-1)
    rgb[~known] = _channels(THEMES[theme]["card"])
    return np.rint(rgb).astype(np.uint8)


def color(t: float, theme: Theme = "light") -> str:
    """The colour of one signed fraction as a hex string.

    Examples
    --------
    >>> color(0.0), color(-1.0), color(1.0)
    ('#f5f5f5', '#1369cb', '#a94e00')
    """
    red, green, blue = paint(np.array(t), theme).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(color))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink_on(background: str) -> Literal["black", "white"]:
    """The ink that reads better; its contrast is at least 4.5 on every background."""
    return "black" if contrast(background, "#000000") >= math.sqrt(21) else "white"
