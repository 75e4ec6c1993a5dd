"""Functions that create an array: from one, from several, or from a shape and a fill value."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import TracedArray
from .module import lifted
from .moves import cast, contiguous, copied, seen
from .signatures import Traced, handles, handles_each, known_trace


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
