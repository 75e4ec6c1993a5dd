"""Functions that make fewer elements of many, or go along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from .module import handles, lifted, trace_of
from .moves import cast, seen
from .trace import ArrayTrace

_FUNCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def _start(a: Any, axis: Any) -> tuple[ArrayTrace, Any, tuple[int, ...]]:
    a = lifted(a)
    trace = trace_of(a)
    assert trace is not None
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    return trace, a, axes


def _reduced(name: str, a: Any, axis: Any, keepdims: bool, dtype: Any = None, **options: Any) -> Any:
    trace, a, axes = _start(a, axis)
    where, initial, out = options.pop("where", True), options.pop("initial", None), options.pop("out", None)
    missing = getattr(np, "_NoValue", None)
    if (where is not True and where is not missing) or out is not None or options:
        raise trace.refuse(f"numpy.{name} with where= or out=")
    value = _FUNCTIONS[name].reduce(a._value, axis=axes, dtype=dtype, keepdims=bool(keepdims), **_initial(a, initial))
    held = np.asarray(value)
    if a.dtype != held.dtype and name in ("sum", "prod"):
        a = cast(a, held.dtype)
    outer = [i for i in range(a.ndim) if i not in axes]
    turned = seen(a, lambda v: v.transpose(*outer, *axes))
    found = trace.step(name, [trace.view(turned)], turned.shape, held, n=len(axes))
    if initial is None or initial is missing:
        return found
    return {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name](found, initial)


def _initial(a: Any, initial: Any) -> dict[str, Any]:
    """What reduces no elements, so that it has a value to begin with."""
    return {"initial": initial} if not a.size and isinstance(initial, int | float) else {}


for _name, _others in {"sum": (), "prod": (), "max": ("amax",), "min": ("amin",)}.items():

    def _handler(
        a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, _name: str = _name, **o: Any
    ) -> Any:
        return _reduced(_name, a, axis, keepdims is True, dtype, **o)

    handles(_name, *_others)(_handler)


@handles("any")
def _any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **options: Any) -> Any:
    return _of_truths("max", lifted(a), axis, keepdims is True, **options)


@handles("all")
def _all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **options: Any) -> Any:
    return _of_truths("min", lifted(a), axis, keepdims is True, **options)


def _of_truths(name: str, a: Any, axis: Any, keepdims: bool, **options: Any) -> Any:
    if not a.size:  # which depends on the shape alone
        return lifted((np.any if name == "max" else np.all)(a._value, axis=axis, keepdims=keepdims))
    return _reduced(name, a if a.dtype == bool else a != 0, axis, keepdims, **options)


@handles("count_nonzero")
def _count(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return (lifted(a) != 0).sum(axis=axis, keepdims=keepdims)


@handles("mean")
def _mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **options: Any) -> Any:
    _, a, axes = _start(a, axis)
    count = int(np.prod([a.shape[i] for i in axes], dtype=int))
    kind = dtype or (np.float64 if a.dtype.kind in "biu" else np.float32 if a.dtype == np.float16 else None)
    found = _reduced("sum", a, axes, keepdims is True, kind, **options) / count
    return cast(found, a.dtype, False) if a.dtype == np.float16 else found


@handles("var")
def _var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, **options: Any
) -> Any:
    _, a, axes = _start(a, axis)
    count = int(np.prod([a.shape[i] for i in axes], dtype=int))
    away = a - _mean(a, axes, dtype, keepdims=True)
    ddof = options.get("correction", ddof)
    return _reduced("sum", away * away, axes, keepdims is True) / max(count - ddof, 0)


@handles("std")
def _std(a: Any, *args: Any, **options: Any) -> Any:
    return np.sqrt(_var(a, *args, **options))


@handles("average")
def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    trace, a, axes = _start(a, axis)
    if weights is not None or returned:
        raise trace.refuse("numpy.average with weights")
    return _mean(a, axes, keepdims=keepdims)


@handles("ptp")
def _ptp(a: Any, axis: Any = None, **options: Any) -> Any:
    return _reduced("max", a, axis, **{"keepdims": False, **options}) - _reduced(
        "min", a, axis, **{"keepdims": False, **options}
    )


@handles("trace", "linalg.trace")
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    return seen(lifted(a), lambda v: np.diagonal(v, offset, axis1, axis2)).sum(axis=-1)


# ---------------------------------------------------------------------------------------------------- along an axis
def _along(name: str, a: Any, axis: int | None, value: Any = None, **attributes: Any) -> Any:
    a = lifted(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    trace, a, (axis,) = _start(a, axis)
    turned = seen(a, lambda v: np.moveaxis(v, axis, -1))
    function = getattr(np, name)
    found = trace.step(
        name, [trace.view(turned)], turned.shape, np.ascontiguousarray(function(turned._value, axis=-1, **attributes)),
        **attributes,
    )  # fmt: skip
    return seen(found, lambda v: np.moveaxis(v, -1, axis))


for _name in ("cumsum", "cumprod"):

    def _scan(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, _name: str = _name) -> Any:
        a = lifted(a)
        kind = dtype or (np.intp if a.dtype.kind == "b" else a.dtype)
        return _along(_name, cast(a, np.dtype(kind), False), axis)

    handles(_name)(_scan)


@handles("sort")
def _sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return _along("sort", a, axis)


@handles("argsort")
def _argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return _along("argsort", a, axis, kind="stable")


@handles("argmax")
def _argmax(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Any:
    trace, a, _ = _start(a, axis)
    turned = seen(a, lambda v: np.moveaxis(v, axis, -1)) if axis is not None else a.reshape(-1)
    value = np.asarray(np.argmax(a._value, axis, keepdims=keepdims is True))
    return trace.step("argmax", [trace.view(turned)], turned.shape, value, n=1)


@handles("argmin")
def _argmin(a: Any, axis: int | None = None, out: Any = None, *, keepdims: Any = False) -> Any:
    a = lifted(a)
    return _argmax(-(a if a.dtype.kind == "f" else lifted(cast(a, np.dtype(float)))), axis, keepdims=keepdims)


@handles("diff")
def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    for _ in range(n):
        a = seen(a, lambda v: np.moveaxis(v, axis, -1))
        a = seen(a[..., 1:] - a[..., :-1], lambda v: np.moveaxis(v, -1, axis))
    return a
