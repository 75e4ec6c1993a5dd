"""The positions of a chart's curves, points and ticks, as plain data, and charts as a self-contained SVG document.

Contour lines of a grid of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import Bundle
from .chart import Line, chart, with_powers
from .colors import DASHES
from .escape import Markup, element, paragraph, picture
from .names import wrapped
from .numbers import number
from .svg import Look, document, path_of, words_at

if TYPE_CHECKING:
    from ...analysis.line_charts import LineChart


Place = tuple[float, float]


def contour(values: np.ndarray, level: float) -> Iterator[tuple[Place, Place]]:
    """The contour line of a grid at ``level``, as segments, each from edge to edge of a cell.

    Positions are in columns and rows. If the line crosses a cell twice, the mean of the four corners decides which
    crossings are joined.

    Examples
    --------
    >>> list(contour(np.array([[0.0, 1.0], [0.0, 1.0]]), 0.25))
    [((0.25, 0.0), (0.25, 1.0))]
    """
    above = values > level
    cells = above[:-1, :-1].astype(int) + above[:-1, 1:] + above[1:, 1:] + above[1:, :-1]
    for i, j in np.argwhere((cells > 0) & (cells < 4)).tolist():
        corners = [(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1)]
        heights = [float(values[y, x]) for x, y in corners]
        if not all(map(math.isfinite, heights)):
            continue
        crossings = []
        for k in range(4):
            (x, y), (u, v), p, q = corners[k], corners[k - 3], heights[k], heights[k - 3]
            if (p > level) != (q > level):
                t = (level - p) / (q - p)
                crossings.append((x + t * (u - x), y + t * (v - y)))
        if len(crossings) == 4 and (heights[0] > level) != (sum(heights) / 4 > level):
            crossings = crossings[-1:] + crossings[:-1]  # join around the first corner and the opposite one
        yield from zip(crossings[::2], crossings[1::2], strict=True)


WIDTH, HEIGHT = 560.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 66.0, 18.0, 40.0, 40.0
_LEGEND_ROW, _CHARACTER, _SAMPLE = 20.0, 6.8, 30.0
_HALF_LETTER = 3.2
_FEW = 25  # lines of at most this many points show them
_GAP = 16.0


def to_svg(charts: Sequence[dict[str, Any]], look: Look = "auto") -> Markup:
    """Charts in two columns, as the text of an SVG document."""
    columns = max(1, min(2, len(charts)))
    rows = [charts[i : i + columns] for i in range(0, len(charts), columns)]
    parts: list[Markup] = []
    top = 0.0
    for row in rows:
        for j, one in enumerate(row):
            parts.append(element("g", *_chart(one), transform=f"translate({j * (WIDTH + _GAP):.1f} {top:.1f})"))
        top += max(_height(one) for one in row)
    width = columns * (_wide(charts[0]) + _GAP) - _GAP
    title = ", ".join(one["title"] or one["description"] for one in charts)
    words = " ".join(one["description"] for one in charts)
    return document(parts, (width, top), title, words, look, lines=True)


def _wide(chart: dict[str, Any]) -> float:
    """Width of a chart; larger for the only chart of a view."""
    return float(chart.get("wide", WIDTH))


def _legend(chart: dict[str, Any]) -> list[tuple[float, float, dict[str, Any]]]:
    """The position of each entry of the legend: its left edge, its row's offset, and its line."""
    places, x, row = [], _LEFT, 0
    for line in chart["lines"]:
        width = _SAMPLE + _CHARACTER * len(_entry(line)) + 18.0
        if x + width > _wide(chart) - _RIGHT and x > _LEFT:
            x, row = _LEFT, row + 1
        places.append((x, row * _LEGEND_ROW, line))
        x += width
    return places


def _entry(line: dict[str, Any]) -> str:
    return f"{line['name']} {line['last']}".strip()


def _notes(chart: dict[str, Any]) -> list[str]:
    """The note, wrapped to the width of the chart."""
    return [line for line in wrapped(chart["note"], int((_wide(chart) - _LEFT - _RIGHT) / 6.2)) if line]


def _height(chart: dict[str, Any]) -> float:
    rows = 1 + _legend(chart)[-1][1] / _LEGEND_ROW if chart["lines"] else 0
    return HEIGHT + rows * _LEGEND_ROW + 16 * len(_notes(chart)) + 8


def _chart(chart: dict[str, Any]) -> list[Markup]:
    size = Size(_wide(chart), HEIGHT, _LEFT, _RIGHT, _TOP if chart["title"] else _RIGHT, _BOTTOM)
    frame = Frame(size, chart["x"], chart["y"], chart["log"])
    parts = [words_at(16, 25, chart["title"], "title"), *_axes(chart, frame)]
    if chart["mark"] is not None:
        parts += _mark(frame.x(chart["mark"]), chart.get("mark_words", ""), frame)
    for i, line in enumerate(chart["lines"]):
        parts += _drawn(line, i, frame)
    for i, (x, y, line) in enumerate(_legend(chart)):
        parts += _legend_entry(x, HEIGHT + y + 12, line, i)
    below = _height(chart) - 16 * len(_notes(chart)) - 8
    return [*parts, *(words_at(_LEFT, below + 14 + 16 * k, words, "small") for k, words in enumerate(_notes(chart)))]


