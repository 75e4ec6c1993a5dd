"""The innocent findings: kinks, what cannot be measured, and the limits of precision. None of them means a failure.

Lower precision inside a float64 function: values rounded to float16 or float32 inside it, detected from outside.

A function that rounds its input gives the same bits for the rounded input, and others one unit of the lower precision
further on. One that rounds its results gives only numbers that the lower precision has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...shared.numerals import listed
from ..measuring.fine_slopes import is_zero
from ..measuring.gauge import MARGIN
from ..measuring.numeric_slopes import KINK, SMOOTH, UNKNOWN
from ..measuring.point import FAINT, Arrays, Evaluate, array_and_index, attempted, index_of, largest
from ..measuring.stairs import Stair
from ..measuring.subject import Subject, flat, ones_for
from ..messages import number, say, shown, told_apart, where
from .case import Case, CheckedInput, Comparison
from .contracts import Examination
from .finding import Finding
from .second_way import in_own_dtype

_NOISY = 1e-10
_ROUNDINGS = 16
_DTYPES = (np.float16, np.float32)
_LEAST = 3


def lowered(case: Case) -> list[Finding]:
    """Findings about lower precision inside a function; nothing is evaluated if nothing is noisy or wrong.

    Functions with steps, such as ``round``, round on purpose.
    """
    if any(a.dtype != np.float64 for a in case.subject.arrays) or case.survey.has_steps or not _suspicious(case):
        return []
    return attempted(_found, case) or []  # rounded inputs may lie outside the function's domain


def _found(case: Case) -> list[Finding]:
    dtype = _dtype(case.subject.arrays, lambda xs: flat(case.subject.run(xs).values()))
    if dtype is not None:
        return [_precision_finding(dtype, "forward", None, {}, function=case.function)]
    found = [_backward(checked) for checked in case.inputs if _is_off(checked)]
    return [finding for finding in found if finding is not None]


def is_half(finding: Finding) -> bool:
    """Whether a gradient is computed in half precision: too coarse for float64 to be called right."""
    return finding.evidence.get("dtype") == "float16" and finding.evidence.get("where") == "backward"


def _suspicious(case: Case) -> bool:
    relative = case.survey.noise.results.relative
    return bool(np.max(relative, initial=0.0) > _NOISY) or any(map(_is_off, case.inputs))


def _is_off(checked: CheckedInput) -> bool:
    """Whether something of a gradient is wrong or could not be told, or it is rougher than float64; one that is 0 up to
    rounding is none of these."""
    if checked.here.zeros:
        return False
    e, noise = checked.here.elements, checked.case.survey.noise.gradients[checked.place]
    size, gauge = largest(e.analytic), checked.case.survey.gauge
    if (e.unsure | e.wrong).any() or not np.max(noise, initial=0.0) > _NOISY * size > 0:
        return bool((e.unsure | e.wrong).any())
    k = int(np.nanargmax(np.abs(e.analytic)))
    seen = 0.0 if abs(e.numeric[k]) <= e.uncertainty[k] else float(e.numeric[k])
    return not is_zero(gauge, gauge.point.moving(checked.place, k), seen, float(e.analytic[k]))


def _backward(checked: CheckedInput) -> Finding | None:
    subject = checked.case.subject
    ones = ones_for(checked.case.upstreams)  # multiplying by 1 adds no digits

    def gradient(arrays: Arrays) -> np.ndarray:
        found = subject.gradients(subject.run(arrays), ones)[checked.place]
        return np.zeros(0) if found is None else found.ravel()

    c = checked.here
    # one that a lower precision holds is not multiplied by a random upstream gradient afterwards
    drawn = checked.case.exam.second[checked.place]
    stored = None if drawn is None else next((dtype for dtype in _DTYPES if _holds(dtype, drawn)), None)
    dtype = _dtype(subject.arrays, gradient) or stored
    if dtype is None or not c.sure.any():  # a slope that is lost in rounding says nothing about the gradient
        return None
    k = c.elements.worst(c.sure)
    numbers = c.elements.numbers(k, "analytic", "numeric")
    verdict = {"verdict": "wrong"} if _is_told(c, k, float(np.finfo(dtype).eps)) else {}
    words = {**told_apart(**numbers), "where": where(checked.index(k))}
    return _precision_finding(dtype, "backward", checked.name, {**numbers, **verdict}, **words)


def _is_told(c: Comparison, k: int, eps: float) -> bool:
    """Whether the gradient is off by more than the numeric one may be, at element ``k`` most; and nowhere by more than
    the lower precision explains."""
    e, known = c.elements, c.measured & np.isfinite(c.elements.deviation)
    size = np.max(np.abs(e.analytic), where=known, initial=0.0)
    is_explained = (e.deviation[known] <= _ROUNDINGS * eps * size).all()
    return bool(is_explained and e.deviation[k] > MARGIN * e.uncertainty[k] + _NOISY * size)


def _dtype(arrays: Arrays, evaluate: Evaluate) -> type[np.floating] | None:
    """The precision in which the results are computed, if it is lower and detectable."""
    here = evaluate(arrays)
    if not np.isfinite(here).all() or not here.any():
        return None
    for dtype in _DTYPES:
        rounded = [a.astype(dtype).astype(np.float64) for a in arrays]
        if all(np.array_equal(a, b) for a, b in zip(arrays, rounded, strict=True)):
            continue
        further = [a * (1 + 2 * float(np.finfo(dtype).eps)) for a in rounded]
        is_fine = np.mean(evaluate(further) != here) > 1 / 2
        is_input_rounded = np.array_equal(evaluate(rounded), here)
        if is_fine and (is_input_rounded or _holds(dtype, here)):
            return dtype
    return None


def _holds(dtype: type[np.floating], values: np.ndarray) -> bool:
    return np.array_equal(values.astype(dtype), values) and np.unique(values).size >= _LEAST


def _precision_finding(
    dtype: type[np.floating], place: str, input: str | None, numbers: dict[str, Any], **words: str
) -> Finding:
    """The finding about a lower precision in forward or backward."""
    evidence = {"dtype": dtype.__name__, "where": place, **numbers}
    digits = int(-np.log10(float(np.finfo(dtype).eps)))
    return Finding.said(f"low_precision.{place}", input, evidence, dtype=dtype.__name__, digits=digits, **words)


_ROOT_EPS_MARGIN = 10.0
_SYMMETRIC = 1e-6
"""A matrix is symmetric up to rounding where it is so to this fraction of its largest element."""


def limitations(checked: CheckedInput, failing: bool) -> list[Finding]:
    """Findings about the kinks of an input and, if it does not fail, about what could not be measured."""
    found = [_kink(checked)]
    if not failing:
        excused = np.flatnonzero(checked.here.elements.wrong)
        found += [_finding(checked, triangle_excuse(checked), excused, {}) if excused.size else None]
        zeros = np.array(sorted(checked.here.zeros), int)
        found += [_finding(checked, "low_precision.zero", zeros, {}) if zeros.size else None]
        found += [_unmeasured(checked), _covered(checked)]
    return [finding for finding in found if finding is not None]


def triangle_excuse(checked: CheckedInput) -> str:
    """The sentence that excuses the gradient of a matrix of which the function reads one triangle; "" if none does.

    The gradient of a symmetric matrix may be divided evenly between both triangles. Libraries also divide others, and
    give gradients to the zeros of a triangular matrix that they do not read.
    """
    x, e = checked.value, checked.here.elements
    if x.ndim < 2 or x.shape[-1] != x.shape[-2] or not checked.here.measured.all():
        return ""
    analytic, numeric, slack, wrong = [a.reshape(x.shape) for a in (e.analytic, e.numeric, 2 * e.tolerance, e.wrong)]
    above = np.triu(np.ones(x.shape[-2:], bool), 1)
    unread = [part for part in (above, above.T) if (np.abs(numeric) <= slack)[..., part].all()]
    both, given, allowed = [a + a.swapaxes(-1, -2) for a in (numeric, analytic, slack)]
    is_symmetric = np.abs(x - x.swapaxes(-1, -2)).max(initial=0.0) <= _SYMMETRIC * np.abs(x).max(initial=0.0)
    is_even = is_symmetric and (np.abs(2 * analytic - both) <= allowed).all()
    of_library = not any([getattr(s.function, "written_backward", None) for s in checked.case.subject.steps()])
    if unread and (np.abs(given - both) <= allowed).all() and (is_even or of_library):
        return "cannot_verify.triangle"
    of_zeros = [part for part in unread if not x[..., part].any() and not wrong[..., ~part].any()]
    return "cannot_verify.zero_triangle" if of_zeros and of_library else ""


def precision(native: Subject, subject: Subject, exam: Examination) -> list[Finding]:
    """Findings about inputs of lower precision than float64."""
    coarse = sorted({str(a.dtype) for a in native.arrays if a.dtype.itemsize < 8})
    if not coarse:
        return []
    if subject is native:
        words: dict[str, Any] = {"function": shown(native.bound.name), "dtype": listed(coarse)}
        return [Finding.said("low_precision.not_lifted", **words)]
    return [Finding.said("low_precision.lifted"), *_native(native, exam)]


def _kink(checked: CheckedInput) -> Finding | None:
    e = checked.here.elements
    at = np.flatnonzero(checked.here.measured & (e.kind == KINK))
    if at.size == 0:
        return None
    is_outside = e.deviation[at[0]] > e.tolerance[at[0]]
    how = "nan" if np.isnan(e.analytic[at[0]]) else "outside" if is_outside else "between"
    return _finding(checked, "kink", at, e.numbers(at[0], "low", "high", "analytic"), judgement=say(f"kink.{how}"))


def _unmeasured(checked: CheckedInput) -> Finding | None:
    at = np.flatnonzero(checked.here.elements.unsure)
    if at.size == 0:
        return None
    k, case = int(at[0]), checked.case
    if k in checked.here.stairs:
        return _hidden(checked, at, checked.here.stairs[k])
    e, survey, failure = checked.here.elements[k], case.survey, case.tables[0].failure
    if np.isfinite(e.analytic) and (jump := survey.jump(survey.gauge.point.moving(checked.place, k))):
        return _finding(checked, "cannot_verify.jump", at, {"analytic": float(e.analytic), "jump": jump})
    is_off = e.kind == SMOOTH and e.deviation > MARGIN * e.uncertainty > 0
    if not np.isfinite(e.analytic):
        key = "cannot_verify.infinite" if not survey.gauge.point.is_finite else _not_finite(checked)
    elif is_off and survey.is_out_of_range(e, survey.gauge.point.scales[checked.place][k]):
        key = "cannot_verify.range"
    elif is_off:
        key = "cannot_verify.rounding"
    elif e.kind == UNKNOWN:
        key = "cannot_verify.domain" if failure is None else "cannot_verify.raises"
    else:
        still = e.numeric == 0 == e.uncertainty
        key = "cannot_verify." + ("still" if still else "noise" if np.isfinite(e.uncertainty) else "loud")
    numbers = checked.here.elements.numbers(k, "analytic", "numeric", "uncertainty")
    error = failure if key == "cannot_verify.raises" else number(numbers["uncertainty"])
    limit = " and an ".join(sorted(survey.limits)) if key in ("cannot_verify.range", "cannot_verify.beyond") else ""
    return _finding(checked, key, at, numbers, error=error, limit=limit, dtype=case.upstreams[0].dtype)


def _not_finite(checked: CheckedInput) -> str:
    """Whether floating-point warnings explain a gradient that is not finite."""
    is_explained = checked.here.undefined.any() and checked.case.survey.limits
    return "cannot_verify.beyond" if is_explained else "cannot_verify.nan"


def _hidden(checked: CheckedInput, at: np.ndarray, stair: Stair) -> Finding:
    """The finding about an element whose slope is hidden by the stairs of rounding."""
    e = checked.here.elements
    if stair.value == 0 and stair.jump < FAINT:
        key = "cannot_verify.underflow"
    else:
        key = "cannot_verify.stairs" if e.numeric[at[0]] == 0 else "cannot_verify.steep_stairs"
    result, dtype = _result(checked.case, stair.result)
    numbers = {**e.numbers(at[0], "analytic"), "step": stair.step, "jump": stair.jump}
    rough = {"step": f"{stair.step:.3g}", "jump": f"{stair.jump:.3g}"}
    return _finding(checked, key, at, numbers, result=result, dtype=dtype, value=number(stair.value), **rough)


def _result(case: Case, place: int) -> tuple[str, str]:
    """The name and the dtype of a result element, by its place among all."""
    results = case.upstreams
    which, index = array_and_index(place, [g.shape for g in results])
    shown_index = [which, *index] if len(results) > 1 else list(index)
    name = say("cannot_verify.result_of", place=shown_index) if shown_index else say("cannot_verify.result")
    return name, str(results[which].dtype)


def _covered(checked: CheckedInput) -> Finding | None:
    c = checked.here
    if c.probes.conclusive and not c.untraced:
        return None
    key = "cannot_verify.untraced" if c.untraced else "cannot_verify.probes"
    return Finding.said(key, checked.name, count=int(c.measured.sum()), total=c.measured.size)


def _finding(checked: CheckedInput, key: str, at: np.ndarray, numbers: Mapping[str, float], **words: Any) -> Finding:
    """The finding about the elements ``at`` of an input; the numbers and other words describe the first of them."""
    index = checked.index(int(at[0]))
    more = f" and {at.size - 1} more places" if at.size > 2 else " and one more place" if at.size == 2 else ""
    evidence = {"index": list(index), **numbers, "count": int(at.size)}
    words = {**{name: number(value) for name, value in numbers.items()}, **words, "where": where(index) + more}
    return Finding.said(key, checked.name, evidence, function=checked.case.function, **words)


def _native(native: Subject, exam: Examination) -> list[Finding]:
    """Findings about gradients that differ between the precision of the inputs and float64."""
    run, _, gradients = in_own_dtype(native, exam)
    limit = _ROOT_EPS_MARGIN * float(np.sqrt(native.epsilon(run)))
    found = []
    for x, name, coarse, exact in zip(native.arrays, native.names, gradients, exam.gradients, strict=True):
        if coarse is None or exact is None or not exact.size:
            continue
        size = np.maximum(np.abs(exact), 1e-3 * largest(exact))
        gap = np.where(np.isfinite(exact), np.abs(coarse - exact) / np.where(size > 0, size, 1.0), 0.0)
        k = int(np.argmax(np.where(np.isnan(gap), np.inf, gap)))
        if not gap.flat[k] <= limit:
            numbers: dict[str, Any] = {"first": number(float(coarse.flat[k])), "second": number(float(exact.flat[k]))}
            place = where(index_of(k, exact.shape))
            found.append(Finding.said("low_precision.native", name, dtype=x.dtype, where=place, **numbers))
    return found
