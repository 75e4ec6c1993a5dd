"""Products, cumulative sums and cumulative products. Their gradients never divide, so zeros in the input do no harm."""

from __future__ import annotations

from math import prod as _size
from typing import Any

import numpy as np

from ...engine import Array, unwrap
from ...engine.backend import numpys
from ...engine.declare import primitive
from ..arrays.axes import moveaxis
from ..arrays.indexing import take_along_axis
from ..arrays.repeating import flip, pad
from ..arrays.shape import reshape, transpose
from ..elementwise.rounding import zeros_like
from ..working_precision import FULL, accumulated, in_single
from .reduce import Axis, kept, reduced


@primitive(numpy=np.prod)
def prod(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Product of all elements, or over one or several axes.

    Parameters
    ----------
    a : Variable or array
    axis : int, tuple of int or None
        Axes to multiply over; negative ones count from the end. None multiplies all elements.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([2.0, 0.0, 3.0])
    >>> F.prod(x).backward()
    >>> x.grad
    variable([0. 6. 0.])
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        y = accumulated("prod", a, axis=axis, keepdims=keepdims)
    if type(a) not in numpys or np.all(np.isfinite(y) & (y != 0)) or not _leaves_range(a):
        return y
    rows = _rows(a, axis)[0]
    while rows.shape[-1] > 1:
        pairs = _pairs(rows, True)[0]
        rows = pairs[..., 0] * pairs[..., 1]
    return rows.reshape(y.shape)[()]


def _leaves_range(a: Array) -> bool:
    """Whether a product of some elements may overflow or vanish where that of others does not."""
    if type(a) not in numpys or a.dtype not in FULL:  # traced arrays have no values to ask for
        return False
    exponents = np.frexp(np.where(np.isfinite(a), a, 0))[1]
    return bool(np.abs(exponents).sum() > np.finfo(a.dtype).maxexp - 2)


def _rows(a: Any, axis: Axis) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """``a`` with the reduced axes as the last one, its shape before they were joined, and the order of its axes."""
    axes = reduced(a.shape, axis)
    order = (*[i for i in range(a.ndim) if i not in axes], *axes)
    moved = transpose(a, axes=order)
    kept_shape, joined = moved.shape[: a.ndim - len(axes)], moved.shape[a.ndim - len(axes) :]
    return reshape(moved, shape=(*kept_shape, _size(joined))), moved.shape, order


@prod.vjp("a")
@in_single
def _prod_x(g: Any, a: Any, axis: Axis) -> Any:
    """g * the product of the other elements"""
    rows, shape, order = _rows(a, axis)
    others = reshape(_others(rows, _leaves_range(unwrap(a))), shape=shape)
    return kept(g, a.shape, axis) * transpose(others, axes=tuple(np.argsort(order).tolist()))


def _others(x: Any, balanced: bool) -> Any:
    """For each element along the last axis, the product of all others.

    In a binary tree of partial products, it is the product of the siblings along the path from the element to the root.
    """
    n = x.shape[-1]
    if n < 2:
        return zeros_like(x) + 1
    pairs, order = _pairs(x, balanced)
    above = _others(pairs[..., 0] * pairs[..., 1], balanced)
    found = reshape(flip(pairs, axis=-1) * above[..., None], shape=(*x.shape[:-1], n + n % 2))
    return (found if order is None else take_along_axis(found, indices=order.argsort(axis=-1)))[..., :n]


def _pairs(x: Any, balanced: bool) -> tuple[Any, Any]:
    """The elements along the last axis in pairs, if ``balanced`` of a small and a large one, and their places then."""
    n = x.shape[-1]
    even = pad(x, pad_width=(*[(0, 0)] * (x.ndim - 1), (0, 1)), constant_values=1) if n % 2 else x
    order = None
    if balanced:
        order, half = np.abs(unwrap(even)).argsort(axis=-1), (n + 1) // 2
        order = np.stack([order[..., :half], order[..., : half - 1 : -1]], axis=-1).reshape(even.shape)
        even = take_along_axis(even, indices=order)
    return reshape(even, shape=(*x.shape[:-1], (n + 1) // 2, 2)), order


@primitive(numpy=np.cumsum)
def cumsum(xp: Any, a: Array, *, axis: int | None = None) -> Array:
    """Cumulative sum along an axis, or over the flattened input.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cumsum(Variable([1.0, 2.0, 3.0]))
    variable([1. 3. 6.])
    """
    return accumulated("cumsum", a, axis=axis)


@cumsum.vjp("a")
def _cumsum_x(g: Any, a_shape: tuple[int, ...], axis: int | None) -> Any:
    """cumsum(g) from the other end"""
    place = 0 if axis is None else axis
    return reshape(flip(cumsum(flip(g, axis=place), axis=place), axis=place), shape=a_shape)


@primitive(numpy=np.cumprod)
def cumprod(xp: Any, a: Array, *, axis: int | None = None) -> Array:
    """Cumulative product along an axis, or over the flattened input.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cumprod(Variable([1.0, 2.0, 3.0]))
    variable([1. 2. 6.])
    """
    return accumulated("cumprod", a, axis=axis)


@cumprod.vjp("a")
@in_single
def _cumprod_x(g: Any, a: Any, y: Any, axis: int | None) -> Any:
    """(the product of all before) * (g + a[next] * (g[next] + ...))"""
    place = 0 if axis is None else axis
    g, factors, products = [moveaxis(reshape(v, shape=y.shape), source=place, destination=-1) for v in (g, a, y)]
    after = _recurrence(g, _shifted(factors, 1, 0))
    return reshape(moveaxis(_shifted(products, -1, 1) * after, source=-1, destination=place), shape=a.shape)


def _recurrence(b: Any, a: Any) -> Any:
    """Solve ``s[i] = b[i] + a[i] * s[i + 1]`` along the last axis, as a scan whose step doubles."""
    step = 1
    while step < b.shape[-1]:
        b = b + a * _shifted(b, step, 0)
        a = a * _shifted(a, step, 0)
        step *= 2
    return b


def _shifted(x: Any, step: int, fill: int) -> Any:
    """``x[i + step]`` along the last axis, with ``fill`` beyond the ends."""
    n = x.shape[-1]
    part, margin = (x[..., step:], (0, min(step, n))) if step > 0 else (x[..., :step], (min(-step, n), 0))
    return pad(part, pad_width=(*[(0, 0)] * (x.ndim - 1), margin), constant_values=fill)
