"""Gauge: measures derivatives by central differences, a ladder of them along every direction.

The steps of a ladder shrink by a factor of 4; `numeric_slopes.py` says what it tells. Directions that it leaves
unsettled get coarser and finer steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .executors import spread
from .noise import SUBNORMAL, Noise
from .numeric_slopes import FAR, DifferenceLadder, Slopes, slopes_of
from .point import Direction, Point, Tally

_STEPS = tuple(2.0**-k for k in (8, 10, 12))
_REFINEMENTS = (
    ((), tuple(2.0**-k for k in (14, 16))),
    (tuple(2.0**k for k in range(6, -8, -2)), tuple(2.0**-k for k in range(18, 30, 2))),
)
"""Coarser and finer steps for the directions that those before leave unsettled."""

_ENTRIES = ("step", "left", "right", "low", "high", "growth", "level", "reach")

_CANCELLED = 1e4
"""How much larger than result / input the cancelling terms of a gradient may be."""


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
        ladder = _measure(self, directions, _STEPS, far=True)
        found, which = slopes_of(ladder), np.arange(len(directions))
        for coarser, finer in () if quick else _REFINEMENTS:
            still = ~ladder.growth.any(axis=0)
            again = np.flatnonzero(~found.settled()[which] | (np.broadcast_to(moving, found.kind.shape)[which] & still))
            if again.size == 0:
                break
            which = which[again]
            some = [directions[int(i)] for i in which]
            more = [_measure(self, some, steps) for steps in (coarser, finer)]
            ladder = DifferenceLadder.joined([more[0], ladder[:, again], more[1]])
            found[which] = slopes_of(ladder)
        return found


def _measure(
    gauge: Gauge, directions: Sequence[Direction], steps: Sequence[float], far: bool = False
) -> DifferenceLadder:
    task = partial(_measured, replace(gauge, executor=None), steps, far)
    found = spread(gauge.executor, task, directions)
    for _, tally in found:
        gauge.point.tally.add(tally)
    return DifferenceLadder.joined([ladder for ladder, _ in found], axis=1)


def _measured(
    gauge: Gauge, steps: Sequence[float], far: bool, directions: Sequence[Direction]
) -> tuple[DifferenceLadder, Tally]:
    """A part of the directions, on a copy of the point, as others may move it at the same time; and what it took."""
    gauge = replace(gauge, point=copy(gauge.point))
    rows = dict.fromkeys(_ENTRIES, np.zeros((len(steps), len(directions))))
    ladder = DifferenceLadder.of(**rows)
    with np.errstate(all="ignore"):
        for column, direction in enumerate(directions):
            for row, h in enumerate(steps):
                ladder[row, column] = (h, *_differences(gauge, direction, h), 0.0, 0.0)
            if far:
                ladder.level[:, column], ladder.reach[:, column] = _far(gauge, direction)
    return ladder, gauge.point.tally


def _differences(gauge: Gauge, direction: Direction, h: float) -> tuple[float, ...]:
    """The entries of a ladder's arrays for one step along one direction."""
    up, down = gauge.point.along(direction, h), gauge.point.along(direction, -h)
    right = gauge.weights * (up - gauge.point.values) / h
    left = gauge.weights * (gauge.point.values - down) / h
    moved = (right != 0) | (left != 0)
    reached = np.abs(gauge.weights) * (gauge.noise.relative * (np.abs(up) + np.abs(down)) / 2 + SUBNORMAL)
    low, high = np.minimum(left, right).sum(), np.maximum(left, right).sum()
    found = left.sum(), right.sum(), low, high, reached[moved].sum()
    return found if np.isfinite(found).all() else (np.nan,) * len(found)


def _far(gauge: Gauge, direction: Direction) -> tuple[float, float]:
    """The noise of what a long move to either side changes, or makes impossible; and the mean slope on the way."""
    with gauge.point.far_away():
        moves = gauge.point.moves(direction, FAR)
    slopes = np.abs(gauge.weights * moves).sum(axis=1) / FAR
    touched = (moves != 0).any(axis=0)
    loudness = np.abs(gauge.weights[touched]) * gauge.noise.level[touched]
    return loudness.sum(), max([s for s in slopes if np.isfinite(s)], default=0.0)
