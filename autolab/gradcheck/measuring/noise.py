"""How far the results of a function are from smooth: its rounding noise.

On a fine enough grid a smooth function is a polynomial of low degree, and what is left after a fit is noise. The idea
is J. J. Moré's and S. M. Wild's ("Estimating computational noise", SIAM J. Sci. Comput. 33 (2011)), who take
differences on an even grid. There the rounding errors of a nearly linear function can be regular, so that none is seen;
on an uneven grid they cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from .point import Direction, Point

_EPS = float(np.finfo(np.float64).eps)
SUBNORMAL = float(np.finfo(np.float64).smallest_subnormal)
"""No result is known to a smaller relative error than this."""

_ALL_NOISE = 0.1
"""If the noise is more than this share of all that is observed, its growth with the result cannot be told."""


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
"""How many grids count for each result, as a part of it may be constant on the first; the others only if it is constant
on all of these, since on them curvature is no longer nothing."""

_GROWTH = 4.0
"""The spacing grows 1024 times from grid to grid. So does a kink; a cube root grows 10 times; noise does not grow."""


@dataclass(frozen=True, eq=False)
class Noise:
    """One entry per result: the standard deviation of its noise at the point, and relative to its magnitude (for as
    many results as it was asked for).

    Where the result grows away from the point, so may its noise.
    """

    level: np.ndarray
    relative: np.ndarray


def estimate_noise(point: Point, directions: Sequence[Direction], count: int | None = None) -> Noise:
    """The noise of each result, at least half a unit in its last place.

    Parameters
    ----------
    point : Point
    directions : sequence of Direction
        One per moved input: the grid lies along all of them at once.
    count : int, optional
        So many results, from the first, get their relative noise; by default all.
    """
    size = np.abs(point.values[:count])
    found: list[np.ndarray] = []
    relative = np.full(size.size, np.nan)
    for row, (spacing, grid) in enumerate(_GRIDS):
        wanted = row < _ALWAYS or np.logical_and.reduce([np.isnan(deviation) for deviation in found])
        if not np.any(wanted):
            break
        deviation, reached = _deviation(point, directions, spacing, grid, size.size)
        deviation[np.logical_not(wanted)] = np.nan
        found.append(deviation)
        share = deviation[: size.size] / (size + reached)
        relative = np.fmax(relative, np.where(share < _ALL_NOISE, share, np.nan))
    noisy = ~_is_kink(found)
    level = np.where(noisy, reduce(np.fmax, found), reduce(np.fmin, found))
    del found, deviation
    size = np.abs(point.values)
    level = np.fmax(level, np.where(size > 0, np.fmax(size * (_EPS / 2), SUBNORMAL), 0.0))
    return Noise(level, np.fmax(np.where(noisy[: relative.size], relative, 0.0), _EPS / 2))


def _deviation(
    point: Point, directions: Sequence[Direction], spacing: float, grid: _Grid, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """How far each result is from smooth on a grid, NaN where it is constant or not finite; and how far the first
    ``count`` move there.

    The results are added up place by place: those of all places are many times as large as the inputs.
    """
    places, residuals = grid
    sums, reached = np.zeros((len(residuals), point.values.size)), np.zeros(count)
    moves, is_finite = np.zeros(point.values.size, np.int8), np.ones(point.values.size, bool)
    before = None
    for place, weights in zip(spacing * places, residuals.T, strict=True):
        change = (point.at(directions, place) if place else point.values) - point.values
        sums += weights[:, None] * change
        moves += False if before is None else change != before
        is_finite &= np.isfinite(change)
        before = change
        reached = np.maximum(reached, np.abs(change[:count]))
    del before, change
    deviation = np.sqrt(np.mean(np.square(sums, out=sums), axis=0))
    deviation[(2 * moves <= len(places) - 1) | ~is_finite] = np.nan  # constant: it does not change in most steps
    return deviation, reached


def _is_kink(found: Sequence[np.ndarray]) -> np.ndarray:
    """Whether a deviation grows with the spacing of the grid: noise would not, so it is a kink at the point."""
    first, second, third = found[:_ALWAYS]
    return (second > _GROWTH * first) & (third > _GROWTH * second)
