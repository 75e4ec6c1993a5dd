"""What is wrong with a gradient that disagrees: a cause is named only if the numbers leave no other simple one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...shared.numerals import signed
from ...shared.words import listed
from ..formulas.formulas_with_parts import rule_of
from ..judging.case import (
    SIGNAL,
    Case,
    evident,
    fits,
    ignores_upstream,
    lengths,
    nonlinear,
    ratio,
    undefined,
    wrong_somewhere,
)
from ..judging.finding import Explanation, Finding
from ..measuring.numeric_slopes import KINK
from ..messages import apart, number, say, shown, where
from .arranged_products import forgotten_in_row, wrong_order
from .constants import named
from .forgotten_way import forgotten_way
from .leaving import left
from .rearranged import one_place_of_several, partial_sums, rearranged
from .regions import is_left_out, region_of


def diagnose(case: Case, i: int) -> Finding:
    """The finding about a failing input."""
    causes = (
        left,
        _upstream,
        nonlinear,
        _swapped,
        _missing,
        _factor,
        _nan,
        _stale,
        wrong_order,
        rearranged,
        one_place_of_several,
        _local,
        forgotten_in_row,
        forgotten_way,
        partial_sums,
    )
    found = next((explanation for cause in causes if (explanation := cause(case, i)) is not None), None)
    return _with_rule(case, i, _finding(case, i, found or _unexplained(case, i)))


_BY_RULE = frozenset({"wrong_function", "wrong_factor", "missing_term", "local_error"})
_OTHERWISE = frozenset({"nan", "nonlinear", "stale", "repeated"})


def _with_rule(case: Case, i: int, finding: Finding) -> Finding:
    """The finding with the formulas of backward and of what was measured, where both are known."""
    if finding.kind not in _BY_RULE or finding.evidence.get("cause") in _OTHERWISE:
        return finding
    return replace(finding, evidence={**finding.evidence, **rule_of(case, i, finding.kind)})


# ---------------------------------------------------------------------- the causes, in this order
def _upstream(case: Case, i: int) -> Explanation | None:
    g = case.exam.none[i]
    if g is not None and ignores_upstream(case, i):
        value = number(float(g[np.isfinite(g) & (g != 0)][0]))
        return Explanation("upstream_ignored", {"why": say("upstream_ignored.zero", value=value)})
    first, second = case.exam.gradients[i], case.exam.second[i]
    if first is None or second is None or not first.any() or not np.array_equal(first, second):
        return None
    return Explanation("upstream_ignored", {"why": say("upstream_ignored.same")})


def _gets(case: Case, i: int, j: int) -> bool:
    """Whether input ``i`` got the gradient of another one, ``j``."""
    is_like = j != i and case.shapes[j] == case.shapes[i]
    return is_like and fits([(t.inputs[i], t.inputs[j]) for t in case.tables], 1.0)


def _swapped(case: Case, i: int) -> Explanation | None:
    """Whether inputs got each other's gradients: two of them, or more round in a ring."""
    ring, wrong = [i], [j for j in range(len(case.names)) if wrong_somewhere(case, j).any()]
    while (k := next((j for j in wrong if _gets(case, ring[-1], j)), None)) is not None and k not in ring:
        ring.append(k)
    if k != i:
        return None
    names = [shown(case.names[n]) for n in ring]
    if len(ring) == 2:
        return Explanation("swapped_inputs", {"other": names[1]}, {"other": case.names[ring[1]]})
    gets = ", ".join(f"{a} gets what belongs to {b}" for a, b in zip(names, [*names[1:], names[0]], strict=True))
    words = {"gets": gets, "everyone": listed(names, len(names))}
    return Explanation("swapped_inputs", words, {"others": [case.names[n] for n in ring]}, "rotated")


def _missing(case: Case, i: int) -> Explanation | None:
    if any(c.elements.analytic.any() for c in case.at(i)):
        return None
    given = "0" if case.tables[0].inputs[i].given else "None"
    return Explanation("missing_dependency", {"given": given})


