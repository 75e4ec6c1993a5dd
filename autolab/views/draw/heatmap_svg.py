"""Arrays as heatmaps: an SVG document with a panel per array, and strips small enough for a line of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from textwrap import wrap

import numpy as np

from ...recording.model import Snapshot
from .arrays import Facts, Grid, cell_of, grid, not_finite
from .colors import THEMES, Tone, signs_of, view_tone
from .escape import Markup, element, escape, image_address
from .heatmap_data import Partly
from .messages import say
from .names import shorten
from .numbers import number, shape_text
from .shading import Shading, any_page_png
from .svg import Look, document, sheet, words_at

MAX_CELLS = 64
_NUMBERED = 8
_GAP, _TOP, _BAR, _BARS = 28.0, 34.0, 10.0, 30.0
_MIN_WIDTH, _LOG_WIDTH = 180.0, 280.0  # of a colour bar; the longer one has space for five numbers
_SMALL = 6.6  # width of a character in captions
_PARTLY = """
.unknown{{fill:{frame};fill-opacity:.45}}
.half{{fill:{warning};stroke:{warning}}}
"""


@dataclass(frozen=True, eq=False)
class Panel:
    """One heatmap: a title, the array, and optionally the element to mark and the scale of its colours.

    ``counts`` is a histogram along the colour bar; ``cells`` are the cells to draw, by default all of the snapshot.
    """

    title: str
    snapshot: Snapshot | Facts
    mark: tuple[int, ...] | None = None
    tone: Tone | None = None
    counts: Sequence[int] = ()
    cells: Grid | None = None
    tiles: int = 1  # number of planes side by side


def heatmaps(panels: Sequence[Panel], look: Look = "auto") -> Markup:
    """An SVG document of heatmaps side by side. Panels without a tone of their own share one colour scale."""
    shading = Shading(look)
    largest = max([abs(end or 0.0) for p in panels for end in (p.snapshot.minimum, p.snapshot.maximum)], default=0.0)
    drawn = [_Drawing(panel, view_tone(largest), shading) for panel in panels]
    lefts = list(accumulate((drawing.width + _GAP for drawing in drawn), initial=14.0))
    width = lefts[-1] - _GAP + 14.0
    height = max(drawing.height for drawing in drawn) + 14.0
    parts = [
        element("g", *drawing.parts(), transform=f"translate({left:.1f} 0)")
        for drawing, left in zip(drawn, lefts, strict=False)
    ]
    title, words = ", ".join(panel.title for panel in panels), " ".join(describe(panel) for panel in panels)
    sheets = [shading.sheet()]
    sheets += [_partly_sheet(shading.scope, look)] if any([isinstance(panel.cells, Partly) for panel in panels]) else []
    return document(parts, (width, height), title, words, look, scope=shading.scope, sheets=sheets)


def _partly_sheet(scope: str, look: Look) -> Markup:
    """The style rules for unknown cells, and for blocks in which something is wrong."""
    return sheet(
        scope, look, ".half{fill-opacity:.09;stroke-opacity:.4}", lambda theme: _PARTLY.format(**THEMES[theme])
    )


def describe(panel: Panel) -> str:
    """A heatmap in words."""
    snapshot = panel.snapshot
    if isinstance(panel.cells, Partly):
        return f"{panel.title}: array of shape {shape_text(snapshot.shape)}. {panel.cells.caption}"
    low, high = snapshot.minimum, snapshot.maximum
    ends = [] if low is None or high is None else [f"from {number(low)} to {number(high)}"]
    shape = f"{panel.title}: array of shape {shape_text(snapshot.shape)}"
    return ", ".join([shape, *ends, *not_finite(snapshot)]) + "."


class _Drawing:
    """A panel with its sizes."""

    def __init__(self, panel: Panel, view: Tone, shading: Shading) -> None:
        self.panel, self.shading = panel, shading
        self.cells = _cells(panel)
        self._ends = panel.snapshot.minimum, panel.snapshot.maximum
        self.tone = panel.tone or replace(view, ends=signs_of(*self._ends))
        self.rows, self.across = self.cells.values.shape
        self.numbered = self.rows <= _NUMBERED and self.across <= _NUMBERED
        self.cell_width, self.cell_height = (76, 32) if self.numbered else _cell_size(self.rows, self.across)
        self.bar = _MIN_WIDTH if self.tone.threshold is None and not self.tone.bend else _LOG_WIDTH
        self.width = max(float(self.across * self.cell_width), self.bar)
        self.notes = [line for note in self._notes() for line in wrap(note, int(self.width / _SMALL))]
        self.bar_height = (34 + _BARS * bool(panel.counts)) if self.tone.scale else 8
        self.height = _TOP + self.rows * self.cell_height + self.bar_height + 16 * len(self.notes)

    def parts(self) -> list[Markup]:
        name, colon, kind = self.panel.title.rpartition(": ")
        rest, room = f"{colon}{kind}  {shape_text(self.panel.snapshot.shape)}", int(self.width / 9)
        name = shorten(name, max(8, room - len(rest)))  # cut the end of a long name, never the index after it
        heading = words_at(0.0, 22.0, shorten(name + rest, room), "name")
        bottom = _TOP + self.rows * self.cell_height
        captions = self._captions(bottom + self.bar_height)
        if not self.cells.values.size:
            return [heading, *captions]
        partly = self._known(self.cells) if isinstance(self.cells, Partly) else None
        body = partly or (self._numbers() if self.numbered else self._image())
        bar = self._bar(bottom + 8) if self.tone.scale else []
        return [heading, *body, *self._frames(), *self._mark(), *bar, *captions]

    def _numbers(self) -> list[Markup]:
        fractions = self.tone.fractions(self.cells.values).tolist()
        wide, high = size = float(self.cell_width), float(self.cell_height)
        parts = []
        for i, row in enumerate(self.cells.values.tolist()):
            for j, value in enumerate(row):
                parts += self.shading.cell(value, fractions[i][j], (j * wide, _TOP + i * high), size)
        return parts

    def _known(self, partly: Partly) -> list[Markup]:
        """The known cells on a ground in no number's colour; below them, the blocks that contain the error."""
        ground = self._box((0, 0, self.rows, self.across), class_="unknown")
        halves = [self._box(box, class_="half") for box in partly.halves]
        fractions = self.tone.fractions(self.cells.values)
        known = np.argwhere(np.isfinite(fractions)).tolist()
        cells = [self._box((i, j, 1, 1), class_=self.shading.fill(fractions[i, j])) for i, j in known]
        return [ground, *halves, *cells]

    def _box(self, place: tuple[float, float, float, float], **style: str) -> Markup:
        """A rectangle around some cells: first row and column, and numbers of rows and columns."""
        return element("rect", **self._at(place), **style)

    def _at(self, place: tuple[float, float, float, float]) -> dict[str, float]:
        row, column, high, wide = place
        size = {"width": wide * self.cell_width, "height": high * self.cell_height}
        return {"x": column * self.cell_width, "y": _TOP + row * self.cell_height, **size}

    def _image(self) -> list[Markup]:
        box = self._at((0, 0, self.rows, self.across))
        return [self.shading.image(self.cells, self.tone, box, (self.cell_width, self.cell_height))]

    def _frames(self) -> list[Markup]:
        wide = self.across / self.panel.tiles
        return [self._box((0, k * wide, self.rows, wide), class_="strip") for k in range(self.panel.tiles)]

    def _mark(self) -> list[Markup]:
        place = self.panel.mark
        if place is None:
            return []
        row, column = cell_of(self.panel.snapshot.shape, place, self.cells.block)
        x, y = column * self.cell_width, _TOP + row * self.cell_height
        return [
            element("rect", class_="ring", x=x - 1, y=y - 1, width=self.cell_width + 2, height=self.cell_height + 2)
        ]

    def _bar(self, y: float) -> list[Markup]:
        """The colour bar with its numbers and, above it, a histogram."""
        counts = self.panel.counts
        top = y + _BARS * bool(counts)
        return [
            *([element("path", class_="bars", d=Markup(_bars(counts, self.bar, top)))] if counts else []),
            self.shading.ramp(self.tone.ends, {"x": 0, "y": top, "width": self.bar, "height": _BAR}),
            *self._ticks(top + 23),
        ]

    def _ticks(self, y: float) -> list[Markup]:
        """The ends and zero; also the threshold if there is space."""
        values = self.tone.ticks()
        places = self.tone.along(np.array(values)) * self.bar
        texts = [number(value + 0.0) for value in values]
        if len(texts) > 3 and places[1] - places[0] < _SMALL * (len(texts[0]) + len(texts[1]) + 1):
            texts, places = texts[::2], places[::2]
        parts = []
        for i, (text, x) in enumerate(zip(texts, places.tolist(), strict=True)):
            inner = len(texts) > 3 and i in (1, 3)  # aligned away from zero, so that the numbers do not touch it
            side = "" if i == 0 or (inner and i == 3) else " right" if i == len(texts) - 1 or inner else " middle"
            parts.append(words_at(x, y, text, f"small{side}"))
        return parts

    def _notes(self) -> list[str]:
        if isinstance(self.cells, Partly):
            return [self.cells.caption]
        counts = (("nan", self.panel.snapshot.nan_count), ("inf", self.panel.snapshot.inf_count))
        signs = [say(f"{key}_{'count' if self.numbered else 'sign'}", count=n) for key, n in counts if n]
        finite_zeros = self.panel.cells is None and self.cells.values.size and not self.cells.values.any()
        told = [say("all_zero")] if finite_zeros else [say("by_asinh")] if self.tone.bend and self.tone.scale else []
        told += [say("heat_alike")] if self.tone.is_alike(*self._ends) else []
        return [note for note in (self.cells.caption, *told, ", ".join(signs)) if note]

    def _captions(self, y: float) -> list[Markup]:
        return [words_at(0.0, y + 12 + 16 * i, note, "small") for i, note in enumerate(self.notes)]


