"""Sums and what is made of them: mean, variance, standard deviation."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from ..engine.protocol import register
from .powers import ratio
from .precision import HALF, accumulated, divided, in_single, real
from .shape import broadcast_to

Axis = int | tuple[int, ...] | None


@primitive(numpy=np.sum)
def sum(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Sum over all elements, or over one axis or several.

    Parameters
    ----------
    x : Variable or array
    axis : int, tuple of int or None
        Negative ones count from the end; None sums over all.
    keepdims : bool
        Leave the summed axes with length 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sum(Variable([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([4. 6.])
    """
    if x.dtype is HALF and xp is np:  # CuPy's sums are in float32 by themselves
        return accumulated("sum", x, axis=axis, keepdims=keepdims)
    return x.sum(axis=axis, keepdims=keepdims)


@sum.vjp("x")
def _sum_x(g: Any, x_shape: tuple[int, ...], axis: Axis) -> Any:
    """broadcast_to(g, shape=x_shape)"""
    return broadcast_to(kept(g, x_shape, axis), shape=x_shape)


def _kept(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """``shape`` with length 1 at the reduced axes."""
    axes = reduced(shape, axis)
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def reduced(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """The axes that are reduced, counted from the start."""
    if axis is None:
        return tuple(range(len(shape)))
    return tuple([a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,)) if shape])


def kept(value: Any, shape: tuple[int, ...], axis: Axis) -> Any:
    """A result of reducing ``shape`` in a form that broadcasts: a number, or with length 1 at the reduced axes."""
    return value if value.ndim in (0, len(shape)) else value.reshape(_kept(shape, axis))


def _count(shape: tuple[int, ...], axis: Axis) -> int:
    return prod([shape[i] for i in reduced(shape, axis)])


@primitive(numpy=np.mean)
def mean(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Mean of all elements, or over one axis or several; NaN of none.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.mean(Variable([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([2. 3.])
    """
    return x.mean(axis=axis, keepdims=keepdims)


@mean.vjp("x")
def _mean_x(g: Any, x_shape: tuple[int, ...], axis: Axis) -> Any:
    """broadcast_to(g / n, shape=x_shape)"""
    return _sum_x(divided(g, max(1, _count(x_shape, axis))), x_shape, axis)


@mean.composite
def _mean(x: Any, axis: Axis, keepdims: bool) -> Any:
    return sum(x, axis=axis, keepdims=keepdims) / _count(x.shape, axis)


@primitive()
@real
def var(xp: Any, x: Array, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Variance: the mean of the squared distances to the mean.

    Parameters
    ----------
    x : Variable or array
    axis : int, tuple of int or None
        Negative ones count from the end; None takes all elements.
    ddof : int
        The squares are divided by ``n - ddof``; 1 gives the unbiased estimate. NaN where that is not positive.
    keepdims : bool
        Leave the reduced axes with length 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.var(Variable([1.0, 2.0, 3.0])), F.var(Variable([1.0, 2.0, 3.0]), ddof=1)
    (variable(0.6666666666666666), variable(1.0))
    """
    return x.var(axis=axis, ddof=ddof, keepdims=keepdims)


@var.vjp("x")
@in_single
def _var_x(g: Any, x: Any, axis: Axis, ddof: int) -> Any:
    """2 * g / (n - ddof) * (x - mean(x))"""
    centred = x - mean(x, axis=axis, keepdims=True)
    return kept(2 * g / max(0, _count(x.shape, axis) - ddof), x.shape, axis) * centred


@var.composite
def _var(x: Any, axis: Axis, ddof: int, keepdims: bool) -> Any:
    away = x - mean(x, axis=axis, keepdims=True)
    return sum(away * away, axis=axis, keepdims=keepdims) / (_count(x.shape, axis) - ddof)


@primitive()
@real
def std(xp: Any, x: Array, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Standard deviation: the square root of `var`, with the same parameters.

    The gradient is 0 where the deviation is 0, that is, where all elements are equal.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.std(Variable([1.0, 2.0, 3.0]), ddof=1)
    variable(1.0)
    """
    return x.std(axis=axis, ddof=ddof, keepdims=keepdims)


@std.vjp("x")
@in_single
def _std_x(g: Any, x: Any, y: Any, axis: Axis, ddof: int) -> Any:
    """g / (n - ddof) * (x - mean(x)) / y"""
    centred = x - mean(x, axis=axis, keepdims=True)
    slope = ratio(g, y) / max(0, _count(x.shape, axis) - ddof)
    return kept(slope, x.shape, axis) * centred


register(np.var, var, renamed={"correction": "ddof"})
register(np.std, std, renamed={"correction": "ddof"})
