"""Ties: elements that are equal, of a function that goes by their order, such as a median.

Of three equal elements, each may be the median: moved alone, none of them is, and its slope looks like 0 on both sides.
What is right is any slope between those that it has where the elements are pulled apart, in one order or another.
"""

from __future__ import annotations

import numpy as np

from .gauge import Gauge
from .point import Direction

_APART = 2.0**-12
_CLOSER = 2.0**-6
_MOST = 64
"""So many orders are tried at most: each element of fewer gets each place."""

_STEP = 2.0**-3
_WIDTH = 1e-2
_SLACK = 1e-6


def slopes_at_tie(gauge: Gauge, input: int, element: int, claimed: float) -> tuple[float, float] | None:
    """The smallest and largest slope of an element in all orders of those that are equal, if ``claimed`` lies between
    them; None if it does not, or nothing is equal to the element, or the order makes no difference."""
    values = np.abs(gauge.point.arrays[input].ravel())
    if np.count_nonzero(values == values[element]) < 2:
        return None
    shifts = np.unique(np.linspace(0, values.size, min(values.size, _MOST), endpoint=False).astype(int))
    found = [_slope(gauge, input, element, int(shift), _APART) for shift in shifts]
    if not np.isfinite(found).all():
        return None
    low, high = min(found), max(found)
    slack = _SLACK * max(abs(low), abs(high))
    if not (low - slack <= claimed <= high + slack and high - low > _WIDTH * max(abs(low), abs(high))):
        return None
    ends = [
        _slope(gauge, input, element, int(shifts[k]), _APART * _CLOSER) for k in (np.argmin(found), np.argmax(found))
    ]
    stays = abs(ends[1] - ends[0] - (high - low)) <= _WIDTH * (high - low)  # what bends is straight from nearby
    return (low, high) if stays else None


def _slope(gauge: Gauge, input: int, element: int, shift: int, apart: float) -> float:
    """The slope of an element where all are pulled apart, in an order that ``shift`` rotates."""
    scales = gauge.point.scales[input]
    size = scales.size
    places = (np.arange(size) + shift) % size / size - 0.5  # to both sides: equal elements may differ in sign
    move = float(scales[element]) * apart / size * _STEP
    ends = []
    for sign in (1.0, -1.0):
        steps = scales * places * apart
        steps[element] += sign * move
        ends.append(gauge.point.along(Direction(input, np.arange(size), steps), 1.0))
    return float(gauge.weights @ (ends[0] - ends[1])) / (2 * move)
