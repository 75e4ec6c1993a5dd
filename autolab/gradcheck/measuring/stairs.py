"""Stairs: where the results of a function no longer follow its inputs, because their digits have run out.

In floating point every function is made of stairs. Mostly they are too low to be seen. Where 1 is added to what is far
smaller, where products underflow, or where a difference keeps a few last digits, they are higher than anything that
the slope does nearby: between two jumps a difference measures the slope of a stair, and that says nothing about the
gradient. Stairs are told from corners, limits and thresholds by this: there is a jump, however closely one looks;
beyond it the function is as flat as before, until the next; and the jumps go where the gradient says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from .gauge import Gauge
from .point import FAINT, Direction

_EXPONENTS = (-20, -14, -8, -4, 0, 6)
"""Of the steps, in units of the direction's, at which stairs are looked for."""

_FAR_EXPONENTS = (*_EXPONENTS, 12, 24, 48, *range(88, 1000, 40))
"""The same for results that small steps do not change at all. Between the step that first does and the one beyond which
a function like tanh no longer follows lie about 50."""

_FAR = tuple(2.0**k for k in (6, 48, 200, 600))

_EXPLAINED = 0.5
"""This share of what the gradient says must be seen from a distance."""

_HIGH = 64.0
"""A jump may be this many times lower than what the gradient says for the whole step: then there are so many stairs."""

_NOISE = 4.0
"""How many times the known noise the expected change at a distance must be."""

_LIFT = 2.0**1000
"""Where a gradient says too little for a step, all is multiplied by this, or it would underflow."""

_FINELY = 0.1
_NEAR = 2.0**-6
_MORE = (1.02, 1.25, 2.0, 4.0, 16.0)
"""Within this factor of the distance there must be another stair: a function may jump once for other reasons."""

_TREADS = (1.5, 3.0)
"""Or so many times as far as the gradient says that the next one is, if the point lies just before a jump."""

_HALVINGS = 40
_BESIDE = 2.0**-8


