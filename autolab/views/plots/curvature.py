"""How the curvature of a loss is displayed: the loss along the extreme directions, the spectrum, sentences, a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...analysis.curvature import Curvature
from ...engine import Bundle
from ..draw import Markup, at_rest, clean, number, picture, plural, say
from ..draw.chart import Line, chart
from ..draw.escape import code, join, table
from ..draw.names import aligned
from ..draw.plot import to_svg
from ..draw.svg import Look

_GRID = 240
_BLUR = 80
"""An eigenvalue is drawn as a bell whose width is this fraction of the whole range."""
_LEAST = 1e-4
_FLAT, _SEEN = 1e-6, 1e-4
_MOST_ROWS = 60


def bundle(shown: Curvature) -> Bundle:
    """Title, charts, sentences and the table of layers; and the same as text."""
    heads, *rows = _table(shown)
    cells = table(heads, [[code(cell) for cell in cells] for cells in rows[:_MOST_ROWS]])
    charts = _charts(shown)
    drawn = picture(to_svg(charts), " ".join([one["description"] for one in charts]))
    return {"text/html": str(join([at_rest(_title(shown), drawn, describe(shown)), cells])), "text/plain": text(shown)}


def curvature_svg(shown: Curvature, look: Look = "auto") -> Markup:
    """Both charts as an SVG document."""
    return to_svg(_charts(shown), look)


def text(shown: Curvature) -> str:
    """The sentences and the table as text."""
    return "\n".join([f"{_title(shown)}: {describe(shown)}", *aligned(_table(shown)[: _MOST_ROWS + 1])])


def describe(shown: Curvature) -> str:
    """The curvature in words."""
    return " ".join(_sentences(shown))


def _title(shown: Curvature) -> str:
    return say("curvature_title", count=plural(shown.size, "direction"))


def _sentences(shown: Curvature) -> Iterator[str]:
    top, low = shown.largest, shown.smallest
    flat = max(_FLAT * max(abs(top.value), abs(low.value)), low.error, top.error)
    ends = {"largest": _with_error(top.value, top.error), "smallest": _with_error(low.value, low.error)}
    is_saddle = low.value < -flat < flat < top.value
    yield say("curvature_both" if is_saddle else "curvature_ends", **ends)
    if not is_saddle:
        kind = "minimum" if low.value > flat else "maximum" if top.value < -flat else "flat"
        yield say(f"curvature_{kind}")
    if shown.gradient_norm > _FLAT * max(abs(top.value), abs(low.value), 1.0):
        yield say("curvature_moving", norm=number(shown.gradient_norm))
    if top.value > flat:
        yield say("curvature_stable", largest=number(top.value), rate=number(shown.largest_stable_rate))
    else:
        yield say("curvature_no_rate")
    mean, trace = number(shown.trace / shown.size), _with_error(shown.trace, shown.trace_error)
    yield say("curvature_trace", count=plural(shown.size, "direction"), trace=trace, mean=mean)
    if not shown.is_exact:
        yield say("curvature_estimated", products=shown.products)


def _with_error(value: float, error: float) -> str:
    """A number, and its error unless that is too small to be seen, with as many decimals as the error has."""
    if not error > _SEEN * abs(value):
        return number(value)
    size = 10.0 ** math.floor(math.log10(error))
    return say(
        "curvature_error", value=number(round(value / size) * size), error=number(math.ceil(error / size) * size)
    )


def _table(shown: Curvature) -> list[list[str]]:
    rows = [[say(f"curvature_{head}") for head in ("layer", "size", "sum", "lies")]]
    for layer in shown.layers:
        total = _with_error(layer.trace, layer.trace_error)
        rows.append([clean(layer.name), f"{layer.size:,}", total, f"{100 * layer.share:.0f} %"])
    return rows


# ---------------------------------------------------------------------------------------------- the charts
def _charts(shown: Curvature) -> list[dict[str, Any]]:
    return [_along(shown), _spectrum(shown)]


def _along(shown: Curvature) -> dict[str, Any]:
    """The loss along both extreme directions, each with the parabola that it would follow."""
    lines = []
    for end, name in ((shown.largest, say("curvature_up")), (shown.smallest, say("curvature_down"))):
        parabola = shown.parabola(end)
        lines += [Line(name, shown.distances, end.losses), Line(say("curvature_parabola"), shown.distances, parabola)]
    return chart(say("curvature_along"), lines, x_title=say("curvature_distance"), mark=0.0)


def _spectrum(shown: Curvature) -> dict[str, Any]:
    """Shares of the directions over their curvatures, blurred, on a logarithmic axis."""
    least, most = float(shown.places.min()), float(shown.places.max())
    width = (most - least or abs(most) or 1.0) / _BLUR
    grid = np.linspace(least - 4 * width, most + 4 * width, _GRID)
    bells = np.exp(-(((grid[:, None] - shown.places) / width) ** 2) / 2)
    shares = (bells * shown.shares).sum(axis=1)
    line = Line(say("curvature_share"), grid, np.maximum(shares, _LEAST * shares.max()))
    return chart(
        say("curvature_spectrum"), [line], True, say("curvature_place"), 0.0 if grid[0] < 0 < grid[-1] else None
    )
