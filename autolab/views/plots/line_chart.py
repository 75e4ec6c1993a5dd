"""How a `LineChart` is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..draw.chart import Line, chart, with_powers
from ..draw.html import paragraph, picture
from ..draw.numbers import number
from ..draw.plot import to_svg
from ..draw.registry import Bundle

if TYPE_CHECKING:
    from ...analysis.line_charts import LineChart


def drawn(shown: LineChart) -> dict[str, Any]:
    """The chart as plain data, which SVG and the live view draw."""
    across = "x" in shown.log
    x, mark = shown.x, shown.mark
    if across:
        x, mark = np.log10(x), None if mark is None else float(np.log10(mark))
    lines = [Line(name, x.tolist(), y.tolist()) for name, y in shown.lines.items()]
    found: dict[str, Any] = chart(
        shown.title, lines, "y" in shown.log, shown.x_title, mark, () if mark is None else (mark,), shown.y_range
    )
    if shown.mark is not None:
        _read_at(shown.mark, shown, found["lines"])
    return with_powers(found) if across else found


def _read_at(mark: float, shown: LineChart, lines: list[dict[str, Any]]) -> None:
    """Let the legend say the numbers where the mark stands; the last ones would be those of another place."""
    nearest = int(np.abs(shown.x - mark).argmin())
    for line in lines:
        line["last"] = number(float(shown.lines[line["name"]][nearest]))


def bundle(shown: LineChart) -> Bundle:
    """A picture, and the same in words."""
    one = drawn(shown)
    return {
        "text/html": str(paragraph(picture(to_svg([one]), one["description"]))),
        "text/plain": one["description"],
    }
