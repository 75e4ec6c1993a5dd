"""What is wrong with a gradient that disagrees: a cause is named only if the numbers leave no other simple one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .compare import Comparison, Table
from .contracts import Examination, Gradients
from .messages import Kind, apart, number, say, shown, where
from .report import Finding

_SIGNAL = 10.0
"""A match means something only where what is matched is this many times the tolerance."""

_LARGEST_TERM = 12
_FLOAT32 = 4 * float(np.finfo(np.float32).eps)
_NONLINEAR = 1e-3


@dataclass(frozen=True, eq=False)
class Case:
    """All that is known when an input is accused: the tables at the given point and, if it could be measured,
    nearby."""

    function: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    exam: Examination
    tables: tuple[Table, ...]

    @property
    def gradients(self) -> Gradients:
        """The analytic gradients at the given point."""
        return self.exam.gradients or (None,) * len(self.names)

    def at(self, i: int) -> list[Comparison]:
        """The comparisons of input ``i`` at every point."""
        return [table.inputs[i] for table in self.tables]

    def index(self, i: int, element: int) -> tuple[int, ...]:
        """The index of a flat element of input ``i``."""
        return tuple(int(k) for k in np.unravel_index(element, self.shapes[i]))


def accused(case: Case, i: int) -> bool:
    """Whether the gradient of input ``i`` is wrong beyond doubt."""
    if ignores_upstream(case, i) or _undefined(case, i).any():
        return True
    return bool(_wrong_somewhere(case, i).any()) and not rounded(case, i)


def accuse(case: Case, i: int) -> Finding:
    """The finding about an accused input."""
    for cause in (_upstream, _swapped, _missing, _sign, _factor, _nan, _nonlinear, _local):
        finding = cause(case, i)
        if finding is not None:
            return finding
    return _unexplained(case, i)


def ignores_upstream(case: Case, i: int) -> bool:
    """Whether an upstream gradient of zeros gives something else than zeros; NaN is no proof (0 times infinity)."""
    g = case.exam.none[i]
    return g is not None and bool((np.isfinite(g) & (g != 0)).any())


def rounded(case: Case, i: int) -> bool:
    """Whether the gradient is merely a float32 that became a float64 again."""
    for c in case.at(i):
        a = c.elements.analytic[c.measured]
        with np.errstate(over="ignore"):
            close = c.elements.deviation[c.measured] <= _FLOAT32 * np.abs(a)
            if not (np.array_equal(a, a.astype(np.float32)) and close[c.elements.wrong[c.measured]].all()):
                return False
    return True


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
        pairs = list(zip(case.at(i), case.at(j), strict=True))
        if both_wrong and _fits(pairs, 1.0) and _fits([(b, a) for a, b in pairs], 1.0):
            return _finding(case, i, "swapped_inputs", {"other": shown(name)}, evidence={"other": name})
    return None


def _missing(case: Case, i: int) -> Finding | None:
    if any(c.elements.analytic.any() for c in case.at(i)):
        return None
    given = "0" if case.tables[0].inputs[i].given else "None"
    return _finding(case, i, "missing_dependency", {"given": given})


def _sign(case: Case, i: int) -> Finding | None:
    fits = _evident(case, i) and _fits([(c, c) for c in case.at(i)], -1.0)
    return _finding(case, i, "wrong_sign") if fits else None


def _factor(case: Case, i: int) -> Finding | None:
    factor = _simple(_ratio(case.at(i)), case) if _evident(case, i) else None
    if factor is None or not _fits([(c, c) for c in case.at(i)], float(factor)):
        return None
    return _finding(case, i, "wrong_factor", {"factor": str(factor)}, evidence={"factor": float(factor)})


def _nan(case: Case, i: int) -> Finding | None:
    undefined = np.flatnonzero(_undefined(case, i))
    if undefined.size == 0:
        return None
    return _finding(case, i, "wrong_function", key="wrong_function.nan", element=int(undefined[0]))


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
    wrong = _wrong_somewhere(case, i)
    right = ~wrong
    for c in case.at(i):
        right &= c.measured & ~c.elements.unsure & (np.abs(c.elements.numeric) > _SIGNAL * c.elements.tolerance)
    region = _region(case, i, wrong, wrong | right) if right.any() else ""
    if not region and right.sum() < max(wrong.sum(), 1):
        return None
    return _finding(case, i, "local_error", {"region": region})


def _unexplained(case: Case, i: int) -> Finding:
    if int(np.prod(case.shapes[i])) == 1:
        return _finding(case, i, "wrong_function", key="wrong_function.scalar")
    return _finding(case, i, "wrong_function")


# ---------------------------------------------------------------------- evidence
def _fits(pairs: Sequence[tuple[Comparison, Comparison]], factor: float) -> bool:
    """Whether, at every point, the analytic gradient of the first is ``factor`` times the numeric one of the second.

    A match with what is lost in its own tolerance says nothing, so somewhere there must be more.
    """
    signal = False
    for first, second in pairs:
        a, b = first.elements, second.elements
        known = first.measured & second.measured & ~a.unsure & ~b.unsure
        target, slack = factor * b.numeric[known], abs(factor) * b.tolerance[known]
        if (np.abs(a.analytic[known] - target) > slack + a.tolerance[known]).any():
            return False
        signal |= bool((np.abs(target) > _SIGNAL * slack).any())
    return signal


def _evident(case: Case, i: int) -> bool:
    """Two points, or three elements with different slopes: one number alone is some factor times any other."""
    if len(case.at(i)) > 1:
        return True
    e = case.at(i)[0].elements
    return np.unique(np.round(np.abs(e.numeric[e.wrong]), 6)).size >= 3


def _ratio(comparisons: Sequence[Comparison]) -> float:
    """Analytic over numeric at the element with the greatest slope."""
    analytic = np.concatenate([c.elements.analytic[c.measured] for c in comparisons])
    numeric = np.concatenate([c.elements.numeric[c.measured] for c in comparisons])
    if not np.isfinite(numeric).any() or not np.nanmax(np.abs(numeric)) > 0:
        return float("nan")
    k = int(np.nanargmax(np.abs(numeric)))
    return float(analytic[k] / numeric[k])


def _simple(ratio: float, case: Case) -> Fraction | None:
    """``ratio`` as a fraction of small numbers, or of a length or size of one of the arrays; None if it is neither."""
    if not np.isfinite(ratio) or ratio == 0:
        return None
    shapes = [*case.shapes, *[g.shape for g in case.exam.upstreams[0]]]
    sizes = {int(n) for shape in shapes for n in (*shape, np.prod(shape)) if n > 1}
    fraction = Fraction(ratio).limit_denominator(_LARGEST_TERM)
    candidates = [fraction] if 0 < abs(fraction.numerator) <= _LARGEST_TERM else []
    sign = 1 if ratio > 0 else -1
    candidates += [f for n in sorted(sizes) for f in (Fraction(sign * n), Fraction(sign, n))]
    for candidate in candidates:
        if candidate != 1 and abs(ratio - float(candidate)) <= 1e-6 * abs(ratio):
            return candidate
    return None


def _undefined(case: Case, i: int) -> np.ndarray:
    """Elements whose gradient is NaN or infinite at two points although the function is smooth there.

    At one point it may be a limit of the arithmetic: 0 times the infinite slope of a root.
    """
    if len(case.at(i)) < 2:
        return np.zeros(case.at(i)[0].measured.size, bool)
    return np.logical_and.reduce(
        [c.measured & ~np.isfinite(c.elements.analytic) & c.elements.known for c in case.at(i)]
    )


def _wrong_somewhere(case: Case, i: int) -> np.ndarray:
    return np.logical_or.reduce([c.elements.wrong for c in case.at(i)])


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
