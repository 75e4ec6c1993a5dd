"""Stairs: where the results of a function no longer follow its inputs, because their digits have run out.

In floating point every function is made of stairs. Mostly they are too low to be seen. Where 1 is added to what is far
smaller, where products underflow, or where a difference keeps a few last digits, they are higher than anything that
the slope does nearby: between two stairs a difference measures the slope of a stair, and that says nothing about the
gradient. Stairs are told from corners, limits and thresholds by three things: there is a jump, however closely one
looks; beyond it the function is as flat as before; and the jumps go where the gradient says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .numeric import Gauge
from .point import Direction

_EXPONENTS = (-20, -14, -8, -4, 0, 6, 12, 24, 48, 96, 192, 384, 768, 1000)
"""Of the steps, in units of the direction's, at which stairs are looked for."""

_EXPLAINED = 0.5
"""This share of what the gradient says must be seen from a distance."""

_HIGH = 64.0
"""A jump may be this many times lower than what the gradient says for the whole step: then there are so many stairs."""

_NOISE = 4.0
"""So many times the noise that is known must be expected at a distance."""

_FAINT = 1e-290
_FAR = 2.0**400
"""A gradient that says less than the first for a step is looked at over longer ones."""

_HALVINGS = 40
_BESIDE = 2.0**-8


@dataclass(frozen=True)
class Stair:
    """The first jump of a result: ``result`` is its place among all results, ``value`` what it is at the point,
    ``step`` how far the input has to move, and ``jump`` by how much it then changes. ``slope`` is the largest that such
    stairs hide."""

    result: int
    value: float
    step: float
    jump: float
    slope: float


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
        return (float(self.gauge.weights @ moves) * self.sign - off) * float(np.sign(self.claimed - self.seen))

    def distance(self) -> float | None:
        """The least power of two from which it is as the gradient says, if there is one."""
        before = _EXPONENTS[0]
        for exponent in _EXPONENTS:
            if self.explained(2.0**exponent) is not False:
                return self._least(before, exponent)
            before = exponent
        return None

    def _least(self, low: int, high: int) -> float | None:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.explained(2.0**middle) is False else (low, middle)
        return 2.0**high if self.explained(2.0**high) else None

    def explained(self, t: float) -> bool | None:
        """Whether from this distance it is as the gradient says, and that is no noise; None out of range."""
        moves = self._moves(t)
        rest = self._counted(moves, self.seen * t)
        if not np.isfinite(rest):
            return None
        noise = np.abs(self.gauge.weights) @ np.where(moves != 0, self.gauge.noise.level, 0.0)
        return bool(rest > _EXPLAINED * self.gap * t > _NOISE * noise)

    def stair(self, t: float) -> Stair | None:
        """A jump within ``t``, if there is one as high as stairs that hide the gradient must be."""
        for slope in (self.seen, 0.0):  # stairs are as steep as what was seen, or flat
            edge = self._edge(t, slope)
            if edge is not None and self._is_flat_beyond(edge[1], t):
                return self._named(*edge, t)
        return None

    def _edge(self, t: float, slope: float) -> tuple[float, float] | None:
        """Where the highest jump is: before and after it."""
        low, high, below, above = 0.0, t, 0.0, self._counted(self._moves(t), slope * t)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            at = self._counted(self._moves(middle), slope * middle)
            if abs(at - below) > abs(above - at):
                high, above = middle, at
            else:
                low, below = middle, at
            if not abs(above - below) >= self.gap * t / _HIGH:
                return None
        return low, high

    def _is_flat_beyond(self, edge: float, t: float) -> bool:
        """Whether the slope beyond the jump is no more the one that the gradient says than that before it."""
        width = _BESIDE * t
        beyond = (self.rest(edge + width) - self.rest(edge)) / width
        return bool(abs(beyond - self.gap) > _EXPLAINED * self.gap)

    def _named(self, low: float, high: float, t: float) -> Stair:
        jumps = np.abs(self.results(high) - self.results(low))
        k = int(np.argmax(np.abs(self.gauge.weights) * jumps))
        place = int(np.flatnonzero(self.gauge.point.finite)[k])
        slope = _HIGH * float(np.abs(self.gauge.weights) @ jumps) / t / self.direction.step
        return Stair(place, float(self.gauge.point.values[k]), high * self.direction.step, float(jumps[k]), slope)


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
    step = direction.step
    if abs(claimed - seen) * step < _FAINT:
        step = step * _FAR
    longer = Direction(direction.input, direction.index, step)
    with gauge.point.far_away():
        sides = [_Side(gauge, longer, sign, seen * step, claimed * step) for sign in (1.0, -1.0)]
        near = [(t, side) for side in sides if (t := side.distance()) is not None]
        for t, side in sorted(near, key=lambda pair: pair[0]):
            stair = side.stair(t)
            if stair is not None:
                return stair
    return None
