"""Linear algebra: each NumPy function is one operation over the last two axes, with a step for each result."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from .module import lifted
from .reductions import along
from .signatures import Traced, handles, handles_each, known_trace


def _steps(name: str, arrays: list[Any], found: Any, options: dict[str, Any]) -> Any:
    """What NumPy has computed, as results of steps."""
    trace, is_one = known_trace(arrays), not isinstance(found, tuple)
    parts, views = (found,) if is_one else found, [trace.view(a) for a in arrays]
    made = [trace.step(name, views, np.shape(part), part, part=i, options=options) for i, part in enumerate(parts)]
    return made[0] if is_one else type(found)(*made)


@handles_each("linalg.inv", "linalg.det", "linalg.cholesky", "linalg.slogdet", "linalg.solve")
@handles_each("linalg.eigh", "linalg.svd", "linalg.pinv")
def _computed(function: Any, *args: Traced, **options: Any) -> Any:
    arrays = [lifted(a) for a in args]
    return _steps(function.__name__, arrays, function(*[a._value for a in arrays], **options), options)


@handles("linalg.qr")
def _qr(a: Traced, mode: Any = "reduced") -> Any:
    found: Any = np.linalg.qr(a._value, mode)
    if not isinstance(found, tuple) or mode == "raw":
        raise known_trace(a).refuse(f"numpy.linalg.qr with mode={mode!r:.40}")
    return _steps("qr", [a], found, {"mode": mode})


@handles("linalg.norm", "linalg.vector_norm")
def _norm(x: Traced, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = x if x.dtype.kind == "f" else x.astype(float)
    vectors = (axis is None and x.ndim <= 1) or isinstance(axis, int) or (axis is not None and len(axis) == 1)
    if ord is None or ord == "fro" or (ord == 2 and vectors):
        return np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))
    if not vectors or ord == 0 or isinstance(ord, str):
        raise x._buffer.trace.refuse(f"numpy.linalg.norm with ord={ord}")
    size = abs(x)
    if abs(ord) == np.inf:
        return (size.max if ord > 0 else size.min)(axis=axis, keepdims=keepdims)
    return (size**ord).sum(axis=axis, keepdims=keepdims) ** (1 / ord)


# -------------------------------------------------------------------------------------------------------- Fourier
@handles_each("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft")
def _fourier(function: Any, a: Traced, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    return along(function, a, index(axis), n=n, norm=norm)


@handles_each("real", "imag")
def _complex_part(function: Any, val: Traced) -> Any:
    trace = known_trace(val)
    value = np.ascontiguousarray(function(val._value)).reshape(val.shape)
    return trace.step(function.__name__, [trace.view(val)], value.shape, value)
