"""Whether a gradient is wrong, and why: a cause is named only if the numbers leave no other simple one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...shared.words import listed
from ..formulas.formulas_with_parts import rule_of
from ..formulas.row_formulas import forgotten_in_row, wrong_order
from ..judging.case import CheckedInput
from ..judging.finding import Explanation, Finding
from ..judging.survey import is_more_than_zero
from ..measuring.numeric_slopes import KINK
from ..measuring.point import index_of
from ..messages import number, say, shown, told_apart, where
from .forgotten_way import forgotten_way
from .leaving import left
from .multiples import SIGNAL, factor, swapped
from .rearranged import one_place_of_several, partial_sums, rearranged, untransposed_jacobian
from .regions import is_left_out, region_of
from .shared_factor import factor_of_diagonal, factor_of_results, shared_factor
from .upstream import ignored, nonlinear


def fails(checked: CheckedInput) -> bool:
    """Whether the gradient of an input is wrong beyond doubt, for an upstream gradient or at an element."""
    is_odd = is_more_than_zero(checked.case.exam.none[checked.place]) or nonlinear(checked) is not None
    return bool(is_odd or checked.undefined.any() or checked.wrong.any())


def diagnose(checked: CheckedInput) -> Finding:
    """The finding about a failing input."""
    causes = (
        left,
        ignored,
        nonlinear,
        swapped,
        _missing,
        _tied,
        factor,
        _nan,
        _stale,
        wrong_order,
        rearranged,
        one_place_of_several,
        untransposed_jacobian,
        _local,
        forgotten_in_row,
        forgotten_way,
        shared_factor,
        factor_of_diagonal,
        partial_sums,
        factor_of_results,
    )
    found = next((explanation for cause in causes if (explanation := cause(checked)) is not None), None)
    unexplained = Explanation("wrong_function", cause="scalar" if checked.value.size == 1 else "")
    return _with_rule(checked, _finding(checked, found or unexplained))


_BY_RULE = frozenset({"wrong_function", "wrong_factor", "missing_term", "local_error"})
_OTHERWISE = frozenset({"nan", "nonlinear", "stale", "repeated", "tie"})


def _with_rule(checked: CheckedInput, finding: Finding) -> Finding:
    """The finding, with the formulas of backward and of the measured gradient, if both are known."""
    if finding.kind not in _BY_RULE or finding.evidence.get("cause") in _OTHERWISE:
        return finding
    return replace(finding, evidence={**finding.evidence, **rule_of(checked, finding.kind)})


# ---------------------------------------------------------------------- the causes, in this order
def _missing(checked: CheckedInput) -> Explanation | None:
    if any(c.elements.analytic.any() for c in checked.points):
        return None
    return Explanation("missing_dependency", {"given": "0" if checked.here.given else "None"})


def _tied(checked: CheckedInput) -> Explanation | None:
    """Right for each of some equal elements alone, and wrong for all together."""
    ties = [tie for tie in checked.case.tables[0].ties if checked.place in dict(tie.members)]
    mine = [k for tie in ties for i, k in tie.members if i == checked.place]
    if not ties or checked.wrong.sum() > len(mine):
        return None
    tie, names, shapes = ties[0], checked.case.subject.names, [a.shape for a in checked.case.subject.arrays]
    members = listed([f"{shown(names[i])}{list(index_of(k, shapes[i])) or ''}" for i, k in tie.members], most=4)
    numbers = {"given": tie.given, "measured": tie.measured}
    evidence = {**numbers, "others": [names[i] for i in dict(tie.members)]}
    return Explanation("wrong_function", {"members": members, **told_apart(**numbers)}, evidence, "tie", mine[0])


def _nan(checked: CheckedInput) -> Explanation | None:
    nowhere = np.flatnonzero(checked.undefined)
    return Explanation("wrong_function", cause="nan", element=int(nowhere[0])) if nowhere.size else None


def _stale(checked: CheckedInput) -> Explanation | None:
    """Right at the given point; nearby, every measured element still has the gradient of that point."""
    if len(checked.points) < 2:
        return None
    (here, nearby), known = checked.points, checked.points[1].measured
    same = np.array_equal(here.elements.analytic[known], nearby.elements.analytic[known])
    moved = nearby.elements.wrong[known]
    if not same or here.elements.wrong.any() or moved.sum() < max(2, known.sum() / 2):
        return None
    return Explanation("wrong_function", cause="stale")


def _local(checked: CheckedInput) -> Explanation | None:
    """Wrong at a minority of the elements, or at those of one sign; right at others whose gradient is not
    negligible."""
    wrong = checked.wrong
    right = ~wrong
    for c in checked.points:
        clear = ~c.elements.unsure & (np.abs(c.elements.numeric) > SIGNAL * c.elements.tolerance)
        right &= np.where(c.measured, clear, c is not checked.here)  # nearby, only some elements were measured
    smooth, unsure = checked.here.elements.kind != KINK, checked.here.elements.unsure.astype(bool)
    if not (wrong & smooth).any():
        smooth |= True  # only kinks are wrong
    region = region_of(checked, wrong & smooth, (wrong | right) & smooth | unsure) if right.any() else ""
    if not region and right.sum() < (1 if is_left_out(checked, wrong & smooth) else max(wrong.sum(), 1)):
        return None
    return Explanation("local_error", {"region": region})


# ---------------------------------------------------------------------- the sentence
def _finding(checked: CheckedInput, why: Explanation) -> Finding:
    """A finding with the numbers of one element: at the point, or nearby if all is right there."""
    c, survey = checked.wrong_point
    e, x = c.elements, survey.arrays[checked.place]
    element = e.worst(e.wrong) if why.element is None else why.element
    index = checked.index(element)
    numbers = e.numbers(element, "analytic", "numeric")
    count, total = int(e.wrong.sum()), int(c.measured.sum())
    every = "both" if total == 2 else "all"
    which = f"places.{every if count == total else 'some'}{'' if c.measured.all() else '.measured'}"
    places = say(which, count=count, total=total)
    others = say("local_error.others.unsure" if (e.unsure & c.measured).any() else "local_error.others")
    facts = {"function": checked.case.function, "where": where(index), "others": others, "places": places}
    evidence = {**numbers, "index": list(index), "count": count, "total": total}
    evidence |= {**({"cause": why.cause} if why.cause else {}), **why.evidence}
    key = f"{why.kind}.{why.cause}" if why.cause else why.kind
    found = Finding.said(key, checked.name, evidence, **{**facts, **told_apart(**numbers), **why.words})
    place = f"{shown(checked.name)}{list(index) or ''} = {number(float(x.flat[element]))}"
    nearby = "" if c is checked.here else say("nearby", point=place)
    return replace(found, message=found.message + nearby + why.after)
