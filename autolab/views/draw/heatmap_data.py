"""The data of heatmaps: the cells of one plane as bytes, captions, histograms along the colour bar, and what is known
about an input of which a check measured only some elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import Array, to_cpu
from ...recording.arrays import extremes
from ...recording.model import Snapshot
from .arrays import MAX_LENGTH, Facts, Grid, Plane, cells_entry, flattened, reduced, rows_of
from .colors import SCALES, Tone, signs_of, spanning
from .messages import say
from .numbers import number, shape_text

if TYPE_CHECKING:
    from ...gradcheck import InputReport


Span = tuple[float | None, float | None]
"""The smallest and the largest finite number; None if there is none."""

_EXACT_IN_FLOAT32 = ("float32", "float16", "int8", "uint8", "int16", "uint16", "bool")


@dataclass(frozen=True, eq=False)
class Heat:
    """An array with facts about all of it, which are computed once, whichever plane is shown."""

    array: Array

    @cached_property
    def facts(self) -> Facts:
        """Shape, extremes and numbers of NaN and infinities of the whole array."""
        return Facts(self.array.shape, *extremes(self.array))

    @cached_property
    def sample(self) -> Sample:
        """A sample of its elements, for the histogram."""
        return sample(self.array)

    def cells(self, plane: Plane, most: int, side: int = MAX_LENGTH) -> Grid:
        """A plane in at most ``most`` cells, ``side`` per direction, as pages and pictures draw it."""
        cells, block = reduced(plane.of(self.array), most, side)
        return Grid(cells.astype(np.float64), block, 0.0, " ".join(_captions(self, plane, block)))


def heat_entry(heat: Heat, plane: Plane, tone: Tone, most: int) -> dict[str, Any]:
    """The data of an array's plane for the page, with its ``cells`` in at most ``most`` bytes.

    Cells are float32 if that is exact, else float64.
    """
    kind = "f4" if heat.array.dtype.name in _EXACT_IN_FLOAT32 else "f8"
    cells = heat.cells(plane, most // int(kind[1]))
    return {
        "kind": kind,
        "cells": cells.values.astype(kind).tobytes(),
        "type": {"b": "bool", "i": "int", "u": "int"}.get(heat.array.dtype.kind, "float"),
        "size": heat.array.size,
        **legend(tone, heat.sample),
        "facts": f"{shape_text(heat.array.shape)} {heat.array.dtype}",
        **cells_entry(cells, heat.facts),
        "caption": " ".join([cells.caption, *([say("heat_alike")] if tone.is_alike(*heat.facts[1:3]) else [])]),
    }


def legend(tone: Tone, values: Sample) -> dict[str, Any]:
    """The colour bar of a heatmap: its scale and range, its ticks, and a histogram."""
    return {
        "scale": tone.scale,
        "bend": tone.bend,
        "threshold": tone.threshold,
        "ends": list(tone.ends),
        "ticks": [[round(float(tone.fractions(np.array(value))), 6), number(value)] for value in tone.ticks()],
        "counts": values.counts(tone),
    }


def legends(snapshot: Snapshot, view: Tone | None = None) -> dict[str, dict[str, Any]]:
    """The colour bars of a recorded array, one per colour scale; that of ``asinh`` has the range of the ``view``.

    If only blocks were kept, the histogram counts blocks.
    """
    return legends_of(snapshot.values, (snapshot.minimum, snapshot.maximum), view)


def legends_of(values: np.ndarray, span: Span, view: Tone | None = None) -> dict[str, dict[str, Any]]:
    """The colour bars of numbers, whose colours have the range of ``span``, or for ``asinh`` that of the ``view``; NaN
    and infinities are not counted.
    """
    counted = sample(values)
    tones = {name: spanning(*span, name) for name in SCALES}
    if view is not None:
        tones["asinh"] = replace(view, ends=signs_of(*span))
    return {name: legend(found, counted) for name, found in tones.items()}


def span_of(*arrays: Array | None) -> Span:
    """The smallest and the largest finite number in arrays that share their colours."""
    found = [extremes(array)[:2] for array in arrays if array is not None]
    ends = [end for pair in found for end in pair if end is not None]
    return min(ends, default=None), max(ends, default=None)


def _captions(heat: Heat, plane: Plane, block: tuple[int, int]) -> list[str]:
    if heat.array.size == 0:
        return [say("empty")]
    last = [plane.shape[axis] - 1 for axis in plane.tiles]
    found = [say("heat_planes", first=[0] * len(last), last=last)] if any(last) else []
    if block != (1, 1):
        total = f"{heat.array.size:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
        found.append(say("heat_covers", rows=block[0], columns=block[1], total=total))
    if zeros := heat.sample.zeros:
        some = say("heat_false" if heat.array.dtype.kind == "b" else "heat_zeros", share=_percent(zeros))
        found.append(say("all_zero") if zeros == 1.0 and heat.sample.stride == 1 else some)
    return found + ([say("heat_sampled", stride=heat.sample.stride)] if heat.sample.stride > 1 else [])


def _percent(share: float) -> str:
    """A share as a percentage that never reads as 0 or 100."""
    return f"{number(float(f'{100 * min(max(share, 0.001), 0.999):.3g}'))} %"


def index_words(plane: Plane) -> str:
    """The plane as a Python index, ``[3, 0:20, :]``; empty if the whole array is shown."""
    if plane.tiles or (len(plane.shape) < 3 and plane.region is None):
        return ""
    top, bottom, left, right = plane.shown
    spans = dict(zip(plane.axes, [(top, bottom), (left, right)][-len(plane.axes) :], strict=True))
    parts = [
        _span(*spans[axis], length) if axis in spans else str(plane.at[axis]) for axis, length in enumerate(plane.shape)
    ]
    return f"[{', '.join(parts)}]"


def _span(start: int, stop: int, length: int) -> str:
    return ":" if (start, stop) == (0, length) else f"{start}:{stop}"


BINS = 41  # odd: zero is in the middle of a bin; if all numbers have one sign, at the end of the outermost
SAMPLE = 1_000_000


@dataclass(frozen=True, eq=False)
class Sample:
    """Evenly chosen finite elements of an array, and the share of elements that are exactly zero."""

    values: np.ndarray
    stride: int
    zeros: float = 0.0

    def counts(self, tone: Tone) -> list[int]:
        """How many elements of the sample are in each of `BINS` equal parts of the colour bar."""
        places = np.clip(np.rint(tone.along(self.values) * (BINS - 1)), 0, BINS - 1)
        return np.bincount(places.astype(np.intp), minlength=BINS).tolist()


def sample(array: Array) -> Sample:
    """About `SAMPLE` elements, taken on the array's device; all elements of an array that is small enough."""
    stride = -(-array.size // SAMPLE) | 1 if array.size > SAMPLE else 1  # odd: no aliasing with even lengths
    taken = array.reshape(-1)[::stride] if array.flags.c_contiguous else _spread(array, stride)
    values = to_cpu(taken).reshape(-1)
    zeros = np.count_nonzero(values == 0) / max(1, values.size)
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
    return Sample(values.astype(np.float64), stride, zeros)


def _spread(array: Array, stride: int) -> Array:
    """The same for an array that is not contiguous: evenly spaced elements along each axis, without a copy."""
    step = max(1, math.ceil(stride ** (1 / max(1, array.ndim))))
    return array[(slice(None, None, step),) * array.ndim]


Box = tuple[int, int, int, int]
"""First row and column of a block of cells, and its numbers of rows and columns."""


@dataclass(frozen=True, eq=False)
class Partly(Grid):
    """A grid of which only some elements were measured.

    ``values`` are NaN where nothing was measured; each other one belongs to the element of largest error in its block.
    ``halves`` are the blocks of cells, except the whole, in which bisection found an error, from the largest on.
    """

    halves: tuple[Box, ...]


def partly(item: InputReport, kind: str, most: int) -> Partly:
    """The ``numeric`` slopes or the ``error`` of an input, in at most ``most`` rows and columns.

    Unmeasured elements were covered by nudges along random directions, whose outcome the caption tells.
    """
    (rows, columns), (high, wide) = rows_of(item.shape), block_of(item, most)
    cells = np.full((math.ceil(rows / high), math.ceil(columns / wide)), np.nan)
    values, errors = getattr(item, kind).ravel(), item.error.ravel()
    known = np.flatnonzero(np.isfinite(values))
    for flat in known[np.argsort(errors[known])]:
        row, column = divmod(int(flat), columns)
        cells[row // high, column // wide] = values[flat]
    return Partly(cells, (high, wide), 0.0, " ".join(_caption(item, kind)), _halves(item, columns, (high, wide)))


def _caption(item: InputReport, kind: str) -> list[str]:
    count, total = (f"{n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") for n in (item.measured, item.numeric.size))
    found = [*flattened(item.shape), say("lens_partly", count=count, total=total)]
    if kind == "error":  # said only once, below the errors
        key = item.verdict if not item.halves else "halved" if item.verdict == "wrong" else "untraced"
        found.append(say(f"lens_partly_{key}"))
    return found


def _halves(item: InputReport, columns: int, block: tuple[int, int]) -> tuple[Box, ...]:
    """The blocks to draw: one of more than a row covers all rows that it touches. Empty if nothing is wrong."""
    found: dict[Box, None] = {}
    for start, stop in item.halves[1:] if item.verdict == "wrong" else ():
        (top, left), (bottom, right) = divmod(start, columns), divmod(stop - 1, columns)
        left, right = (left, right) if top == bottom else (0, columns - 1)
        top, bottom, left, right = top // block[0], bottom // block[0], left // block[1], right // block[1]
        found[top, left, bottom - top + 1, right - left + 1] = None
    return tuple(found)


def block_of(item: InputReport, most: int) -> tuple[int, int]:
    """Number of rows and columns that a cell covers."""
    rows, columns = rows_of(item.shape)
    return max(1, math.ceil(rows / most)), max(1, math.ceil(columns / most))
