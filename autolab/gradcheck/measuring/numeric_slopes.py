"""Slopes from differences of ever smaller steps, which know how wrong they may be; and what the function is like there.

Richardson extrapolation (L. F. Richardson 1911; the table is C. J. F. Ridders', Adv. Eng. Software 4 (1982)) removes
the error of the coarse steps; noise bounds the fine ones. The one-sided slopes tell a kink: where a function is smooth,
their gap shrinks with the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from .point import largest

SMOOTH, KINK, UNKNOWN, NOISY = 0, 1, 2, 3
"""What a function is like along a direction. UNKNOWN: a jump, an infinite slope, or not defined on both sides."""

FAR = 2.0**6
"""The step of a long way along a direction."""

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


class Records(np.recarray[Any, Any]):
    """An array of records; ``records.name`` is the field of that name, as an array that can be changed in place.

    Examples
    --------
    >>> found = Records.of(value=np.array([1.0, 2.0, 3.0]), sure=np.array([True, False, True]))
    >>> found[found.sure].value
    array([1., 3.])
    """

    @classmethod
    def of(cls, **columns: np.ndarray) -> Self:
        """Records from arrays of the same shape."""
        kinds = [(name, column.dtype) for name, column in columns.items()]
        return np.rec.fromarrays(list(columns.values()), kinds).view(cls)

    @classmethod
    def joined(cls, parts: Sequence[np.ndarray], axis: int = 0) -> Self:
        """The parts, concatenated."""
        return np.concatenate(parts, axis=axis).view(cls)


class Slopes(Records):
    """Derivatives along directions, one entry per direction, in units of the direction's step.

    Each has a ``value`` and its ``error``; ``low`` and ``high`` bound the one-sided slopes at a kink, elsewhere both
    are ``value``. ``kind`` is what the function is like, and ``reach`` how much it moves nearby: what is small beside
    it counts as zero.
    """

    def settled(self) -> np.ndarray:
        """Where the derivative is known to eight digits and the function is smooth."""
        with np.errstate(invalid="ignore"):
            return (self.kind == SMOOTH) & (self.error <= _SETTLED * (np.abs(self.value) + _FLAT * largest(self.value)))


class DifferenceLadder(Records):
    """Weighted differences, one row per step from coarse to fine and one column per direction; NaN where there is none.

    The slopes of a ``step`` are those to the ``left`` and ``right``, and ``low`` and ``high``, the sums of the smaller
    and of the larger ones of all results. The noise is that of the results that a long way along the direction moves,
    though a step may be too short for their last digit: ``level`` at the point itself, and ``growth`` for the magnitude
    that they reach at the step. ``reach`` is the mean slope of that long way. A row of which these were not measured
    has 0 there.
    """

    def rate(self) -> np.ndarray:
        """What the noise does to a slope."""
        return (self.growth + self.level.max(axis=0)) / self.step


def slopes_of(ladder: DifferenceLadder) -> Slopes:
    """The derivatives along all directions of a ladder."""
    with np.errstate(all="ignore"):
        value, error = _extrapolated(ladder)
        kind, usable = _kinds(ladder)
        low, high = value.copy(), value.copy()
        for column in np.flatnonzero(kind == KINK):
            low[column], high[column], error[column] = _one_sided(ladder, usable, int(column))
        kind[_is_loud(ladder)] = NOISY
        kind[np.isnan(value) | _diverging(ladder)] = UNKNOWN
        return Slopes.of(value=value, error=error, low=low, high=high, kind=kind, reach=_reach(ladder))


# ---------------------------------------------------------------------- the value
def _extrapolated(ladder: DifferenceLadder) -> tuple[np.ndarray, np.ndarray]:
    """The entry of the Richardson table whose error is least: the change between successive estimates, plus noise.

    An entry that finer steps contradict does not count: where the coarse steps miss what the function does, they may
    agree well with each other.
    """
    central, rate = (ladder.left + ladder.right) / 2, ladder.rate()
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
def _kinds(ladder: DifferenceLadder) -> tuple[np.ndarray, np.ndarray]:
    """What each direction is like, and the steps at which its slopes differ as much as at the finest that shows it."""
    gap = ladder.high - ladder.low
    floor = _NOISE_MARGIN * ladder.rate() + _SETTLED * np.maximum(np.abs(ladder.high), np.abs(ladder.low))
    apart = gap > floor
    rows, columns = np.arange(len(gap))[:, None], np.arange(gap.shape[1])
    last = np.max(np.where(apart, rows, 0), axis=0)
    width = gap[last, columns]
    closed = ((rows > last) & (gap + floor < _KINK_RATIO * width)).any(axis=0)
    ratio = np.where(last >= 2, width / gap[np.maximum(last - 2, 0), columns], 0.0)
    is_open = apart.any(axis=0) & ~closed & (ratio > _KINK_RATIO)
    kind = np.where(is_open, np.where(ratio > _JUMP_RATIO, UNKNOWN, KINK), SMOOTH)
    return kind, apart & (np.abs(gap - width) <= (1 - _KINK_RATIO) * width)


def _one_sided(ladder: DifferenceLadder, usable: np.ndarray, column: int) -> tuple[float, float, float]:
    """The slopes on both sides of a kink, from the step at which they are known best, and their error."""
    low, high = ladder.low[:, column], ladder.high[:, column]
    error = np.abs(np.diff(low)) + np.abs(np.diff(high)) + 2 * ladder.rate()[1:, column]
    row = 1 + int(np.argmin(np.where(usable[1:, column] & np.isfinite(error), error, np.inf)))
    return float(low[row]), float(high[row]), float(error[row - 1])


def _is_loud(ladder: DifferenceLadder) -> np.ndarray:
    """Where the noise is no small part of all that the function does."""
    moves = np.fmax(np.abs(ladder.left), np.abs(ladder.right)) * ladder.step
    return ladder.level.max(axis=0) > _LOUD * np.fmax(np.fmax.reduce(moves), ladder.reach.max(axis=0) * FAR)


def _diverging(ladder: DifferenceLadder) -> np.ndarray:
    """Where the central slope still grows at the three finest steps at which it stands out from the noise."""
    size, slack = np.abs(ladder.left + ladder.right) / 2, _NOISE_MARGIN * ladder.rate()
    rows = np.arange(len(size))[:, None]
    last = np.max(np.where(size > slack, rows, 0), axis=0)
    fine, middle, coarse = (size[np.maximum(last - k, 0), np.arange(size.shape[1])] for k in range(3))
    fallen = ((rows > last) & (size + slack < fine)).any(axis=0)
    return (last >= 2) & ~fallen & (fine > _GROWTH * middle) & (middle > _GROWTH * coarse)


def _reach(ladder: DifferenceLadder) -> np.ndarray:
    """The largest one-sided slope at the coarsest step that could be measured, or on a long way if that is larger."""
    largest = np.maximum(np.abs(ladder.low), np.abs(ladder.high))
    row = np.argmax(np.isfinite(largest), axis=0)
    return np.fmax(np.take_along_axis(largest, row[None], axis=0)[0], ladder.reach.max(axis=0))
