"""Comparison of gradients with two-point differences, for a step and tolerances chosen by the caller.

The tolerance is ``atol + rtol * |numeric|``, plus the error that rounding of the results can cause in a difference over
so short a step: otherwise a right gradient in float32, or of a function with a large offset, would be called wrong.

`Subject.run` makes fresh copies for every call, because it judges functions that may do anything. Here the caller
vouches for the function: it is prepared once, its arrays are moved in place, and a run costs little more than the
function.

Whether results are smooth around a point, as Chainer's ``detect_nondifferentiable`` asks: between the ends of a
difference they have to be close to a parabola.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import Array, Variable, using_config
from ...engine.errors import GradientCountError, GradientShapeError
from ...engine.undisturbed import quietly
from ..judging.compare import ELEMENTS
from ..judging.finding import GradientCheckError, Limits, Mismatch, worst_entry
from ..measuring.gauge import halved
from ..measuring.point import Direction, MovableArrays, Shape, attempted, index_of
from ..measuring.subject import Run, Subject, filled, flat, holding, results
from ..messages import shown

_PLACES = np.linspace(-1, 1, 5)
_POWERS = np.vander(_PLACES, 3)


class NondifferentiableError(Exception):
    """Raised if a function that was asked to be smooth has a kink or a jump between the ends of a difference."""


def check_smooth(
    caller: str,
    label: str,
    place: MovableArrays,
    direction: Direction,
    eps: float,
    precision: Any = 0.0,
    atol: float = 0.0,
    rtol: float = 1e-2,
) -> None:
    """Raise a `NondifferentiableError` unless the results along a direction are close to a parabola.

    Parameters
    ----------
    place : MovableArrays
        Its results are flat arrays of float64.
    precision : float or array
        The relative error that rounding may cause in each result; it never counts as a kink.
    atol, rtol : float
        How far results may be from the parabola, the latter relative to how far they move.
    """
    ys = np.array([place.at([direction], eps * t) for t in _PLACES])
    moved = ys - ys[len(ys) // 2]
    rounding = precision * np.abs(ys).max(axis=0)
    off = np.linalg.norm(moved - _POWERS @ np.linalg.lstsq(_POWERS, moved, rcond=None)[0], axis=0)
    if (off > np.maximum(atol, rtol * np.linalg.norm(moved, axis=0)) + rounding).any():
        raise NondifferentiableError(f"{caller}: the results have a kink or a jump at {label}, within {eps:.3g} of it")


_ULPS = 4.0
"""How many units in the last place a result may be off: it is rarely rounded just once."""

_PROBES = 4
_FAR = 64.0
_ADD_UP = 4.0
"""Errors that are allowed at each element may add up along a direction, where the limits are multiplied by this."""


def rounding_of(dtype: Any) -> float:
    """The relative error that a result of this dtype may have."""
    return _ULPS * float(np.finfo(dtype).eps)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A subject whose arrays can be moved in place; ``checked`` are the Variables whose gradients are compared."""

    subject: Subject
    checked: tuple[Variable, ...]
    run: Callable[[], Any]

    def outputs(self) -> tuple[Variable, ...]:
        """The floating-point results."""
        with quietly(self.subject.floats):
            returned = self.run()
        return results(self.subject.caller, self.subject.bound.name, returned)

    def look(self) -> np.ndarray:
        """A copy of all results, in one flat float64 array."""
        return flat([y.array for y in self.outputs()])

    def place(self) -> MovableArrays:
        """The checked arrays, flattened, ready to be moved."""
        return MovableArrays(self.look, [x.array.reshape(-1) for x in self.checked], self.subject.caller)

    def precisions(self) -> np.ndarray:
        """The relative error that each result may have."""
        return np.concatenate([np.full(y.size, rounding_of(y.dtype)) for y in self.outputs()])

    def gradients(self, ys: tuple[Variable, ...], upstream: Sequence[Array]) -> tuple[np.ndarray, ...]:
        """Flat float64 gradients of the checked Variables; 0 where a result does not depend on them."""
        try:
            found = self.subject.gradients(Run(self.checked, ys), upstream)
        except (GradientShapeError, GradientCountError) as error:
            raise GradientCheckError(f"{self.subject.caller}: {error}") from error
        return filled(found, self.checked)


@contextmanager
def prepared(subject: Subject) -> Iterator[Prepared]:
    """The subject on copies of everything that will move; parameters get their own arrays back at the end."""
    leaves, own = subject.fresh(subject.arrays), subject.arrays[len(subject.inputs) :]
    with using_config("enable_backprop", True), np.errstate(all="ignore"), holding(subject.params, own):
        checked = (*[leaves[name] for name in subject.inputs], *subject.params)
        yield Prepared(subject, checked, subject.bound.prepared(leaves))