@dataclass(frozen=True)
class Stair:
    """The first jump of a result: ``result`` is its place among all results, ``value`` what it is at the point,
    ``step`` how far the input has to move, and ``jump`` by how much it then changes."""

    result: int
    value: float
    step: float
    jump: float


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of the point along a direction: what a gradient that claims ``claimed`` leaves of a slope ``seen``."""

    gauge: Gauge
    direction: Direction
    sign: float
    seen: float
    claimed: float

    @cached_property
    def gap(self) -> float:
        return abs(self.claimed - self.seen)

    def results(self, t: float) -> np.ndarray:
        return self.gauge.point.along(self.direction, self.sign * t)

    def rest(self, t: float) -> float:
        """What a step leaves when the slope that was seen is taken off, counted the way the gradient says."""
        return self._counted(self._moves(t), self.seen * t)

    def _moves(self, t: float) -> np.ndarray:
        return self.results(t) - self.gauge.point.values

    def _counted(self, moves: np.ndarray, off: float) -> float:
        counts = self.gauge.weights != 0
        moved = float(self.gauge.weights[counts] @ moves[counts])
        return (moved * self.sign - off) * float(np.sign(self.claimed - self.seen))

    def distance(self) -> float | None:
        """The least power of two from which it is as the gradient says, if there is one; short of where the function
        leaves its range a finer one."""
        exponents = _EXPONENTS if self.seen else _FAR_EXPONENTS
        before = exponents[0]
        for exponent in exponents:
            if self.explained(2.0**exponent) is not False:
                return self._least(before, exponent)
            before = exponent
        return None

    def _least(self, low: float, high: float) -> float | None:
        is_known = self.explained(2.0**high)
        while high - low > (1 if is_known else _FINELY):
            middle = (low + high) / 2
            seen = self.explained(2.0**middle)
            low, high, is_known = (middle, high, is_known) if seen is False else (low, middle, seen)
        return 2.0**high if is_known else None

    def explained(self, t: float) -> bool | None:
        """Whether from this distance it is as the gradient says, and that is no noise; None out of range."""
        moves = self._moves(t)
        rest = self._counted(moves, self.seen * t)
        if not np.isfinite(rest):
            return None
        noise = np.abs(self.gauge.weights) @ np.where(moves != 0, self.gauge.noise.level, 0.0) if self.seen else 0.0
        return bool(rest > _EXPLAINED * self.gap * t > _NOISE * noise)

    def stair(self, t: float) -> Stair | None:
        """The jump from which on it is as the gradient says, if it is one and there are more beyond."""
        least = self.gap * t / _HIGH
        edge = self._edge(0.0, t, least, lambda middle, at, *ends: at > _EXPLAINED * self.gap * middle)
        if edge is None or not self._is_flat_beyond(edge[1], t):
            return None
        tread = (self.rest(edge[1]) - self.rest(edge[0])) / self.gap
        ends = [*[more * edge[1] for more in _MORE], *[edge[1] + treads * tread for treads in _TREADS]]
        higher = partial(
            self._edge, least=least, is_beyond=lambda _, at, below, above: abs(at - below) > abs(above - at)
        )
        again = any(higher(edge[1], end) is not None for end in ends)
        return self._named(*edge) if again else None

    def _edge(
        self, low: float, high: float, least: float, is_beyond: Callable[..., bool]
    ) -> tuple[float, float] | None:
        """The places before and after a jump of at least that height, which is there however closely one looks; None
        if there is none. ``is_beyond`` is asked which half has it: whether a place, by what it and both ends leave, is
        beyond."""
        below, above, heights = self.rest(low), self.rest(high), []
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            at = self.rest(middle)
            if is_beyond(middle, at, below, above):
                high, above = middle, at
            else:
                low, below = middle, at
            heights.append(abs(above - below))
            if not least <= heights[-1] < np.inf:  # an infinitely high stair is a pole
                return None
        before = heights[_HALVINGS // 2]  # as high as it was from farther away
        return (low, high) if before / 4 <= heights[-1] <= 2 * before else None

    def _is_flat_beyond(self, edge: float, t: float) -> bool:
        """Whether the slope beyond the jump is no more the one that the gradient says than that before it."""
        width = _BESIDE * t
        beyond = (self.rest(edge + width) - self.rest(edge)) / width
        return bool(abs(beyond - self.gap) > _EXPLAINED * self.gap)

    def _named(self, low: float, high: float) -> Stair:
        jumps = np.abs(self.results(high) - self.results(low))
        k = int(np.argmax(np.abs(self.gauge.weights) * jumps))
        place = int(np.flatnonzero(self.gauge.point.finite)[k])
        return Stair(place, float(self.gauge.point.values[k]), high * self.direction.step, float(jumps[k]))


def find_stair(gauge: Gauge, direction: Direction, seen: float, claimed: float) -> Stair | None:
    """The stair that hides the gradient of an element, if there is one.

    Parameters
    ----------
    gauge : Gauge
    direction : Direction
        That of one element.
    seen, claimed : float
        The slope that differences show, and the one of the gradient, both per unit of the element.

    Notes
    -----
    About 30 evaluations where there is none.
    """
    lift = _LIFT if abs(claimed - seen) * direction.step < FAINT else 1.0
    unit = direction.step * lift
    with gauge.point.far_away():
        everything = replace(gauge, weights=gauge.weights * lift)
        found = _found(everything, direction, seen * unit, claimed * unit)
        if found is None and seen and (still := _is_still(gauge, direction)).any():
            others = replace(everything, weights=np.where(still, everything.weights, 0.0))
            found = _found(others, direction, 0.0, (claimed - seen) * unit)
    return found


def _is_still(gauge: Gauge, direction: Direction) -> np.ndarray:
    """Which results small steps to either side leave the same, and others do not."""
    still = (gauge.point.moves(direction, _NEAR) == 0).all(axis=0)
    if still.any():
        still &= (gauge.point.moves(direction, *_FAR) != 0).any(axis=0)
    return still


def _found(gauge: Gauge, direction: Direction, seen: float, claimed: float) -> Stair | None:
    sides = [_Side(gauge, direction, sign, seen, claimed) for sign in (1.0, -1.0)]
    near = [(t, side) for side in sides if (t := side.distance()) is not None]
    for t, side in sorted(near, key=lambda pair: pair[0]):
        stair = side.stair(t)
        if stair is not None:
            return stair
    return None
