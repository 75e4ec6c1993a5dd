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

    def across(self, row: int, column: int) -> Plane:
        """With two other axes, all of them.

        Raises
        ------
        ValueError
            If these are not two axes of the array.
        """
        n = len(self.shape)
        if n < 2 or row == column or not (0 <= row < n and 0 <= column < n):
            raise ValueError(f"heatmap: got the axes {row} and {column}; expected two of the {n} axes of {self.shape}")
        return replace(self, axes=(row, column), region=None)

    def stepped(self, axis: int, index: int) -> Plane:
        """At another index of an axis that is not shown.

        Raises
        ------
        ValueError
            If the axis is shown, or has no such index.
        """
        if axis in self.axes or not 0 <= axis < len(self.shape) or not 0 <= index < self.shape[axis]:
            raise ValueError(f"heatmap: got the index {index} on axis {axis} of an array of shape {self.shape}")
        return replace(self, at=tuple([index if i == axis else old for i, old in enumerate(self.at)]))

    def zoomed(self, region: Region | None) -> Plane:
        """With a block of its rows and columns only.

        Raises
        ------
        ValueError
            If there is no such block.
        """
        if region is not None:
            rows, columns = self.extent
            top, bottom, left, right = region
            if not (0 <= top < bottom <= rows and 0 <= left < right <= columns):
                raise ValueError(f"heatmap: got the block {region}; expected rows and columns within {self.extent}")
            region = None if region == (0, rows, 0, columns) else region
        return replace(self, region=region)

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
