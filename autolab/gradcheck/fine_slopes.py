"""A second look at an element that seems wrong: do ever finer differences show the slope that the gradient says?

The estimate of the noise is one for all steps. Where a function has steps, oscillates, or loses its digits along some
directions only, it is far off, and the coarse differences are believed. Here the fine ones speak for themselves.
"""

from __future__ import annotations

import numpy as np

from .gauge import Gauge
from .point import Direction

_EXPONENTS = range(6, 45)
"""Of the steps, powers of 1/2 of the direction's own."""

_RUN = 8
"""So many steps in a row must show it: they span a factor of 128."""

_JUMP = 32.0
"""A bend leaves 8 times less for half the step at most."""

_WIDE = 9
"""Treads of half this width, as a power of 1/2, are no rounding: float16 has 11 digits."""

_STILL = tuple(2.0**k for k in range(0, -14, -1))
_FAR = (1.0, 3.0, 64.0)
_DIGITS = 2.0**11
_NOTHING = 1e-9
_SHARP = 1e-7


def fine_slope(
    gauge: Gauge, direction: Direction, seen: float, claimed: float, near: float, has_steps: bool
) -> float | None:
    """The slope that the finest differences show to which rounding leaves any digits, if it is that of the gradient.

    Parameters
    ----------
    gauge : Gauge
    direction : Direction
        That of one element.
    seen, claimed : float
        The slope that was measured, and the one of the gradient, both per unit of the element.
    near : float
        How near to the gradient the differences must be.
    has_steps : bool
        Whether the function is known to have steps that are meant. Otherwise narrow ones may be the rounding of a lower
        precision, between which a forgotten gradient looks right.

    Notes
    -----
    78 evaluations.
    """
    unit = float(direction.step)
    near = near * unit
    slopes = np.array([_sides(gauge, direction, 2.0**-k) for k in _EXPONENTS])
    central = slopes.mean(axis=1)
    run = _longest(np.abs(central - claimed * unit) <= near)
    is_contradicted = (np.abs(central - seen * unit) <= near)[run.stop :].sum() > 1
    quarter = (run.stop - run.start) // 4
    fine = slice(run.start + 2 * quarter, run.stop - quarter)
    rest = np.abs(slopes - claimed * unit)
    if run.stop - run.start < _RUN or is_contradicted or (rest[fine] > near).any():  # or it is a corner
        return None
    is_wide = bool((rest[_WIDE - _EXPONENTS[0]] <= near).any())
    if not (has_steps or is_wide) and _breaks(rest[: fine.start], near):
        return None
    return float(np.median(central[fine])) / unit


def is_invariant(gauge: Gauge, direction: Direction, claimed: float) -> bool:
    """Whether an element may move as far as it likes, and the results keep all digits but the last.

    The gradient of such a one is 0, but for what rounding leaves of its terms. It must not be more, and the results
    must be sharp enough to show a slope far smaller than the upstream gradient.
    """
    weights, values = np.abs(gauge.weights), gauge.point.values
    unit, size = float(direction.step), float(weights @ np.abs(values))
    least = _DIGITS * float(np.finfo(np.float64).eps)
    largest = float(weights.max(initial=0.0))
    if not abs(claimed) * unit <= _NOTHING * size or not abs(claimed) <= _NOTHING * largest * max(1.0, size):
        return False
    if not least * size <= _SHARP * unit * largest:
        return False  # a slope of a usual size might not show
    with gauge.point.far_away():
        moves = [gauge.point.along(direction, sign * t) - values for t in _FAR for sign in (1.0, -1.0)]
    allowed = [least * max(1.0, t) * size for t in _FAR for _ in range(2)]
    return all(float(weights @ np.abs(move)) <= most for move, most in zip(moves, allowed, strict=True))


def lost_slope(gauge: Gauge, direction: Direction) -> float:
    """How much of the slope may be that of results whose digits are too coarse for it: saturated ones stay the same
    for small moves, but not for long ones."""
    values, along = gauge.point.values, gauge.point.along
    longest, still = np.zeros(values.size), np.ones(values.size, bool)
    with gauge.point.far_away():
        moved = np.logical_or.reduce([along(direction, s * t) != values for t in _FAR for s in (1.0, -1.0)])
        for t in reversed(_STILL):
            still &= np.logical_and(*[along(direction, s * t) == values for s in (1.0, -1.0)])
            longest[still] = t
    hides = moved & (longest > 0)
    lost = np.abs(gauge.weights[hides]) * np.spacing(np.abs(values[hides])) / longest[hides]
    return float(lost.sum()) / float(direction.step)


def _sides(gauge: Gauge, direction: Direction, t: float) -> tuple[float, float]:
    """The slopes on both sides, per step of the direction."""
    up, down = gauge.point.along(direction, t), gauge.point.along(direction, -t)
    right, left = gauge.weights @ (up - gauge.point.values), gauge.weights @ (gauge.point.values - down)
    return float(right) / t, float(left) / t


def _longest(shows: np.ndarray) -> slice:
    """The longest run of those that are true."""
    best = slice(0, 0)
    start = 0
    for k, shown in enumerate(shows):
        start = start if shown else k + 1
        best = max(best, slice(start, k + 1), key=lambda run: run.stop - run.start)
    return best


def _breaks(rest: np.ndarray, near: float) -> bool:
    """Whether the results jump beside the point, rather than bend: what a step leaves is there from one to the next."""
    for column in rest.T:
        off = np.flatnonzero(column > near)
        if off.size and off[-1] + 1 < len(column) and column[off[-1]] > _JUMP * column[off[-1] + 1]:
            return True
    return False