def _mark(x: float, words: str, frame: Frame) -> Iterator[Markup]:
    """A vertical line, and what it says on the side where there is more room."""
    yield path_of(f"M{x:.1f} {frame.size.top}v{frame.high}", "ring")
    is_right = x > frame.size.left + frame.wide / 2
    if words:
        yield words_at(x - 6 if is_right else x + 6, frame.size.top + 12, words, "small right" if is_right else "small")


def _axes(chart: dict[str, Any], frame: Frame) -> list[Markup]:
    left, bottom, right = _LEFT, HEIGHT - _BOTTOM, _LEFT + frame.wide
    line = path_of(f"M{left} {frame.size.top}V{bottom}H{right}", "edges")
    title = words_at((left + right) / 2, bottom + 34, chart["x_title"], "small middle")
    return [*ticks(frame.data(), across=True), line, title]


def ticks(data: dict[str, Any], across: bool = False, below: bool = True, grid: bool = False) -> Iterator[Markup]:
    """The numbers beside and ``below`` a plot, each with a tick; those of ``y`` ``across`` the plot, or a ``grid`` of
    lines."""
    box, style = data["box"], ("edges", "grid edges")
    bottom, end = box["y"] + box["h"], box["x"] + box["w"] + _RIGHT
    for y, text in data["y"]["ticks"]:
        yield path_of(f"M{box['x']} {y:.1f}h{box['w'] if across or grid else -5}", style[across or grid])
        yield words_at(box["x"] - 8, y + 4, text, "small right")
    for x, text in data["x"]["ticks"]:
        yield path_of(f"M{x:.1f} {bottom}v{-box['h'] if grid else 5}", style[grid])
        if below:
            is_cut = x + len(text) * _HALF_LETTER > end
            yield words_at(end if is_cut else x, bottom + 18, text, "small right" if is_cut else "small middle")


def _drawn(line: dict[str, Any], i: int, frame: Frame) -> list[Markup]:
    x, y = np.array([line["x"], line["y"]], float)
    curve, places = frame.path(x, y), zip(frame.x(x).tolist(), frame.y(y).tolist(), strict=True)
    parts = [path_of(curve, f"line c{i}", DASHES[i] or None)] if curve else []
    if len(x) <= _FEW:
        parts += [element("circle", cx=a, cy=b, r=3.0, class_=f"d{i}") for a, b in places if not math.isnan(b)]
    return parts


def _legend_entry(x: float, y: float, line: dict[str, Any], i: int) -> list[Markup]:
    sample = path_of(f"M{x:.1f} {y - 4:.1f}h{_SAMPLE - 6:.1f}", f"line c{i}", DASHES[i] or None)
    return [sample, words_at(x + _SAMPLE, y, _entry(line), "small")]


_FAR = 20.0
"""Points further outside than this many heights are moved to that distance: SVG limits the size of coordinates."""


_DOT = "m-1 0h2"
"""Drawn in place of a line without length, which SVG does not show."""

_BINS = 500


@dataclass(frozen=True)
class Size:
    """Width and height of a plot, and the margins around its box."""

    width: float
    height: float
    left: float = 58.0
    right: float = 14.0
    top: float = 30.0
    bottom: float = 28.0


def _share(value: Any, low: float, high: float) -> Any:
    """How far a value is on the way from ``low`` to ``high``, whose distance may be more than a float can be."""
    if math.isfinite(high - low):
        return (value - low) / (high - low)
    return (value / 2 - low / 2) / (high / 2 - low / 2)


