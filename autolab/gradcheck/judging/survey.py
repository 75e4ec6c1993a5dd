"""What is known about a point: the analytic gradients, and the means to measure the numeric ones.

The survey also finds out what may make a right gradient look wrong, only for elements that seem wrong: ``e`` is the
record of one, as in `case.Elements`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...engine import ForwardEvent, to_cpu
from ...functions import ceil, floor, floor_divide, round, sign
from ..measuring.fine_slopes import fine_slope, lost_slope, still_results
from ..measuring.gauge import MARGIN, Claim, Gauge
from ..measuring.point import Arrays, Direction, Point, largest
from ..measuring.subject import Subject, filled, flat, jittered, spread_of, where_finite
from ..measuring.sweep import Noise, estimate_noise

_STEPS = tuple([f.function for f in (floor, ceil, round, sign, floor_divide)])
"""Functions whose steps are meant."""

_SCALES = (3.0, 0.7, 1.9, 0.3, 1.3)
"""Factors for the upstream gradient; a power of two would round exactly as 1 does."""

_CLOSE = (2.0**-18, 2.0**-21, 2.0**-24)
_ALIKE = 1e-2
_UNITS = 1024.0
_PART = 0.1
_ULPS = 64.0
_FEW = 11
_FEW_UNITS = 4.0
_EXTREME = 1e100
"""Only numbers above this, or below its reciprocal, are believed to overflow or underflow."""


@dataclass(frozen=True, eq=False)
class Noises:
    """The noise of the results, and of the analytic gradient of each input."""

    results: Noise
    gradients: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class Survey:
    """A point of a subject: ``gradients`` are those for ``upstreams``, None where there is none; ``root_eps`` is the
    relative error that is always tolerated. Results that are not finite are excluded from the numeric gradients."""

    subject: Subject
    arrays: tuple[np.ndarray, ...]
    upstreams: Arrays
    gradients: Sequence[np.ndarray | None]
    gauge: Gauge
    noise: Noises
    root_eps: float

    @cached_property
    def claims(self) -> list[Claim]:
        """The analytic gradients, with 0 for a missing one."""
        given = filled(self.gradients, self.arrays)
        return [Claim(i, g, self.noise.gradients[i], self.root_eps) for i, g in enumerate(given)]

    @cached_property
    def own(self) -> Noises:
        """The noise for moves of each element by its own magnitude."""
        point = self.gauge.point
        moves = [Direction(i, np.arange(a.size), point.own(i)) for i, a in enumerate(self.arrays)]
        return _noises(self.subject, self.arrays, self.upstreams, point, moves)

    # ------------------------------------------------------------------ what excuses an element
    def fine_slope(self, direction: Direction, e: np.record, near: float) -> float | None:
        """The slope of an element from finer differences, if it differs from the gradient by less than ``near``.

        If the element is much smaller than the others of its array, steps of its own magnitude are tried as well.
        """
        for d in (direction, self.gauge.point.alone(direction.input, direction.index)):
            if d is not None:
                found = fine_slope(self.gauge, d, e.numeric, e.analytic, near, self.has_steps)
                if found is not None:
                    return found
        return None

    @cached_property
    def _steps(self) -> list[ForwardEvent]:
        return self.subject.steps(self.arrays)

    @cached_property
    def has_steps(self) -> bool:
        """Whether the function uses one of AutoLab's step functions, or declares that it has steps."""
        functions = [step.function for step in self._steps]
        return any([function in _STEPS or getattr(function, "has_steps", False) for function in functions])

    def speak_for(self, direction: Direction, e: np.record) -> bool:
        """Whether an element, moved along ``direction``, may be right although no stair hides its slope."""
        scale = direction.step
        return (
            self.is_negligible(e, scale)
            or self.is_rounded(direction, e)
            or (e.deviation * scale <= _UNITS * self.gauge.grain and e.deviation <= lost_slope(self.gauge, direction))
            or self.is_out_of_range(e, scale)
            or self.is_unseen(direction, e)
            or self.is_on_step(direction, e)
        )

    def is_part_still(self, direction: Direction, e: np.record) -> bool:
        """Whether a gradient is right but for what it has from results that stay the same in moves of the element.

        The last digits of a saturated result hide its slope, and the sum of such slopes and those of others may cancel.
        So the gradient of the others alone is compared, and the rest must be less than those digits.
        """
        gauge = self.gauge
        still, hidden = still_results(gauge, direction)
        if not still.any() or still.all() or self.gradients[direction.input] is None:
            return False
        mask = np.ones(gauge.point.finite.size)
        mask[gauge.point.finite] = ~still
        masks = np.split(mask, np.cumsum([g.size for g in self.upstreams])[:-1])
        others = [(g * part.reshape(g.shape)).astype(g.dtype) for g, part in zip(self.upstreams, masks, strict=True)]
        found = self.subject.gradients(self.subject.run(self.arrays), others)[direction.input]
        moving = 0.0 if found is None else float(found.flat[direction.index])
        slack = max(float(e.tolerance), MARGIN * float(e.uncertainty), self.root_eps * abs(moving))
        return bool(abs(moving - e.numeric) <= slack and abs(e.analytic - moving) <= hidden)

    def jump(self, direction: Direction) -> float:
        """The jump of the results at the point, which remains however small the moves are; 0 if there is none."""
        return _jump(self._sides(direction))

    def is_on_step(self, direction: Direction, e: np.record) -> bool:
        """Whether the point lies at the edge of an intended step, and the slope on one side is the gradient."""
        gauge = self.gauge
        rounding = _ULPS * np.finfo(np.float64).eps * float(np.abs(gauge.weights) @ np.abs(gauge.point.values))
        if not self.has_steps:
            return False
        right, left = sides = self._sides(direction)
        height = abs(_jump(sides))
        rise = np.array(_CLOSE) * direction.step * e.analytic
        slack = _ALIKE * np.maximum(np.abs(rise), np.multiply(_CLOSE, height)) + rounding
        is_gradient = (np.abs(right - rise) <= slack).all() or (np.abs(left + rise) <= slack).all()
        return bool(height > rounding and is_gradient)

    def _sides(self, direction: Direction) -> tuple[np.ndarray, np.ndarray]:
        """The changes of the weighted results in ever smaller moves to the right and to the left."""
        moves = self.gauge.point.moves(direction, *_CLOSE) @ self.gauge.weights
        return moves[::2], moves[1::2]

    def is_unseen(self, direction: Direction, e: np.record) -> bool:
        """Whether an element is so far below the others of its array that moves of its own magnitude change none
        but the last digits of the results; longer ones may lead where the slope is another."""
        alone = self.gauge.point.alone(direction.input, direction.index)
        if alone is None or e.deviation * alone.step > self.gauge.grain:
            return False
        moves = np.abs(self.gauge.point.moves(alone, 1.0))
        return bool((moves <= _FEW_UNITS * np.spacing(np.abs(self.gauge.point.values))).all())

    def is_out_of_range(self, e: np.record, scale: float) -> bool:
        """Whether so much as it deviates may have been lost on the way, as numbers were too large or too small.

        Slopes of a usual size at an input of another, whose ``scale`` is given, lose no more than some of their digits.
        """
        sizes = [e.numeric, e.analytic, *([scale] if e.deviation <= _PART * abs(e.numeric) else [])]
        return any([x and not 1 / _EXTREME <= abs(x) <= _EXTREME for x in sizes]) and bool(self.limits)

    @cached_property
    def limits(self) -> frozenset[str]:
        """What prevents the arithmetic from giving a gradient: "overflow", "underflow", or "infinity" in an input."""
        if not all(np.isfinite(a).all() for a in self.arrays):
            return frozenset({"infinity"})
        with self.subject.heard() as signals:
            self.subject.gradients(self.subject.run(self.arrays), self.upstreams)
        return frozenset(signals & {"overflow", "underflow"})

    def is_rounded(self, direction: Direction, e: np.record) -> bool:
        """Whether it deviates by no more than the rounding of terms that cancel in the gradient, or that of the inputs;
        it is no float32, which scatters as well."""
        i, k = direction.input, direction.index
        scatter, moved, g = self._scatter[i], self._moved[i], self.gradients[i]
        if scatter is None or g is None or _is_float32(float(g.flat[k])):
            return False
        return bool(e.deviation <= MARGIN * max(scatter[k], moved[k]))

    def is_negligible(self, e: np.record, scale: float) -> bool:
        """Whether a small part of a slope moves the results by less than the rounding of what they are made of.

        ``scale`` is that of the element. A whole slope may be as small and still be known; a part of it that comes
        through a value of rounded digits is not.
        """
        if not e.deviation <= _PART * abs(e.numeric):
            return False
        return bool(e.deviation * scale <= _ULPS * np.finfo(np.float64).eps * largest(*self.upstreams) * self._largest)

    @cached_property
    def _largest(self) -> float:
        """The largest intermediate value between the inputs and the results."""
        values = [to_cpu(y.array) for step in self._steps for y in step.outputs]
        return largest(*[a for a in (*self.arrays, *values) if a.dtype.kind == "f"])

    @cached_property
    def _scatter(self) -> list[np.ndarray | None]:
        """The spread of gradients that differ only by rounding, flat; None if they ignore the upstream gradient."""
        run = self.subject.run(self.arrays)
        none = self.subject.gradients(run, [np.zeros_like(g) for g in self.upstreams])
        all_scaled = [[(g * s).astype(g.dtype) for g in self.upstreams] for s in _SCALES]
        found = [self.subject.gradients(run, scaled) for scaled in all_scaled]
        others = [[None if g is None else g / s for g in row] for s, row in zip(_SCALES, found, strict=True)]
        spread = spread_of(self.gradients, others)
        return [None if is_more_than_zero(g) else apart for g, apart in zip(none, spread, strict=True)]

    @cached_property
    def _moved(self) -> list[np.ndarray]:
        """How far gradients move with their inputs, for a move of each by a unit in its last place, flat.

        The moves are larger: a gradient that is wrong at one point only moves as much for a single unit.
        """
        rng = np.random.default_rng(0)
        found = [self.subject.nearby_gradients(jittered(self.arrays, rng, _UNITS), self.upstreams) for _ in _SCALES]
        return [spread / _UNITS for spread in spread_of(self.gradients, [row for row in found if row is not None])]


