"""The largest and the smallest element of an array. Elements that are equal share the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.backend import Array
from ...engine.declare import primitive
from ..working_precision import real
from .reduce import Axis, kept


@primitive(numpy=(np.max, np.amax))
def max(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The largest of all elements, or over one axis or several; NaN if one is NaN.

    Equal largest elements share the gradient. NaN gives NaN gradients.

    Parameters
    ----------
    a : Variable or array
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
    return a.max(axis=axis, keepdims=keepdims)


@primitive(numpy=(np.min, np.amin))
def min(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The smallest of all elements, or over one axis or several; otherwise like `max`.

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
    return a.min(axis=axis, keepdims=keepdims)


@max.vjp("a")
@min.vjp("a")
def _extreme_x(g: Any, a: Any, y: Any, axis: Axis) -> Any:
    """g * (a == y) / how many are equal"""
    return kept(g, a.shape, axis) * share(a, kept(y, a.shape, axis), axis=axis)


@primitive()
@real
def share(xp: Any, x: Array, y: Array, *, axis: Axis) -> Array:
    """1 where ``x`` equals ``y``, divided by the number of such places over ``axis``. Constant, so it has no rules."""
    equal = (x == y).astype(x.dtype)
    return equal / equal.sum(axis=axis, keepdims=True)
