"""Gradients that are off by a factor that all elements share, or all of a row: a sum, a norm or a deviation that is
forgotten, counts twice, or is not the one of the forward."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.forward_parts import parts_at
from ..formulas.row_formulas import MEASURED
from ..judging.case import CheckedInput
from ..judging.finding import Explanation, because
from ..measuring.point import Shape
from .multiples import SIGNAL

_LEAST_SHARED = 4
_ONE_EPSILON = 1e-5


def shared_factor(checked: CheckedInput) -> Explanation | None:
    """Whether the gradient is off by a factor that all elements share, or all of a row: a statistic of it is
    forgotten, counts twice, or is another one."""
    e, size = checked.here.elements, checked.value.size
    if not checked.is_plain or size < _LEAST_SHARED or (np.abs(e.numeric) <= SIGNAL * e.tolerance).all():
        return None
    analytic, numeric, slack = [v.reshape(checked.shape) for v in (e.analytic, e.numeric, e.tolerance)]
    every = tuple(range(numeric.ndim))
    for axes in dict.fromkeys((every, *[(k,) for k in reversed(every)])):
        ratio = (analytic * numeric).sum(axes, keepdims=True) / (numeric**2).sum(axes, keepdims=True)
        near = slack * (1 + np.abs(ratio)) + MEASURED * np.abs(analytic)
        if size - ratio.size >= _LEAST_SHARED - 1 and (np.abs(analytic - ratio * numeric) <= near).all():
            return _shared(checked, axes, ratio) if np.isfinite(ratio).all() and ratio.all() else None
    return None


def _shared(checked: CheckedInput, axes: Shape, ratio: np.ndarray) -> Explanation:
    """What is said of a ratio of gradients, one number per row: which part of the forward it is, if it is any."""
    x, count = checked.name if checked.name.isidentifier() else "x", checked.value.size // ratio.size
    names = {name: v.astype(float) for name, v in {x: checked.value, **parts_at(checked)}.items()}
    full = {name: v for name, v in names.items() if v.shape == checked.shape}
    along = "" if len(axes) == checked.value.ndim else f", axis={axes[0]}"
    known = {name: v.reshape(ratio.shape) for name, v in names.items() if v.size == ratio.size}
    for name, v in full.items():
        known[f"sum({name}{along})"] = v.sum(axes, keepdims=True)
        known[f"sum(exp({name}){along})"] = np.exp(v).sum(axes, keepdims=True)
        known[f"sqrt(sum({name} * {name}{along}))"] = np.sqrt((v * v).sum(axes, keepdims=True))
    which: str = "row" if along else "all"
    words: dict[str, Any] = {"axis": axes[0], "count": count, "less": count - 1}
    for square, power in (("", 1), ("**2", 2)):
        for above, sign in (("", 1), ("1 / ", -1)):
            for text, v in known.items():
                if (np.abs(v ** (sign * power) - ratio) <= MEASURED * np.abs(ratio)).all():
                    return because("wrong_factor", which, "shared", {"shared": f"{above}{text}{square}"}, **words)
    mixed = any([_mixes_counts(v.var(axes, keepdims=True), ratio, count) for v in full.values()])
    return because("wrong_factor", "counts" if mixed else which, "shared", **words)


def _mixes_counts(variance: np.ndarray, ratio: np.ndarray, count: int) -> bool:
    """Whether a standard deviation of ``variance`` and some epsilon, divided by that of the variance with one element
    more or less, is the ratio."""
    with np.errstate(all="ignore"):
        for square in (ratio**2, ratio**-2):
            epsilon = variance * (1 - square * count / max(count - 1, 1)) / (square - 1)
            is_one = np.ptp(epsilon) <= _ONE_EPSILON * variance.min() and (np.abs(epsilon) < 0.1 * variance).all()
            if count > 1 and is_one:
                return True
    return False
