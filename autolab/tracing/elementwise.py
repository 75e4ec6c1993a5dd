"""Functions that are made of elementwise steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .module import handles, lifted, plain, trace_of
from .moves import seen


@handles("where")
def where(condition: Any, *choices: Any) -> Any:
    trace = trace_of(condition, list(choices))
    assert trace is not None
    if len(choices) != 2:
        raise trace.refuse("numpy.where with one argument")
    value = np.asarray(np.where(plain(condition), *plain(choices)))
    arrays = [lifted(condition), *[lifted(c, value.dtype if type(c) in (int, float) else None) for c in choices]]
    return trace.step("where", [trace.view(a, value.shape) for a in arrays], value.shape, value)


@handles("clip")
def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    low, high = options.get("min", a_min), options.get("max", a_max)
    found = a if low is None else np.maximum(a, low)
    return found if high is None else np.minimum(found, high)


@handles("tril")
def _tril(m: Any, k: int = 0) -> Any:
    return where(np.tri(m.shape[-2], m.shape[-1], k, bool), m, np.zeros(1, m.dtype))


@handles("triu")
def _triu(m: Any, k: int = 0) -> Any:
    return where(np.tri(m.shape[-2], m.shape[-1], k - 1, bool), np.zeros(1, m.dtype), m)


@handles("around", "round")
def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    if not decimals:
        return np.rint(a)
    scale = 10.0 ** abs(decimals)
    return np.rint(a * scale) / scale if decimals > 0 else np.rint(a / scale) * scale


@handles("nan_to_num")
def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    limits = np.finfo(x.dtype)
    x = where(np.isnan(x), nan, x)
    x = where(x == np.inf, limits.max if posinf is None else posinf, x)
    return where(x == -np.inf, limits.min if neginf is None else neginf, x)


@handles("allclose")
def _allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool((abs(lifted(a) - b) <= atol + rtol * abs(lifted(b))).all())


@handles("isclose")
def _isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return abs(lifted(a) - b) <= atol + rtol * abs(lifted(b))


@handles("array_equal")
def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    return np.shape(a1) == np.shape(a2) and bool((lifted(a1) == a2).all())


@handles("outer", "linalg.outer")
def _outer(a: Any, b: Any, out: Any = None) -> Any:
    a, b = lifted(a).reshape(-1), lifted(b).reshape(-1)
    return seen(a, lambda v: v[:, None]) * b
