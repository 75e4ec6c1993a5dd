"""The cells of arrays in the SVG document of a graph, and the bar below it that says what their colours mean."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ..draw.colors import Tone
from ..draw.escape import Markup, element
from ..draw.svg import LEVELS, shade, words_at
from .compound import MARGIN
from .scene import STRIP_HEIGHT, STRIP_WIDTH

LEGEND_HEIGHT = 70.0
_LONG, _HIGH = 220.0, 10.0
_CELL = 26.0


def strip(cells: list[list[float | None]], tone: Tone, x: float, y: float, shades: set[int]) -> list[Markup]:
    """Cells as coloured rectangles, one path per shade; a cross where there is no finite number, dots around a zero."""
    fractions = tone.fractions(np.array([[v or 0.0 for v in row] for row in cells])).tolist()
    rows, across = len(cells), len(cells[0])
    high = min(STRIP_HEIGHT / rows, _CELL)
    wide = min(STRIP_WIDTH / across, 2 * high)
    paths: dict[int, list[str]] = defaultdict(list)
    crosses, zeros = [], []
    for i, row in enumerate(cells):
        for j, value in enumerate(row):
            left, top = x + j * wide, y + i * high
            if value is None:
                crosses.append(_cross(left, top, wide, high))
            else:
                paths[shade(fractions[i][j])].append(f"M{left:.1f} {top:.1f}h{wide:.1f}v{high:.1f}h-{wide:.1f}z")
            if value == 0:
                zeros.append(f"M{left + 1.5:.1f} {top + 1.5:.1f}h{wide - 3:.1f}v{high - 3:.1f}h-{wide - 3:.1f}z")
    shades.update(paths)
    squares = [element("path", class_=f"k{n}", d=Markup("".join(d))) for n, d in sorted(paths.items())]
    frame = element("rect", class_="strip", x=x, y=y, width=wide * across, height=high * rows)
    marks = [("zero", zeros), ("cross", crosses)]
    return [*squares, frame, *[element("path", class_=kind, d=Markup("".join(d))) for kind, d in marks if d]]


def _cross(left: float, top: float, wide: float, high: float) -> str:
    """An × inside a cell."""
    reach = min(wide, high) / 2 - 2
    x, y = left + wide / 2 - reach, top + high / 2 - reach
    return f"M{x:.1f} {y:.1f}l{2 * reach:.1f} {2 * reach:.1f}m0 {-2 * reach:.1f}l{-2 * reach:.1f} {2 * reach:.1f}"


def scale_legend(scale: dict[str, Any] | None, y: float, shades: set[int]) -> list[Markup]:
    """The scales of a picture with cells, as `readings.scale_bar` tells it, with its numbers and what it holds for.

    ``shades`` learns which shades of cells it uses.
    """
    if scale is None or not (scale["scale"] or scale["grad"]):
        return []
    words = words_at(MARGIN, y + (60.0 if scale["ticks"] else 26.0), scale["words"], "small")
    if not scale["ticks"]:
        return [words]
    count = 2 * LEVELS + 1
    shades.update(range(count))
    wide = _LONG / count
    places = [(n, MARGIN + n * wide) for n in range(count)]
    cells = [element("rect", class_=f"k{n}", x=x, y=y, width=wide + 0.2, height=_HIGH) for n, x in places]
    styles = {-1.0: "small", 1.0: "small right"}
    ticks = [
        words_at(
            MARGIN + _LONG * (at + 1) / 2,
            y + 26.0 + 16.0 * row,
            text,
            f"{styles.get(at, 'small middle')}{row * ' gradient'}",
        )
        for at, *texts in scale["ticks"]
        for row, text in enumerate(texts)
        if text
    ]
    return [*cells, *ticks, words]