@dataclass(frozen=True, eq=False)
class Comparer:
    """Compares the gradients of ``sum(weights * results)``, one flat array per input, with central differences."""

    place: MovableArrays
    values: np.ndarray
    weights: np.ndarray
    gradients: tuple[np.ndarray, ...]
    precision: np.ndarray
    limits: Limits

    def along(self, direction: Direction) -> tuple[float, float, float]:
        """The slope from the gradient, the numeric slope, and the tolerance."""
        eps = self.limits.eps
        above, below = self.place.pair(direction, eps)
        moves = np.where(self.weights != 0, self.weights * (above - below), 0.0)
        numeric = float(moves.sum()) / (2 * eps)
        part = self.gradients[direction.input][direction.index]
        analytic = float(np.sum(part * self.place.width(direction, eps))) / (2 * eps)
        allowed = float(self.limits.allowed(numeric))
        rounding = np.abs(self.weights) * np.maximum(np.abs(above), np.abs(below)) * self.precision / (2 * eps)
        allowed += float(rounding[moves != 0].sum())
        if abs(analytic - numeric) > allowed:  # unchanged results: perhaps the step was lost in their rounding
            allowed += float(rounding[(moves == 0) & self._touched(direction)].sum())
        return analytic, numeric, allowed

    def _touched(self, direction: Direction) -> np.ndarray:
        """Which results change in a long move."""
        touched = np.zeros(self.weights.size, bool)
        for t in (_FAR, -_FAR):
            far = attempted(self.place.at, [direction], t / np.max(np.abs(direction.step)))
            if far is not None:
                touched |= far != self.values
        return touched

    def disagrees(self, direction: Direction) -> bool:
        """Whether the slopes are too far apart; NaN always is."""
        analytic, numeric, allowed = self.along(direction)
        return not abs(analytic - numeric) <= allowed

    def worst_element(self, input: int, label: str, shape: Shape) -> Mismatch | None:
        """Compare every element of one input."""
        table = [self.along(Direction(input, k, 1.0)) for k in range(int(np.prod(shape)))]
        return worst_entry(label, shape, [*np.array(table).reshape(-1, 3).T])

    def random_directions(self, input: int, label: str, shape: Shape, rng: np.random.Generator) -> Mismatch | None:
        """Compare along random directions through all elements of one input; where they disagree, find an element that
        does."""
        everything = slice(0, int(np.prod(shape)))
        for _ in range(_PROBES):
            step = rng.normal(size=everything.stop)
            step /= np.linalg.norm(step)
            analytic, numeric, allowed = self.along(Direction(input, everything, step))
            if abs(analytic - numeric) <= allowed:
                continue
            parts = halved(lambda part: self.disagrees(Direction(input, part, step[part])), everything)  # noqa: B023
            found = parts[-1].start
            alone = self.along(Direction(input, found, 1.0))
            if not abs(alone[0] - alone[1]) <= alone[2]:
                return Mismatch(label, index_of(found, shape), *alone)
            if not abs(analytic - numeric) <= _ADD_UP * allowed:  # many errors, each of them within the limits
                return Mismatch(label, None, analytic, numeric, _ADD_UP * allowed)
        return None


def refuse_kinks(given: Prepared, eps: float) -> None:
    """Raise a `NondifferentiableError` if a result has a kink or a jump along an element that moves by ``eps``, or, of
    large inputs, along random directions."""
    place, precision, rng = given.place(), given.precisions(), np.random.default_rng(0)
    for i, (x, name) in enumerate(zip(given.checked, given.subject.names, strict=True)):
        if x.size <= ELEMENTS:
            ways = [(f"{shown(name)}{[*index_of(k, x.shape)]}", Direction(i, k, 1.0)) for k in range(x.size)]
        else:
            steps = rng.normal(size=(_PROBES, x.size))
            ways = [(shown(name), Direction(i, slice(0, x.size), step / np.linalg.norm(step))) for step in steps]
        for label, direction in ways:
            check_smooth(given.subject.caller, label, place, direction, eps, precision)


def compare_inputs(
    given: Prepared,
    upstream: Sequence[Array],
    gradients: tuple[np.ndarray, ...],
    limits: Limits,
    rng: np.random.Generator,
    fast: bool = False,
) -> list[Mismatch]:
    """The worst disagreement for each checked input that has one; small inputs are compared element by element."""
    comparer = Comparer(given.place(), given.look(), flat(upstream), gradients, given.precisions(), limits)
    found = []
    for i, (x, label) in enumerate(zip(given.checked, map(shown, given.subject.names), strict=True)):
        if not fast and x.size <= ELEMENTS:
            found.append(comparer.worst_element(i, label, x.shape))
        elif x.size:
            found.append(comparer.random_directions(i, label, x.shape, rng))
    return [mismatch for mismatch in found if mismatch is not None]
