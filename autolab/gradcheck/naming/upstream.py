"""Gradients that do not follow the upstream gradient, or not linearly."""

from __future__ import annotations

import numpy as np

from ..judging.case import CheckedInput
from ..judging.contracts import Combination
from ..judging.finding import Explanation
from ..judging.survey import is_more_than_zero
from ..measuring.point import largest
from ..measuring.probes import MARGIN
from ..messages import number, say, told_apart, where

_LEFT = 1e-12
_SATURATED = 1e-13


def ignored(checked: CheckedInput) -> Explanation | None:
    """Whether an upstream gradient of zeros gives nonzero gradients, or two different ones give the same."""
    exam, i = checked.case.exam, checked.place
    first, second, none = exam.gradients[i], exam.second[i], exam.none[i]
    if none is not None and is_more_than_zero(none):
        value = number(float(none[np.isfinite(none) & (none != 0)][0]))
        return Explanation("upstream_ignored", {"why": say("upstream_ignored.zero", value=value)})
    if first is None or second is None or not first.any() or not np.array_equal(first, second):
        return None
    return Explanation("upstream_ignored", {"why": say("upstream_ignored.same")})


def nonlinear(checked: CheckedInput) -> Explanation | None:
    """Where the gradient is least linear in the upstream gradient, if that is not a rounding error.

    A backward that takes the size of it, or its square, shows only where the signs differ: one of the sums is negative.
    """
    combinations = checked.case.exam.combinations
    return next((found for c in combinations if (found := _unlike(checked, c)) is not None), None)


def _unlike(checked: CheckedInput, combination: Combination) -> Explanation | None:
    """A gradient of 0 may be made of terms that cancel; what rounding leaves of them is linear in nothing."""
    survey, i = checked.case.survey, checked.place
    if (compared := combination.compared(i)) is None:
        return None
    given, made, known = compared
    gap = np.abs(given - made)
    known = max(known, MARGIN * survey.noise.gradients[i].max())
    least = np.maximum(known, survey.gauge.grain / survey.gauge.point.scales[i])
    k = int(np.argmax(np.where(gap > least, gap, 0)))
    if not gap[k] > least[k] or not gap[k] > _leftover(checked):
        return None
    texts = told_apart(given=float(given[k]), made=float(made[k]))
    how = say(f"wrong_function.nonlinear.{combination.key}", **texts, where=where(checked.index(k)))
    return Explanation("wrong_function", {"how": how}, cause="nonlinear")


def _leftover(checked: CheckedInput) -> float:
    """What rounding may leave of a gradient whose terms cancel at the given point.

    Nearby they need not, and are then as large as the gradient. Inside a saturated function they always do, and have
    the size of the upstream gradient.
    """
    subject, upstreams = checked.case.subject, checked.case.upstreams
    terms = largest(*upstreams) * (1 + float(np.abs(checked.value).max(initial=0.0)))
    found = subject.nearby_gradients(subject.nearby(np.random.default_rng(0)), upstreams)
    g = None if found is None else found[checked.place]
    size = 0.0 if g is None else largest(g)
    return max(_LEFT * size, _SATURATED * terms)
