"""Functions that move, add and drop axes; `reshape` and `transpose` are in shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array
from ...engine.declare import primitive
from .shape import reshape

Axis = int | tuple[int, ...] | None


@primitive(a=lambda g, axis1, axis2: swapaxes(g, axis1=axis1, axis2=axis2), numpy=np.swapaxes)
def swapaxes(xp: Any, a: Array, *, axis1: int, axis2: int) -> Array:
    """Swap two axes. Negative axes count from the end, here and in all functions of this module.

    Raises
    ------
    ValueError
        If an axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.swapaxes(Variable([[1.0, 2.0, 3.0]]), axis1=0, axis2=1).shape
    (3, 1)
    """
    return a.swapaxes(axis1, axis2)


@primitive(a=lambda g, source, destination: moveaxis(g, source=destination, destination=source), numpy=np.moveaxis)
def moveaxis(xp: Any, a: Array, *, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array:
    """Move axes to new positions; the others keep their order.

    Raises
    ------
    ValueError
        If an axis does not exist or is repeated.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.moveaxis(Variable([[[1.0, 2.0, 3.0]]]), source=-1, destination=0).shape
    (3, 1, 1)
    """
    return xp.moveaxis(a, source, destination)


@primitive(a=lambda g, a_shape: reshape(g, shape=a_shape), numpy=np.squeeze)
def squeeze(xp: Any, a: Array, *, axis: Axis = None) -> Array:
    """Remove axes of length 1: all of them, or only those given.

    Raises
    ------
    ValueError
        If an axis to remove has another length.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.squeeze(Variable([[[1.0, 2.0]]]), axis=0).shape
    (1, 2)
    """
    return a.squeeze(axis)


@primitive(a=lambda g, a_shape: reshape(g, shape=a_shape), numpy=np.expand_dims)
def expand_dims(xp: Any, a: Array, *, axis: int | tuple[int, ...]) -> Array:
    """Insert axes of length 1 at the given positions of the result.

    Raises
    ------
    ValueError
        If the result has no such axis, or an axis is repeated.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.expand_dims(Variable([1.0, 2.0]), axis=-1).shape
    (2, 1)
    """
    return xp.expand_dims(a, axis)


def other_axes(axes: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """The axes not in ``axes``, in ascending order.

    Examples
    --------
    >>> other_axes((1,), 3)
    (0, 2)
    """
    return tuple([axis for axis in range(ndim) if axis not in axes])
