"""Functions that create an array: from one, from several, or from a shape and a fill value.

Functions composed of elementwise steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import TracedArray
from .module import lifted
from .moves import cast, contiguous, copied, seen
from .signatures import Traced, handles, handles_each, known_trace, plain


@handles("where")
def where(condition: Traced, *choices: Traced) -> Any:
    trace = known_trace(condition, list(choices))
    if len(choices) != 2:
        raise trace.refuse("numpy.where with one argument")
    value = np.asarray(np.where(plain(condition), *plain(choices)))
    arrays = [lifted(condition), *[lifted(c, value.dtype if type(c) in (int, float) else None) for c in choices]]
    return trace.step("where", [trace.view(a, value.shape) for a in arrays], value.shape, value)


@handles("clip")
def _clip(a: Traced, a_min: Traced = None, a_max: Traced = None, *, min: Traced = None, max: Traced = None) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    found = a if low is None else np.maximum(a, low)
    return found if high is None else np.minimum(found, high)


@handles("tril")
def _tril(m: Traced, k: int = 0) -> Any:
    return where(np.tri(m.shape[-2], m.shape[-1], k, bool), m, np.zeros(1, m.dtype))


@handles("triu")
def _triu(m: Traced, k: int = 0) -> Any:
    return where(np.tri(m.shape[-2], m.shape[-1], k - 1, bool), np.zeros(1, m.dtype), m)


@handles("around", "round")
def _round(a: Traced, decimals: int = 0) -> Any:
    if a.dtype.kind in "iu" and decimals >= 0:
        return a.copy()
    if not decimals:
        return np.rint(a)
    scale = 10.0 ** abs(decimals)
    return np.rint(a * scale) / scale if decimals > 0 else np.rint(a / scale) * scale


@handles("nan_to_num")
def _nan_to_num(x: Traced, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if x.dtype.kind in "biu":
        return x.copy()
    limits = np.finfo(x.dtype)
    x = where(np.isnan(x), nan, x)
    x = where(x == np.inf, limits.max if posinf is None else posinf, x)
    return where(x == -np.inf, limits.min if neginf is None else neginf, x)


@handles("allclose")
def _allclose(a: Traced, b: Traced, rtol: Traced = 1e-5, atol: Traced = 1e-8, equal_nan: bool = False) -> bool:
    return bool(_isclose(a, b, rtol, atol, equal_nan).all())


@handles("isclose")
def _isclose(a: Traced, b: Traced, rtol: Traced = 1e-5, atol: Traced = 1e-8, equal_nan: bool = False) -> Any:
    a, b = lifted(a), lifted(b)
    close = (abs(a - b) <= atol + rtol * abs(b)) & np.isfinite(b) | (a == b)
    return close | np.isnan(a) & np.isnan(b) if equal_nan else close


@handles("array_equal")
def _array_equal(a1: Traced, a2: Traced) -> bool:
    return np.shape(a1) == np.shape(a2) and bool((lifted(a1) == a2).all())


@handles("outer", "linalg.outer")
def _outer(a: Traced, b: Traced) -> Any:
    a, b = lifted(a).reshape(-1), lifted(b).reshape(-1)
    return seen(a, lambda v: v[:, None]) * b


@handles("asarray", "asanyarray")
def _asarray(a: Traced, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    if not isinstance(a, TracedArray):
        a = stack([_asarray(item) if isinstance(item, list | tuple) else lifted(item) for item in a])
    found = a if dtype is None else cast(a, np.dtype(dtype), False)
    return copied(found) if copy or (order == "C" and not found._value.flags.c_contiguous) else found


@handles("array")
def _array(a: Traced, dtype: Any = None, *, copy: Any = True, order: Any = None, ndmin: int = 0) -> Any:
    found = _asarray(a, dtype, order, copy=copy)
    return found.reshape(*[1] * (ndmin - found.ndim), *found.shape) if ndmin > found.ndim else found


@handles("require")
def _require(a: Traced, dtype: Any = None) -> Any:
    return _asarray(a, dtype)


@handles("ascontiguousarray", "asfortranarray")
def _contiguous(a: Traced, dtype: Any = None) -> Any:
    return _at_least(np.atleast_1d, contiguous(_asarray(a, dtype)))


# ------------------------------------------------------------------------------------------------- several into one
@handles("concatenate")
def concatenate(arrays: Traced, axis: int | None = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    parts = [lifted(a) for a in arrays]
    trace = known_trace(parts)
    if axis is None:
        parts, axis = [part.reshape(-1) for part in parts], 0
    value = np.concatenate([part._value for part in parts], axis, dtype=dtype, casting=casting)
    parts = [cast(part, value.dtype, False) for part in parts]
    turned = np.ascontiguousarray(np.moveaxis(value, axis, 0))
    views = [trace.view(seen(part, lambda v: np.moveaxis(v, axis, 0))) for part in parts]
    return seen(trace.step("join", views, turned.shape, turned), lambda v: np.moveaxis(v, 0, axis))


@handles("stack")
def stack(arrays: Traced, axis: int = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    parts = [seen(lifted(a), lambda v: np.expand_dims(v, axis)) for a in arrays]
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@handles_each("atleast_1d", "atleast_2d", "atleast_3d")
def _at_least(function: Any, *arys: Traced) -> Any:
    found = tuple([seen(lifted(a), function) for a in arys])
    return found[0] if len(found) == 1 else found


@handles("vstack", "row_stack")
def _vstack(tup: Traced, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    return concatenate([_at_least(np.atleast_2d, a) for a in tup], 0, dtype=dtype, casting=casting)


@handles("hstack")
def _hstack(tup: Traced, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    parts = [_at_least(np.atleast_1d, a) for a in tup]
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@handles("dstack")
def _dstack(tup: Traced) -> Any:
    return concatenate([_at_least(np.atleast_3d, a) for a in tup], 2)


@handles("column_stack")
def _column_stack(tup: Traced) -> Any:
    parts = [lifted(a) for a in tup]
    return concatenate([p.reshape(-1, 1) if p.ndim < 2 else p for p in parts], 1)


@handles("append")
def _append(arr: Traced, values: Traced, axis: int | None = None) -> Any:
    return concatenate([arr, values], axis)


@handles("pad")
def _pad(array: Traced, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Any:
    if mode in ("edge", "wrap", "symmetric", "reflect"):
        return seen(array, lambda value: np.pad(value, pad_width, mode))
    trace = known_trace(array)
    if mode != "constant":
        raise trace.refuse(f"numpy.pad with mode={mode!r:.40}")
    whole = np.pad(array._value, pad_width, constant_values=constant_values)
    if not array.size:
        return TracedArray.of(whole)
    inside = np.pad(np.ones(array.shape, bool), pad_width)
    corner = np.argwhere(inside)[0].tolist()
    result = TracedArray.of(np.where(inside, np.zeros_like(whole), whole))
    result[tuple([slice(c, c + n) for c, n in zip(corner, array.shape, strict=True)])] = array
    return result


@handles("diagflat")
def _diagflat(v: Traced, k: int = 0) -> Any:
    return _diag(v.reshape(-1), k)


@handles("diag")
def _diag(v: Traced, k: int = 0) -> Any:
    if v.ndim == 2:
        return seen(v, lambda value: np.diagonal(value, k))
    n = v.size + abs(k)
    result = TracedArray.of(np.zeros((n, n), v.dtype))
    rows = np.arange(v.size) + max(-k, 0)
    result[rows, rows + k] = v.reshape(-1)
    return result


@handles("full")
def _full(shape: Any, fill_value: Traced, dtype: Any = None) -> Any:
    filled = lifted(fill_value)
    filled = filled if dtype is None else cast(filled, np.dtype(dtype), False)
    return copied(seen(filled, lambda value: np.broadcast_to(value, shape)))


@handles("full_like")
def _full_like(a: Traced, fill_value: Traced, dtype: Any = None, shape: Any = None) -> Any:
    return _full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


@handles_each("zeros_like", "ones_like", "empty_like")
def _like(function: Any, a: Traced, **options: Any) -> Any:
    return TracedArray.of(function(a._value, **options))
