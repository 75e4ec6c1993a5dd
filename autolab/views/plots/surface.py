"""How a loss surface is displayed: colours and contour lines over two directions, and the path of a descent.

From a loss to its position in the colour map: linear, logarithmic, or by rank.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np

from ...analysis.landscape import Surface
from ...engine import Bundle
from ..draw import Markup, at_rest, clean, element, number, picture, plural, say
from ..draw.arrays import Grid
from ..draw.chart import axis, log_axis
from ..draw.colors import Tone
from ..draw.plot import Frame, Size, contour, ticks
from ..draw.shading import Shading
from ..draw.svg import Look, document, path_of, words_at

LossTone = Literal["linear", "log", "rank"]
TONES: tuple[LossTone, ...] = get_args(LossTone)

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

    def __init__(self, values: np.ndarray, tone: LossTone | None = None) -> None:
        known = np.sort(values[np.isfinite(values)])
        self.low, self.high = (float(known[0]), float(known[-1])) if known.size else (0.0, 1.0)
        above = known[known > _TINY * self.high]
        has_log = self.low >= 0 and bool(above.size)
        self.offered = [t for t in TONES if t != "log" or has_log]
        self.tone: LossTone = tone if tone in self.offered else _best(known, above if has_log else None)
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


def _best(known: np.ndarray, above: np.ndarray | None) -> LossTone:
    """The default tone for sorted losses; ``above`` are those above 0, if none is negative."""
    if above is not None:
        return "log" if above[-1] > _STEEP * above[0] else "linear"
    if not known.size:
        return "linear"
    low, high = float(known[0]), float(known[-1])
    return "rank" if high - low > _CROWDED * (float(np.median(known)) - low) else "linear"


SIZE = Size(620.0, 470.0, left=70.0, right=120.0, top=40.0, bottom=48.0)
_PIXELS = 144
_LEVELS = 12
_MOST_DOTS = 60
_BAR = 18.0


def bundle(surface: Surface) -> Bundle:
    """Title, picture and sentence; and the text alone."""
    words = describe(surface)
    _, *sentence = _sentences(surface)  # the first repeats the title
    shown = picture(surface_svg(surface, titled=False), words)
    return {"text/html": str(at_rest(title_of(surface), shown, " ".join(sentence))), "text/plain": words}


def title_of(surface: Surface) -> str:
    first, second = map(clean, surface.names)
    return say("surface_title", first=first, second=second)


def describe(surface: Surface) -> str:
    """The surface in words."""
    return " ".join(_sentences(surface))


def _sentences(surface: Surface) -> Iterator[str]:
    known = np.isfinite(surface.values)
    yield say("surface_alt", first=surface.names[0], second=surface.names[1])
    if known.any():
        row, column = np.unravel_index(np.argmin(np.where(known, surface.values, np.inf)), surface.values.shape)
        place = f"({number(surface.x[column])}, {number(surface.y[row])})"
        least, most = surface.values[row, column], surface.values[known].max()
        yield say("surface_least", least=number(least), place=place, most=number(most))
    yield say(f"surface_{LossColors(surface.values).tone}")
    if not known.all():
        yield say("surface_undefined", count=plural(int((~known).sum()), "point"))
    if len(surface.path):
        ends = [number(surface.path_values[i]) for i in (0, -1)]
        yield say("surface_way", count=plural(len(surface.path), "point"), first=ends[0], last=ends[1])
    if surface.captured is not None and surface.captured < 0.999:
        yield say("surface_captured", percent=number(round(100 * surface.captured, 1)))
    if surface.chosen == "random":
        yield say("surface_random")


def surface_svg(surface: Surface, look: Look = "auto", titled: bool = True) -> Markup:
    """The surface as an SVG document."""
    shading = Shading(look)
    frame = frame_of(surface)
    scale = LossColors(surface.values)
    title = title_of(surface)
    parts = [
        *([words_at(SIZE.left, 25, title, "title")] if titled else []),
        *_image(surface, scale, frame, shading),
        *[element("path", d=line, class_="edges", opacity="0.55") for line in levels(surface, scale, frame)],
        *_axes(surface, frame),
        *_way(surface, frame),
        *_bar(scale, frame, shading),
    ]
    size, sheets = (SIZE.width, SIZE.height), [shading.sheet()]
    return document(parts, size, title, describe(surface), look, scope=shading.scope, lines=True, sheets=sheets)


def frame_of(surface: Surface, size: Size = SIZE) -> Frame:
    """The mapping from points of a surface to its picture."""
    across, up = [axis([float(places[0]), float(places[-1])]) for places in (surface.x, surface.y)]
    return Frame(size, across, up)


def _image(surface: Surface, scale: LossColors, frame: Frame, shading: Shading) -> Iterator[Markup]:
    """The colours, interpolated between grid points: the lower the loss, the stronger. No colour where the loss is not
    finite."""
    fine = interpolated(surface, scale)
    unknown = ~np.isfinite(fine)
    box = frame.data()["box"]
    place = {"x": box["x"], "y": box["y"], "width": box["w"], "height": box["h"]}
    yield shading.image(Grid(np.where(unknown, 0.0, fine), (1, 1), 1.0, ""), Tone(1.0), place, smooth=True)
    wide, high = box["w"] / _PIXELS, box["h"] / _PIXELS
    for row, line in enumerate(unknown):
        for start, stop in _runs(line):
            corner = {"x": box["x"] + start * wide, "y": box["y"] + row * high}
            yield element("rect", class_="card", width=(stop - start) * wide, height=high + 0.5, **corner)


def interpolated(surface: Surface, scale: LossColors) -> np.ndarray:
    """A square array of colours from -1 (the smallest loss) to 0, interpolated between grid points, top row first."""
    fractions = scale.place(surface.values) - 1.0
    middle = (np.arange(_PIXELS) + 0.5) / _PIXELS
    across, down = middle * (len(surface.x) - 1), (1 - middle) * (len(surface.y) - 1)
    columns = np.stack([np.interp(across, np.arange(len(surface.x)), row) for row in fractions])
    return np.stack([np.interp(down, np.arange(len(surface.y)), column) for column in columns.T], axis=1)


def _runs(flags: np.ndarray) -> Iterator[tuple[int, int]]:
    """The starts and ends of runs of True."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    yield from zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True)


