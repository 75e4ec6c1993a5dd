"""What came of comparing gradients, as plain data for every element, input and point; and what such numbers can and
cannot mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..measuring.numeric_slopes import KINK, SMOOTH
from ..measuring.point import index_of
from ..measuring.probes import KNOWN, MARGIN, Search
from ..measuring.records import Records
from ..measuring.stairs import Stair
from ..measuring.subject import Subject
from ..messages import apart, say, where
from .contracts import Combination, Examination
from .finding import Explanation
from .survey import Survey, is_more_than_zero

SIGNAL = 10.0
"""A match means something only where what is matched is this many times the tolerance."""

_NONLINEAR = 1e-3
_LEFT = 1e-12
_SATURATED = 1e-13
_SEED = 0


class Elements(Records):
    """What is known of each element.

    ``analytic`` is 0 where the function gave no gradient. ``numeric`` is NaN where nothing was measured or can be, and
    ``uncertainty`` how far it can be off. ``low`` and ``high`` bound the acceptable slopes; they differ where the
    ``kind`` is a kink. ``deviation`` is the distance to them, and ``tolerance`` what it may be. Some are ``wrong``;
    ``unsure`` are the measured ones about which nothing can be said.
    """

    @property
    def known(self) -> np.ndarray:
        """Where the function is smooth and its slope was measured well, whatever the analytic gradient is."""
        return (self.kind == SMOOTH) & (self.uncertainty <= KNOWN * np.abs(self.numeric))

    def worst(self, among: np.ndarray) -> int:
        """Of the elements marked in ``among``, the one that deviates most; what is not finite comes first."""
        deviation = np.where(np.isfinite(self.deviation), self.deviation, np.inf)
        return int(np.argmax(np.where(among, deviation, -1.0)))


@dataclass(frozen=True, eq=False)
class Comparison:
    """The elements of one input.

    ``given``: there is a gradient; ``probes``: what random directions say of elements that were not measured;
    ``stairs``: what hides the slope of some elements; ``zeros``: those whose gradient is 0 up to rounding.
    """

    elements: Elements
    measured: np.ndarray
    given: bool
    probes: Search
    stairs: Mapping[int, Stair] = field(default_factory=dict)
    zeros: frozenset[int] = frozenset()

    @property
    def untraced(self) -> bool:
        """Whether probes found an error that shows at none of the elements that were measured."""
        return bool(self.probes.halves) and not (self.elements.wrong | self.elements.unsure).any()


@dataclass(frozen=True, eq=False)
class Table:
    """The comparisons of all inputs at one point.

    ``failure`` names what the function raised in the neighbourhood, if anything.
    """

    inputs: tuple[Comparison, ...]
    failure: str | None
    survey: Survey

    @property
    def fails(self) -> bool:
        """Whether some element is wrong."""
        return any(c.elements.wrong.any() for c in self.inputs)


@dataclass(frozen=True, eq=False)
class Case:
    """All that is known when an input fails: the tables at the given point and, if it could be measured,
    nearby."""

    function: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    exam: Examination
    tables: tuple[Table, ...]
    subject: Subject

    def at(self, i: int) -> list[Comparison]:
        """The comparisons of input ``i`` at the given point and, if it was measured there, nearby."""
        here, *nearby = [table.inputs[i] for table in self.tables]
        return [here, *[c for c in nearby if c.measured.any()]]

    def wrong_point(self, i: int) -> int:
        """The first point at which an element of input ``i`` is wrong."""
        return next((k for k, c in enumerate(self.at(i)) if c.elements.wrong.any()), 0)

    def leftover(self, i: int) -> float:
        """What rounding may leave of a gradient whose terms cancel at the given point.

        Nearby they need not, and are then as large as the gradient. Inside a saturated function they always do, and
        have the size of the upstream gradient.
        """
        upstream = max([float(np.abs(g).max(initial=0.0)) for g in self.exam.upstreams[0]])
        terms = upstream * (1 + float(np.abs(self.subject.arrays[i]).max(initial=0.0)))
        nearby = self.subject.nearby(np.random.default_rng(_SEED))
        found = self.subject.nearby_gradients(nearby, self.exam.upstreams[0])
        g = None if found is None else found[i]
        size = 0.0 if g is None else float(np.max(np.abs(g), where=np.isfinite(g), initial=0.0))
        return max(_LEFT * size, _SATURATED * terms)

    @property
    def limits(self) -> frozenset[str]:
        """What keeps the arithmetic at the given point from giving a gradient."""
        return self.tables[0].survey.limits

    def index(self, i: int, element: int) -> tuple[int, ...]:
        """The index of a flat element of input ``i``."""
        return index_of(element, self.shapes[i])


def fails(case: Case, i: int) -> bool:
    """Whether the gradient of input ``i`` is wrong beyond doubt."""
    is_odd = ignores_upstream(case, i) or nonlinear(case, i) is not None
    return bool(is_odd or undefined(case, i).any() or wrong_somewhere(case, i).any())


def ignores_upstream(case: Case, i: int) -> bool:
    """Whether an upstream gradient of zeros gives something else than zeros."""
    return is_more_than_zero(case.exam.none[i])


def nonlinear(case: Case, i: int) -> Explanation | None:
    """Where the gradient is least linear in the upstream gradient, if that is no rounding error.

    A backward that takes the size of it, or its square, shows only where the signs differ: one of the sums is negative.
    """
    return next((found for c in case.exam.combinations if (found := _unlike(case, i, c)) is not None), None)


def _unlike(case: Case, i: int, combination: Combination) -> Explanation | None:
    """A gradient of 0 may be made of terms that cancel; what rounding leaves of them is linear in nothing."""
    found = combination.of(i)
    if found is None or not found[0].size or not all([np.isfinite(g).all() for g in (found[0], *found[1])]):
        return None
    given, made = found[0].ravel(), np.asarray(sum(found[1])).ravel()
    gap = np.abs(given - made)
    gauge, noise = case.tables[0].survey.gauge, case.tables[0].survey.noise.gradients[i]
    known = max(*[_NONLINEAR * np.abs(g).max() for g in found[1]], MARGIN * noise.max())
    least = np.maximum(known, gauge.grain / gauge.point.scales[i])
    k = int(np.argmax(np.where(gap > least, gap, 0)))
    if not gap[k] > least[k] or not gap[k] > case.leftover(i):
        return None
    texts = dict(zip(("given", "made"), apart(float(given[k]), float(made[k])), strict=True))
    how = say(f"wrong_function.nonlinear.{combination.key}", **texts, where=where(case.index(i, k)))
    return Explanation("wrong_function", {"how": how}, cause="nonlinear")


def fits(pairs: Sequence[tuple[Comparison, Comparison]], factor: float) -> bool:
    """Whether, at every point, the analytic gradient of the first is ``factor`` times the numeric one of the second.

    A match with what is lost in its own tolerance says nothing, so somewhere there must be more.
    """
    signal = False
    for first, second in pairs:
        a, b = first.elements, second.elements
        known = first.measured & second.measured & ~a.unsure & ~b.unsure & (a.kind != KINK) & (b.kind != KINK)
        target, slack = factor * b.numeric[known], abs(factor) * b.tolerance[known]
        if (np.abs(a.analytic[known] - target) > slack + a.tolerance[known]).any():
            return False
        signal |= bool((np.abs(target) > SIGNAL * slack).any())
    return signal


def evident(case: Case, i: int) -> bool:
    """Two points, or three elements with different slopes: one number alone is some factor times any other."""
    if len(case.at(i)) > 1:
        return True
    e = case.at(i)[0].elements
    return np.unique(np.round(np.abs(e.numeric[e.wrong]), 6)).size >= 3


def ratio(comparisons: Sequence[Comparison]) -> float:
    """Analytic over numeric at the element with the largest slope."""
    analytic = np.concatenate([c.elements.analytic[c.measured] for c in comparisons])
    numeric = np.concatenate([c.elements.numeric[c.measured] for c in comparisons])
    if not np.isfinite(numeric).any() or not np.nanmax(np.abs(numeric)) > 0:
        return float("nan")
    k = int(np.nanargmax(np.abs(numeric)))
    return float(analytic[k] / numeric[k])


def lengths(case: Case) -> set[int]:
    """The lengths and sizes of the inputs and results, which a gradient may be divided by."""
    shapes = [*case.shapes, *[g.shape for g in case.exam.upstreams[0]]]
    return {int(n) for shape in shapes for n in (*shape, np.prod(shape)) if n > 1}


def undefined(case: Case, i: int) -> np.ndarray:
    """Elements whose gradient is NaN or infinite at two points although the function is smooth there.

    At one point it may be a limit of the arithmetic: 0 times the infinite slope of a root. At two it is one if the
    arithmetic says so: infinity over infinity, where an exponential was too large.
    """
    nowhere = np.logical_and.reduce(
        [c.measured & ~np.isfinite(c.elements.analytic) & c.elements.known for c in case.at(i)]
    )
    return nowhere if len(case.at(i)) > 1 and nowhere.any() and not case.limits else np.zeros_like(nowhere)


def wrong_somewhere(case: Case, i: int) -> np.ndarray:
    return np.logical_or.reduce([c.elements.wrong for c in case.at(i)])
