"""What may make a right gradient look wrong: asked only about elements that seem wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..engine.backend import to_cpu
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from .numeric import Gauge
from .probes import MARGIN
from .stairs import Stair, find_stair
from .subject import Subject

_SCALES = (3.0, 0.7, 1.9, 0.3, 1.3)
"""By these the upstream gradient is multiplied; none is a power of two, which would round as 1 does."""

_PART = 0.1
_ULPS = 64.0
_EXTREME = 1e100
"""Only a gradient that is larger, or smaller than one over it, is believed to suffer from an overflow or underflow."""


@dataclass(frozen=True, eq=False)
class Doubts:
    """The arithmetic at a point: ``gradients`` are those for ``upstreams``, None where there is none."""

    subject: Subject
    arrays: Sequence[np.ndarray]
    upstreams: Sequence[np.ndarray]
    gradients: Sequence[np.ndarray | None]

    def stair(self, gauge: Gauge, input: int, element: int, numeric: float, analytic: float) -> Stair | None:
        """The jump of a result that hides the slope of an element."""
        return find_stair(gauge, gauge.point.element(input, element), numeric, analytic)

    def speak_for(
        self, gauge: Gauge, input: int, element: int, numeric: float, analytic: float, deviation: float
    ) -> bool:
        """Whether an element may be right though no stair hides its slope."""
        return (
            self.is_negligible(numeric, deviation, gauge.point.scales[input][element])
            or self.is_rounded(input, element, deviation)
            or self.is_out_of_range(numeric, analytic)
        )

    def is_out_of_range(self, *slopes: float) -> bool:
        """Whether numbers may have been lost on the way to such slopes because they were too large or too small."""
        sizes = [abs(slope) for slope in slopes if slope]
        return any([s > _EXTREME or s < 1 / _EXTREME for s in sizes]) and bool(self.limits)

    @cached_property
    def limits(self) -> frozenset[str]:
        """What keeps the arithmetic from giving a gradient: "overflow", "underflow"; "infinity" in an input."""
        if not all(np.isfinite(a).all() for a in self.arrays):
            return frozenset({"infinity"})
        signals: set[str] = set()
        with np.errstate(over="call", under="call", call=lambda kind, flag: signals.add(kind)):
            self.subject.gradients(self.subject.run(self.arrays), self.upstreams)
        return frozenset(signals)

    def is_rounded(self, input: int, element: int, deviation: float) -> bool:
        """Whether so much may be the rounding of terms that cancel in the gradient; it is no float32, which scatters
        as well."""
        scatter, g = self._scatter[input], self.gradients[input]
        if scatter is None or g is None or np.float32(g.flat[element]) == g.flat[element] != 0:
            return False
        return bool(deviation <= MARGIN * scatter[element])

    def is_negligible(self, numeric: float, deviation: float, scale: float) -> bool:
        """Whether a small part of a slope moves the results by less than the rounding of what they are made of.

        ``scale`` is that of the element. A whole slope may be as small and still be known; a part of it that comes
        through a value of rounded digits is not.
        """
        if not deviation <= _PART * abs(numeric):
            return False
        upstream = max([float(np.max(np.abs(g), initial=0.0)) for g in self.upstreams])
        return bool(deviation * scale <= _ULPS * np.finfo(np.float64).eps * upstream * self._largest)

    @cached_property
    def _largest(self) -> float:
        """The largest value on the way from the inputs to the results."""
        sizes = [_size(a) for a in self.arrays]

        def hook(event: ForwardEvent | BackwardEvent) -> None:
            if isinstance(event, ForwardEvent):
                sizes.extend([_size(to_cpu(y.data)) for y in event.outputs])

        with observe(hook):
            self.subject.run(self.arrays)
        return max(sizes)

    @cached_property
    def _scatter(self) -> list[np.ndarray | None]:
        """How far gradients are apart that differ by their rounding alone, flat."""
        run = self.subject.run(self.arrays)
        found = [None if g is None else np.zeros(g.size) for g in self.gradients]
        for scale in _SCALES:
            scaled = self.subject.gradients(run, [(g * scale).astype(g.dtype) for g in self.upstreams])
            for spread, g, once in zip(found, scaled, self.gradients, strict=True):
                if spread is not None and g is not None and once is not None:
                    np.maximum(spread, np.abs(g / scale - once).ravel(), out=spread)
        return found


def _size(array: np.ndarray) -> float:
    return float(np.max(np.abs(array), where=np.isfinite(array), initial=0.0)) if array.dtype.kind == "f" else 0.0
