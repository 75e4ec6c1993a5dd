"""Norms, and the logarithm of the sum of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, unwrap
from ...engine.declare import primitive
from ..elementwise.powers import abs, pow, ratio
from ..elementwise.rounding import sign
from ..working_precision import in_range, in_single, real
from .extrema import share
from .reduce import Axis, kept, reduced, sum

Order = float | str | None


@primitive(numpy=np.linalg.norm)
@real
def norm(xp: Any, x: Array, *, ord: Order = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """Norm: by default the square root of the sum of squares.

    The gradient is 0 where the norm is 0: the tip of a cone has no slope. The second derivative counts as 0 there, too,
    so that of ``norm(x) ** 2`` is 0 at 0 instead of 2: for higher orders write ``sum(x * x)``.

    Parameters
    ----------
    x : Variable or array
    ord : None, 'fro' or float
        None is the square root of the sum of squares over all elements, one axis or two; over two axes, ``'fro'`` is
        the same. Over one axis, a number ``p`` gives ``sum(abs(x) ** p) ** (1 / p)``, ``inf`` the largest and ``-inf``
        the smallest absolute value, 0 the number of elements other than 0, which has no slope. Where an order below 1
        has an infinite slope, at elements that are 0, the gradient is 0.
    axis : int, tuple of two ints or None
    keepdims : bool
        Keep the reduced axes, with length 1.

    Raises
    ------
    ValueError
        If ``ord`` is unknown, a number is given for matrices (use `matrix_norm`), or an axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([3.0, -4.0])
    >>> F.norm(x), F.norm(x, ord=1), F.norm(x, ord=float("inf"))
    (variable(5.0), variable(7.0), variable(4.0))
    """
    _check_order(ord, len(reduced(x.shape, axis)))
    if ord == 0:  # it does not grow with x
        return xp.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)
    return in_range(xp, lambda v: xp.linalg.norm(v, ord=ord, axis=axis, keepdims=keepdims), x)


def _check_order(ord: Order, axes: int) -> None:
    if ord is None or (ord == "fro" and axes == 2):
        return
    if not isinstance(ord, int | float | np.number) or math.isnan(ord):
        raise ValueError(f"ord={ord!r:.40}; expected None, 'fro' for matrices, or a number")
    if axes != 1:
        raise ValueError(f"ord={ord} over {axes} axes is not a vector norm; expected one axis, ord=None or matrix_norm")


@norm.vjp("x")
@in_single
def _norm_x(g: Any, x: Any, y: Any, ord: Order, axis: Axis) -> Any:
    """g * x / y

    For another ``ord`` than 2 it is ``g * sign(x) * (abs(x) / y) ** (ord - 1)``.
    """
    g, y = kept(g, x.shape, axis), kept(y, x.shape, axis)
    p = 2 if ord is None or isinstance(ord, str) else ord
    if p == 2:
        return g * ratio(x, y)  # x / y is at most 1; g / y may overflow
    if p == 1:
        return g * sign(x)
    if p == 0:
        return g * 0 * x
    size = abs(x)
    if p < 1 and not math.isinf(p):  # where the slope is infinite, sign(x) is 0
        size, g = size + (unwrap(size) == 0), g * (unwrap(y) != 0)
        y = y + (unwrap(y) == 0)
    return g * sign(x) * (share(size, y, axis=axis) if math.isinf(p) else pow(ratio(size, y), p - 1))


@primitive()
@real
def logsumexp(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """``log(sum(exp(x)))`` over all elements or over axes, without overflow. Its gradient is the softmax.

    If all elements are minus infinity, so is the result, and the gradients are NaN.

    Parameters
    ----------
    x : Variable or array
    axis : int, tuple of int or None
        Axes to reduce; negative ones count from the end. None reduces all.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Raises
    ------
    ValueError
        If there are no elements to sum.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.logsumexp(Variable([1000.0, 1000.0]))
    variable(1000.6931471805599)
    """
    top = _top(xp, x, axis)
    total = log_total(xp, x - top, axis, keepdims)
    return total + top.reshape(total.shape)


def log_total(xp: Any, below: Array, axis: Axis, keepdims: bool) -> Array:
    """``log(sum(exp(below)))`` where the largest elements are 0; fully accurate where these outweigh the rest."""
    e = xp.exp(below)
    total = e.sum(axis=axis, keepdims=keepdims)
    behind = xp.where(below == 0, 0, e).sum(axis=axis, keepdims=keepdims)
    with np.errstate(divide="ignore"):  # log(0)
        return xp.where((total >= 1) & (total < 2), xp.log1p(behind), xp.log(total))  # below 2 one of them leads


@logsumexp.vjp("x")
@in_single
def _logsumexp_x(g: Any, x: Any, axis: Axis) -> Any:
    """g * exp(x) / sum(exp(x))"""
    return kept(g, x.shape, axis) * _shares(x, axis=axis)


@primitive()
def _shares(xp: Any, x: Array, *, axis: Axis) -> Array:
    """The softmax over several axes. Computed through `logsumexp`, it would inherit that result's rounding error."""
    e = xp.exp(x - _top(xp, x, axis))
    return e / e.sum(axis=axis, keepdims=True)


@_shares.vjp("x")
def _shares_x(g: Any, y: Any, axis: Axis) -> Any:
    """y * (g - sum(g * y))"""
    return y * (g - sum(g * y, axis=axis, keepdims=True))


def _top(xp: Any, x: Array, axis: Axis) -> Array:
    top = x.max(axis=axis, keepdims=True)
    return xp.where(xp.isfinite(top), top, 0)
