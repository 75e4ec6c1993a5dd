"""The working precision of functions: floats for integer inputs, and float32 for float16 inputs.

`real` wraps a forward with real values, `in_single` a gradient rule. Arrays in single and double precision pass through
both unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..engine import Array, Primitive, Variable, as_array, check_real
from ..engine.arrays import HALF, SINGLE
from ..engine.backend import numpys

FULL = frozenset({SINGLE, np.dtype(np.float64)})


def real(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Make ``forward(xp, *arrays)`` receive arrays in single or double precision only.

    Integers and booleans are converted to the common floating-point dtype of the arrays, or to float64 if there are no
    floats: without it, ``-x`` and ``x - t`` could wrap around. If the common dtype is float16, everything is computed
    in float32, and the result is rounded once.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import functions as F
    >>> F.mean_absolute_error(np.array([1, 2], np.uint8), np.array([2, 4], np.uint8))
    np.float64(1.5)
    """

    @wraps(forward)
    def computed(xp: Any, *arrays: Any, **attributes: Any) -> Any:
        for array in arrays:
            if getattr(array, "dtype", SINGLE) not in FULL:
                return in_floats(forward, xp, arrays, attributes)
        return forward(xp, *arrays, **attributes)

    return computed


def in_floats(forward: Callable[..., Any], xp: Any, arrays: Any, attributes: dict[str, Any]) -> Any:
    """The call that `real` makes if an array is not in full precision."""
    common = np.result_type(*[array.dtype for array in arrays if hasattr(array, "dtype")])
    dtype = SINGLE if common == HALF else common if common.kind == "f" else np.dtype(np.float64)
    y = forward(xp, *[_raised(array, dtype) for array in arrays], **attributes)
    return y.astype(HALF) if common == HALF else y


def _raised(array: Any, dtype: np.dtype) -> Any:
    """Cast an array to ``dtype`` unless it is in full precision; anything else (None, a number) is left alone."""
    return array if getattr(array, "dtype", SINGLE) in FULL else array.astype(dtype)


def given_arrays(function: str, **inputs: Any) -> list[Any]:
    """Variables and arrays unchanged, numbers and lists as arrays."""
    return [v if isinstance(v, Variable) else as_array(v, f"{function}: input {k!r}") for k, v in inputs.items()]


def as_floats(value: Any, dtype: Any) -> Any:
    """A Variable or an array in a floating-point dtype; itself if it has it."""
    return value if value.dtype == dtype else Primitive.cast(value, dtype=dtype)


def in_full(function: str, whole: bool = False, **inputs: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    """The inputs of a composed function in single or double precision, as by `real`, and the function that rounds the
    result. If ``whole``, integers stay integers."""
    values = given_arrays(function, **inputs)
    common = np.result_type(*[check_real(v, function).dtype for v in values])
    dtype = SINGLE if common == HALF else common if common.kind == "f" else np.dtype(np.float64)
    if whole and common.kind != "f":
        return values, lambda y: y
    full = [v if v.dtype in FULL else Primitive.cast(v, dtype=dtype) for v in values]
    return full, lambda y: Primitive.cast(y, dtype=HALF) if common == HALF else y


def in_single(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Make a rule compute in float32 if the upstream gradient is float16; its result is rounded once."""

    @wraps(rule)
    def computed(g: Any, *saved: Any) -> Any:
        if g.dtype is not HALF:
            return rule(g, *saved)
        return _cast(rule(_cast(g, SINGLE), *[_widened(value) for value in saved]), HALF)

    return computed


def _widened(value: Any) -> Any:
    return _cast(value, SINGLE) if getattr(value, "dtype", None) == HALF else value


def _cast(value: Any, dtype: np.dtype) -> Any:
    return Primitive.cast(value, dtype=dtype) if isinstance(value, Variable) else value.astype(dtype)


def in_range(xp: Any, measure: Callable[[Array], Array], x: Array) -> Array:
    """``measure(x)``, which grows with ``x``, where squares of its elements overflow or vanish, too.

    Then it is computed of ``x`` over a power of two. A traced array has no values to ask for.
    """
    with np.errstate(over="ignore", under="ignore"):
        y = measure(x)
    least, most = _RANGE[x.dtype]
    if isinstance(y, np.floating):
        usual = bool(least <= y <= most)
    else:
        usual = (
            type(y) not in numpys
            or not y.size
            or (least <= np.minimum.reduce(y, axis=None) and np.maximum.reduce(y, axis=None) <= most)
        )
    if usual or type(x) not in numpys or not x.size:
        return y
    top = float(np.abs(x).max())
    if not 0 < top < np.inf:
        return y
    scale = x.dtype.type(2.0 ** np.clip(math.floor(math.log2(top)), -1000, 1000))
    scaled = measure(x / scale) * scale
    return np.where((y < least) | (y > most), scaled, y)[()]


def _range(dtype: Any) -> tuple[float, float]:
    limits = np.finfo(dtype)
    return float(limits.tiny) ** 0.5 / 1e-8, float(limits.max)


_RANGE = {np.dtype(kind): _range(kind) for kind in (np.float32, np.float64)}


def accumulated(method: str, x: Array, **options: Any) -> Array:
    """``x.sum(**options)`` and similar methods; float16 is accumulated in float32 and rounded at the end."""
    if x.dtype != HALF:
        return getattr(x, method)(**options)
    return getattr(x, method)(dtype=SINGLE, **options).astype(HALF)


@in_single
def divided(g: Any, count: int) -> Any:
    """``g / count``, also for a count beyond the range of float16."""
    return g / count
