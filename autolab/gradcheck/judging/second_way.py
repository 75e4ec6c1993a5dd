"""Gradients that are right, but different when computed a second way: in the dtype of the inputs, or under
``create_graph``.

A right gradient differs between the two by rounding, and rounding is not the same nearby. So a
difference is a mistake only if it is far larger at the given point and nearby, nothing overflows and the results agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..measuring.gauge import MARGIN
from ..measuring.point import Arrays, index_of, largest
from ..measuring.subject import Gradients, Run, Subject, draw_upstreams, filled, jittered, spread_of
from ..messages import Kind, say, told_apart, where
from .contracts import Examination
from .finding import Finding

_FAR = 10.0
"""A difference counts from this many roots of the precision on, relative to the gradient."""

_SMALL = 1e-3
"""An element below this fraction of the largest is compared as if it had that size."""

_UNITS = 64.0
"""How many units in the last place rounding may cost the terms of a gradient, and a result."""

_NEARBY = 2
_DRAWS = 4
_MOVED = 4.0


def beside_dtype(native: Subject, subject: Subject, exam: Examination) -> list[Finding]:
    """Findings about gradients that are right in float64, computed by ``subject``, but wrong in the inputs' dtype."""
    if native is subject:
        return []
    _, upstreams, gradients = in_own_dtype(native, exam)
    return _TwoWays("dtype", subject, native, upstreams).findings(exam.gradients, gradients)


def in_own_dtype(native: Subject, exam: Examination) -> tuple[Run, Arrays, Gradients]:
    """A run in the dtype of the inputs, the upstream gradients and the gradients."""
    run = native.run()
    upstreams = [g.astype(y.dtype) for g, y in zip(exam.upstreams[0], run.outputs, strict=True)]
    return run, upstreams, native.gradients(run, upstreams)


def beside_graph(subject: Subject, exam: Examination) -> list[Finding]:
    """Findings about gradients that are right without ``create_graph``, but wrong with it."""
    if exam.graph is None:
        return []
    return _TwoWays("graph", subject, subject, exam.upstreams[0]).findings(exam.gradients, exam.graph)


def lower_orders(subjects: Sequence[Subject]) -> list[Finding]:
    """The same for functions whose gradients are differentiated again, and so always have ``create_graph``."""
    found: list[Finding] = []
    for subject in subjects:
        run = subject.run()
        upstreams = draw_upstreams(run.outputs, np.random.default_rng(0))
        plain, graph = [subject.gradients(run, upstreams, create) for create in (False, True)]
        found += _TwoWays("graph", subject, subject, upstreams).findings(plain, graph)
    return found


