"""Arrays as cells and in words: shape and range, the values of short arrays, small grids, and the plane of a larger
array that a heatmap shows (two axes, at one index on every other axis).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...engine import Array, to_cpu
from ...recording.arrays import block_reduce
from ...recording.model import Snapshot
from .escape import clean
from .messages import plural, say
from .numbers import bytes_text, inline, mark_of, number, place_of, shape_text


class Facts(NamedTuple):
    """Facts about a whole array: its smallest and largest finite elements, and its numbers of NaN and infinities."""

    shape: tuple[int, ...]
    minimum: float | None
    maximum: float | None
    nan_count: int
    inf_count: int


@dataclass(frozen=True, eq=False)
class Grid:
    """A snapshot as rows and columns; each cell covers up to ``block`` (rows, columns) of the whole array.

    ``values`` is float64 of shape (rows, columns), with NaN and infinities kept. ``scale`` is the largest finite
    magnitude, 0 if there is none: colours are ``values / scale``.
    """

    values: np.ndarray
    block: tuple[int, int]
    scale: float
    caption: str


def grid(snapshot: Snapshot, max_rows: int, max_columns: int) -> Grid:
    """Arrange a snapshot as a grid of at most ``max_rows`` x ``max_columns``.

    A scalar is one cell, a vector one row; with three or more axes, all but the last are flattened to rows. A larger
    array is reduced block by block to the element of largest magnitude; NaN takes precedence over infinity, infinity
    over finite elements.
    """
    values = snapshot.values.reshape(rows_of(snapshot.values.shape)).astype(np.float64)
    cells, (block_rows, block_columns) = block_reduce(values, max(1, values.size), (max_rows, max_columns))
    kept = snapshot.block or (1,)
    block = (block_rows * math.prod(kept[:-1]), block_columns * kept[-1])
    scale = max(abs(snapshot.minimum or 0.0), abs(snapshot.maximum or 0.0))
    return Grid(cells, block, scale, _caption(snapshot, block))


def _caption(snapshot: Snapshot, block: tuple[int, int]) -> str:
    if snapshot.size == 0:
        return say("empty")
    covers = [say("covers", rows=block[0], columns=block[1])] if block != (1, 1) else []
    return " ".join([*flattened(snapshot.shape), *covers])


def flattened(shape: tuple[int, ...]) -> list[str]:
    """A sentence about how three or more axes became rows and columns; no sentence for fewer axes."""
    if len(shape) < 3:
        return []
    ends = [", ".join([*map(str, index), ":"]) for index in ((0,) * (len(shape) - 1), [n - 1 for n in shape[:-1]])]
    facts = {"shape": shape_text(shape), "rows": math.prod(shape[:-1]), "columns": shape[-1]}
    return [say("flattened", **facts, first=f"[{ends[0]}]", last=f"[{ends[1]}]")]


def rows_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Number of rows and columns of an array as a matrix: all axes but the last are rows."""
    return math.prod(shape[:-1]), shape[-1] if shape else 1


