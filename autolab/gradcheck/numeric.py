"""Derivatives by finite differences that know how wrong they may be.

Every direction is measured with a ladder of central differences whose steps shrink by a factor of 4. Richardson
extrapolation removes the error of the coarse ones (L. F. Richardson 1911; the table is C. J. F. Ridders', Adv. Eng. Software 4
(1982)); noise bounds the fine ones. The one-sided slopes tell a kink: their gap shrinks with the step where a function is smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from .point import Direction, Point

SMOOTH, KINK, UNKNOWN = 0, 1, 2
"""What a function is like along a direction; UNKNOWN: a jump, an infinite slope, or it cannot be evaluated on both sides."""

_STEPS = tuple(2.0**-k for k in range(6, 18, 2))
_COARSER = tuple(2.0**k for k in range(6, -6, -2))
_FINER = tuple(2.0**-k for k in range(18, 30, 2))
_RATIO_SQUARED = 16
_ORDERS = 3
_SETTLED = float(np.sqrt(np.finfo(np.float64).eps)) / 8
_FLAT = 1e-3
"""A slope below this fraction of the largest one need not be known to more digits than that one."""

_NOISE_MARGIN = 10.0
_KINK_RATIO = 0.5
_JUMP_RATIO = 1.5
"""Over two steps (a factor of 16) the gap of a smooth function falls to 1/16, at a kink it stays, at a root it grows 4 times."""

_GROWTH = 1.2
"""From step to step the slope of a smooth function settles; that of a cube root grows 2.5 times."""


@dataclass(frozen=True)
class Slopes:
    """Derivatives along directions, one entry per direction, in units of the direction's step.

    ``low`` and ``high`` bound the one-sided slopes at a kink; elsewhere both are ``value``. ``reach`` is how much the function
    moves nearby: what is small beside it counts as zero.
    """

    value: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kind: np.ndarray
    reach: np.ndarray

    def settled(self) -> np.ndarray:
        """Where the derivative is known to about nine digits and the function is smooth."""
        largest = float(np.max(np.abs(self.value), initial=0.0, where=np.isfinite(self.value)))
        with np.errstate(invalid="ignore"):
            return (self.kind == SMOOTH) & (self.error <= _SETTLED * (np.abs(self.value) + _FLAT * largest))


@dataclass(frozen=True)
class _Sweep:
    """Weighted differences, one row per step from coarse to fine and one column per direction; NaN where there is none."""

    steps: np.ndarray
    left: np.ndarray
    right: np.ndarray
    low: np.ndarray
    high: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True, eq=False)
class Gauge:
    """What is measured at a point: ``sum(weights * results)``, where each result has noise of the given deviation."""

    point: Point
    weights: np.ndarray
    noise: np.ndarray

    def slopes(self, directions: Sequence[Direction], moving: np.ndarray | bool = False) -> Slopes:
        """Derivatives along directions, with an error bound for each.

        Parameters
        ----------
        directions : sequence of Direction
        moving : array of bool, optional
            The directions along which the results are expected to move: larger steps are tried where they do not.

        Notes
        -----
        12 evaluations per direction; 36 where those leave the derivative unsettled.
        """
        sweep = _measure(self, directions, _STEPS)
        found = _evaluate(sweep)
        still = (sweep.noise == 0) & (found.reach == 0)
        again = np.flatnonzero(~found.settled() | (moving & still))
        if again.size == 0:
            return found
        some = [directions[i] for i in again]
        coarser, finer = _measure(self, some, _COARSER), _measure(self, some, _FINER)
        return _replaced(found, again, _evaluate(_stacked(coarser, _columns(sweep, again), finer)))


def _measure(gauge: Gauge, directions: Sequence[Direction], steps: Sequence[float]) -> _Sweep:
    point, weights = gauge.point, gauge.weights
    sides = np.full((4, len(steps), len(directions)), np.nan)
    level = np.zeros(len(directions))
    loudness = np.abs(weights) * gauge.noise
    with np.errstate(all="ignore"):
        for column, direction in enumerate(directions):
            touched = np.zeros(weights.size, bool)
            for row, h in enumerate(steps):
                up, down = point.along(direction, h), point.along(direction, -h)
                right = weights * (up - point.values) / h
                left = weights * (point.values - down) / h
                touched |= (right != 0) | (left != 0)
                sides[:, row, column] = (
                    left.sum(),
                    right.sum(),
                    np.minimum(left, right).sum(),
                    np.maximum(left, right).sum(),
                )
            level[column] = loudness[touched].sum()
    sides[:, ~np.isfinite(sides).all(axis=0)] = np.nan
    return _Sweep(np.asarray(steps), *sides, noise=level)


def _columns(sweep: _Sweep, which: np.ndarray) -> _Sweep:
    left, right, low, high = (side[:, which] for side in (sweep.left, sweep.right, sweep.low, sweep.high))
    return _Sweep(sweep.steps, left, right, low, high, sweep.noise[which])


def _stacked(*sweeps: _Sweep) -> _Sweep:
    steps, left, right, low, high = (
        np.concatenate([getattr(s, name) for s in sweeps]) for name in ("steps", "left", "right", "low", "high")
    )
    return _Sweep(steps, left, right, low, high, np.max([s.noise for s in sweeps], axis=0))


def _replaced(found: Slopes, which: np.ndarray, better: Slopes) -> Slopes:
    for field in fields(Slopes):
        getattr(found, field.name)[which] = getattr(better, field.name)
    return found


def _evaluate(sweep: _Sweep) -> Slopes:
    with np.errstate(all="ignore"):
        value, error = _extrapolated(sweep)
        kind, row = _kinds(sweep)
        diverging = _diverging(sweep)
    low, high = value.copy(), value.copy()
    columns = np.flatnonzero(kind == KINK)
    rows = row[columns]
    low[columns], high[columns] = sweep.low[rows, columns], sweep.high[rows, columns]
    error[columns] = _one_sided_error(sweep, rows, columns)
    kind[np.isnan(value) | diverging] = UNKNOWN
    return Slopes(value, error, low, high, kind, _reach(sweep))


def _extrapolated(sweep: _Sweep) -> tuple[np.ndarray, np.ndarray]:
    """The entry of the Richardson table whose error is least: the change between successive estimates, plus noise."""
    column = (sweep.left + sweep.right) / 2
    rate = sweep.noise / sweep.steps[:, None]
    value, error = np.full(column.shape[1], np.nan), np.full(column.shape[1], np.inf)
    value, error = _least(value, error, column[1:], np.abs(np.diff(column, axis=0)) + rate[1:])
    for order in range(1, _ORDERS + 1):
        coarse, fine = column[:-1], column[1:]
        column = fine + (fine - coarse) / (_RATIO_SQUARED**order - 1)
        change = np.maximum(np.abs(column - fine), np.abs(column - coarse))
        value, error = _least(value, error, column, change + rate[order:])
    return value, error


def _least(
    value: np.ndarray, error: np.ndarray, candidates: np.ndarray, errors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    errors = np.where(np.isfinite(errors), errors, np.inf)
    row = np.argmin(errors, axis=0)[None]
    new = np.take_along_axis(errors, row, axis=0)[0]
    better = new < error
    return np.where(better, np.take_along_axis(candidates, row, axis=0)[0], value), np.where(better, new, error)


def _kinds(sweep: _Sweep) -> tuple[np.ndarray, np.ndarray]:
    """What each direction is like, and the row of the finest step at which its one-sided slopes differ beyond noise."""
    gap = sweep.high - sweep.low
    floor = _NOISE_MARGIN * sweep.noise / sweep.steps[:, None]
    apart = gap > floor
    rows = np.arange(len(gap))[:, None]
    last = np.max(np.where(apart, rows, 0), axis=0)
    columns = np.arange(gap.shape[1])
    width = gap[last, columns]
    closed = ((rows > last) & (gap + floor < _KINK_RATIO * width)).any(axis=0)
    ratio = np.where(last >= 2, width / gap[np.maximum(last - 2, 0), columns], 0.0)
    open_gap = apart.any(axis=0) & ~closed & (ratio > _KINK_RATIO)
    kind = np.where(open_gap, np.where(ratio > _JUMP_RATIO, UNKNOWN, KINK), SMOOTH)
    return kind, last


def _diverging(sweep: _Sweep) -> np.ndarray:
    """Where the central slope still grows at the three finest steps at which it stands out from the noise."""
    size = np.abs(sweep.left + sweep.right) / 2
    clear = size > _NOISE_MARGIN * sweep.noise / sweep.steps[:, None]
    last = np.max(np.where(clear, np.arange(len(size))[:, None], 0), axis=0)
    fine, middle, coarse = (size[np.maximum(last - k, 0), np.arange(size.shape[1])] for k in range(3))
    return (last >= 2) & (fine > _GROWTH * middle) & (middle > _GROWTH * coarse)


def _one_sided_error(sweep: _Sweep, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    change = np.abs(sweep.low[rows, columns] - sweep.low[rows - 1, columns])
    change += np.abs(sweep.high[rows, columns] - sweep.high[rows - 1, columns])
    return change + 2 * sweep.noise[columns] / sweep.steps[rows]


def _reach(sweep: _Sweep) -> np.ndarray:
    """The largest one-sided slope at the coarsest step that could be measured; 0 if there is none."""
    largest = np.maximum(np.abs(sweep.low), np.abs(sweep.high))
    row = np.argmax(np.isfinite(largest), axis=0)
    return np.nan_to_num(np.take_along_axis(largest, row[None], axis=0)[0])
