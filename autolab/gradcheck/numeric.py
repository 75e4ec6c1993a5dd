"""Derivatives by finite differences that know how wrong they may be.

Every direction is measured with a ladder of central differences whose steps shrink by a factor of 4. Richardson
extrapolation (L. F. Richardson 1911; the table is C. J. F. Ridders', Adv. Eng. Software 4 (1982)) removes the error of
the coarse ones; noise bounds the fine ones. The one-sided slopes tell a kink: where a function is smooth, their gap
shrinks with the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from .executors import spread
from .noise import SUBNORMAL, Noise
from .point import Direction, Point, Tally

SMOOTH, KINK, UNKNOWN, NOISY = 0, 1, 2, 3
"""What a function is like along a direction. UNKNOWN: a jump, an infinite slope, or not defined on both sides."""

_STEPS = tuple(2.0**-k for k in (8, 10, 12))
_FAR = 2.0**6
_REFINEMENTS = (
    ((), tuple(2.0**-k for k in (14, 16))),
    (tuple(2.0**k for k in range(6, -8, -2)), tuple(2.0**-k for k in range(18, 30, 2))),
)
"""Coarser and finer steps for the directions that those before leave unsettled."""

_RATIO_SQUARED = 16
_ORDERS = 3

_SETTLED = 1e-8
_FLAT = 1e-3
"""A slope below this fraction of the largest one need not be known to more digits than that one."""

_NOISE_MARGIN = 10.0
_LOUD = 3e-3
"""A direction along which the function moves by less than its noise over this fraction says nothing."""

_KINK_RATIO = 0.5
_JUMP_RATIO = 1.5
"""Over two steps (a factor of 16) the gap of the slopes falls to 1/16 if smooth, stays at a kink, grows at a root."""

_GROWTH = 1.2
"""From step to step the slope of a smooth function settles; that of a cube root grows 2.5 times."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives along directions, one entry per direction, in units of the direction's step.

    ``low`` and ``high`` bound the one-sided slopes at a kink; elsewhere both are ``value``. ``reach`` is how much the
    function moves nearby: what is small beside it counts as zero.
    """

    value: np.ndarray
    error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kind: np.ndarray
    reach: np.ndarray

    def settled(self) -> np.ndarray:
        """Where the derivative is known to eight digits and the function is smooth."""
        largest = float(np.max(np.abs(self.value), initial=0.0, where=np.isfinite(self.value)))
        with np.errstate(invalid="ignore"):
            return (self.kind == SMOOTH) & (self.error <= _SETTLED * (np.abs(self.value) + _FLAT * largest))


_CANCELLED = 1e4
"""So much larger than the result over the input may the terms of a gradient be that cancel."""


@dataclass(frozen=True, eq=False)
class Gauge:
    """What is measured at a point: ``sum(weights * results)`` of noisy results."""

    point: Point
    weights: np.ndarray
    noise: Noise
    executor: Executor | None = None

    @property
    def grain(self) -> float:
        """A slope that moves the sum by less, for a relative move of 1, may be what rounding left of larger terms."""
        return _CANCELLED * float(np.abs(self.weights) @ self.noise.level)

    def slopes(self, directions: Sequence[Direction], moving: np.ndarray | bool = False, quick: bool = False) -> Slopes:
        """Derivatives along directions, with an error bound for each.

        Parameters
        ----------
        directions : sequence of Direction
        moving : array of bool, optional
            The directions along which the results are expected to move: larger steps are tried where they do not.
        quick : bool
            Leave unsettled what is.

        Notes
        -----
        8 evaluations per direction; 12 or 38 where those leave the derivative unsettled.
        """
        sweep = _measure(self, directions, _STEPS, far=True)
        found, which = _evaluate(sweep), np.arange(len(directions))
        for coarser, finer in () if quick else _REFINEMENTS:
            still = ~sweep.growth.any(axis=0)
            again = np.flatnonzero(~found.settled()[which] | (np.broadcast_to(moving, found.kind.shape)[which] & still))
            if again.size == 0:
                break
            which = which[again]
            some = [directions[int(i)] for i in which]
            more = [_measure(self, some, steps) for steps in (coarser, finer)]
            sweep = _stacked(more[0], _columns(sweep, again), more[1])
            _replace(found, which, _evaluate(sweep))
        return found


@dataclass(frozen=True, eq=False)
class _Sweep:
    """Weighted differences, one row per step from coarse to fine and one column per direction; NaN where there is none.

    The noise is that of the results that a long way along the direction moves, though a step may be too short for their
    last digit: ``level`` (one row) at the point itself, and ``growth`` for the magnitude that they reach at the step.
    ``reach`` (one row) is the mean slope of that long way.
    """

    steps: np.ndarray
    left: np.ndarray
    right: np.ndarray
    low: np.ndarray
    high: np.ndarray
    growth: np.ndarray
    level: np.ndarray
    reach: np.ndarray

    def rate(self) -> np.ndarray:
        """What the noise does to a slope."""
        return (self.growth + self.level) / self.steps[:, None]


def _measure(gauge: Gauge, directions: Sequence[Direction], steps: Sequence[float], far: bool = False) -> _Sweep:
    task = partial(_measured, replace(gauge, executor=None), tuple(steps), far)
    parts = []
    for sweep, tally in spread(gauge.executor, task, directions):
        gauge.point.tally.add(tally)
        parts.append(sweep)
    columns = [np.concatenate([getattr(part, f.name) for part in parts], axis=1) for f in fields(_Sweep)[1:]]
    return _Sweep(np.asarray(steps), *columns)


def _measured(gauge: Gauge, steps: Sequence[float], far: bool, directions: Sequence[Direction]) -> tuple[_Sweep, Tally]:
    """A part of the directions, on a copy of the point, as others may move it at the same time; and what it took."""
    gauge = replace(gauge, point=copy(gauge.point))
    rows = np.full((5, len(steps), len(directions)), np.nan)
    level, reach = np.zeros((2, 1, len(directions)))
    loudness = np.abs(gauge.weights) * gauge.noise.level
    with np.errstate(all="ignore"):
        for column, direction in enumerate(directions):
            for row, h in enumerate(steps):
                rows[:, row, column] = _differences(gauge, direction, h)
            if far:
                touched, reach[0, column] = _far(gauge, direction)
                level[0, column] = loudness[touched].sum()
    rows[:, ~np.isfinite(rows).all(axis=0)] = np.nan
    return _Sweep(np.asarray(steps), *[*rows, level, reach]), gauge.point.tally


def _differences(gauge: Gauge, direction: Direction, h: float) -> tuple[float, ...]:
    """The entries of a sweep's arrays for one step along one direction."""
    up, down = gauge.point.along(direction, h), gauge.point.along(direction, -h)
    right = gauge.weights * (up - gauge.point.values) / h
    left = gauge.weights * (gauge.point.values - down) / h
    moved = (right != 0) | (left != 0)
    reached = np.abs(gauge.weights) * (gauge.noise.relative * (np.abs(up) + np.abs(down)) / 2 + SUBNORMAL)
    low, high = np.minimum(left, right).sum(), np.maximum(left, right).sum()
    return left.sum(), right.sum(), low, high, reached[moved].sum()


