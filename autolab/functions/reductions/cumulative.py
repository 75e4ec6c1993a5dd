"""Products, cumulative sums and cumulative products. Their gradients never divide, so zeros in the input do no harm."""

from __future__ import annotations

from math import prod as _size
from typing import Any

import numpy as np

from ...engine import Array
from ...engine.declare import primitive
from ..arrays.axes import moveaxis
from ..arrays.repeating import flip, pad
from ..arrays.shape import reshape, transpose
from ..elementwise.rounding import zeros_like
from ..working_precision import accumulated, in_single
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
    return accumulated("prod", a, axis=axis, keepdims=keepdims)


@prod.vjp("a")
@in_single
def _prod_x(g: Any, a: Any, axis: Axis) -> Any:
    """g * the product of the other elements"""
    shape, axes = a.shape, reduced(a.shape, axis)
    order = (*[i for i in range(len(shape)) if i not in axes], *axes)
    moved = transpose(a, axes=order)
    rows = reshape(moved, shape=(*moved.shape[: len(shape) - len(axes)], _size([shape[i] for i in axes])))
    others = transpose(reshape(_others(rows), shape=moved.shape), axes=tuple(np.argsort(order).tolist()))
    return kept(g, shape, axis) * others


def _others(x: Any) -> Any:
    """For each element along the last axis, the product of all others.

    In a binary tree of partial products, it is the product of the siblings along the path from the element to the root.
    """
    n = x.shape[-1]
    if n < 2:
        return zeros_like(x) + 1
    even = pad(x, pad_width=(*[(0, 0)] * (x.ndim - 1), (0, 1)), constant_values=1) if n % 2 else x
    pairs = reshape(even, shape=(*x.shape[:-1], (n + 1) // 2, 2))
    above = _others(pairs[..., 0] * pairs[..., 1])
    return reshape(flip(pairs, axis=-1) * above[..., None], shape=even.shape)[..., :n]


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
