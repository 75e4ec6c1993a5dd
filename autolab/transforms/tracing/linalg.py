"""Linear algebra: each function of NumPy's is one operation over the last two axes, with a step for each result."""

from __future__ import annotations

from typing import Any

import numpy as np

from .module import lifted
from .moves import seen
from .signatures import Traced, handles, trace_of


def _computed(name: str, results: int) -> None:
    function = getattr(np.linalg, name)

    def handler(*args: Traced, **options: Any) -> Any:
        arrays = [lifted(a) for a in args]
        trace = trace_of(arrays)
        assert trace is not None
        found = function(*[a._value for a in arrays], **options)
        parts = found if results > 1 else (found,)
        views = [trace.view(a) for a in arrays]
        made = [trace.step(name, views, np.shape(part), part, part=i, options=options) for i, part in enumerate(parts)]
        return made[0] if results == 1 else type(found)(*made)

    handles(f"linalg.{name}")(handler)


for _name, _results in {"inv": 1, "det": 1, "cholesky": 1, "slogdet": 2, "solve": 1, "eigh": 2}.items():
    _computed(_name, _results)


@handles("linalg.qr")
def _qr(a: Traced, mode: Any = "reduced") -> Any:
    trace = trace_of(a)
    assert trace is not None
    found: Any = np.linalg.qr(a._value, mode)
    if not isinstance(found, tuple) or mode == "raw":
        raise trace.refuse(f"numpy.linalg.qr with mode={mode!r:.40}")
    options, view = {"mode": mode}, trace.view(a)
    made = [trace.step("qr", [view], part.shape, part, part=i, options=options) for i, part in enumerate(found)]
    return type(found)(*made)


@handles("linalg.svd")
def _svd(a: Traced, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    trace = trace_of(a)
    assert trace is not None
    options = {"full_matrices": full_matrices, "compute_uv": compute_uv}
    found = np.linalg.svd(a._value, **options)  # type: ignore[call-overload]
    parts = found if compute_uv else (found,)
    view = trace.view(a)
    made = [trace.step("svd", [view], part.shape, part, part=i, options=options) for i, part in enumerate(parts)]
    return type(found)(*made) if compute_uv else made[0]


@handles("linalg.pinv")
def _pinv(a: Traced, **options: Any) -> Any:
    trace = trace_of(a)
    assert trace is not None
    value = np.linalg.pinv(a._value, **options)
    return trace.step("pinv", [trace.view(a)], value.shape, value, part=0, options=options)


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
def _fourier(name: str) -> None:
    function = getattr(np.fft, name)

    def handler(a: Traced, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
        trace = trace_of(a)
        assert trace is not None
        turned = seen(a, lambda v: np.moveaxis(v, axis, -1))
        value = np.ascontiguousarray(function(turned._value, n=n, norm=norm))
        found = trace.step(name, [trace.view(turned)], value.shape, value, n=n, norm=norm)
        return seen(found, lambda v: np.moveaxis(v, -1, axis))

    handles(f"fft.{name}")(handler)


for _name in ("fft", "ifft", "rfft", "irfft"):
    _fourier(_name)


@handles("real")
def _real(val: Traced) -> Any:
    return _complex_part("real", val)


@handles("imag")
def _imag(val: Traced) -> Any:
    return _complex_part("imag", val)


def _complex_part(name: str, array: Any) -> Any:
    trace = trace_of(array)
    assert trace is not None
    value = np.ascontiguousarray(getattr(array._value, name)).reshape(array.shape)
    return trace.step(name, [trace.view(array)], value.shape, value)
