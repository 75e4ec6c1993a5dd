"""The Taylor remainder test: how fast does the remainder shrink with the step?

With a right gradient, the remainder ``|f(x + h d) - f(x) - h f'(x) d|`` falls with the square of the step h; with a
wrong one, no faster than the step itself. No tolerance is needed: the order is the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...engine import check_rng
from ...shared.binding import Bound, settle
from ..judging.compare import compare
from ..measuring.point import Arrays, Direction, Point
from ..measuring.subject import Subject, draw_upstreams, lifted
from ..measuring.sweep import Path, StepSweep, sweep_of
from ..messages import number, say, shown

_STEPS = tuple(2.0**-k for k in range(3, 21))
_CLEAR = 30.0
"""A remainder counts if it is this many times the noise of the function."""

_SECOND_ORDER = 1.8
_FIRST_ORDER = 1.3
_FLAT = 1e-9
"""A remainder below this fraction of the change of the function counts as zero."""


@dataclass(frozen=True, eq=False)
class TaylorReport:
    """What `taylor_test` measured along one random direction.

    Attributes
    ----------
    function : str
    steps : array
        The step sizes, decreasing, in units of the magnitude of the inputs.
    change : array
        ``|f(x + h d) - f(x)|`` for each step, with results weighted by a random upstream gradient: of order 1.
    remainder : array
        What is left of the change after subtracting ``h f'(x) d``.
    noise : float
        The level below which a remainder is only rounding error.
    order : float
        The slope of the remainder over the step on logarithmic axes, where it stands out from the noise: 2 or more for
        a right gradient; infinite if there is no remainder, as for a linear function; NaN if there is too little data.
    kink : bool
        Whether the slopes to both sides differ however small the step; then the order says nothing about the gradient.
    hidden : bool
        Whether the order is too low although no gradient is certain to be wrong: rounding, underflow or overflow hides
        the slope.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import taylor_test
    >>> report = taylor_test(np.sin, np.array([0.5, 1.0]))
    >>> bool(report), round(report.order), bool(report.remainder[0] > 100 * report.remainder[5])
    (True, 2, True)
    """

    function: str
    steps: np.ndarray
    change: np.ndarray
    remainder: np.ndarray
    noise: float
    order: float
    kink: bool = False
    hidden: bool = False

    @property
    def passed(self) -> bool:
        """True if the remainder vanishes with the square of the step, or is zero."""
        return self.order >= _SECOND_ORDER

    def __bool__(self) -> bool:
        return self.passed

    @property
    def _shows(self) -> str:
        """What the remainder shows: the first of these that holds."""
        found = {"noise": np.isnan(self.order), "none": np.isinf(self.order), "kink": self.kink, "hidden": self.hidden}
        found |= {"right": self.passed, "wrong": self.order < _FIRST_ORDER, "between": True}
        return next(kind for kind, holds in found.items() if holds)

    def __str__(self) -> str:
        return say(f"taylor.{self._shows}", function=shown(self.function), order=number(round(self.order, 2)))

    __repr__ = __str__


def taylor_test(
    fn: Callable[..., Any],
    /,
    *args: Any,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    **inputs: Any,
) -> TaylorReport:
    """Measure how fast the remainder of the first-order Taylor expansion of ``fn`` vanishes along a random direction.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them.
    *args, **inputs
        The arguments of ``fn``, as for `check_gradients`. float32 is converted to float64.
    options : dict, optional
        ``rng``, for a function that has an input of that name.
    rng : numpy.random.Generator, optional
        Draws the direction and the upstream gradient; by default, a generator with a fixed seed.

    Returns
    -------
    TaylorReport
        ``report.order`` is about 2 (or more) for a right gradient and 1 for a wrong one. At a kink it is 1 for any
        gradient, and ``report.kink`` is True; use `check_gradients` there.

    Raises
    ------
    TypeError
        As `check_gradients`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import taylor_test
    >>> report = taylor_test(lambda x: np.exp(x) * x, np.array([0.5, 1.0]))
    >>> round(report.order), report.passed
    (2, True)
    """
    chosen = settle("taylor_test", {"rng": None}, {"rng": rng}, options, inputs)
    check_rng("taylor_test", chosen["rng"])
    rng = chosen["rng"] or np.random.default_rng(0)
    subject = Subject.given("taylor_test", fn, args, inputs, np.float64)
    with np.errstate(all="ignore"):
        return _measured(subject, rng)


def _measured(subject: Subject, rng: np.random.Generator) -> TaylorReport:
    upstreams = draw_upstreams(subject.run().outputs, rng)

    def moves(point: Point) -> list[Direction]:
        found = [point.moving(i) for i in range(len(point.arrays))]
        factors = [rng.uniform(0.5, 1.0, d.step.size) * rng.choice((-1.0, 1.0), d.step.size) for d in found]
        return [replace(d, step=d.step * factor) for d, factor in zip(found, factors, strict=True)]

    report = taylor_along(Path.of(subject, upstreams, moves))
    if not report.order < _FIRST_ORDER or report.kink:
        return report
    table = compare(subject, subject.arrays, upstreams, np.random.default_rng(0))
    return replace(report, hidden=not any(c.elements.wrong.any() for c in table.inputs))


def taylor_along(path: Path) -> TaylorReport:
    """The test along a path."""
    steps = np.array(_STEPS)
    change = np.array([path.change(h) for h in _STEPS])
    remainder, size = np.abs(change - steps * path.slope), np.abs(change)
    order = _order(steps, size, remainder, path.noise)
    kink = False
    if order < _SECOND_ORDER:  # in the sum of both sides the gradient cancels
        both = np.abs(change + np.array([path.change(-h) for h in _STEPS]))
        kink = _order(steps, size, both, path.noise) < _FIRST_ORDER
    return TaylorReport(path.function, steps, size, remainder, path.noise, order, kink)


def _order(steps: np.ndarray, change: np.ndarray, remainder: np.ndarray, noise: float) -> float:
    """The slope over the finest steps that count: there the lowest power rules."""
    counts = (remainder > _CLEAR * noise) & (remainder > _FLAT * change)
    if not counts[np.isfinite(remainder)].any():
        return np.inf if np.isfinite(remainder).any() else np.nan
    rows = np.flatnonzero(counts)[-5:]
    if rows.size < 3:
        return np.nan
    return float(np.polyfit(np.log(steps[rows]), np.log(remainder[rows]), 1)[0])


@dataclass(frozen=True, eq=False)
class DirectionStudy:
    """One direction of one input, looked at closely: its error and its Taylor remainder against the step, from the same
    moves."""

    sweep: StepSweep
    taylor: TaylorReport


def study(
    bound: Bound, upstreams: Arrays, name: str, place: tuple[int, ...] | None = None, seed: int = 0
) -> DirectionStudy:
    """Measure along one element of the input ``name``, or along a random direction through all of it.

    Parameters
    ----------
    bound : Bound
    upstreams : sequence of arrays
        The upstream gradients that the gradients are computed with, one per floating-point result.
    name : str
    place : tuple of int, optional
        The element; without it ``seed`` draws the direction.
    """
    native = Subject(bound)
    with np.errstate(all="ignore"):
        subject = lifted(native)
        rng = np.random.default_rng(seed)
        sweep, path = sweep_of(subject, subject.names.index(name), place, upstreams, rng)
        return DirectionStudy(sweep, taylor_along(path))
