"""How the error of a central difference depends on its step: the picture behind every gradient check.

With a right gradient, the error falls with the square of the step until the rounding error of the function dominates
and it rises again, as one over the step. With a wrong gradient it stays constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...shared.options import settle
from ..messages import shown
from .noise import estimate_noise
from .point import Arrays, Direction, Point
from .subject import Subject, first_upstreams, flat, where_finite

ALL_STEPS = tuple(2.0**-k for k in range(1, 48))
FEW_STEPS = ALL_STEPS[::3]
_DEFAULTS: dict[str, Any] = {"wrt": None, "index": None, "rng": None}


@dataclass(frozen=True, eq=False)
class StepSweep:
    """Central differences of one slope, for steps from coarse to fine.

    Attributes
    ----------
    function, input : str
    index : tuple of int, or None
        The element that moves; None if all move, in a random direction.
    analytic : float
        The slope according to the gradient, per unit of ``steps``.
    steps : array
        The step sizes to either side; for one element in its own units, for a direction relative to each element's
        magnitude.
    numeric, error : arrays
        The central differences, and their distances from ``analytic``; NaN where the function cannot be evaluated.
    rounding : array
        The approximate error of each difference that comes from the rounding of the function.

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
        """The slope of the error over the step on logarithmic axes, from each step to the next: 2 where truncation
        dominates, -1 where rounding does, 0 for a wrong gradient; NaN where there is no error.
        """
        with np.errstate(all="ignore"):
            orders = np.diff(np.log(self.error)) / np.diff(np.log(self.steps))
        return np.where(np.isfinite(orders), orders, np.nan)

    @property
    def best(self) -> int:
        """The index of the step with the smallest error."""
        return int(np.nanargmin(self.error))

    def __str__(self) -> str:
        step, error = self.steps[self.best], self.error[self.best]
        return f"step_sweep({shown(self.function)}, {shown(self.input)}): least error {error:.3g} at step {step:.3g}"

    __repr__ = __str__


def step_sweep(
    fn: Callable[..., Any],
    /,
    *args: Any,
    wrt: str | None = None,
    index: tuple[int, ...] | int | None = None,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    **inputs: Any,
) -> StepSweep:
    """Central differences of one slope of ``fn`` for many step sizes, and their distances from its gradient.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them.
    *args, **inputs
        The arguments of ``fn``, as for `check_gradients`.
    wrt : str, optional
        The input that moves; by default, the first one that requires a gradient.
    index : tuple of int or int, optional
        The element that moves; by default all move, in a random direction.
    options : dict, optional
        ``wrt``, ``index`` or ``rng``, for a function that has an input of that name.
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
    rng = chosen["rng"] or np.random.default_rng(0)
    subject = Subject.given("step_sweep", fn, args, inputs)
    i = _position(subject, chosen["wrt"])
    shape = subject.arrays[i].shape
    place = None if chosen["index"] is None else _checked(chosen["index"], shape)
    with np.errstate(all="ignore"):
        upstreams = first_upstreams(subject.run().outputs, rng)
        return sweep_of(subject, i, place, upstreams, rng)[0]


def _position(subject: Subject, wrt: str | None) -> int:
    if wrt is None:
        return 0
    if wrt not in subject.names:
        names = ", ".join(map(shown, subject.names))
        raise ValueError(f"step_sweep: wrt is {wrt!r:.60}; the inputs with a gradient are {names:.160}")
    return subject.names.index(wrt)


@dataclass(frozen=True, eq=False)
class Path:
    """Directions in which inputs of a function move at once, with what its gradient says about that.

    Attributes
    ----------
    slope : float
        What the gradient says that the weighted results change by, for a step of 1.
    noise : float
        How far off the weighted results may be.
    """

    function: str
    point: Point
    directions: tuple[Direction, ...]
    weights: np.ndarray
    slope: float
    noise: float

    @classmethod
    def of(cls, subject: Subject, upstreams: Arrays, moves: Callable[[Point], Sequence[Direction]]) -> Path:
        """That of the ``moves`` from the given inputs."""
        run, point = subject.run(), subject.point(subject.arrays)
        upstreams = where_finite(run, upstreams)
        gradients, directions, slope = subject.gradients(run, upstreams), tuple(moves(point)), 0.0
        for d in directions:
            g = gradients[d.input]
            slope += 0.0 if g is None else float(np.sum(g.ravel()[d.index] * d.step))
        weights = flat(upstreams)[point.finite]
        noise = float(np.abs(weights) @ estimate_noise(point, directions).level)
        return cls(subject.bound.name, point, directions, weights, slope, noise)

    def change(self, step: float, other: float = 0.0) -> float:
        """By how much the weighted results change from the place of the ``other`` step to that of ``step``."""
        before = self.point.at(self.directions, other) if other else self.point.values
        return float(self.weights @ (self.point.at(self.directions, step) - before))


def sweep_of(
    subject: Subject,
    i: int,
    place: tuple[int, ...] | None,
    upstreams: Arrays,
    rng: np.random.Generator,
    steps: Sequence[float] = ALL_STEPS,
) -> tuple[StepSweep, Path]:
    """The central differences along the element ``place`` of input ``i``, or along all its elements in a random
    direction; and that path."""
    path = Path.of(subject, upstreams, lambda point: [_direction(point, i, place, rng)])
    unit = 1.0 if place is None else float(path.directions[0].step)
    widths, analytic = np.array(steps) * unit, path.slope / unit
    numeric = np.array([path.change(t, -t) for t in steps]) / (2 * widths)
    error, rounding = np.abs(numeric - analytic), path.noise / widths
    return StepSweep(path.function, subject.names[i], place, analytic, widths, numeric, error, rounding), path


def _checked(index: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    place = tuple(index) if isinstance(index, tuple | list) else (index,)
    if len(place) != len(shape) or not all(-n <= k < n for k, n in zip(place, shape, strict=True)):
        raise IndexError(f"step_sweep: index is {index!r:.60}; the input has shape {shape}")
    return tuple([int(k) % n for k, n in zip(place, shape, strict=True)])


def _direction(point: Point, i: int, place: tuple[int, ...] | None, rng: np.random.Generator) -> Direction:
    if place is not None:
        return point.moving(i, int(np.ravel_multi_index(place, point.arrays[i].shape)))
    everything = point.moving(i)
    return replace(everything, step=everything.step * rng.choice((-1.0, 1.0), everything.step.size))