def _factor(case: Case, i: int) -> Explanation | None:
    """A factor too many, or only a wrong sign."""
    pairs = [(c, c) for c in case.at(i)]
    if not evident(case, i):
        return None
    if fits(pairs, -1.0):
        return Explanation("wrong_sign")
    known = named(ratio(case.at(i)), lengths(case))
    if known is None or not fits(pairs, known[1]):
        return None
    text, factor = known
    return Explanation("wrong_factor", {"factor": signed(text)}, {"factor": factor})


def _nan(case: Case, i: int) -> Explanation | None:
    nowhere = np.flatnonzero(undefined(case, i))
    return Explanation("wrong_function", cause="nan", element=int(nowhere[0])) if nowhere.size else None


def _stale(case: Case, i: int) -> Explanation | None:
    """Right at the given point, and nearby still the gradient of that point at every element that was measured."""
    if len(case.at(i)) < 2:
        return None
    (here, nearby), known = case.at(i), case.at(i)[1].measured
    same = np.array_equal(here.elements.analytic[known], nearby.elements.analytic[known])
    moved = nearby.elements.wrong[known]
    if not same or here.elements.wrong.any() or moved.sum() < max(2, known.sum() / 2):
        return None
    return Explanation("wrong_function", cause="stale")


def _local(case: Case, i: int) -> Explanation | None:
    """Wrong at a minority of the elements, or at those of one sign; right at others whose gradient is not
    negligible."""
    wrong = wrong_somewhere(case, i)
    right = ~wrong
    for c in case.at(i):
        clear = ~c.elements.unsure & (np.abs(c.elements.numeric) > SIGNAL * c.elements.tolerance)
        right &= np.where(c.measured, clear, c is not case.at(i)[0])  # nearby only a part was measured
    smooth = case.at(i)[0].elements.kind != KINK
    if not (wrong & smooth).any():
        smooth |= True  # only kinks are wrong
    region = region_of(case, i, wrong & smooth, (wrong | right) & smooth) if right.any() else ""
    if not region and right.sum() < (1 if is_left_out(case, i, wrong & smooth) else max(wrong.sum(), 1)):
        return None
    return Explanation("local_error", {"region": region})


def _unexplained(case: Case, i: int) -> Explanation:
    return Explanation("wrong_function", cause="scalar" if int(np.prod(case.shapes[i])) == 1 else "")


# ---------------------------------------------------------------------- the sentence
def _finding(case: Case, i: int, why: Explanation) -> Finding:
    """A finding with the numbers of one element: at the point, or nearby if all is right there."""
    point = case.wrong_point(i)
    e, x = case.at(i)[point].elements, case.tables[point].survey.arrays[i]
    element = e.worst(e.wrong) if why.element is None else why.element
    index = case.index(i, element)
    analytic, numeric = float(e.analytic[element]), float(e.numeric[element])
    measured = case.at(i)[point].measured
    count, total = int(e.wrong.sum()), int(measured.sum())
    texts = apart(analytic, numeric)
    facts = {
        "function": case.function,
        "analytic": texts[0],
        "numeric": texts[1],
        "where": where(index),
        "count": count,
        "all": say("all" if measured.all() else "all.measured", total=total),
    }
    evidence = {"analytic": analytic, "numeric": numeric, "index": list(index), "count": count, "total": total}
    evidence |= {**({"cause": why.cause} if why.cause else {}), **why.evidence}
    key = f"{why.kind}.{why.cause}" if why.cause else why.kind
    found = Finding.said(key, case.names[i], evidence, **{**facts, **why.words})
    place = f"{shown(case.names[i])}{list(index) or ''} = {number(float(x.flat[element]))}"
    nearby = say("nearby", point=place) if point else ""
    return replace(found, message=found.message + nearby + why.after)
