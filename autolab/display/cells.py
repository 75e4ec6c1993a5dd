"""Arrays as small grids: what heatmaps, strips in nodes and the detail pane draw."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..recording.model import Snapshot
from .messages import say
from .numbers import shape_text


@dataclass(frozen=True, eq=False)
class Grid:
    """A snapshot as rows and columns; each cell stands for up to ``block`` elements of the whole array.

    ``values`` is float64 of shape (rows, columns); NaN and infinities are kept. ``scale`` is the greatest finite
    magnitude, 0 if there is none: colours are ``values / scale``.
    """

    values: np.ndarray
    block: tuple[int, int]
    scale: float
    caption: str


def grid(snapshot: Snapshot, max_rows: int, max_columns: int) -> Grid:
    """Arrange a snapshot as a grid of at most ``max_rows`` x ``max_columns``.

    A number is one cell, a vector one row; from three axes on, all but the last are flattened to rows. What is too
    large is reduced by blocks to the element of greatest magnitude, NaN before infinity before everything else.
    """
    values = _as_matrix(snapshot.values)
    reduced, (block_rows, block_columns) = _reduce(values, max_rows, max_columns)
    kept = snapshot.block or (1,)
    block = (block_rows * math.prod(kept[:-1]), block_columns * kept[-1])
    scale = max(abs(snapshot.minimum or 0.0), abs(snapshot.maximum or 0.0))
    return Grid(reduced, block, scale, _caption(snapshot, block))


def _as_matrix(values: np.ndarray) -> np.ndarray:
    if values.ndim == 0:
        return values.reshape(1, 1).astype(np.float64)
    return values.reshape(math.prod(values.shape[:-1]), values.shape[-1]).astype(np.float64)


def _reduce(values: np.ndarray, max_rows: int, max_columns: int) -> tuple[np.ndarray, tuple[int, int]]:
    rows, columns = values.shape
    high, wide = max(1, math.ceil(rows / max_rows)), max(1, math.ceil(columns / max_columns))
    if high == wide == 1 or values.size == 0:
        return values, (1, 1)
    padded = np.pad(values, ((0, -rows % high), (0, -columns % wide)))
    down, across = padded.shape[0] // high, padded.shape[1] // wide
    blocks = padded.reshape(down, high, across, wide).swapaxes(1, 2).reshape(down, across, high * wide)
    strongest = np.abs(blocks).argmax(axis=2)  # argmax takes the first NaN where there is one
    return np.take_along_axis(blocks, strongest[..., None], axis=2)[..., 0], (high, wide)


def _caption(snapshot: Snapshot, block: tuple[int, int]) -> str:
    if snapshot.size == 0:
        return say("empty")
    parts = flattened(snapshot.shape)
    if block != (1, 1):
        parts.append(say("covers", rows=block[0], columns=block[1]))
    return " ".join(parts)


def flattened(shape: tuple[int, ...]) -> list[str]:
    """How more than two axes became rows and columns, in words."""
    if len(shape) < 3:
        return []
    ends = [", ".join([*map(str, index), ":"]) for index in ((0,) * (len(shape) - 1), [n - 1 for n in shape[:-1]])]
    facts = {"shape": shape_text(shape), "rows": math.prod(shape[:-1]), "columns": shape[-1]}
    return [say("flattened", **facts, first=f"[{ends[0]}]", last=f"[{ends[1]}]")]


def as_lists(cells: Grid) -> list[list[float | None]]:
    """The cells as JSON can hold them: None where a value is NaN or infinite."""
    return [[v if math.isfinite(v) else None for v in row] for row in cells.values.tolist()]