def _cells(panel: Panel) -> Grid:
    """The cells to draw."""
    if isinstance(panel.snapshot, Facts) or panel.cells:
        assert panel.cells is not None
        return panel.cells
    return grid(panel.snapshot, MAX_CELLS, MAX_CELLS)


def _bars(counts: Sequence[int], across: float, bottom: float) -> str:
    """A histogram as one path; every bin that is not empty is visible."""
    width, most = across / len(counts), max(*counts, 1)
    heights = [max(1.0, (_BARS - 4) * n / most) if n else 0.0 for n in counts]
    return "".join(f"M{i * width:.1f} {bottom:.1f}v-{h:.1f}h{width:.1f}v{h:.1f}z" for i, h in enumerate(heights) if h)


def _cell_size(rows: int, across: int) -> tuple[int, int]:
    """Whole pixels, so that cells are sharp; at least 5, so that signs are visible."""
    return max(5, min(40, 320 // across)), max(5, min(28, 256 // rows))


_ROWS, _COLUMNS = 8, 48
_WIDTH, _HEIGHT = 96, 24  # of a strip with many cells, in pixels


def strip(title: str, snapshot: Snapshot, scale: float) -> Markup:
    """An array as a small image with a description; empty if the array is.

    ``scale`` is the largest magnitude among all arrays of the table, which gets the strongest colours. Zero is neutral;
    NaN and infinities are shown as signs.
    """
    cells = grid(snapshot, _ROWS, _COLUMNS)
    if not cells.values.size:
        return Markup()
    rows, columns = cells.values.shape
    cell = (min(12, max(2, _WIDTH // columns)), min(12, max(3, _HEIGHT // rows)))
    data = any_page_png(cells, view_tone(scale), cell)
    return element("img", alt=escape(describe(Panel(title, snapshot)), 300), align="middle", src=image_address(data))
