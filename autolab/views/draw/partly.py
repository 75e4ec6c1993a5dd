"""What is known of a large input of which a check measured some elements only, as the cells of a heatmap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .cells import flattened
from .messages import say

if TYPE_CHECKING:
    from ...gradcheck.report import InputReport

Box = tuple[int, int, int, int]
"""The first row and column of a block of cells, and how many."""


@dataclass(frozen=True, eq=False)
class Partly:
    """``cells`` are NaN where nothing was measured; each covers ``block`` elements and shows that of greatest error.

    ``halves`` are the blocks of cells in which halving found an error, all but the whole, from the largest on.
    """

    cells: np.ndarray
    block: tuple[int, int]
    halves: tuple[Box, ...]
    caption: str


def partly(item: InputReport, kind: str, most: int) -> Partly:
    """The ``numeric`` slopes or the ``error`` of an input in at most ``most`` rows and columns.

    What is not measured was covered by random directions through all elements, and the caption says what these found.
    """
    (rows, columns), (high, wide) = matrix_of(item), block_of(item, most)
    cells = np.full((math.ceil(rows / high), math.ceil(columns / wide)), np.nan)
    values, errors = getattr(item, kind).ravel(), item.error.ravel()
    known = np.flatnonzero(np.isfinite(values))
    for flat in known[np.argsort(errors[known])]:
        row, column = divmod(int(flat), columns)
        cells[row // high, column // wide] = values[flat]
    return Partly(cells, (high, wide), _halves(item, columns, (high, wide)), " ".join(_caption(item, kind)))


def _caption(item: InputReport, kind: str) -> list[str]:
    count, total = (f"{n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") for n in (item.measured, item.numeric.size))
    found = [*flattened(item.shape), say("lens_partly", count=count, total=total)]
    if kind == "error":  # said once, below the errors
        key = item.verdict if not item.halves else "halved" if item.verdict == "wrong" else "untraced"
        found.append(say(f"lens_partly_{key}"))
    return found


def _halves(item: InputReport, columns: int, block: tuple[int, int]) -> tuple[Box, ...]:
    """A part of more than a row is drawn as the rows that it touches; where nothing is wrong, none leads to it."""
    found: dict[Box, None] = {}
    for start, stop in item.halves[1:] if item.verdict == "wrong" else ():
        (top, left), (bottom, right) = divmod(start, columns), divmod(stop - 1, columns)
        left, right = (left, right) if top == bottom else (0, columns - 1)
        top, bottom, left, right = top // block[0], bottom // block[0], left // block[1], right // block[1]
        found[top, left, bottom - top + 1, right - left + 1] = None
    return tuple(found)


def matrix_of(item: InputReport) -> tuple[int, int]:
    """Rows and columns of an input as a matrix: all axes but the last are rows."""
    columns = item.shape[-1] if item.shape else 1
    return (math.prod(item.shape[:-1]) if item.shape else 1), columns


def block_of(item: InputReport, most: int) -> tuple[int, int]:
    """How many rows and columns of it a cell covers."""
    rows, columns = matrix_of(item)
    return max(1, math.ceil(rows / most)), max(1, math.ceil(columns / most))
