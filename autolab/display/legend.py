"""The bar below a picture that says what the colours of its cells mean."""

from __future__ import annotations

from typing import Any

from .compound import MARGIN
from .document import words_at
from .escape import Markup, element
from .style import LEVELS

LEGEND_HEIGHT = 54.0
_LONG, _HIGH = 220.0, 10.0


def scale_legend(scale: dict[str, Any] | None, y: float, shades: set[int]) -> list[Markup]:
    """The one scale of a picture with cells, as `readings.scale_bar` tells it, with its numbers and what it holds for.

    ``shades`` learns which shades of cells it uses.
    """
    if scale is None or not scale["scale"]:
        return []
    words = words_at(MARGIN, y + (44.0 if scale["ticks"] else 26.0), scale["words"], "small")
    if not scale["ticks"]:
        return [words]
    count = 2 * LEVELS + 1
    shades.update(range(count))
    wide = _LONG / count
    places = [(n, MARGIN + n * wide) for n in range(count)]
    cells = [element("rect", class_=f"k{n}", x=x, y=y, width=wide + 0.2, height=_HIGH) for n, x in places]
    styles = {-1.0: "small", 1.0: "small right"}
    ticks = [
        words_at(MARGIN + _LONG * (at + 1) / 2, y + 26.0, text, styles.get(at, "small middle"))
        for at, text in scale["ticks"]
    ]
    return [*cells, *ticks, words]