def survey_of(subject: Subject, arrays: Arrays, upstreams: Arrays, known: Noises | None = None) -> Survey:
    """The survey of a point. ``known`` is the noise at a point nearby, if measured. Non-finite results do not count."""
    run = subject.run(arrays)
    upstreams = where_finite(run, upstreams)
    gradients, point, eps = subject.gradients(run, upstreams), subject.point(arrays), subject.epsilon(run)
    del run  # its graph keeps what each step has saved for backward
    if known is None or known.results.level.size != point.values.size:
        known = _noises(subject, arrays, upstreams, point, [point.moving(i) for i in range(len(arrays))])
    gauge = Gauge(point, flat(upstreams)[point.finite], known.results, subject.executor)
    return Survey(subject, tuple(arrays), upstreams, gradients, gauge, known, float(np.sqrt(eps)))


def _noises(subject: Subject, arrays: Arrays, upstreams: Arrays, point: Point, moves: Sequence[Direction]) -> Noises:
    """The noise of the finite results and that of the gradients, from the same runs."""
    both = subject.point(arrays, upstreams, like=point)
    results = point.values.size
    noise = estimate_noise(both, moves, results)
    jitter = np.zeros(sum(a.size for a in arrays))
    jitter[both.finite[point.finite.size :]] = noise.level[results:]
    ends = np.cumsum([a.size for a in arrays])
    return Noises(Noise(noise.level[:results].copy(), noise.relative), tuple(np.split(jitter, ends[:-1])))


def is_more_than_zero(none: np.ndarray | None) -> bool:
    """Whether the gradient for an upstream gradient of zeros is nonzero; NaN is no proof (0 times infinity)."""
    return none is not None and bool((np.isfinite(none) & (none != 0)).any())


def _is_float32(value: float) -> bool:
    """Whether a number has the digits of a float32; what remains of cancelling terms has far fewer."""
    digits = float(np.frexp(value)[0]) * 2.0**_FEW
    return float(np.float32(value)) == value and digits != int(digits)


def _jump(sides: Sequence[np.ndarray]) -> float:
    """What of the changes on either side stays the same as the moves shrink; the larger one, 0 if neither does."""
    heights = [float(side[-1]) for side in sides if np.ptp(side) <= _ALIKE * abs(side[-1])]
    return max(heights, key=abs, default=0.0)