def levels(surface: Surface, scale: LossColors, frame: Frame) -> list[str]:
    """The contour lines, each as an SVG path."""
    fractions = scale.place(surface.values)
    left, wide, high = frame.size.left, frame.wide / (len(surface.x) - 1), frame.high / (len(surface.y) - 1)
    bottom = frame.size.top + frame.high

    def place(column: float, row: float) -> str:
        return f"{left + column * wide:.1f} {bottom - row * high:.1f}"

    return [
        "".join([f"M{place(*a)}L{place(*b)}" for a, b in contour(fractions, k / _LEVELS)]) for k in range(1, _LEVELS)
    ]


def _axes(surface: Surface, frame: Frame) -> list[Markup]:
    data = frame.data()
    box = data["box"]
    bottom = box["y"] + box["h"]
    parts = [element("rect", class_="strip", x=box["x"], y=box["y"], width=box["w"], height=box["h"])]
    parts += ticks(data)
    parts.append(words_at(box["x"] + box["w"] / 2, bottom + 38, surface.names[0], "small middle"))
    middle = box["y"] + box["h"] / 2
    turned = words_at(0, 0, surface.names[1], "small middle")
    return [*parts, element("g", turned, transform=f"translate(18 {middle:.0f}) rotate(-90)")]


def _way(surface: Surface, frame: Frame) -> list[Markup]:
    """The path with its points: a ring at the start, a disc at the end; without a path, a cross at the centre."""
    if not len(surface.path):
        x, y = (float(frame.x(surface.center[0])), float(frame.y(surface.center[1])))
        return [path_of(f"M{x - 6:.1f} {y:.1f}h12M{x:.1f} {y - 6:.1f}v12", "line c1")]
    places = [(float(frame.x(a)), float(frame.y(b))) for a, b in surface.path]
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    between = places[1:-1] if len(places) <= _MOST_DOTS else []
    dots = [element("circle", cx=x, cy=y, r=2.6, class_="d1") for x, y in between]
    first, last = places[0], places[-1]
    return [
        path_of(line, "line c1"),
        *dots,
        element("circle", cx=first[0], cy=first[1], r=5.5, class_="card line c1"),
        element("circle", cx=last[0], cy=last[1], r=5.5, class_="d1"),
    ]


def _bar(scale: LossColors, frame: Frame, shading: Shading) -> list[Markup]:
    """The colour bar."""
    box = frame.data()["box"]
    x, height = box["x"] + box["w"] + 24, box["h"]
    parts = [words_at(x, box["y"] - 15, say(f"surface_tone_{scale.tone}"), "small")]
    parts.append(shading.ramp((-1.0, 0.0), {"x": x, "y": box["y"], "width": _BAR, "height": height}, upright=True))
    for value, text in scale.ticks:
        y = box["y"] + height * (1 - float(scale.place(value)))
        parts += [path_of(f"M{x + _BAR} {y:.1f}h4", "edges"), words_at(x + _BAR + 8, y + 4, text, "small")]
    return parts