def _far(gauge: Gauge, direction: Direction) -> tuple[np.ndarray, float]:
    """Which results a long move to either side changes, or makes impossible; and the mean slope on the way."""
    with gauge.point.far_away():
        moves = [gauge.point.along(direction, h) - gauge.point.values for h in (_FAR, -_FAR)]
    slopes = [np.abs(gauge.weights * move).sum() / _FAR for move in moves]
    return (moves[0] != 0) | (moves[1] != 0), max([s for s in slopes if np.isfinite(s)], default=0.0)


def _columns(sweep: _Sweep, which: np.ndarray) -> _Sweep:
    return _Sweep(sweep.steps, *[getattr(sweep, field.name)[:, which] for field in fields(_Sweep)[1:]])


def _stacked(*sweeps: _Sweep) -> _Sweep:
    joined = [np.concatenate([getattr(sweep, field.name) for sweep in sweeps]) for field in fields(_Sweep)]
    return _Sweep(*joined[:-2], *[rows.max(axis=0, keepdims=True) for rows in joined[-2:]])


def _replace(found: Slopes, which: np.ndarray, better: Slopes) -> None:
    for field in fields(Slopes):
        getattr(found, field.name)[which] = getattr(better, field.name)


def _evaluate(sweep: _Sweep) -> Slopes:
    with np.errstate(all="ignore"):
        value, error = _extrapolated(sweep)
        kind, usable = _kinds(sweep)
        low, high = value.copy(), value.copy()
        for column in np.flatnonzero(kind == KINK):
            low[column], high[column], error[column] = _one_sided(sweep, usable, int(column))
        kind[_is_loud(sweep)] = NOISY
        kind[np.isnan(value) | _diverging(sweep)] = UNKNOWN
        return Slopes(value, error, low, high, kind, _reach(sweep))


# ---------------------------------------------------------------------- the value
def _extrapolated(sweep: _Sweep) -> tuple[np.ndarray, np.ndarray]:
    """The entry of the Richardson table whose error is least: the change between successive estimates, plus noise.

    An entry that finer steps contradict does not count: where the coarse steps miss what the function does, they may
    agree well with each other.
    """
    central, rate = (sweep.left + sweep.right) / 2, sweep.rate()
    slack = _NOISE_MARGIN * rate
    above, below = _finer(np.fmin, central + slack), _finer(np.fmax, central - slack)
    value, error = np.full(central.shape[1], np.nan), np.full(central.shape[1], np.inf)
    for first, estimates, change in _richardson(central):
        errors = change + rate[first:]
        reach = np.abs(estimates - central[first:]) + errors
        contradicted = (estimates > above[first:] + reach) | (estimates < below[first:] - reach)
        value, error = _least(value, error, estimates, np.where(contradicted, np.inf, errors))
    return value, error


