"""Functions that compare the elements of an array: the greatest, the least, and all in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from .indexing import take_along_axis
from .precision import real
from .reduce import Axis, kept
from .shape import reshape


@primitive(numpy=(np.max, np.amax))
def max(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The greatest of all elements, or over one axis or several; NaN if one is NaN.

    Equal greatest elements share the gradient. NaN gives NaN gradients.

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
        If there is no element to choose from.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.max(Variable([[1.0, 4.0], [3.0, 2.0]]), axis=0)
    variable([3. 4.])
    """
    return x.max(axis=axis, keepdims=keepdims)


@primitive(numpy=(np.min, np.amin))
def min(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The least of all elements, or over one axis or several; otherwise like `max`.

    Raises
    ------
    ValueError
        If there is no element to choose from.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.min(Variable([[1.0, 4.0], [3.0, 2.0]]), axis=0)
    variable([1. 2.])
    """
    return x.min(axis=axis, keepdims=keepdims)


@max.vjp("x")
@min.vjp("x")
def _extreme_x(g: Any, x: Any, y: Any, axis: Axis) -> Any:
    """g * (x == y) / how many are equal"""
    return kept(g, x.shape, axis) * share(x, kept(y, x.shape, axis), axis=axis)


@primitive()
@real
def share(xp: Any, x: Array, y: Array, *, axis: Axis) -> Array:
    """1 where ``x`` equals ``y``, divided by the number of such places over ``axis``. Constant, so it has no rules."""
    equal = (x == y).astype(x.dtype)
    return equal / equal.sum(axis=axis, keepdims=True)


@primitive(numpy=np.sort)
def sort(xp: Any, x: Array, *, axis: int | None = -1) -> Array:
    """A copy in ascending order along an axis; NaN comes last. The gradient goes back to where each element was.

    Equal elements count as sorted in the order of their places.

    Parameters
    ----------
    x : Variable or array
    axis : int or None
        None sorts the flattened input.

    Raises
    ------
    ValueError
        If the axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([3.0, 1.0, 2.0])
    >>> (F.sort(x) * [1.0, 10.0, 100.0]).sum().backward()
    >>> x.grad
    variable([100.   1.  10.])
    """
    return xp.sort(x, axis=axis)


@sort.vjp("x")
def _sort_x(g: Any, x: Any, axis: int | None) -> Any:
    """g[the place of each element in the order]"""
    place = 0 if axis is None else axis
    order = np.argsort(x, axis=axis, kind="stable")  # of a Variable, too, this is an array
    return reshape(take_along_axis(g, indices=np.argsort(order, axis=place), axis=place), shape=x.shape)
