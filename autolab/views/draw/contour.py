"""Contour lines of a grid of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

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
