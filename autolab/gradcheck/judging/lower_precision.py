"""Lower precision inside a float64 function: values rounded to float16 or float32 inside it, detected from outside.

A function that rounds its input gives the same bits for the rounded input, and others one unit of the lower precision
further on. One that rounds its results gives only numbers that the lower precision has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measuring.fine_slopes import is_zero
from ..measuring.point import Arrays, Evaluate, attempted, largest
from ..measuring.probes import MARGIN
from ..measuring.subject import flat, ones_for
from ..messages import told_apart, where
from .case import Case, CheckedInput, Comparison
from .finding import Finding

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
        return [_finding(dtype, "forward", None, {}, function=case.function)]
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
    return _finding(dtype, "backward", checked.name, {**numbers, **verdict}, **words)


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


def _finding(dtype: type[np.floating], place: str, input: str | None, numbers: dict[str, Any], **words: str) -> Finding:
    """The finding about a lower precision in forward or backward."""
    evidence = {"dtype": dtype.__name__, "where": place, **numbers}
    digits = int(-np.log10(float(np.finfo(dtype).eps)))
    return Finding.said(f"low_precision.{place}", input, evidence, dtype=dtype.__name__, digits=digits, **words)