class Frame:
    """Maps the numbers of a plot to positions in its box."""

    def __init__(self, size: Size, x: dict[str, Any], y: dict[str, Any], log: bool = False) -> None:
        self.size, self.x_axis, self.y_axis, self._log = size, x, y, log
        self.wide = size.width - size.left - size.right
        self.high = size.height - size.top - size.bottom

    def x(self, value: Any) -> Any:
        """Horizontal positions, in pixels."""
        return self.size.left + _share(value, self.x_axis["lo"], self.x_axis["hi"]) * self.wide

    def y(self, value: Any) -> Any:
        """Vertical positions, in pixels."""
        low, high = self.y_axis["lo"], self.y_axis["hi"]
        if self._log:
            low, high, value = map(np.log10, (low, high, value))
        return self.size.top + _share(value, high, low) * self.high

    def path(self, x: np.ndarray, y: np.ndarray) -> str:
        """The curve as an SVG path; NaN is a gap, and a point between two gaps a dot. Within one column of pixels, only
        turning points are kept.

        ``x`` may go back and forth.
        """
        across = np.round(self.x(x), 1)
        down = np.round(np.clip(self.y(y), -_FAR * self.high, _FAR * self.high), 1)
        moves, way = np.diff(np.floor(across)) != 0, np.sign(np.diff(down))
        if way.size:  # a level piece goes on in the direction of the one before
            way = way[np.maximum.accumulate(np.where(way != 0, np.arange(way.size), 0))]
        shown = np.ones(across.size, bool)
        shown[1:-1] = moves[:-1] | moves[1:] | (way[:-1] != way[1:])
        across, down = across[shown], down[shown]
        steps: list[str] = []
        places = zip(across.tolist(), down.tolist(), strict=True)
        for is_gap, run in groupby(places, lambda place: math.isnan(place[1])):
            line = [] if is_gap else [place for place, _ in groupby(run)]
            steps += [f"{'L' if k else 'M'}{x:g} {y:g}" for k, (x, y) in enumerate(line)]
            steps += [_DOT] if len(line) == 1 else []
        return "".join(steps)

    def is_near(self, y: np.ndarray) -> np.ndarray:
        """Which values of ``y`` are in the box, or at most one height of the box outside it."""
        return np.asarray(np.abs(self.y(y) - self.size.top - self.high / 2) <= 1.5 * self.high)

    def point(self, x: float, y: float) -> dict[str, float] | None:
        """The position of a point; None if it is outside the box or not finite."""
        if not math.isfinite(y):
            return None
        across, down = round(float(self.x(x)), 2), round(float(self.y(y)), 2)
        inside = self.size.top - 1 <= down <= self.size.top + self.high + 1
        return {"x": across, "y": down} if inside else None

    def data(self) -> dict[str, Any]:
        """Box, axes and ticks, with their positions."""
        size = self.size
        return {
            "width": size.width,
            "height": size.height,
            "box": {"x": size.left, "y": size.top, "w": self.wide, "h": self.high},
            "x": {**self.x_axis, "ticks": [[round(self.x(v), 1), text] for v, text in self.x_axis["ticks"]]},
            "y": {**self.y_axis, "ticks": [[round(self.y(v), 1), text] for v, text in self.y_axis["ticks"]]},
        }


_FAR_FROM_MOST = 50.0


def goes_far(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether a curve has values so far from most others that these would look like a flat line."""
    finite = _evenly(x, y)
    low, high = np.quantile(finite, (0.08, 0.92)) if finite.size else (0.0, 0.0)
    known = y[np.isfinite(y)]
    return bool(high > low and np.ptp(known) > _FAR_FROM_MOST * (high - low))


def _evenly(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Finite values of ``y`` at evenly spaced ``x``; samples are denser near a pole."""
    bins = np.floor((x - x[0]) / (x[-1] - x[0]) * _BINS)
    found = y[np.unique(bins, return_index=True)[1]]
    return found[np.isfinite(found)]


def height_of(x: np.ndarray, y: np.ndarray, cut: bool) -> tuple[float, float]:
    """The range of ``y`` that a plot of a curve, such as a derivative, shows: all values with a margin or, if a curve
    that goes to infinity is to be ``cut``, most of them.
    """
    finite = _evenly(x, y) if cut else y[np.isfinite(y)]
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


def drawn(shown: LineChart) -> dict[str, Any]:
    """The chart as plain data, for SVG and for the live view."""
    across = "x" in shown.log
    x, mark = shown.x, shown.mark
    if across:
        x, mark = np.log10(x), None if mark is None else float(np.log10(mark))
    lines = [Line(name, x.tolist(), y.tolist()) for name, y in shown.lines.items()]
    found: dict[str, Any] = chart(
        shown.title, lines, "y" in shown.log, shown.x_title, mark, () if mark is None else (mark,), shown.y_range
    )
    nearest = None if shown.mark is None else int(np.abs(shown.x - shown.mark).argmin())
    for line in found["lines"]:  # the legend has the numbers at the mark; without a mark, only names
        line["last"] = "" if nearest is None else number(float(shown.lines[line["name"]][nearest]))
    return with_powers(found) if across else found


def chart_bundle(one: dict[str, Any]) -> Bundle:
    """A chart as a picture, and its description as text."""
    words = one["description"]
    return {"text/html": str(paragraph(picture(to_svg([one]), words))), "text/plain": words}


def line_chart_bundle(shown: LineChart) -> Bundle:
    """The chart as a picture and in words."""
    return chart_bundle(drawn(shown))


def line_chart_svg(shown: LineChart, look: Look = "auto") -> Markup:
    """The chart as an SVG document."""
    return to_svg([drawn(shown)], look)
