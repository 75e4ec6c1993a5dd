"""Two-point differences against gradients, for a step and tolerances that the caller chooses.

The tolerance is ``atol + rtol * |numeric|``, and on top of it what rounding the results can do to a difference over so
short a step: otherwise a right gradient in float32, or of a function with a large offset, would be called wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..judging.compare import ELEMENTS
from ..judging.mismatch import Limits, Mismatch, worst_of
from ..measuring.places import index_of
from ..measuring.point import Direction, MovableArrays
from ..measuring.probes import halved
from ..messages import shown
from .prepared import Prepared

_ULPS = 4.0
"""So many units in the last place a result may be off: it is rarely rounded once."""

_PROBES = 4
_FAR = 64.0
_ADD_UP = 4.0
"""Errors that are allowed at every element may add up along a direction: so many times the limits count there."""


def precisions(prepared: Prepared) -> np.ndarray:
    """By which fraction of itself each result may be off."""
    return np.concatenate([np.full(y.size, _ULPS * np.finfo(y.dtype).eps) for y in prepared.outputs()])


@dataclass(frozen=True, eq=False)
class Comparer:
    """Compares the gradients of ``sum(weights * results)``, one flat array per input, with differences."""

    place: MovableArrays
    values: np.ndarray
    weights: np.ndarray
    gradients: tuple[np.ndarray, ...]
    precision: np.ndarray
    limits: Limits

    def along(self, direction: Direction) -> tuple[float, float, float]:
        """The slope that the gradient gives, the numeric one, and how far apart they may be."""
        eps = self.limits.eps
        above, below = self.place.pair(direction, eps)
        moves = np.where(self.weights != 0, self.weights * (above - below), 0.0)
        numeric = float(moves.sum()) / (2 * eps)
        part = self.gradients[direction.input][direction.index]
        analytic = float(np.sum(part * self.place.width(direction, eps))) / (2 * eps)
        allowed = self.limits.atol + self.limits.rtol * abs(numeric)
        rounding = np.abs(self.weights) * np.maximum(np.abs(above), np.abs(below)) * self.precision / (2 * eps)
        allowed += float(rounding[moves != 0].sum())
        if abs(analytic - numeric) > allowed:  # results that did not move: perhaps the step was lost in their rounding
            allowed += float(rounding[(moves == 0) & self._touched(direction)].sum())
        return analytic, numeric, allowed

    def _touched(self, direction: Direction) -> np.ndarray:
        """Which results a long move changes."""
        touched = np.zeros(self.weights.size, bool)
        for t in (_FAR, -_FAR):
            try:
                touched |= self.place.at([direction], t / np.max(np.abs(direction.step))) != self.values
            except Exception:  # it may lead out of the function's domain
                continue
        return touched

    def disagrees(self, direction: Direction) -> bool:
        """Whether the slopes are too far apart; NaN always is."""
        analytic, numeric, allowed = self.along(direction)
        return not abs(analytic - numeric) <= allowed

    def element(self, input: int, index: int) -> Direction:
        """The direction of one element."""
        return Direction(input, index, 1.0)


def worst_element(comparer: Comparer, input: int, label: str, shape: tuple[int, ...]) -> Mismatch | None:
    """Compare every element of one input."""
    table = np.array([comparer.along(comparer.element(input, k)) for k in range(int(np.prod(shape)))]).reshape(-1, 3)
    gap = np.abs(table[:, 0] - table[:, 1])
    wrong = ~(gap <= table[:, 2])
    if not wrong.any():
        return None
    worst = worst_of(gap, table[:, 1], wrong)
    analytic, numeric, allowed = map(float, table[worst])
    return Mismatch(label, index_of(worst, shape), analytic, numeric, allowed, int(wrong.sum()), len(table))


def random_directions(
    comparer: Comparer, input: int, label: str, shape: tuple[int, ...], rng: np.random.Generator
) -> Mismatch | None:
    """Compare along random directions through all elements of one input; where they disagree, find an element that
    does."""
    everything = slice(0, int(np.prod(shape)))
    for _ in range(_PROBES):
        step = rng.normal(size=everything.stop)
        step /= np.linalg.norm(step)
        analytic, numeric, allowed = comparer.along(Direction(input, everything, step))
        if abs(analytic - numeric) <= allowed:
            continue
        parts = halved(lambda part: comparer.disagrees(Direction(input, part, step[part])), everything)  # noqa: B023
        found = parts[-1].start
        alone = comparer.along(comparer.element(input, found))
        if not abs(alone[0] - alone[1]) <= alone[2]:
            return Mismatch(label, index_of(found, shape), *alone)
        if not abs(analytic - numeric) <= _ADD_UP * allowed:  # many errors, none of which counts by itself
            return Mismatch(label, None, analytic, numeric, _ADD_UP * allowed)
    return None


def compare_inputs(
    comparer: Comparer, prepared: Prepared, rng: np.random.Generator, fast: bool = False
) -> list[Mismatch]:
    """The worst disagreement about each checked input that has one: small ones element by element."""
    found = []
    for i, (x, label) in enumerate(zip(prepared.checked, map(shown, prepared.subject.names), strict=True)):
        if not fast and x.size <= ELEMENTS:
            found.append(worst_element(comparer, i, label, x.shape))
        elif x.size:
            found.append(random_directions(comparer, i, label, x.shape, rng))
    return [mismatch for mismatch in found if mismatch is not None]
