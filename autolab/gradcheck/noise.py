"""How far the results of a function are from smooth: its rounding noise.

On a fine enough grid a smooth function is a polynomial of low degree, and what is left after a fit is noise. The idea
is J. J. Moré's and S. M. Wild's ("Estimating computational noise", SIAM J. Sci. Comput. 33 (2011)), who take
differences on an even grid. There the rounding errors of a nearly linear function can be regular, so that none is
seen; on an uneven grid they cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .point import Direction, Point

_SPACINGS = tuple(2.0**-k for k in (44, 34, 24, 14, 4))
"""From the finest upwards: a function that rounds inside itself is constant on a grid finer than its rounding."""

_NODES = np.array([-1.0, -0.6272, -0.2931, 0.0, 0.1713, 0.5419, 0.9137])
_DEGREE = 3
_MOVES = 4
"""A result is constant on a grid if fewer of its six steps change it."""

_FINE = 2.0**-24
_TABLES = 3
"""So many grids up to this spacing count for each result, as a part of it may be constant on the first; and one of
the coarser grids, on which curvature is no longer nothing, if it is constant on all of those."""

_GROWTH = 6.0
"""The spacing grows 1024 times from grid to grid. So does a kink; a cube root grows 10 times; noise does not grow."""

_EPS = float(np.finfo(np.float64).eps)
_RESIDUALS = np.linalg.qr(np.vander(_NODES, _DEGREE + 1), mode="complete")[0][:, _DEGREE + 1 :].T


@dataclass(frozen=True, eq=False)
class Noise:
    """One entry per result: the standard deviation of its noise at the point, and relative to its magnitude.

    Where the result grows away from the point, so may its noise.
    """

    level: np.ndarray
    relative: np.ndarray


def estimate_noise(point: Point, directions: Sequence[Direction]) -> Noise:
    """The noise of each result, at least half a unit in its last place.

    Parameters
    ----------
    point : Point
    directions : sequence of Direction
        One per moved input: the grid lies along all of them at once.
    """
    size = np.abs(point.values)
    found, relative = np.full((2, len(_SPACINGS), size.size), np.nan)
    for row, spacing in enumerate(_SPACINGS):
        wanted = np.isfinite(found).sum(axis=0) < (_TABLES if spacing <= _FINE else 1)
        wanted &= ~_is_steady(found, size)
        if not wanted.any():
            break
        table = _grid(point, directions, spacing)
        moves = np.count_nonzero(np.diff(table, axis=0), axis=0) >= _MOVES
        seen = wanted & moves & np.isfinite(table).all(axis=0)
        found[row, seen] = _deviation(table[:, seen])
        relative[row, seen] = found[row, seen] / (size[seen] + np.abs(table[:, seen]).max(axis=0))
    noisy = ~_is_kink(found)
    least = np.where(noisy, np.fmax.reduce(found), np.fmin.reduce(found))
    return Noise(np.fmax(least, size * (_EPS / 2)), np.fmax(np.where(noisy, np.fmax.reduce(relative), 0.0), _EPS / 2))


def _is_steady(found: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Whether two grids showed the same noise, and more than a rounded last place: further ones add only curvature."""
    least, most = np.fmin.reduce(found), np.fmax.reduce(found)
    return (np.isfinite(found).sum(axis=0) >= 2) & (most < _GROWTH * least) & (least > 8 * _EPS * size)


def _is_kink(found: np.ndarray) -> np.ndarray:
    """Whether a deviation grows from grid to grid as the spacing does: noise would stay, so it is a kink at the
    point."""
    growth = np.full(found.shape[1], np.inf)
    for row in range(len(found) - 1):
        growth = np.fmin(growth, found[row + 1] / found[row])
    return np.isfinite(growth) & (growth > _GROWTH) & (np.isfinite(found).sum(axis=0) == _TABLES)


def _grid(point: Point, directions: Sequence[Direction], spacing: float) -> np.ndarray:
    """Results on the grid, minus those at its middle: one row per grid point."""
    rows = [point.at(directions, t * spacing) if t else point.values for t in _NODES]
    return np.stack(rows) - point.values


def _deviation(table: np.ndarray) -> np.ndarray:
    """Root mean square of what no polynomial of the degree can explain."""
    return np.sqrt(np.mean((_RESIDUALS @ table) ** 2, axis=0))
