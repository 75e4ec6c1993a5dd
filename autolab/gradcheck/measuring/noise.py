"""How far the results of a function are from smooth: its rounding noise.

On a fine enough grid a smooth function is a polynomial of low degree, and what is left after a fit is noise. The idea
is J. J. Moré's and S. M. Wild's ("Estimating computational noise", SIAM J. Sci. Comput. 33 (2011)), who take
differences on an even grid. There the rounding errors of a nearly linear function can be regular, so that none is seen;
on an uneven grid they cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .point import Direction, Point

_EPS = float(np.finfo(np.float64).eps)
SUBNORMAL = float(np.finfo(np.float64).smallest_subnormal)
"""No result is known better than to this."""

_ALL_NOISE = 0.1
"""Where the noise is more than this share of all that is seen, nobody knows how it grows with the result."""


_Grid = tuple[np.ndarray, np.ndarray]
"""Places along a line, and rows that are orthogonal to all polynomials up to a degree on them."""


def _grid(places: Sequence[float], degree: int) -> _Grid:
    basis = np.linalg.qr(np.vander(places, degree + 1), mode="complete")[0]
    return np.array(places), basis[:, degree + 1 :].T


_FINE = _grid((-1.0, -0.6272, -0.2931, 0.0, 0.1713, 0.5419, 0.9137), degree=3)
_WIDE = _grid((-1.0, -0.8119, -0.6272, -0.2931, 0.0, 0.1713, 0.3828, 0.6419, 0.9137), degree=5)

_GRIDS = ((2.0**-44, _FINE), (2.0**-34, _FINE), (2.0**-24, _WIDE), (2.0**-14, _WIDE), (2.0**-4, _WIDE))
"""From the finest upwards: a function that rounds inside itself is constant on a grid finer than its rounding."""

_ALWAYS = 3
"""So many grids count for each result, as a part of it may be constant on the first; the others only if it is constant
on all of these, since on them curvature is no longer nothing."""

_GROWTH = 4.0
"""The spacing grows 1024 times from grid to grid. So does a kink; a cube root grows 10 times; noise does not grow."""


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
    found, relative = np.full((2, len(_GRIDS), size.size), np.nan)
    for row, (spacing, (places, residuals)) in enumerate(_GRIDS):
        wanted = np.isnan(found).all(axis=0) | (row < _ALWAYS)
        if not wanted.any():
            break
        table = _table(point, directions, spacing * places)
        seen = wanted & _moves(table) & np.isfinite(table).all(axis=0)
        found[row, seen] = np.sqrt(np.mean((residuals @ table[:, seen]) ** 2, axis=0))
        share = found[row, seen] / (size[seen] + np.abs(table[:, seen]).max(axis=0))
        relative[row, seen] = np.where(share < _ALL_NOISE, share, np.nan)
    noisy = ~_is_kink(found)
    level = np.where(noisy, np.fmax.reduce(found), np.fmin.reduce(found))
    rounding = np.where(size > 0, np.fmax(size * (_EPS / 2), SUBNORMAL), 0.0)
    return Noise(np.fmax(level, rounding), np.fmax(np.where(noisy, np.fmax.reduce(relative), 0.0), _EPS / 2))


def _table(point: Point, directions: Sequence[Direction], places: np.ndarray) -> np.ndarray:
    """Results at places along the directions, minus those at the point: one row per place."""
    return np.stack([point.at(directions, t) if t else point.values for t in places]) - point.values


def _moves(table: np.ndarray) -> np.ndarray:
    """Which results are not constant, that is, change in most steps of the grid."""
    return 2 * np.count_nonzero(np.diff(table, axis=0), axis=0) > len(table) - 1


def _is_kink(found: np.ndarray) -> np.ndarray:
    """Whether a deviation grows with the spacing of the grid: noise would not, so it is a kink at the point."""
    first, second, third = found[:_ALWAYS]
    return (second > _GROWTH * first) & (third > _GROWTH * second)