def cell_of(shape: tuple[int, ...], index: tuple[int, ...], block: tuple[int, int] = (1, 1)) -> list[int]:
    """Row and column of the cell that contains an element; each cell covers a ``block`` of rows and columns."""
    flat = int(np.ravel_multi_index(index, shape)) if shape else 0
    row, column = divmod(flat, rows_of(shape)[1])
    return [row // block[0], column // block[1]]


Cells = list[list[float | str]]
"""Rows of numbers, with the signs of those that have no digits."""


def as_lists(cells: Grid) -> Cells:
    """The cells as JSON can hold them: ``"NaN"``, ``"∞"`` and ``"−∞"`` in place of NaN and infinities."""
    return [[v if math.isfinite(v) else number(v) for v in row] for row in cells.values.tolist()]


MAX_LENGTH = 256
"""Largest number of rows, and of columns, of a heatmap."""

FEW_COLUMNS, FEW_ELEMENTS = 64, 1000
"""An array with no more columns (all planes side by side) and elements is shown with all its planes at once."""

Region = tuple[int, int, int, int]
"""First row, row after the last, first column, column after the last."""


@dataclass(frozen=True)
class Plane:
    """The two-dimensional slice of an array that a heatmap shows.

    ``axes`` are the axes of the rows and of the columns, fewer if the array has fewer. ``at`` holds an index for every
    axis, of which only those of the other axes count. ``region`` is the block shown, None for all rows and columns.

    All planes of a small array with four or more axes, such as the filters of a convolution, are shown side by side.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    at: tuple[int, ...]
    region: Region | None = None

    @classmethod
    def first(cls, shape: tuple[int, ...]) -> Plane:
        """The plane of the last two axes, at index 0 on all others."""
        n = len(shape)
        return cls(shape, tuple(range(max(0, n - 2), n)), (0,) * n)

    @property
    def tiles(self) -> tuple[int, ...]:
        """The axes whose planes are shown side by side: all other axes, or none."""
        others = tuple([axis for axis in range(len(self.shape)) if axis not in self.axes])
        columns = math.prod([self.shape[axis] for axis in (*others, *self.axes[1:])])
        return others if len(others) > 1 and columns <= FEW_COLUMNS and math.prod(self.shape) <= FEW_ELEMENTS else ()

    @property
    def extent(self) -> tuple[int, int]:
        """Number of rows and columns of the whole plane, or of all planes side by side; a vector is one row."""
        rows, columns = (1, 1, *[self.shape[axis] for axis in self.axes])[-2:]
        return rows, columns * math.prod([self.shape[axis] for axis in self.tiles])

    @property
    def shown(self) -> Region:
        """The region, or the whole extent."""
        return self.region or (0, self.extent[0], 0, self.extent[1])

    @classmethod
    def placed(cls, shape: tuple[int, ...], axes: list[int], at: list[int], region: list[int] | None) -> Plane:
        """The plane with these axes, indices and region.

        Raises
        ------
        ValueError
            If an array of this shape has no such plane.
        """
        n = len(shape)
        if len(axes) != min(2, n) or len({*axes}) < len(axes) or not all([0 <= axis < n for axis in axes]):
            raise ValueError(f"heatmap: got the axes {axes!r:.60}; expected {min(2, n)} of the {n} axes of {shape}")
        if len(at) != n or not all([axis in axes or 0 <= at[axis] < max(1, shape[axis]) for axis in range(n)]):
            raise ValueError(f"heatmap: got the indices {at!r:.60} of an array of shape {shape}")
        plane = cls(shape, tuple(axes), tuple(at))
        whole = [*plane.shown]
        top, bottom, left, right = block = whole if region is None else region if len(region) == 4 else [0] * 4
        if region is not None and not (0 <= top < bottom <= whole[1] and 0 <= left < right <= whole[3]):
            raise ValueError(f"heatmap: got the block {region!r:.60}; expected rows and columns within {plane.extent}")
        return plane if block == whole else replace(plane, region=(top, bottom, left, right))

    def of(self, array: Array) -> Array:
        """The elements that are shown, as rows and columns: a view of the array."""
        order = [*self.axes[:1], *self.tiles, *self.axes[1:]]
        found = array[tuple([slice(None) if axis in order else at for axis, at in enumerate(self.at)])]
        found = found.transpose([sorted(order).index(axis) for axis in order]).reshape(self.extent)
        top, bottom, left, right = self.shown
        return found[top:bottom, left:right]


def reduced(elements: Array, most: int, side: int = MAX_LENGTH) -> tuple[np.ndarray, tuple[int, int]]:
    """Reduce a plane to at most ``most`` cells, ``side`` per direction. Returns the cells and the (rows, columns) that
    each covers.

    A cell shows the element of largest magnitude with its sign. The reduction runs on the array's own device.
    """
    cells, (rows, columns) = block_reduce(elements, max(1, most), (side, side))
    return np.ascontiguousarray(to_cpu(cells)), (rows, columns)


def text_of(snapshot: Snapshot, limit: int = 24) -> str:
    """The value if that takes at most ``limit`` characters, else its shape; NaN and infinities are always counted.

    Examples are ``6``, ``[1, 2, 3]``, ``(3, 4) …``, ``(3, 4) …, 2 NaN``.
    """
    if snapshot.size == 0:
        return f"empty {shape_text(snapshot.shape)}"
    if snapshot.size == 1 and not snapshot.shape:
        return number(snapshot.values.reshape(-1)[0])
    if (mark := mark_of(snapshot, "t", limit)) is not None:
        return mark
    written = inline(snapshot.values, limit) if snapshot.is_whole else None
    return written or ", ".join([f"{shape_text(snapshot.shape)} …", *not_finite(snapshot)])


def not_finite(snapshot: Snapshot | Facts) -> list[str]:
    """Counts of NaN and infinities, of those that occur."""
    counts = (("nan_count", snapshot.nan_count), ("inf_count", snapshot.inf_count))
    return [say(key, count=count) for key, count in counts if count]


def spoken_value(snapshot: Snapshot, text: str | None = None) -> str:
    """A value as one would read it aloud; if it is too long, its shape and range. ``text`` is that of `text_of`."""
    if (mark := mark_of(snapshot, "s")) is not None:
        return mark
    text = text_of(snapshot) if text is None else text
    if "…" not in text or snapshot.minimum is None or snapshot.maximum is None:
        return text
    shape = " by ".join(str(n) for n in snapshot.shape)
    low, high = number(snapshot.minimum), number(snapshot.maximum)
    limits = f"array of {shape} with {low} everywhere" if low == high else f"array of {shape} from {low} to {high}"
    return ", ".join([limits, *not_finite(snapshot)])


MAX_CELLS = 256


def a_value(snapshot: Snapshot) -> str:
    """The same for the end of a sentence: arrays get an article."""
    if (mark := mark_of(snapshot, "a")) is not None:
        return mark
    spoken = spoken_value(snapshot)
    return f"an {spoken}" if spoken.startswith("array") else spoken


def about(snapshot: Snapshot) -> list[list[str]]:
    """Shape, dtype and range of an array."""
    facts = {"shape": shape_text(snapshot.shape), "dtype": clean(snapshot.dtype), "device": clean(snapshot.device)}
    found = [[*fact] for fact in facts.items()]
    if snapshot.size > 1:
        found.append(["size", f"{plural(snapshot.size, 'element')}, {bytes_text(snapshot.nbytes)}"])
        if snapshot.minimum is not None and snapshot.maximum is not None:
            found += [["minimum", number(snapshot.minimum)], ["maximum", number(snapshot.maximum)]]
    counts = (("NaN", snapshot.nan_count), ("infinite", snapshot.inf_count))
    return found + [[name, str(count)] for name, count in counts if count]


def bytes_of(numbers: np.ndarray) -> bytes:
    """Numbers as pages read them: float32 bytes, row by row."""
    return numbers.astype("<f4").tobytes()


def array_entry(which: str, snapshot: Snapshot, most: int = MAX_CELLS) -> dict[str, Any]:
    """An array as a heatmap of at most ``most`` rows and columns: the data for the page, with float32 ``cells``."""
    shown = grid(snapshot, most, most)
    with np.errstate(over="ignore"):
        cells = bytes_of(shown.values)
    entry = {"which": which, "shape": list(snapshot.shape), "scale": shown.scale, "cells": cells}
    place = place_of(snapshot)
    return entry | cells_entry(shown, snapshot) | ({} if place is None else {"at": place, "cells": None})


def cells_entry(cells: Grid, facts: Snapshot | Facts) -> dict[str, Any]:
    """The data of some cells for the page, with the facts about their whole array."""
    rows, columns = cells.values.shape
    span = {"min": facts.minimum, "max": facts.maximum, "nan": facts.nan_count, "inf": facts.inf_count}
    return {"rows": rows, "cols": columns, "block": list(cells.block), "caption": cells.caption, **span}