def _richardson(central: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The columns of the table: the row of the first entry, the entries, how far each is from those it was made of."""
    yield 1, central[1:], np.abs(np.diff(central, axis=0))
    column = central
    for order in range(1, min(_ORDERS, len(central) - 1) + 1):
        coarse, fine = column[:-1], column[1:]
        column = fine + (fine - coarse) / (_RATIO_SQUARED**order - 1)
        yield order, column, np.maximum(np.abs(column - fine), np.abs(column - coarse))


def _finer(extreme: np.ufunc, rows: np.ndarray) -> np.ndarray:
    """For each row the extreme of all finer ones; NaN, which contradicts nothing, for the finest."""
    rest = np.full_like(rows, np.nan)
    rest[:-1] = extreme.accumulate(rows[:0:-1])[::-1]
    return rest


def _least(
    value: np.ndarray, error: np.ndarray, candidates: np.ndarray, errors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    errors = np.where(np.isfinite(errors), errors, np.inf)
    row = np.argmin(errors, axis=0)[None]
    new = np.take_along_axis(errors, row, axis=0)[0]
    better = new < error
    return np.where(better, np.take_along_axis(candidates, row, axis=0)[0], value), np.where(better, new, error)


# ---------------------------------------------------------------------- what the function is like
def _kinds(sweep: _Sweep) -> tuple[np.ndarray, np.ndarray]:
    """What each direction is like, and the steps at which its slopes differ as much as at the finest that shows it."""
    gap = sweep.high - sweep.low
    floor = _NOISE_MARGIN * sweep.rate() + _SETTLED * np.maximum(np.abs(sweep.high), np.abs(sweep.low))
    apart = gap > floor
    rows, columns = np.arange(len(gap))[:, None], np.arange(gap.shape[1])
    last = np.max(np.where(apart, rows, 0), axis=0)
    width = gap[last, columns]
    closed = ((rows > last) & (gap + floor < _KINK_RATIO * width)).any(axis=0)
    ratio = np.where(last >= 2, width / gap[np.maximum(last - 2, 0), columns], 0.0)
    is_open = apart.any(axis=0) & ~closed & (ratio > _KINK_RATIO)
    kind = np.where(is_open, np.where(ratio > _JUMP_RATIO, UNKNOWN, KINK), SMOOTH)
    return kind, apart & (np.abs(gap - width) <= (1 - _KINK_RATIO) * width)


def _one_sided(sweep: _Sweep, usable: np.ndarray, column: int) -> tuple[float, float, float]:
    """The slopes on both sides of a kink, from the step at which they are known best, and their error."""
    low, high = sweep.low[:, column], sweep.high[:, column]
    error = np.abs(np.diff(low)) + np.abs(np.diff(high)) + 2 * sweep.rate()[1:, column]
    row = 1 + int(np.argmin(np.where(usable[1:, column] & np.isfinite(error), error, np.inf)))
    return float(low[row]), float(high[row]), float(error[row - 1])


def _is_loud(sweep: _Sweep) -> np.ndarray:
    """Where the noise is no small part of all that the function does."""
    moves = np.fmax(np.abs(sweep.left), np.abs(sweep.right)) * sweep.steps[:, None]
    return sweep.level[0] > _LOUD * np.fmax(np.fmax.reduce(moves), sweep.reach[0] * _FAR)


def _diverging(sweep: _Sweep) -> np.ndarray:
    """Where the central slope still grows at the three finest steps at which it stands out from the noise."""
    size, slack = np.abs(sweep.left + sweep.right) / 2, _NOISE_MARGIN * sweep.rate()
    rows = np.arange(len(size))[:, None]
    last = np.max(np.where(size > slack, rows, 0), axis=0)
    fine, middle, coarse = (size[np.maximum(last - k, 0), np.arange(size.shape[1])] for k in range(3))
    fallen = ((rows > last) & (size + slack < fine)).any(axis=0)
    return (last >= 2) & ~fallen & (fine > _GROWTH * middle) & (middle > _GROWTH * coarse)


def _reach(sweep: _Sweep) -> np.ndarray:
    """The largest one-sided slope at the coarsest step that could be measured, or on a long way if that is larger."""
    largest = np.maximum(np.abs(sweep.low), np.abs(sweep.high))
    row = np.argmax(np.isfinite(largest), axis=0)
    return np.fmax(np.take_along_axis(largest, row[None], axis=0)[0], sweep.reach[0])
