"""Gradients that are off by a factor that all elements share, or all of a row: a sum, a norm or a deviation that is
forgotten, counts twice, or is not the one of the forward; or by one that the share of each result has, or the diagonal
of a matrix beside a factor of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..formulas.forward_parts import parts_at
from ..formulas.row_formulas import MEASURED
from ..judging.case import CheckedInput
from ..judging.finding import Explanation, because
from ..measuring.point import FAINT, Shape, attempted
from ..messages import shown
from .multiples import SIGNAL, lengths_of, named
from .rearranged import is_measurable, jacobian_of

_LEAST_SHARED = 4
_ONE_EPSILON = 1e-5
_MOST_RESULTS = 64
_FEW_RESULTS = 6
"""How many results' shares are looked at, one by one: with fewer, some factor fits by chance."""


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


def factor_of_results(checked: CheckedInput) -> Explanation | None:
    """Whether the share of every result is off by a factor of its own, and the factors are a value of the forward."""
    case, point = checked.case, checked.case.survey.gauge.point
    are_some = len(case.upstreams) == 1 and _FEW_RESULTS <= case.upstreams[0].size <= _MOST_RESULTS
    if not are_some or not is_measurable(checked):
        return None
    right = jacobian_of(point, checked)
    if not (np.count_nonzero(right, axis=0) > 1).any():  # elementwise: a formula says more
        return None
    shape, count, arrays = case.upstreams[0].shape, case.upstreams[0].size, case.subject.arrays
    units = np.eye(count).reshape(count, *shape)
    found = [case.subject.nearby_gradients(arrays, (unit,)) for unit in units]
    given = [g[checked.place] for g in found if g is not None]
    shares = [g.ravel() for g in given if g is not None]
    if len(shares) < count or not np.isfinite(shares).all():
        return None
    written = np.stack(shares)
    ratio = (written * right).sum(axis=1) / np.maximum((right * right).sum(axis=1), FAINT)
    size = np.abs(right).max(axis=1)
    if (np.abs(written - ratio[:, None] * right).max(axis=1) > MEASURED * size).any() or not size.all():
        return None
    for name, v in ({shown(x.name): x.value for x in case.inputs} | parts_at(checked)).items():
        spread = attempted(np.broadcast_to, v, shape)
        if spread is None:
            continue
        spread = spread.ravel().astype(float)
        for text, factors in ((name, spread), (f"1 / {name}", 1 / np.where(spread, spread, np.inf))):
            if np.ptp(factors) > MEASURED and np.allclose(factors, ratio, rtol=MEASURED, atol=0):
                return because("wrong_factor", "results", "shared", {"shared": text})
    return None


def factor_of_diagonal(checked: CheckedInput) -> Explanation | None:
    """Whether, seen from a factor of the matrix, such as that of Cholesky, only the diagonal of a gradient is off.

    The gradient of a symmetric matrix is seen as that of changes that keep it so.
    """
    e, shape = checked.here.elements, checked.shape
    if not checked.is_plain or len(shape) != 2 or shape[0] != shape[1]:
        return None
    results = [y for y in checked.case.subject.run().values() if y.shape == shape]
    for factor in results:
        seen = [factor.T @ (g + g.T) @ factor for g in (e.analytic.reshape(shape), e.numeric.reshape(shape))]
        on = np.eye(shape[0], dtype=bool)
        (given, right), (rest, other) = [[g[where] for g in seen] for where in (on, ~on)]
        ratio = float(given @ right / max(right @ right, FAINT))
        known, slack = named(ratio, lengths_of(checked.case)), MEASURED * np.abs(seen[1]).max()
        if known is None or np.abs(rest - other).max() > slack or np.abs(given - known[1] * right).max() > slack:
            continue
        return because("wrong_factor", "diagonal", "shared", input=shown(checked.name), factor=known[0])
    return None
