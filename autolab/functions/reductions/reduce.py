"""Sum, mean, variance and standard deviation."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine import Array
from ...engine.arrays import HALF
from ...engine.declare import primitive
from ...engine.numpy_protocol import register
from ..arrays.shape import broadcast_to
from ..elementwise.powers import ratio
from ..working_precision import accumulated, divided, in_range, in_single, real

Axis = int | tuple[int, ...] | None


@primitive(numpy=np.sum)
def sum(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Sum of all elements, or over one or several axes.

    Parameters
    ----------
    a : Variable or array
    axis : int, tuple of int or None
        Axes to sum over; negative ones count from the end. None sums all elements.
    keepdims : bool
        Keep the summed axes, with length 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sum(Variable([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([4. 6.])
    """
    if a.dtype is HALF and xp is np:  # CuPy already sums in float32
        return accumulated("sum", a, axis=axis, keepdims=keepdims)
    return a.sum(axis=axis, keepdims=keepdims)


@sum.vjp("a")
def _sum_x(g: Any, a_shape: tuple[int, ...], axis: Axis) -> Any:
    """broadcast_to(g, shape=a_shape)"""
    return broadcast_to(kept(g, a_shape, axis), shape=a_shape)


def _kept(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """``shape`` with length 1 along the reduced axes."""
    axes = reduced(shape, axis)
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def reduced(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """The reduced axes, counted from the front."""
    if axis is None:
        return tuple(range(len(shape)))
    return tuple([a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,)) if shape])


def kept(value: Any, shape: tuple[int, ...], axis: Axis) -> Any:
    """The result of a reduction in a form that broadcasts to ``shape``: 0-d, or of length 1 along the reduced axes."""
    return value if value.ndim in (0, len(shape)) else value.reshape(_kept(shape, axis))


def _count(shape: tuple[int, ...], axis: Axis) -> int:
    return prod([shape[i] for i in reduced(shape, axis)])


@primitive(numpy=np.mean)
def mean(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Mean of all elements, or over one or several axes; NaN if there are none.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.mean(Variable([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([2. 3.])
    """
    return a.mean(axis=axis, keepdims=keepdims)


@mean.vjp("a")
def _mean_x(g: Any, a_shape: tuple[int, ...], axis: Axis) -> Any:
    """broadcast_to(g / n, shape=a_shape)

    Here ``n = a.size // y.size``, the number of elements in a mean.
    """
    return _sum_x(divided(g, max(1, _count(a_shape, axis))), a_shape, axis)


@mean.composite
def _mean(x: Any, axis: Axis, keepdims: bool) -> Any:
    return sum(x, axis=axis, keepdims=keepdims) / _count(x.shape, axis)


@primitive()
@real
def var(xp: Any, a: Array, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Variance: the mean of the squared deviations from the mean.

    Parameters
    ----------
    a : Variable or array
    axis : int, tuple of int or None
        Axes to reduce; negative ones count from the end. None reduces all.
    ddof : int
        Delta degrees of freedom: the sum of squares is divided by ``n - ddof``; 1 gives the unbiased estimate. The
        result is infinite or NaN if ``n - ddof`` is not positive.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.var(Variable([1.0, 2.0, 3.0])), F.var(Variable([1.0, 2.0, 3.0]), ddof=1)
    (variable(0.6666666666666666), variable(1.0))
    """
    return a.var(axis=axis, ddof=ddof, keepdims=keepdims)


@var.vjp("a")
@in_single
def _var_x(g: Any, a: Any, axis: Axis, ddof: int) -> Any:
    """2 * g / (n - ddof) * (a - mean(a))

    Here ``n = a.size // y.size``, the number of elements in a variance.
    """
    centred = a - mean(a, axis=axis, keepdims=True)
    return kept(2 * g / max(0, _count(a.shape, axis) - ddof), a.shape, axis) * centred


@var.composite
def _var(x: Any, axis: Axis, ddof: int, keepdims: bool) -> Any:
    away = x - mean(x, axis=axis, keepdims=True)
    return sum(away * away, axis=axis, keepdims=keepdims) / max(0, _count(x.shape, axis) - ddof)


@primitive()
@real
def std(xp: Any, a: Array, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Standard deviation: the square root of `var`, with the same parameters.

    The gradient is 0 where the standard deviation is 0, that is, where all elements are equal.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.std(Variable([1.0, 2.0, 3.0]), ddof=1)
    variable(1.0)
    """
    return in_range(xp, lambda v: v.std(axis=axis, ddof=ddof, keepdims=keepdims), a)


@std.vjp("a")
@in_single
def _std_x(g: Any, a: Any, y: Any, axis: Axis, ddof: int) -> Any:
    """g / (n - ddof) * (a - mean(a)) / y

    Here ``n = a.size // y.size``, the number of elements in a deviation.
    """
    centred = a - mean(a, axis=axis, keepdims=True)
    share = ratio(centred, kept(y, a.shape, axis))  # of the size of 1; g / y may overflow
    return kept(g / max(0, _count(a.shape, axis) - ddof), a.shape, axis) * share


register(np.var, var, renamed={"correction": "ddof"})
register(np.std, std, renamed={"correction": "ddof"})
