"""Functions composed of elementwise steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .module import lifted
from .moves import seen
from .signatures import Traced, handles, known_trace, plain


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
