"""Sums of products: all are composed of ``matmul`` over the last two axes, and of moves.

Linear algebra: each NumPy function is one operation over the last two axes, with a step for each result.
"""

from __future__ import annotations

import math
from functools import partial, reduce
from operator import index
from typing import Any

import numpy as np

from ...functions.linear_algebra.einstein import labels
from .module import lifted
from .moves import cast, seen
from .reductions import along
from .signatures import Traced, handles, handles_each, known_trace, plain, trace_of


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


@handles("matmul", "linalg.matmul")
def matmul(a: Traced, b: Traced) -> Any:
    a, b = lifted(a), lifted(b)
    trace = known_trace(a, b)
    value = np.asarray(np.matmul(a._value, b._value))
    a, b = cast(a, value.dtype, False), cast(b, value.dtype, False)
    left = seen(a, lambda v: v[None]) if a.ndim == 1 else a
    right = seen(b, lambda v: v[:, None]) if b.ndim == 1 else b
    stacks = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    views = [trace.view(m, (*stacks, *m.shape[-2:])) for m in (left, right)]
    return trace.step("matmul", views, (*stacks, left.shape[-2], right.shape[-1]), value)


@handles("dot")
def dot(a: Traced, b: Traced) -> Any:
    a, b = lifted(a), lifted(b)
    if not a.ndim or not b.ndim:
        return a * b
    if b.ndim <= 2:
        return matmul(a, b)
    return tensordot(a, b, ([-1], [-2]))


@handles("inner")
def _inner(a: Traced, b: Traced) -> Any:
    a, b = lifted(a), lifted(b)
    return a * b if not a.ndim or not b.ndim else tensordot(a, b, ([-1], [-1]))


@handles("vdot")
def _vdot(a: Traced, b: Traced) -> Any:
    return matmul(np.conjugate(lifted(a)).reshape(-1), lifted(b).reshape(-1))


@handles("vecdot", "linalg.vecdot")
def _vecdot(a: Traced, b: Traced, axis: int = -1) -> Any:
    return (np.conjugate(lifted(a)) * b).sum(axis=axis)


@handles("tensordot", "linalg.tensordot")
def tensordot(a: Traced, b: Traced, axes: Any = 2) -> Any:
    a, b = lifted(a), lifted(b)
    if isinstance(axes, int):
        axes = (list(range(a.ndim - axes, a.ndim)), list(range(axes)))
    first, second = [[axis] if isinstance(axis, int) else list(axis) for axis in axes]
    first, second = [i % a.ndim for i in first], [i % b.ndim for i in second]
    free_a = [i for i in range(a.ndim) if i not in first]
    free_b = [i for i in range(b.ndim) if i not in second]
    if [a.shape[i] for i in first] != [b.shape[i] for i in second]:
        raise ValueError("shape-mismatch for sum")
    inner = math.prod([a.shape[i] for i in first])
    left = a.transpose(*free_a, *first).reshape(math.prod([a.shape[i] for i in free_a]), inner)
    right = b.transpose(*second, *free_b).reshape(inner, math.prod([b.shape[i] for i in free_b]))
    return matmul(left, right).reshape(*[a.shape[i] for i in free_a], *[b.shape[i] for i in free_b])


@handles("linalg.multi_dot")
def _multi_dot(arrays: Traced) -> Any:
    return reduce(dot, arrays)


@handles("einsum")
def einsum(subscripts: str, *operands: Traced, optimize: Any = False) -> Any:
    arrays = [lifted(operand) for operand in operands]
    terms, output = labels(subscripts, [a.shape for a in arrays])
    arrays = [_without_repeats(term, a) for term, a in zip(terms, arrays, strict=True)]
    terms = ["".join(dict.fromkeys(term)) for term in terms]
    found, term = arrays[0], terms[0]
    for i, (following, other) in enumerate(zip(terms[1:], arrays[1:], strict=True), 2):
        later = set(output).union(*terms[i:])
        found, term = _pair(found, term, other, following, later)
    gone = tuple([i for i, letter in enumerate(term) if letter not in output])
    found = found.sum(axis=gone) if gone else found
    left = [letter for letter in term if letter in output]
    return found.transpose(*[left.index(letter) for letter in output]) if left else found


def _without_repeats(term: str, a: Any) -> Any:
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            i = term.index(letter)
            j = term.index(letter, i + 1)
            a = seen(a, partial(_diagonal_in_place, i=i, j=j))
            term = term[:j] + term[j + 1 :]
    return a


def _diagonal_in_place(values: np.ndarray, i: int, j: int) -> np.ndarray:
    return np.moveaxis(np.diagonal(values, 0, i, j), -1, i)


def _pair(a: Any, s: str, b: Any, t: str, later: set[str]) -> tuple[Any, str]:
    """The product of two operands, summed over the letters that are not needed later; and its letters."""
    a, s = _summed(a, s, later | set(t))
    b, t = _summed(b, t, later | set(s))
    stacks = [letter for letter in s if letter in t and letter in later]
    inner = [letter for letter in s if letter in t and letter not in later]
    rows, columns = [c for c in s if c not in t], [c for c in t if c not in s]
    size: dict[str, int] = {}
    for letter, n in [*zip(s, a.shape, strict=True), *zip(t, b.shape, strict=True)]:
        size[letter] = max(size.get(letter, n), n) if n != 0 else 0
    left = _laid(a, s, stacks, rows, inner, size)
    right = _laid(b, t, stacks, inner, columns, size)
    shape = [size[letter] for letter in (*stacks, *rows, *columns)]
    return matmul(left, right).reshape(shape), "".join([*stacks, *rows, *columns])


def _laid(a: Any, s: str, stacks: list[str], first: list[str], last: list[str], size: dict[str, int]) -> Any:
    order = [*stacks, *first, *last]
    turned = seen(a, lambda v: np.broadcast_to(v.transpose([s.index(c) for c in order]), [size[c] for c in order]))
    ends = math.prod([size[c] for c in first]), math.prod([size[c] for c in last])
    return turned.reshape([*[size[c] for c in stacks], *ends])


def _summed(a: Any, s: str, needed: set[str]) -> tuple[Any, str]:
    gone = tuple([i for i, letter in enumerate(s) if letter not in needed])
    return (a.sum(axis=gone) if gone else a), "".join([letter for letter in s if letter in needed])


@handles("convolve")
def _convolve(a: Traced, v: Traced, mode: str = "full") -> Any:
    a, v = lifted(a), lifted(v)
    if v.size > a.size:
        a, v = v, a
    n = {"full": v.size - 1, "same": v.size - 1, "valid": 0}[mode]
    wide: Any = np.pad(a, (n, n)) if trace_of(a) is not None else lifted(np.pad(plain(a), (n, n)))
    found = matmul(seen(wide, lambda x: np.lib.stride_tricks.sliding_window_view(x, v.size)), v[::-1])
    if mode != "same":
        return found
    start = (v.size - 1) // 2
    return found[start : start + a.size]
