"""A second look at an element that seems wrong: do ever finer differences show the slope that the gradient claims?

The estimate of the noise is one for all steps. Where a function has steps, oscillates, or loses its digits along some
directions only, it is far off, and the coarse differences are believed. Here the fine ones speak for themselves.
"""

from __future__ import annotations

import numpy as np

from .gauge import Gauge
from .point import FAINT, Direction

_EXPONENTS = range(6, 45)
"""The exponents of the steps, which are powers of 1/2 of the direction's own."""

_SCOUTS = (10, 18, 26, 34, 42)
"""Every run that is long enough contains at least one of these."""

_RUN = 8
"""How many steps in a row must show the slope: they span a factor of 128."""

_JUMP = 32.0
"""For half the step, the remainder of a bend is at most 8 times smaller."""

_WIDE = 9
"""Steps this wide cannot come from rounding, since float16 has 11 binary digits; the width is a power of 1/2."""

_STILL = tuple(2.0**k for k in range(-12, 1, 2))
_FAR = (0.0173, 0.731, 2.917, 61.3, 1021.7, 1.3e6)
"""Moves that no period is likely to divide."""

_LEFT = 2.0**12 * float(np.finfo(np.float64).eps)
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
    78 evaluations; 10 where none of the differences is that of the gradient.
    """
    unit = float(direction.step)
    near = near * unit
    if not FAINT < near < np.inf and claimed:
        return None
    if not any(abs(np.mean(_sides(gauge, direction, 2.0**-k)) - claimed * unit) <= near for k in _SCOUTS):
        return None
    slopes = np.array([_sides(gauge, direction, 2.0**-k) for k in _EXPONENTS])
    central = slopes.mean(axis=1)
    run = _longest(np.abs(central - claimed * unit) <= near)
    is_still = (central == 0) & (abs(seen) > _LEFT * abs(claimed))  # which says nothing of a slope that is not 0
    is_contradicted = ((np.abs(central - seen * unit) <= near) & ~is_still)[run.stop :].sum() > 1
    quarter = (run.stop - run.start) // 4
    fine = slice(run.start + 2 * quarter, run.stop - quarter)
    rest = np.abs(slopes - claimed * unit)
    if run.stop - run.start < _RUN or is_contradicted or (rest[fine] > near).any():  # or it is a corner
        return None
    is_wide = bool((rest[_WIDE - _EXPONENTS[0]] <= near).any())
    if not (has_steps or is_wide) and _breaks(rest[: fine.start], near):
        return None
    return float(np.median(central[fine])) / unit


def is_zero(gauge: Gauge, direction: Direction, seen: float, claimed: float) -> bool:
    """Whether an element may move as far as it likes, at least to one side, and the results keep all digits but the
    last, and the gradient is no more than what rounding leaves of terms that cancel.

    The results must be so sharp that a slope far smaller than the upstream gradient would show. What counts is the size
    of those that move at all.
    """
    weights, size = np.abs(gauge.weights), np.abs(gauge.weights * gauge.point.values)
    if not _is_left_over(float(size.sum()), float(direction.step), weights, seen, claimed):
        return False
    with gauge.point.far_away():
        moves = weights * np.abs(gauge.point.moves(direction, *_FAR))
    inside = np.isfinite(moves).all(axis=1)  # far away, an exponential overflows, and a logarithm is not defined
    moved = (moves[inside] != 0).any(axis=0)
    reach = float(size[moved].sum() if moved.any() else size.sum())
    kept = moves.sum(axis=1) <= _LEFT * np.maximum(1.0, np.repeat(_FAR, 2)) * reach
    sides = [(kept | ~inside)[side::2].all() and inside[2 + side] for side in (0, 1)]  # a factor may change its sign
    is_kept = bool(kept[:2].all() and any(sides))
    return is_kept and _is_left_over(reach, float(direction.step), weights, seen, claimed)


def _is_left_over(size: float, unit: float, weights: np.ndarray, seen: float, claimed: float) -> bool:
    """Whether two slopes are no more than what rounding leaves of results of some size."""
    most, largest = _LEFT * size / unit, float(weights.max(initial=0.0))
    is_tiny = abs(claimed) <= min(most, _LEFT * largest * max(1.0, size))
    return is_tiny and most <= _SHARP * largest and abs(seen) <= most


def lost_slope(gauge: Gauge, direction: Direction) -> float:
    """How much of the slope may be that of results whose digits are too coarse for it: saturated ones stay the same
    for small moves, but not for long ones."""
    longest = _stillness(gauge, direction)
    if not longest.any():
        return 0.0
    with gauge.point.far_away():
        moved = (gauge.point.moves(direction, *_FAR) != 0).any(axis=0)
    return _hidden(gauge, direction, longest, moved)


def still_results(gauge: Gauge, direction: Direction) -> tuple[np.ndarray, float]:
    """Which results stay the same in moves along a direction, and how much of the slope their last digits may hide."""
    longest = _stillness(gauge, direction)
    return longest > 0, _hidden(gauge, direction, longest, longest > 0)


def _stillness(gauge: Gauge, direction: Direction) -> np.ndarray:
    """The longest move in which each result stays the same, up to the direction's own; 0 for one that moves."""
    longest, still = np.zeros(gauge.point.values.size), np.ones(gauge.point.values.size, bool)
    with gauge.point.far_away():
        for t in _STILL:
            still &= (gauge.point.moves(direction, t) == 0).all(axis=0)
            if not still.any():
                break
            longest[still] = t
    return longest


def _hidden(gauge: Gauge, direction: Direction, longest: np.ndarray, among: np.ndarray) -> float:
    hides = among & (longest > 0)
    lost = np.abs(gauge.weights[hides]) * np.spacing(np.abs(gauge.point.values[hides])) / longest[hides]
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
