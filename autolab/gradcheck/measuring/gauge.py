"""Gauge: measures derivatives by central differences, a ladder of them along every direction.

The steps of a ladder shrink by a factor of 4; `numeric_slopes.py` says what it tells. Directions that it leaves
unsettled get coarser and finer steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, fields, replace
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
            ladder = _stacked(more[0], _columns(ladder, again), more[1])
            _replace(found, which, slopes_of(ladder))
        return found


def _measure(
    gauge: Gauge, directions: Sequence[Direction], steps: Sequence[float], far: bool = False
) -> DifferenceLadder:
    task = partial(_measured, replace(gauge, executor=None), tuple(steps), far)
    parts = []
    for ladder, tally in spread(gauge.executor, task, directions):
        gauge.point.tally.add(tally)
        parts.append(ladder)
    columns = [np.concatenate([getattr(part, f.name) for part in parts], axis=1) for f in fields(DifferenceLadder)[1:]]
    return DifferenceLadder(np.asarray(steps), *columns)


def _measured(
    gauge: Gauge, steps: Sequence[float], far: bool, directions: Sequence[Direction]
) -> tuple[DifferenceLadder, Tally]:
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
    return DifferenceLadder(np.asarray(steps), *[*rows, level, reach]), gauge.point.tally


def _differences(gauge: Gauge, direction: Direction, h: float) -> tuple[float, ...]:
    """The entries of a ladder's arrays for one step along one direction."""
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
        moves = [gauge.point.along(direction, h) - gauge.point.values for h in (FAR, -FAR)]
    slopes = [np.abs(gauge.weights * move).sum() / FAR for move in moves]
    return (moves[0] != 0) | (moves[1] != 0), max([s for s in slopes if np.isfinite(s)], default=0.0)


def _columns(ladder: DifferenceLadder, which: np.ndarray) -> DifferenceLadder:
    return DifferenceLadder(
        ladder.steps, *[getattr(ladder, field.name)[:, which] for field in fields(DifferenceLadder)[1:]]
    )


def _stacked(*ladders: DifferenceLadder) -> DifferenceLadder:
    joined = [np.concatenate([getattr(ladder, field.name) for ladder in ladders]) for field in fields(DifferenceLadder)]
    return DifferenceLadder(*joined[:-2], *[rows.max(axis=0, keepdims=True) for rows in joined[-2:]])


def _replace(found: Slopes, which: np.ndarray, better: Slopes) -> None:
    for field in fields(Slopes):
        getattr(found, field.name)[which] = getattr(better, field.name)
