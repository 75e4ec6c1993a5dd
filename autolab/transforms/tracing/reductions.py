"""Reductions, and scans along an axis."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from .module import lifted
from .moves import cast, seen
from .signatures import Traced, handles, handles_each, known_trace, plain
from .trace import ArrayTrace

_FUNCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def _start(a: Any, axis: Any) -> tuple[ArrayTrace, Any, tuple[int, ...]]:
    a = lifted(a)
    trace = known_trace(a)
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    return trace, a, axes


def _reduced(
    name: str, a: Any, axis: Any, keepdims: Any, dtype: Any = None, initial: Any = None, where: Any = True
) -> Any:
    trace, a, axes = _start(a, axis)
    neutral = {"sum": 0, "prod": 1}.get(name, initial)
    options = {"initial": neutral} if where is not True or not a.size else {}
    options |= {"where": plain(where)} if where is not True else {}
    value = _FUNCTIONS[name].reduce(a._value, axis=axes, dtype=dtype, keepdims=bool(keepdims), **plain(options))
    held = np.asarray(value)
    if a.dtype != held.dtype and name in ("sum", "prod"):
        a = cast(a, held.dtype)
    if where is not True:
        a = np.where(where, a, neutral)
    outer = [i for i in range(a.ndim) if i not in axes]
    turned = seen(a, lambda v: v.transpose(*outer, *axes))
    found = trace.step(name, [trace.view(turned)], turned.shape, held, n=len(axes))
    return found if initial is None else _FUNCTIONS[name](found, initial)


@handles_each("sum", "prod")
def _total(
    function: Any, a: Traced, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Traced = None,
    where: Traced = True,
) -> Any:  # fmt: skip
    return _reduced(function.__name__, a, axis, keepdims, dtype, initial, where)


@handles_each("max", "amax", "min", "amin")
def _extreme(
    function: Any, a: Traced, axis: Any = None, *, keepdims: Any = False, initial: Traced = None, where: Traced = True
) -> Any:
    return _reduced(function.__name__.removeprefix("a"), a, axis, keepdims, None, initial, where)


@handles("any")
def _any(a: Traced, axis: Any = None, *, keepdims: Any = False, where: Traced = True) -> Any:
    return _of_truths("max", lifted(a), axis, keepdims, False, where)


@handles("all")
def _all(a: Traced, axis: Any = None, *, keepdims: Any = False, where: Traced = True) -> Any:
    return _of_truths("min", lifted(a), axis, keepdims, True, where)


def _of_truths(name: str, a: Any, axis: Any, keepdims: Any, empty: bool, where: Any) -> Any:
    if not a.size:  # this depends only on the shape
        return lifted((np.all if empty else np.any)(a._value, axis=axis, keepdims=keepdims))
    return _reduced(
        name, a if a.dtype == bool else a != 0, axis, keepdims, None, None if where is True else empty, where
    )


@handles("count_nonzero")
def _count(a: Traced, axis: Any = None, *, keepdims: bool = False) -> Any:
    return (lifted(a) != 0).sum(axis=axis, keepdims=keepdims)


def _counted(a: Any, axes: tuple[int, ...], where: Any) -> Any:
    """The number of elements that each result is computed from."""
    if where is True:
        return int(np.prod([a.shape[i] for i in axes], dtype=int))
    held = seen(lifted(where), lambda v: np.broadcast_to(v, a.shape))
    return held.astype(float).sum(axis=axes, keepdims=True)


def _mean_kind(a: Any, dtype: Any) -> Any:
    """The dtype in which a mean is accumulated, which may differ from that of the result."""
    if dtype is not None:
        if np.dtype(dtype).kind not in "fc":
            raise a._buffer.trace.refuse(f"a mean in {np.dtype(dtype)}")
        return np.dtype(dtype)
    return np.dtype(np.float64 if a.dtype.kind in "biu" else np.float32 if a.dtype == np.float16 else a.dtype)


def _averaged(a: Any, axes: tuple[int, ...], count: Any, where: Any) -> Any:
    """The sum divided by ``count``; the summed axes are kept, with length 1."""
    return np.divide(_reduced("sum", a, axes, True, None, None, where), count, dtype=a.dtype)


@handles("mean")
def _mean(a: Traced, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Traced = True) -> Any:
    _, a, axes = _start(a, axis)
    found = _averaged(cast(a, _mean_kind(a, dtype), False), axes, _counted(a, axes, where), where)
    return _squeezed(found, a, axes, dtype, keepdims)


def _squeezed(found: Any, a: Any, axes: tuple[int, ...], dtype: Any, keepdims: Any) -> Any:
    """A mean or variance of ``a``, with the dtype and the axes that NumPy gives it."""
    found = cast(found, a.dtype if dtype is None and a.dtype == np.float16 else found.dtype, False)
    return found if keepdims else found.squeeze(axes)


@handles("var")
def _var(
    a: Traced, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: Any = False, where: Traced = True,
    correction: Any = None,
) -> Any:  # fmt: skip
    trace, a, axes = _start(a, axis)
    if a.dtype.kind == "c":
        raise trace.refuse("numpy.var of complex numbers")
    held, count = cast(a, _mean_kind(a, dtype), False), _counted(a, axes, where)
    away = held - _averaged(held, axes, count, where)
    free = count - (ddof if correction is None else correction)
    free = max(free, 0) if where is True else np.maximum(free, 0.0)
    return _squeezed(_averaged(away * away, axes, free, where), a, axes, dtype, keepdims)


@handles("std")
@wraps(_var)
def _std(*args: Any, **options: Any) -> Any:
    return np.sqrt(_var(*args, **options))


@handles("average")
def _average(a: Traced, axis: Any = None, *, keepdims: Any = False) -> Any:
    return _mean(a, axis, keepdims=keepdims)


@handles("ptp")
def _ptp(a: Traced, axis: Any = None, *, keepdims: Any = False) -> Any:
    return _reduced("max", a, axis, keepdims) - _reduced("min", a, axis, keepdims)


@handles("trace")
def _trace(a: Traced, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    return seen(lifted(a), lambda v: np.diagonal(v, offset, axis1, axis2)).sum(axis=-1, dtype=dtype)


@handles("linalg.trace")
def _matrix_trace(x: Traced, *, offset: int = 0, dtype: Any = None) -> Any:
    return _trace(x, offset, -2, -1, dtype)


# ---------------------------------------------------------------------------------------------------- along an axis
def along(function: Any, a: Any, axis: int | None, **attributes: Any) -> Any:
    """A step of a NumPy function that computes along the last axis."""
    a = lifted(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    trace, a, (axis,) = _start(a, axis)
    turned = seen(a, lambda v: np.moveaxis(v, axis, -1))
    value = np.ascontiguousarray(function(turned._value, axis=-1, **attributes))
    found = trace.step(function.__name__, [trace.view(turned)], value.shape, value, **attributes)
    return seen(found, lambda v: np.moveaxis(v, -1, axis))


@handles_each("cumsum", "cumprod")
def _scan(function: Any, a: Traced, axis: Any = None, dtype: Any = None) -> Any:
    a = lifted(a)
    kind = np.dtype(dtype or (np.intp if a.dtype.kind == "b" else a.dtype))
    if kind.kind == "b":
        raise a._buffer.trace.refuse(f"numpy.{function.__name__} of booleans as booleans")
    return along(function, cast(a, kind, False), axis)


@handles("sort")
def _sort(a: Traced, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    return along(np.sort, a, axis)


@handles("argsort")
def _argsort(a: Traced, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """The stable order, which is that of the other kinds as well if no two elements are equal."""
    if not stable and kind not in ("stable", "mergesort"):
        sorted_ = np.moveaxis(along(np.sort, a, axis), -1 if axis is None else axis, -1)
        if not bool((sorted_[..., 1:] != sorted_[..., :-1]).all()):
            raise sorted_._buffer.trace.refuse("numpy.argsort of equal numbers, unless kind='stable'")
    return along(np.argsort, a, axis, kind="stable")


@handles("argmax")
def _argmax(a: Traced, axis: int | None = None, *, keepdims: Any = False) -> Any:
    trace, a, _ = _start(a, axis)
    turned = seen(a, lambda v: np.moveaxis(v, axis, -1)) if axis is not None else a.reshape(-1)
    value = np.asarray(np.argmax(a._value, axis, keepdims=bool(keepdims)))
    return trace.step("argmax", [trace.view(turned)], turned.shape, value, n=1)


@handles("argmin")
def _argmin(a: Traced, axis: int | None = None, *, keepdims: Any = False) -> Any:
    a = lifted(a)
    return _argmax(-(a if a.dtype.kind == "f" else lifted(cast(a, np.dtype(float)))), axis, keepdims=keepdims)


@handles("diff")
def _diff(a: Traced, n: int = 1, axis: int = -1) -> Any:
    for _ in range(n):
        a = seen(a, lambda v: np.moveaxis(v, axis, -1))
        a = seen(a[..., 1:] - a[..., :-1], lambda v: np.moveaxis(v, -1, axis))
    return a
