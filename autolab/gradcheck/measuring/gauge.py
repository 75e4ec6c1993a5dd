"""Gauge: measures derivatives by central differences, a ladder of them along every direction.

The steps of a ladder shrink by a factor of 4; `numeric_slopes.py` says what it tells. Directions that it leaves
unsettled get coarser and finer steps.

Large inputs: random directions through all elements detect that something is wrong, bisection finds where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .executors import spread
from .numeric_slopes import FAR, SMOOTH, DifferenceLadder, Slopes, slopes_of
from .point import Direction, Point, Tally
from .sweep import SUBNORMAL, Noise

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


MARGIN = 10.0
"""How many times the estimated error a disagreement must be to count."""

KNOWN = 1e-2
"""A slope known to within this fraction of its size counts as measured."""


@dataclass(frozen=True, eq=False)
class Claim:
    """The analytic gradient of one input, flat, with its noise; ``root_eps`` is the relative error that is always
    tolerated."""

    input: int
    analytic: np.ndarray
    noise: np.ndarray
    root_eps: float


@dataclass(frozen=True, eq=False)
class Search:
    """The result of random directions through all elements of an input.

    ``halves`` are the ever smaller parts that disagree, from all elements to a single one; empty if they agree.
    ``conclusive`` says whether the directions could be measured at all. The defaults are those of an input that needs
    none, as all its elements are measured.
    """

    halves: tuple[slice, ...] = ()
    conclusive: bool = True

    @property
    def suspects(self) -> np.ndarray:
        """The element that fails, if one does."""
        return np.array([part.start for part in self.halves[-1:]], int)


def search(gauge: Gauge, claim: Claim, rng: np.random.Generator, probes: int = 4) -> Search:
    """Look along random directions for an error in the gradient of one input, and where it is."""
    everything = slice(0, claim.analytic.size)
    conclusive = True
    for _ in range(probes):
        signs = rng.choice((-1.0, 1.0), claim.analytic.size)
        disagrees = _disagrees(gauge, claim, signs, everything)
        if disagrees:
            wrong = partial(_disagrees, gauge, claim, signs, quick=True)
            return Search(tuple(halved(wrong, everything)), conclusive)
        conclusive &= disagrees is not None
    return Search(conclusive=conclusive)


def halved(disagrees: Callable[[slice], bool | None], within: slice) -> list[slice]:
    """Bisect ``within``, which disagrees, down to a single element. Returns all the parts, largest first."""
    parts = [slice(int(within.start), int(within.stop))]
    while parts[-1].stop - parts[-1].start > 1:
        first, end = parts[-1].start, parts[-1].stop
        middle = (first + end) // 2
        parts.append(slice(first, middle) if disagrees(slice(first, middle)) else slice(middle, end))
    return parts


def _disagrees(gauge: Gauge, claim: Claim, signs: np.ndarray, index: slice, quick: bool = False) -> bool | None:
    """Whether the slope along some elements differs from that of the gradient; None if undecided."""
    step = signs[index] * gauge.point.scales[claim.input][index]
    found = gauge.slopes([Direction(claim.input, index, step)], quick=quick)
    parts = claim.analytic[index] * step
    size = float(np.sqrt(np.sum(parts**2)))
    jitter = float(np.sum(claim.noise[index] * np.abs(step)))
    tolerance = MARGIN * (found.error[0] + jitter) + claim.root_eps * size
    distance = abs(float(parts.sum()) - found.value[0])
    if found.kind[0] != SMOOTH or not np.isfinite(distance):
        return None
    if distance > max(tolerance, gauge.grain if found.value[0] == found.error[0] == 0 else 0.0):
        return True
    return False if tolerance <= KNOWN * max(size, float(found.reach[0])) else None
