"""How the error of a central difference depends on its step: the picture behind every gradient check.

With a right gradient the error falls with the square of the step, until the rounding of the function takes over and it
rises again, as one over the step. With a wrong one it stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...shared.binding import settle
from ..messages import shown
from .noise import estimate_noise
from .point import Direction, Point
from .subject import Subject, draw_upstreams, flat

_SEED = 0
ALL_STEPS = tuple(2.0**-k for k in range(1, 48))
_FEW_STEPS = ALL_STEPS[::3]
_DEFAULTS: dict[str, Any] = {"wrt": None, "index": None, "rng": None}


@dataclass(frozen=True, eq=False)
class StepSweep:
    """Central differences of one slope, for steps from coarse to fine.

    Attributes
    ----------
    function, input : str
    index : tuple of int, or None
        The element that moves; None if all do, in a random direction.
    analytic : float
        The slope that the gradient gives, per unit of ``steps``.
    steps : array
        How far to either side; for one element in its own units, for a direction relative to each element's magnitude.
    numeric, error : arrays
        The central differences, and how far they are from ``analytic``; NaN where the function cannot be evaluated.
    rounding : array
        What the rounding of the function does to each difference, about.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import step_sweep
    >>> sweep = step_sweep(np.sin, 1.0)
    >>> sweep.steps.shape == sweep.error.shape, bool(1e-7 < sweep.steps[sweep.best] < 1e-3)
    (True, True)
    """

    function: str
    input: str
    index: tuple[int, ...] | None
    analytic: float
    steps: np.ndarray
    numeric: np.ndarray
    error: np.ndarray
    rounding: np.ndarray

    @property
    def orders(self) -> np.ndarray:
        """The slope of the error over the step, both logarithmic, from each step to the next: 2 where the curvature of
        the function rules, -1 where rounding does, 0 for a wrong gradient; NaN where there is no error.
        """
        with np.errstate(all="ignore"):
            orders = np.diff(np.log(self.error)) / np.diff(np.log(self.steps))
        return np.where(np.isfinite(orders), orders, np.nan)

    @property
    def best(self) -> int:
        """Which step has the least error."""
        return int(np.nanargmin(self.error))

    def __str__(self) -> str:
        step, error = self.steps[self.best], self.error[self.best]
        return f"step_sweep({shown(self.function)}, {shown(self.input)}): least error {error:.3g} at step {step:.3g}"

    __repr__ = __str__


def step_sweep(
    fn: Callable[..., Any],
    *args: Any,
    wrt: str | None = None,
    index: tuple[int, ...] | int | None = None,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    **inputs: Any,
) -> StepSweep:
    """Central differences of one slope of ``fn`` for many steps, and their distance to what its gradient says.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a tuple of them.
    *args, **inputs
        Its arguments, as for `check_gradients`.
    wrt : str, optional
        The input that moves; by default the first one that requires a gradient.
    index : tuple of int, optional
        Its element that moves; by default all, in a random direction.
    options : dict, optional
        ``wrt``, ``index`` or ``rng``, for a function that has an input of this name.
    rng : numpy.random.Generator, optional
        Draws the upstream gradient and the direction.

    Returns
    -------
    StepSweep

    Raises
    ------
    TypeError
        As `check_gradients`.
    ValueError, IndexError
        If there is no such input, or it has no such element.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import step_sweep
    >>> sweep = step_sweep(np.exp, np.array([0.5, 1.0]), index=0)
    >>> round(float(sweep.orders[2]), 1)
    2.0
    >>> bool(sweep.error[sweep.best] < 1e-8 < sweep.error[-1])
    True
    """
    chosen = settle("step_sweep", _DEFAULTS, {"wrt": wrt, "index": index, "rng": rng}, options, inputs)
    rng = chosen["rng"] or np.random.default_rng(_SEED)
    subject = Subject.given("step_sweep", fn, args, inputs)
    i = _position(subject, chosen["wrt"])
    shape = subject.arrays[i].shape
    place = None if chosen["index"] is None else _checked(chosen["index"], shape)
    with np.errstate(all="ignore"):
        upstreams = draw_upstreams(subject.run().outputs, rng)
        return measure(Path.of(subject, i, place, upstreams, rng), ALL_STEPS)


def _position(subject: Subject, wrt: str | None) -> int:
    if wrt is None:
        return 0
    if wrt not in subject.names:
        names = ", ".join(map(shown, subject.names))
        raise ValueError(f"step_sweep: wrt is {wrt!r:.60}; the inputs with a gradient are {names:.160}")
    return subject.names.index(wrt)


@dataclass(frozen=True, eq=False)
class Path:
    """A direction in which one input of a function moves, with what its gradient says about that.

    Attributes
    ----------
    place : tuple of int, or None
        The element that moves; None if all do.
    unit : float
        How far the element moves for a step of 1; 1 for a direction.
    slope : float
        What the gradient says that the weighted results change by, for a step of 1.
    noise : float
        How far off the weighted results may be.
    """

    function: str
    input: str
    place: tuple[int, ...] | None
    point: Point
    direction: Direction
    weights: np.ndarray
    unit: float
    slope: float
    noise: float

    @classmethod
    def of(
        cls,
        subject: Subject,
        i: int,
        place: tuple[int, ...] | None,
        upstreams: Sequence[np.ndarray],
        rng: np.random.Generator,
    ) -> Path:
        """That of the element ``place`` of input ``i``, or of all its elements in a random direction."""
        run = subject.run()
        upstreams = [
            np.where(np.isfinite(y), g, 0).astype(g.dtype) for y, g in zip(run.values(), upstreams, strict=True)
        ]
        gradient = subject.gradients(run, upstreams)[i]
        point, shape = subject.point(subject.arrays), subject.arrays[i].shape
        direction = _direction(point, i, None if place is None else int(np.ravel_multi_index(place, shape)), rng)
        share = np.zeros(1) if gradient is None else gradient.ravel()[direction.index] * direction.step
        weights = flat(upstreams)[point.finite]
        level = estimate_noise(point, [direction if place is None else _one(direction)]).level
        unit = float(direction.step) if place is not None else 1.0
        names = subject.bound.name, subject.names[i]
        noise = float(np.abs(weights) @ level)
        return cls(*names, place, point, direction, weights, unit, float(np.sum(share)), noise)

    def moved(self, step: float) -> float:
        """By how much the weighted results change."""
        return float(self.weights @ (self.point.along(self.direction, step) - self.point.values))


def measure(path: Path, steps: Sequence[float]) -> StepSweep:
    """The central differences along a path."""
    h = np.array(steps)
    moves = [path.point.along(path.direction, t) - path.point.along(path.direction, -t) for t in steps]
    widths = h * path.unit
    numeric = np.array([path.weights @ move for move in moves]) / (2 * widths)
    analytic = path.slope / path.unit
    error, rounding = np.abs(numeric - analytic), path.noise / widths
    return StepSweep(path.function, path.input, path.place, analytic, widths, numeric, error, rounding)


def explain(subject: Subject, i: int, place: tuple[int, ...], upstreams: Sequence[np.ndarray]) -> StepSweep:
    """A few steps at one element, for a report."""
    return measure(Path.of(subject, i, place, upstreams, np.random.default_rng(_SEED)), _FEW_STEPS)


def _checked(index: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    place = tuple(index) if isinstance(index, tuple | list) else (index,)
    if len(place) != len(shape) or not all(-n <= k < n for k, n in zip(place, shape, strict=True)):
        raise IndexError(f"step_sweep: index is {index!r:.60}; the input has shape {shape}")
    return tuple([int(k) % n for k, n in zip(place, shape, strict=True)])


def _direction(point: Point, i: int, element: int | None, rng: np.random.Generator) -> Direction:
    if element is not None:
        return point.element(i, element)
    everything = point.elements(i, np.arange(point.arrays[i].size))
    return Direction(i, everything.index, everything.step * rng.choice((-1.0, 1.0), everything.step.size))


def _one(direction: Direction) -> Direction:
    return Direction(direction.input, np.array([direction.index]), np.array([direction.step]))
