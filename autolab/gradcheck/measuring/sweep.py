"""How the error of a central difference depends on its step: the picture behind every gradient check.

With a right gradient, the error falls with the square of the step until the rounding error of the function dominates
and it rises again, as one over the step. With a wrong gradient it stays constant.

How far the results of a function are from smooth: its rounding noise.

On a fine enough grid a smooth function is a polynomial of low degree, and what is left after a fit is noise. The idea
is J. J. Moré's and S. M. Wild's ("Estimating computational noise", SIAM J. Sci. Comput. 33 (2011)), who take
differences on an even grid. There the rounding errors of a nearly linear function can be regular, so that none is seen;
on an uneven grid they cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from ...shared.binding import settle
from ..messages import shown
from .point import Arrays, Direction, Point
from .subject import Subject, first_upstreams, flat, where_finite

_EPS = float(np.finfo(np.float64).eps)
SUBNORMAL = float(np.finfo(np.float64).smallest_subnormal)
"""No result is known to a smaller relative error than this."""

_ALL_NOISE = 0.1
"""If the noise is more than this share of all that is observed, its growth with the result cannot be told."""


_Grid = tuple[np.ndarray, np.ndarray]
"""Places along a line, and rows that are orthogonal to all polynomials up to a degree on them."""


def _grid(places: Sequence[float], degree: int) -> _Grid:
    basis = np.linalg.qr(np.vander(places, degree + 1), mode="complete")[0]
    return np.array(places), basis[:, degree + 1 :].T


_FINE = _grid((-1.0, -0.6272, -0.2931, 0.0, 0.1713, 0.5419, 0.9137), degree=3)
_WIDE = _grid((-1.0, -0.8119, -0.6272, -0.2931, 0.0, 0.1713, 0.3828, 0.6419, 0.9137), degree=5)

_GRIDS = ((2.0**-44, _FINE), (2.0**-34, _FINE), (2.0**-24, _WIDE), (2.0**-14, _WIDE), (2.0**-4, _WIDE))
"""From the finest upwards: a function that rounds inside itself is constant on a grid finer than its rounding."""

_ALWAYS = 3
"""How many grids count for each result, as a part of it may be constant on the first; the others only if it is constant
on all of these, since on them curvature is no longer nothing."""

_GROWTH = 4.0
"""The spacing grows 1024 times from grid to grid. So does a kink; a cube root grows 10 times; noise does not grow."""


@dataclass(frozen=True, eq=False)
class Noise:
    """One entry per result: the standard deviation of its noise at the point, and relative to its magnitude (for as
    many results as it was asked for).

    Where the result grows away from the point, so may its noise.
    """

    level: np.ndarray
    relative: np.ndarray


def estimate_noise(point: Point, directions: Sequence[Direction], count: int | None = None) -> Noise:
    """The noise of each result, at least half a unit in its last place.

    Parameters
    ----------
    point : Point
    directions : sequence of Direction
        One per moved input: the grid lies along all of them at once.
    count : int, optional
        So many results, from the first, get their relative noise; by default all.
    """
    size = np.abs(point.values[:count])
    found: list[np.ndarray] = []
    relative = np.full(size.size, np.nan)
    for row, (spacing, grid) in enumerate(_GRIDS):
        wanted = row < _ALWAYS or np.logical_and.reduce([np.isnan(deviation) for deviation in found])
        if not np.any(wanted):
            break
        deviation, reached = _deviation(point, directions, spacing, grid, size.size)
        deviation[np.logical_not(wanted)] = np.nan
        found.append(deviation)
        share = deviation[: size.size] / (size + reached)
        relative = np.fmax(relative, np.where(share < _ALL_NOISE, share, np.nan))
    noisy = ~_is_kink(found)
    level = np.where(noisy, reduce(np.fmax, found), reduce(np.fmin, found))
    del found, deviation
    size = np.abs(point.values)
    level = np.fmax(level, np.where(size > 0, np.fmax(size * (_EPS / 2), SUBNORMAL), 0.0))
    return Noise(level, np.fmax(np.where(noisy[: relative.size], relative, 0.0), _EPS / 2))


def _deviation(
    point: Point, directions: Sequence[Direction], spacing: float, grid: _Grid, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """How far each result is from smooth on a grid, NaN where it is constant or not finite; and how far the first
    ``count`` move there.

    The results are added up place by place: those of all places are many times as large as the inputs.
    """
    places, residuals = grid
    sums, reached = np.zeros((len(residuals), point.values.size)), np.zeros(count)
    moves, is_finite = np.zeros(point.values.size, np.int8), np.ones(point.values.size, bool)
    before = None
    for place, weights in zip(spacing * places, residuals.T, strict=True):
        change = (point.at(directions, place) if place else point.values) - point.values
        sums += weights[:, None] * change
        moves += False if before is None else change != before
        is_finite &= np.isfinite(change)
        before = change
        reached = np.maximum(reached, np.abs(change[:count]))
    del before, change
    deviation = np.sqrt(np.mean(np.square(sums, out=sums), axis=0))
    deviation[(2 * moves <= len(places) - 1) | ~is_finite] = np.nan  # constant: it does not change in most steps
    return deviation, reached


def _is_kink(found: Sequence[np.ndarray]) -> np.ndarray:
    """Whether a deviation grows with the spacing of the grid: noise would not, so it is a kink at the point."""
    first, second, third = found[:_ALWAYS]
    return (second > _GROWTH * first) & (third > _GROWTH * second)


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