@dataclass(frozen=True, eq=False)
class _TwoWays:
    """The gradients known to be right, and the second way: under ``create_graph``, or in the inputs' own dtype."""

    by: str  # "graph" or "dtype"
    first: Subject
    second: Subject
    upstreams: Arrays

    def findings(self, right: Gradients, second: Gradients) -> list[Finding]:
        """One finding for each input whose gradient is wrong in the second way."""
        expected, given = [filled(gradients, self.first.arrays) for gradients in (right, second)]
        masks = self._far(self.second.arrays, expected, given)
        if not any(mask.any() for mask in masks) or self._is_limited():
            return []
        gaps = [np.abs(b - a) for a, b in zip(expected, given, strict=True)]
        for mask, gap, noise in zip(masks, gaps, self._noise(), strict=True):
            mask &= ~(gap <= MARGIN * noise)
        rng = np.random.default_rng(0)
        for _ in range(_NEARBY if any(mask.any() for mask in masks) else 0):
            try:
                arrays = self.second.nearby(rng)
                here = self._far(arrays, *[self._gradients(s, arrays)[1] for s in (False, True)])
            except Exception:  # nearby may lie outside the function's domain
                return []
            masks = [mask & other for mask, other in zip(masks, here, strict=True)]
        sizes = [np.where(np.isnan(gap), np.inf, gap) for gap in gaps]
        worst = [int(np.argmax(np.where(mask, size, -1.0))) for mask, size in zip(masks, sizes, strict=True)]
        return [self._finding(i, worst[i], given[i], expected[i]) for i, mask in enumerate(masks) if mask.any()]

    def _finding(self, i: int, element: int, given: np.ndarray, expected: np.ndarray) -> Finding:
        """The finding about an input, with both gradients at the element where they differ most."""
        index = index_of(element, self.first.arrays[i].shape)
        analytic, right = float(given[element]), float(expected[element])
        dtype = ", ".join(sorted({str(a.dtype) for a in self.second.arrays if a.dtype.itemsize < 8}))
        words = {"here": say(f"elsewhere.{self.by}", dtype=dtype), "there": say(f"elsewhere.{self.by}.there")}
        words |= told_apart(given=analytic, expected=right)
        evidence = {"cause": self.by, "index": list(index), "analytic": analytic, "expected": right}
        key = f"{_kind(given, expected)}.elsewhere"
        return Finding.said(key, self.first.names[i], evidence, where=where(index), **words)

    def _far(self, arrays: Arrays, expected: Arrays, given: Arrays) -> list[np.ndarray]:
        """Which elements differ by more than rounding explains, flat; NaN counts as different."""
        eps = max([float(np.finfo(a.dtype).eps) for a in (*arrays, *self.upstreams)])
        masks = []
        upstream, sizes = largest(*self.upstreams), [largest(exact) for exact in expected]
        for exact, other, x, most in zip(expected, given, arrays, sizes, strict=True):
            # A gradient of another input passes on the way to this one, too, and may cancel there.
            terms = max(*sizes, upstream * (1 + float(np.abs(x).max(initial=0.0))))
            size = np.maximum(np.abs(exact), _SMALL * most)
            least = np.maximum(_FAR * np.sqrt(eps) * size, _UNITS * eps * terms)
            masks.append(np.isfinite(exact.astype(x.dtype)) & ~(np.abs(other - exact) <= least))
        return masks

    def _gradients(self, is_second: bool, arrays: Arrays, factor: float = 1.0) -> tuple[Run, Arrays]:
        subject = self.second if is_second else self.first
        run = subject.run([a.astype(own.dtype) for a, own in zip(arrays, subject.arrays, strict=True)])
        starts = [(g * factor).astype(y.dtype) for g, y in zip(self.upstreams, run.outputs, strict=True)]
        create_graph = is_second and self.by == "graph"
        return run, filled(subject.gradients(run, starts, create_graph), subject.arrays)

    def _is_limited(self) -> bool:
        """Whether the second way overflows, underflows or is not finite, or has different results."""
        with self.second.heard() as signals:
            run, _ = self._gradients(True, self.second.arrays)
        exact = self._gradients(False, self.second.arrays)[0].values()
        for a, b in zip(exact, run.values(), strict=True):
            most = float(np.abs(a).max(initial=0.0))
            if not (np.abs(b - a) <= _UNITS * float(np.finfo(b.dtype).eps) * most).all():
                return True
        return bool(signals)

    def _noise(self) -> list[np.ndarray]:
        """How far the gradients of both ways move with inputs that move by some units in their last place, and with
        another rounding of the upstream gradient, flat."""
        rng = np.random.default_rng(0)
        draws = [(jittered(self.second.arrays, rng, _MOVED), float(rng.uniform(0.5, 2.0))) for _ in range(_DRAWS)]
        spreads = []
        for is_second in (False, True):
            once = self._gradients(is_second, self.second.arrays)[1]
            moved = [[g / factor for g in self._gradients(is_second, arrays, factor)[1]] for arrays, factor in draws]
            spreads.append(spread_of(once, moved))
        return [np.fmax(a, b) for a, b in zip(*spreads, strict=True)]


def _kind(given: np.ndarray, expected: np.ndarray) -> Kind:
    if not given.any():
        return "missing_dependency"
    near = np.abs(given + expected) <= 1e-2 * np.max(np.abs(expected))
    return "wrong_sign" if near.all() else "wrong_function"
