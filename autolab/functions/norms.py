"""Norms, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from .math import exp
from .powers import ratio
from .reduce import Axis, kept, reduced
from .rounding import sign


@primitive(numpy=np.linalg.norm)
def norm(xp: Any, x: Array, *, ord: int | None = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """Length of vectors: the root of the sum of squares, or the sum of absolute values.

    The gradient of the length 0 is 0: the tip of a cone has no slope.

    Parameters
    ----------
    x : Variable or array
    ord : None, 1 or 2
        None is the root of the sum of squares over all elements, or over one axis or two. 2 is the same over one axis,
        1 the sum of absolute values over one axis.
    axis : int, tuple of two int or None
    keepdims : bool
        Leave the reduced axes with length 1.

    Raises
    ------
    ValueError
        If ``ord`` is another one, or is given for matrices (their norms are other functions), or the axes do not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.norm(Variable([3.0, -4.0])), F.norm(Variable([3.0, -4.0]), ord=1)
    (variable(5.0), variable(7.0))
    """
    if ord not in (None, 1, 2):
        raise ValueError(f"ord={ord!r:.40}; expected None, 1 or 2")
    if ord is not None and len(reduced(x.shape, axis)) != 1:
        raise ValueError(f"ord={ord} over axis={axis} is no vector norm; expected one axis, or ord=None")
    if ord == 1:
        return xp.absolute(x).sum(axis=axis, keepdims=keepdims)
    return xp.linalg.norm(x, axis=axis, keepdims=keepdims)


@norm.vjp("x")
def _norm_x(g: Any, x: Any, y: Any, ord: int | None, axis: Axis) -> Any:
    """g * x / y, or g * sign(x) if ord is 1"""
    if ord == 1:
        return kept(g, x.shape, axis) * sign(x)
    return x * kept(ratio(g, y), x.shape, axis)


@primitive()
def logsumexp(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """``log(sum(exp(x)))`` over all elements, one axis or several, without overflow. Its gradient is the softmax.

    If all elements are minus infinity, so is the result, and the gradients are NaN.

    Parameters
    ----------
    x : Variable or array
    axis : int, tuple of int or None
        Negative ones count from the end; None takes all elements.
    keepdims : bool
        Leave the reduced axes with length 1.

    Raises
    ------
    ValueError
        If there is no element to sum.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.logsumexp(Variable([1000.0, 1000.0]))
    variable(1000.6931471805599)
    """
    top = x.max(axis=axis, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0)
    total = xp.exp(x - top).sum(axis=axis, keepdims=keepdims)
    with np.errstate(divide="ignore"):  # the logarithm of 0
        return xp.log(total) + top.reshape(total.shape)


@logsumexp.vjp("x")
def _logsumexp_x(g: Any, x: Any, y: Any, axis: Axis) -> Any:
    """g * exp(x - y)"""
    return kept(g, x.shape, axis) * exp(x - kept(y, x.shape, axis))
