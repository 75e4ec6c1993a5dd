"""The cells of arrays in the SVG document of a graph, and the colour bar below it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from ..draw import Markup, element
from ..draw.arrays import Cells
from ..draw.colors import Tone
from ..draw.numbers import in_cell
from ..draw.shading import Shading
from ..draw.svg import words_at
from .compound import MARGIN

LEGEND_HEIGHT = 74.0
_LONG, _HIGH = 220.0, 10.0
_CELL, _WIDE = 26.0, 20.0
LEVELS = 10
"""Shades of small cells on either side of zero."""


class Strip(NamedTuple):
    """The cells of an array in a box: where they are drawn, in pixels, and whether their numbers stand in them."""

    x: float
    y: float
    width: float
    height: float
    numbered: bool


def strip(cells: Cells, tone: Tone, place: Strip, shading: Shading) -> list[Markup]:
    """Cells as coloured rectangles, one path per shade, with dots around exact zeros; NaN and infinities have signs."""
    x, y = place[:2]
    fractions = tone.fractions(np.array([[0.0 if isinstance(v, str) else v for v in row] for row in cells])).tolist()
    rows, across = len(cells), len(cells[0])
    high = place.height / rows if place.numbered else min(place.height / rows, _CELL)
    wide = place.width / across if place.numbered else min(place.width / across, max(2 * high, _WIDE))
    paths: dict[str, list[str]] = defaultdict(list)
    signs, zeros, numbers = [], [], []
    for i, row in enumerate(cells):
        for j, value in enumerate(row):
            left, top, ink = x + j * wide, y + i * high, ""
            if isinstance(value, str):
                signs.append("" if place.numbered else _sign(value, left + wide / 2, top + high / 2, min(wide, high)))
            else:
                paths[shading.fill(fractions[i][j])].append(f"M{left:.1f} {top:.1f}h{wide:.1f}v{high:.1f}h-{wide:.1f}z")
                ink = f" {shading.ink(fractions[i][j])}"
            if place.numbered:
                text = value if isinstance(value, str) else in_cell(value)
                numbers.append(words_at(left + wide / 2, top + high / 2 + 4.0, text, f"incell{ink}"))
            if value == 0:
                zeros.append(f"M{left + 1.5:.1f} {top + 1.5:.1f}h{wide - 3:.1f}v{high - 3:.1f}h-{wide - 3:.1f}z")
    squares = [element("path", class_=shade, d=Markup("".join(d))) for shade, d in paths.items()]
    frame = element("rect", class_="strip", x=x, y=y, width=wide * across, height=high * rows)
    marks = [("zero", "".join(zeros)), ("cross", "".join(signs))]
    drawn = [element("path", class_=kind, d=Markup(d)) for kind, d in marks if d]
    return [*squares, frame, *drawn, *numbers]


def _sign(value: str, x: float, y: float, size: float) -> str:
    """The sign in a cell without numbers, as on a heatmap: × for NaN, + and − for infinities."""
    long = size - 4
    level, upright = f"M{x - long / 2:.1f} {y:.1f}h{long:.1f}", f"M{x:.1f} {y - long / 2:.1f}v{long:.1f}"
    if value != "NaN":
        return level + (upright if value == "∞" else "")
    left, top = x - long / 2, y - long / 2
    return f"M{left:.1f} {top:.1f}l{long:.1f} {long:.1f}m0 {-long:.1f}l{-long:.1f} {long:.1f}"


def scale_legend(scale: dict[str, Any] | None, y: float, shading: Shading) -> list[Markup]:
    """The colour bar of a picture with cells, from the data of `readings.scale_bar`, with its numbers and a caption."""
    if scale is None or not (scale["scale"] or scale["grad"]):
        return []
    top = y + (46.0 if scale["ticks"] else 26.0)
    words = [words_at(MARGIN, top + 17.0 * k, scale[part], "small") for k, part in enumerate(("words", "more"))]
    if not scale["ticks"]:
        return words
    wide = _LONG / (2 * LEVELS + 1)
    places = [(n / LEVELS, MARGIN + (n + LEVELS) * wide) for n in range(-LEVELS, LEVELS + 1)]
    cells = [element("rect", class_=shading.fill(t), x=x, y=y, width=wide + 0.2, height=_HIGH) for t, x in places]
    styles = {-1.0: "small", 1.0: "small right"}
    ticks = [
        words_at(MARGIN + _LONG * (at + 1) / 2, y + 26.0, text, styles.get(at, "small middle"))
        for at, text in scale["ticks"]
    ]
    return [*cells, *ticks, *words]
