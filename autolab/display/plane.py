"""Plane: the part of an array that a heatmap shows: two of its axes, an index on each other one, a block to enlarge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine.backend import Array, to_cpu
from ..recording.arrays import block_reduce

MAX_LENGTH = 256
"""Rows and columns of a heatmap, at most."""

Region = tuple[int, int, int, int]
"""The first row, the row after the last, the first column, the column after the last."""


@dataclass(frozen=True)
class Plane:
    """``axes`` are those of the rows and of the columns, fewer where the array has fewer; ``at`` holds an index for
    every axis, of which only those not shown count; ``region`` is None for all rows and columns."""

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    at: tuple[int, ...]
    region: Region | None = None

    @classmethod
    def first(cls, shape: tuple[int, ...]) -> Plane:
        """The last two axes, at the start of all others."""
        n = len(shape)
        return cls(shape, tuple(range(max(0, n - 2), n)), (0,) * n)

    @property
    def extent(self) -> tuple[int, int]:
        """How many rows and columns the whole plane has; a vector is one row."""
        rows, columns = (1, 1, *[self.shape[axis] for axis in self.axes])[-2:]
        return rows, columns

    @property
    def shown(self) -> Region:
        """The region, or all of it."""
        return self.region or (0, self.extent[0], 0, self.extent[1])

    @classmethod
    def placed(cls, shape: tuple[int, ...], axes: list[int], at: list[int], region: list[int] | None) -> Plane:
        """The plane with these axes, indices and block.

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
        """The elements shown, as rows and columns: a view of the array."""
        index: list[Any] = list(self.at)
        for axis in self.axes:
            index[axis] = slice(None)
        found = array[tuple(index)]
        if len(self.axes) < 2:
            found = found.reshape(self.extent)
        elif self.axes[0] > self.axes[1]:
            found = found.T
        top, bottom, left, right = self.shown
        return found[top:bottom, left:right]


def reduced(elements: Array, most: int) -> tuple[np.ndarray, tuple[int, int]]:
    """A plane's elements in at most ``most`` cells, and how many rows and columns a cell covers.

    A cell shows the element of greatest magnitude with its sign. They are reduced on the device that holds them.
    """
    cells, (rows, columns) = block_reduce(elements, max(1, most), MAX_LENGTH)
    return np.ascontiguousarray(to_cpu(cells)), (rows, columns)
