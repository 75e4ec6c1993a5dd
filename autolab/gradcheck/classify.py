"""What is wrong with a gradient that disagrees: a cause is named only if the numbers leave no other simple one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .case import SIGNAL, Case, evident, fits, ignores_upstream, ratio, simple, undefined, wrong_somewhere
from .messages import Kind, apart, number, say, shown, where
from .report import Finding

_NONLINEAR = 1e-3


def accuse(case: Case, i: int) -> Finding:
    """The finding about an accused input."""
    for cause in (_upstream, _swapped, _missing, _sign, _factor, _nan, _nonlinear, _local):
        finding = cause(case, i)
        if finding is not None:
            return finding
    return _unexplained(case, i)


# ---------------------------------------------------------------------- the causes, in this order
def _upstream(case: Case, i: int) -> Finding | None:
    g = case.exam.none[i]
    if g is not None and ignores_upstream(case, i):
        value = number(float(g[np.isfinite(g) & (g != 0)][0]))
        return _finding(case, i, "upstream_ignored", {"why": say("upstream_ignored.zero", value=value)})
    first, second = case.gradients[i], case.exam.second[i]
    if first is None or second is None or not first.any() or not np.array_equal(first, second):
        return None
    return _finding(case, i, "upstream_ignored", {"why": say("upstream_ignored.same")})


def _swapped(case: Case, i: int) -> Finding | None:
    for j, name in enumerate(case.names):
        if j == i or case.shapes[j] != case.shapes[i]:
            continue
        both_wrong = any(t.inputs[i].elements.wrong.any() and t.inputs[j].elements.wrong.any() for t in case.tables)
        pairs = [(t.inputs[i], t.inputs[j]) for t in case.tables]
        if both_wrong and fits(pairs, 1.0) and fits([(b, a) for a, b in pairs], 1.0):
            return _finding(case, i, "swapped_inputs", {"other": shown(name)}, evidence={"other": name})
    return None


def _missing(case: Case, i: int) -> Finding | None:
    if any(c.elements.analytic.any() for c in case.at(i)):
        return None
    given = "0" if case.tables[0].inputs[i].given else "None"
    return _finding(case, i, "missing_dependency", {"given": given})


def _sign(case: Case, i: int) -> Finding | None:
    negated = evident(case, i) and fits([(c, c) for c in case.at(i)], -1.0)
    return _finding(case, i, "wrong_sign") if negated else None


def _factor(case: Case, i: int) -> Finding | None:
    factor = simple(ratio(case.at(i)), case) if evident(case, i) else None
    if factor is None or not fits([(c, c) for c in case.at(i)], float(factor)):
        return None
    return _finding(case, i, "wrong_factor", {"factor": str(factor)}, evidence={"factor": float(factor)})


def _nan(case: Case, i: int) -> Finding | None:
    nowhere = np.flatnonzero(undefined(case, i))
    if nowhere.size == 0:
        return None
    return _finding(case, i, "wrong_function", key="wrong_function.nan", element=int(nowhere[0]))


def _nonlinear(case: Case, i: int) -> Finding | None:
    first, second, together = case.gradients[i], case.exam.second[i], case.exam.together[i]
    if first is None or second is None or together is None or not first.size:
        return None
    if not all(np.isfinite(g).all() for g in (first, second, together)):
        return None
    separate = first + second
    gap = np.abs(together - separate)
    k = int(np.argmax(gap))
    if gap.flat[k] <= _NONLINEAR * max(np.abs(first).max(), np.abs(second).max()):
        return None
    words = {"together": number(float(together.flat[k])), "separate": number(float(separate.flat[k]))}
    words["where"] = where(case.index(i, k))
    return _finding(case, i, "wrong_function", words, key="wrong_function.nonlinear")


def _local(case: Case, i: int) -> Finding | None:
    """Wrong at a minority of the elements, or at those of one sign; right at others whose gradient is not
    negligible."""
    wrong = wrong_somewhere(case, i)
    right = ~wrong
    for c in case.at(i):
        clear = ~c.elements.unsure & (np.abs(c.elements.numeric) > SIGNAL * c.elements.tolerance)
        right &= np.where(c.measured, clear, c is not case.at(i)[0])  # nearby only a part was measured
    region = _region(case, i, wrong, wrong | right) if right.any() else ""
    if not region and right.sum() < max(wrong.sum(), 1):
        return None
    return _finding(case, i, "local_error", {"region": region})


def _unexplained(case: Case, i: int) -> Finding:
    if int(np.prod(case.shapes[i])) == 1:
        return _finding(case, i, "wrong_function", key="wrong_function.scalar")
    return _finding(case, i, "wrong_function")


_REGIONS: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("< 0", lambda x: x < 0),
    ("> 0", lambda x: x > 0),
    ("= 0", lambda x: x == 0),
)


def _region(case: Case, i: int, wrong: np.ndarray, known: np.ndarray) -> str:
    """Which elements are wrong, in words, if the sign of the input tells them from the right ones."""
    x = case.tables[0].arrays[i].ravel()
    for text, belongs in _REGIONS:
        if np.array_equal(wrong[known], belongs(x)[known]):
            return f", those with {shown(case.names[i])} {text}"
    return ""


# ---------------------------------------------------------------------- the sentence
def _finding(
    case: Case,
    i: int,
    kind: Kind,
    words: Mapping[str, str] | None = None,
    *,
    key: str | None = None,
    element: int | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> Finding:
    """A finding with the numbers of one element: by default the worst at the point, or nearby if all is right there."""
    point = next((k for k, c in enumerate(case.at(i)) if c.elements.wrong.any()), 0)
    e, x = case.at(i)[point].elements, case.tables[point].arrays[i]
    element = e.worst(e.wrong) if element is None else element
    index = case.index(i, element)
    analytic, numeric = float(e.analytic[element]), float(e.numeric[element])
    count, total = int(e.wrong.sum()), int(case.at(i)[point].measured.sum())
    texts = apart(analytic, numeric)
    facts = {
        "function": case.function,
        "input": shown(case.names[i]),
        "analytic": texts[0],
        "numeric": texts[1],
        "where": where(index),
        "count": count,
        "total": total,
    }
    message = say(key or kind, **{**facts, **(words or {})})
    if point:
        message += say("nearby", point=f"{shown(case.names[i])}{list(index) or ''} = {number(float(x.flat[element]))}")
    numbers = {"analytic": analytic, "numeric": numeric, "index": list(index), "count": count, "total": total}
    return Finding(kind, case.names[i], message, {**numbers, **(evidence or {})})
