"""How far the results of a function are from smooth: its rounding noise.

On a fine enough grid a smooth function is a polynomial of low degree, and what is left after a fit is noise. The idea is
J. J. Moré's and S. M. Wild's ("Estimating computational noise", SIAM J. Sci. Comput. 33 (2011)), who take differences on an even
grid. There the rounding errors of a nearly linear function can be regular, so that none is seen; on an uneven grid they cannot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .point import Direction, Point

_SPACINGS = tuple(2.0**-k for k in (44, 34, 24, 14, 4))
"""From the finest upwards: a function that rounds inside itself is constant on a grid finer than its rounding."""

_NODES = np.array([-1.0, -0.6272, -0.2931, 0.0, 0.1713, 0.5419, 0.9137])
_DEGREE = 3
_MOVES = 4
"""A result is constant on a grid if fewer of its six steps change it."""

_TABLES = 2
"""So many grids count for each result."""

_EPS = float(np.finfo(np.float64).eps)
_RESIDUALS = np.linalg.qr(np.vander(_NODES, _DEGREE + 1), mode="complete")[0][:, _DEGREE + 1 :].T


def noise_levels(point: Point, directions: Sequence[Direction]) -> np.ndarray:
    """Standard deviation of the noise of each result, at least half a unit in its last place.

    Parameters
    ----------
    point : Point
    directions : sequence of Direction
        One per moved input: the grid lies along all of them at once.
    """
    level = np.abs(point.values) * (_EPS / 2)
    wanted = np.full(level.size, _TABLES)
    for spacing in _SPACINGS:
        if not wanted.any():
            break
        table = _grid(point, directions, spacing)
        moves = np.count_nonzero(np.diff(table, axis=0), axis=0) >= _MOVES
        seen = (wanted > 0) & moves & np.isfinite(table).all(axis=0)
        level[seen] = np.maximum(level[seen], _deviation(table[:, seen]))
        wanted[seen] -= 1
    return level


def _grid(point: Point, directions: Sequence[Direction], spacing: float) -> np.ndarray:
    """Results on the grid, minus those at its middle: one row per grid point."""
    rows = [point.at(directions, t * spacing) if t else point.values for t in _NODES]
    return np.stack(rows) - point.values


def _deviation(table: np.ndarray) -> np.ndarray:
    """Root mean square of what no polynomial of the degree can explain."""
    return np.sqrt(np.mean((_RESIDUALS @ table) ** 2, axis=0))
