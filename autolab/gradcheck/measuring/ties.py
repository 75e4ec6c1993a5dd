"""Ties: what is right where elements are equal, and a function has a kink for that reason.

Of three equal elements, each may be the median: moved alone, none of them is, and its slope looks like 0 on both sides.
What is right at such a tie is any slope between those that an element has where all are pulled apart, in one order or
another.

That leaves each element free, but not all of them together: of two equal ones a pooling may give either the whole
gradient, and not both. Moved together, they stay tied, and the function may be smooth then; if it is, and its slope is
the same wherever they are pulled apart, every generalized gradient (F. H. Clarke 1975) has that slope too. Where
another kink, such as that of relu at 0, is among them, the slopes differ, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .gauge import Gauge
from .numeric_slopes import SMOOTH
from .point import Arrays, Direction, Point, largest

_PULLED = 2.0**-12
_CLOSER = 2.0**-6
_MOST_ORDERS = 64
"""The most orders that are tried; with fewer elements, each gets each place."""

_TIE_STEP = 2.0**-3
_TIE_WIDTH = 1e-2
_TIE_SLACK = 1e-6


@dataclass(frozen=True)
class Tie:
    """Equal elements, by input and place, that get ``given`` together where they should get ``measured``."""

    members: tuple[tuple[int, int], ...]
    given: float
    measured: float


def slopes_at_tie(gauge: Gauge, input: int, element: int, claimed: float) -> tuple[float, float] | None:
    """The smallest and largest slope of an element in all orders of those that are equal, if ``claimed`` lies between
    them; None if it does not, or nothing is equal to the element, or the order makes no difference."""
    values = np.abs(gauge.point.arrays[input].ravel())
    if np.count_nonzero(values == values[element]) < 2:
        return None
    shifts = _shifts(values.size)
    found = [_pulled_apart(gauge, input, element, int(shift), _PULLED) for shift in shifts]
    if not np.isfinite(found).all():
        return None
    low, high = min(found), max(found)
    slack = _TIE_SLACK * max(abs(low), abs(high))
    if not (low - slack <= claimed <= high + slack and high - low > _TIE_WIDTH * max(abs(low), abs(high))):
        return None
    extreme = shifts[[np.argmin(found), np.argmax(found)]]
    ends = [_pulled_apart(gauge, input, element, int(shift), _PULLED * _CLOSER) for shift in extreme]
    stays = abs(ends[1] - ends[0] - (high - low)) <= _TIE_WIDTH * (high - low)  # what bends is straight from nearby
    return (low, high) if stays else None


def _pulled_apart(gauge: Gauge, input: int, element: int, shift: int, apart: float) -> float:
    """The slope of an element where all are pulled apart, in an order that ``shift`` rotates."""
    scales = gauge.point.scales[input]
    size = scales.size
    places = (np.arange(size) + shift) % size / size - 0.5  # to both sides: equal elements may differ in sign
    move = float(scales[element]) * apart / size * _TIE_STEP
    ends = []
    for sign in (1.0, -1.0):
        steps = scales * places * apart
        steps[element] += sign * move
        ends.append(gauge.point.along(Direction(input, np.arange(size), steps), 1.0))
    return float(gauge.weights @ (ends[0] - ends[1])) / (2 * move)


# ---------------------------------------------------------------------- all of them together
Moves = list[Direction]
"""How all elements of each input move; those that are not in a tie have a step of 0."""


def tied(arrays: Arrays, bent: Sequence[np.ndarray], known: Sequence[np.ndarray]) -> Iterator[Moves]:
    """How elements of equal size move together, so that they stay equal: for each size of a ``bent`` one, all that are
    ``known``."""
    flat = [a.astype(np.float64).ravel() for a in arrays]
    for value in np.unique(np.abs(np.concatenate([a[b] for a, b in zip(flat, bent, strict=True)]))):
        steps = [np.where(a < 0, -1.0, 1.0) * (k & (np.abs(a) == value)) for a, k in zip(flat, known, strict=True)]
        if sum(map(np.count_nonzero, steps)) >= 2:
            yield [Direction(i, np.arange(step.size), step) for i, step in enumerate(steps)]


def slope_together(gauge: Gauge, moves: Moves) -> tuple[float, float] | None:
    """The slope of elements that move together, and its error; None unless it is one slope, however all elements are
    pulled apart."""
    scales = np.concatenate([gauge.point.scales[d.input] for d in moves])
    unit = float(np.min(scales[np.concatenate([d.step for d in moves]) != 0]))
    moves = [replace(d, step=unit * d.step) for d in moves]
    with gauge.point.far_away():
        together = replace(gauge, point=Point(partial(_moved, gauge.point, moves), [np.zeros(1)]), executor=None)
        found = together.slopes([Direction(0, 0, 1.0)])[0] if together.point.finite.all() else None
        if found is None or found.kind != SMOOTH or not np.isfinite(found.error):
            return None
        near = _PULLED / (4 * scales.size)  # all sides of a kink are farther away
        slope = _slope_apart(gauge, moves, 0 * scales, near)
        close = _TIE_WIDTH * largest(slope) + gauge.noise.level / near
        for places in _orders(scales.size):
            if not (np.abs(_slope_apart(gauge, moves, scales * places * _PULLED, near) - slope) <= close).all():
                return None
    return float(found.value) / unit, float(found.error) / unit


def _orders(size: int) -> Iterator[np.ndarray]:
    """Places to both sides for elements: of any two, each goes up while the other goes down; and each gets each place
    if they are few."""
    rank = np.arange(size)
    for k in range((size - 1).bit_length()):
        side = (1.0 - 2.0 * (rank >> k & 1)) * (rank + 1) / size
        yield from (side, -side)
    for shift in _shifts(size):
        yield ((rank + shift) % size + 0.5) / size - 0.5 - 0.25 / size


def _shifts(size: int) -> np.ndarray:
    return np.unique(np.linspace(0, size, min(size, _MOST_ORDERS), endpoint=False).astype(int))


def _slope_apart(gauge: Gauge, moves: Moves, places: np.ndarray, near: float) -> np.ndarray:
    """The slopes of all results where the elements have been moved to different places, and move together."""
    parts = np.split(places, np.cumsum([d.step.size for d in moves])[:-1])
    ends = []
    for t in (near, -near):
        steps = [part + t * d.step for d, part in zip(moves, parts, strict=True)]
        ends.append(gauge.point.at([replace(d, step=step) for d, step in zip(moves, steps, strict=True)], 1.0))
    return (ends[0] - ends[1]) / (2 * near)


def _moved(point: Point, moves: Moves, by: Arrays) -> np.ndarray:
    return point.at(moves, float(by[0][0]))
