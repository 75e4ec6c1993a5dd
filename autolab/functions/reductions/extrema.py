"""Maximum and minimum over axes. Tied elements share the gradient equally."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array
from ...engine.declare import primitive
from ..working_precision import real
from .reduce import Axis, kept


@primitive(numpy=(np.max, np.amax))
def max(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Largest of all elements, or over one or several axes; NaN if one is NaN.

    Tied elements share the gradient equally. Where the result is NaN, the gradients are NaN.

    Parameters
    ----------
    a : Variable or array
    axis : int, tuple of int or None
        Axes to reduce; negative ones count from the end. None reduces all.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Raises
    ------
    ValueError
        If there are no elements to reduce.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.max(Variable([[1.0, 4.0], [3.0, 2.0]]), axis=0)
    variable([3. 4.])
    """
    return a.max(axis=axis, keepdims=keepdims)


@primitive(numpy=(np.min, np.amin))
def min(xp: Any, a: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Smallest of all elements, or over one or several axes; otherwise like `max`.

    Raises
    ------
    ValueError
        If there are no elements to reduce.

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
    """1 where ``x`` equals ``y``, divided by how often it does over ``axis``, else 0. Constant, so it has no rules."""
    equal = (x == y).astype(x.dtype)
    return equal / equal.sum(axis=axis, keepdims=True)
