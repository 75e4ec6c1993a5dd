"""NumPy functions composed of other functions, for Variables: ``np.select``, ``np.linspace`` and similar ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from ..engine import as_array
from ..engine.numpy_functions import requires
from ..engine.numpy_protocol import adapt, unwrap
from .arrays.joining import place_of
from .working_precision import as_floats, given_arrays, in_full


def _listed(function: str, name: str, values: Any) -> list[Any]:
    if not isinstance(values, list | tuple) and np.ndim(values) == 0:
        raise TypeError(f"numpy.{function}: {name} is {values!r:.60}; expected a list")
    return list(values)


@adapt(np.select)
def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    condlist, choicelist = _listed("select", "condlist", condlist), _listed("select", "choicelist", choicelist)
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"numpy.select: got {len(condlist)} conditions and {len(choicelist)} choices; expected equal numbers"
        )
    found = default
    for condition, choice in list(zip(condlist, choicelist, strict=True))[::-1]:
        found = np.where(unwrap(condition), choice, found)
    return found


@adapt(np.choose)
def _choose(a: Any, choices: Sequence[Any]) -> Any:
    places, choices = as_array(unwrap(a), "numpy.choose: a"), _listed("choose", "choices", choices)
    if places.min(initial=0) < 0 or places.max(initial=0) >= len(choices):
        raise ValueError(f"numpy.choose: a has numbers outside 0 to {len(choices) - 1}; expected one for each choice")
    return _select([places == i for i in range(len(choices) - 1)], choices[:-1], choices[-1])


@adapt(np.compress)
def _compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    condition = as_array(unwrap(condition), "numpy.compress: condition")
    if condition.ndim != 1:
        raise ValueError(f"numpy.compress: condition has {condition.ndim} axes; expected 1")
    if axis is not None:
        place_of("compress", axis, np.shape(a))
    return np.take(a, np.flatnonzero(condition), axis)


@adapt(np.cov)
def _cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    if ddof is not None and not float(ddof).is_integer():
        raise ValueError(f"numpy.cov: ddof is {ddof}; expected an integer")
    sets = given_arrays("numpy.cov", m=m, **({} if y is None else {"y": y}))
    if any([x.ndim > 2 for x in sets]):
        raise ValueError(f"numpy.cov: got shapes {' and '.join([str(x.shape) for x in sets])}; expected at most 2 axes")
    wide = np.result_type(np.float64, *[x.dtype for x in sets]) if dtype is None else _floats("numpy.cov", dtype)
    first, *others = [_observed(x, rowvar, wide) for x in sets]
    if first.shape[0] == 0:  # NumPy looks at nothing else then
        return first @ first.T
    rows = np.concatenate([first, *others])
    times = None if fweights is None else _times(fweights, rows)
    sure = None if aweights is None else _one_each("aweights", aweights, rows)
    weights = times if sure is None else sure if times is None else times * sure
    less = int(bias == 0) if ddof is None else ddof
    count = rows.shape[-1] if weights is None else weights.sum()
    count = count - less * ((weights * sure).sum() / count if sure is not None and less else 1)
    count = count if unwrap(count) > 0 else 0.0
    off = rows - np.average(rows, 1, weights, keepdims=True)
    found = off @ (off if weights is None else off * weights).T / count
    return np.squeeze(found)


def _floats(function: str, dtype: Any) -> np.dtype:
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"{function}: dtype is {np.dtype(dtype)}; expected a floating-point dtype")
    return np.dtype(dtype)


def _observed(x: Any, rowvar: bool, dtype: np.dtype) -> Any:
    """A data set with a row for each variable."""
    rows = as_floats(np.atleast_2d(x), dtype)
    return rows if rowvar or x.ndim < 2 or x.shape[0] == 1 == x.ndim else rows.T


def _one_each(name: str, weights: Any, rows: Any) -> Any:
    """Weights of the observations, none of them negative."""
    (weights,) = given_arrays("numpy.cov", **{name: weights})
    if weights.shape != rows.shape[1:] or (unwrap(weights) < 0).any():
        raise ValueError(
            f"numpy.cov: {name} is {unwrap(weights).tolist()!r:.60}, of shape {weights.shape}; "
            f"expected {rows.shape[1]} numbers, none of them negative"
        )
    return as_floats(weights, rows.dtype)


def _times(fweights: Any, rows: Any) -> Any:
    """How often each observation was made; whole numbers, which have no gradient."""
    times = np.asarray(unwrap(fweights))
    if (times != np.around(times)).any():
        raise TypeError(f"numpy.cov: fweights is {fweights!r:.60}; expected whole numbers")
    return _one_each("fweights", times, rows)


@adapt(np.corrcoef)
def _corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    found = _cov(x, y, rowvar, dtype=dtype)
    if not found.ndim:
        return found / found
    spread = np.sqrt(np.diagonal(found))
    return np.clip(found / spread[:, None] / spread, -1, 1)


@adapt(np.interp)
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Any:
    x, xp, fp = [as_floats(v, np.float64) for v in given_arrays("numpy.interp", x=x, xp=xp, fp=fp)]
    if period is not None:
        x, xp, fp, left, right = *_around(x, xp, fp, float(period)), None, None
    data, knots, table = unwrap(x), unwrap(xp), unwrap(fp)
    values = np.interp(data, knots, table)  # refuses what does not fit
    before = np.clip(np.searchsorted(knots, data, "right") - 1, 0, max(len(knots) - 2, 0))
    after = np.minimum(before + 1, len(knots) - 1)
    anchor = np.where(data >= knots[after], after, before)
    with np.errstate(all="ignore"):  # infinite knots are right
        slopes = (table[after] - table[before]) / (knots[after] - knots[before])
        inside = (data >= knots[0]) & (data <= knots[-1]) & np.isfinite(slopes) & np.isfinite(data - knots[anchor])
        rise, width, way = [
            np.where(inside, part, unused)
            for part, unused in ((fp[after] - fp[before], 0.0), (xp[after] - xp[before], 1.0), (x - xp[anchor], 0.0))
        ]
    outside = np.where((data <= knots[anchor]) | (data >= knots[-1]), fp[anchor], values)
    found = np.where(inside, rise / width * way + fp[anchor], outside)
    for end, beyond in ((left, data < knots[0]), (right, data > knots[-1])):
        found = found if end is None else np.where(beyond, end, found)
    return found


def _around(x: Any, xp: Any, fp: Any, period: float) -> tuple[Any, Any, Any]:
    """The places within a period, and the table in ascending order, with a knot of the periods before and after."""
    if not period:
        raise ValueError("numpy.interp: period is 0; expected another number")
    if xp.ndim != 1 or xp.shape != fp.shape:
        raise ValueError(f"numpy.interp: xp has shape {xp.shape}, fp {fp.shape}; expected two sequences of one length")
    period = abs(period)
    x, xp = np.remainder(x, period), np.remainder(xp, period)
    order = np.argsort(unwrap(xp))
    xp, fp = xp[order], fp[order]
    return (
        x,
        np.concatenate([xp[-1:] - period, xp, xp[:1] + period]),
        np.concatenate([fp[-1:], fp, fp[:1]]),
    )


@adapt(np.rollaxis)
def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    place, end = place_of("rollaxis", axis, np.shape(a)), index(start) + np.ndim(a) * (start < 0)
    if not 0 <= end <= np.ndim(a):
        raise ValueError(f"rollaxis: start is {start}; expected {-np.ndim(a)} to {np.ndim(a)}")
    return np.moveaxis(a, place, end - (place < end))


@adapt(np.linspace)
def _linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    if index(num) < 0:
        raise ValueError(f"numpy.linspace: num is {num}; expected at least 0")
    common = np.result_type(*[x.dtype for x in given_arrays("numpy.linspace", start=start, stop=stop)])
    (start, stop), _ = in_full("numpy.linspace", start=start, stop=stop)
    wanted = _floats("numpy.linspace", dtype) if dtype is not None else common if common.kind == "f" else np.float64
    way, parts = stop - start, num - 1 if endpoint else num
    places = np.arange(num, dtype=way.dtype).reshape(num, *[1] * way.ndim)
    step = way / parts if parts > 0 else way * math.nan
    lost = parts > 0 and (unwrap(step) == 0).any()  # too small for its dtype
    found = places / parts * way + start if lost else places * (step if parts > 0 else way) + start
    if endpoint and num > 1:
        found = np.concatenate([found[:-1], np.broadcast_to(stop, found.shape[1:])[None]])
    found = as_floats(np.moveaxis(found, 0, axis) if axis != 0 else found, wanted)
    return (found, as_floats(step, wanted)) if retstep else found


adapt(np.linalg.multi_dot)(lambda arrays: reduce(np.matmul, arrays))


@adapt(np.linalg.cond)
def _cond(x: Any) -> Any:
    values = np.linalg.svd(x, compute_uv=False)
    return values[..., 0] / values[..., -1]


@adapt(np.extract)
def _extract(condition: Any, arr: Any) -> Any:
    arr = arr if hasattr(arr, "requires_grad") else as_array(arr, "numpy.extract: arr")
    return np.ravel(arr)[np.flatnonzero(unwrap(condition))]


@adapt(np.polyval)
def _polyval(p: Any, x: Any) -> Any:
    (x,) = given_arrays("numpy.polyval", x=x)
    coefficients = p if requires(p) else np.asarray(unwrap(p))
    return reduce(lambda y, c: y * x + c, coefficients, np.zeros_like(x))
