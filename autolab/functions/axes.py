"""Functions that move, add and drop axes; `reshape` and `transpose` are in shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from .shape import reshape

Axis = int | tuple[int, ...] | None


@primitive(x=lambda g, axis1, axis2: swapaxes(g, axis1=axis1, axis2=axis2), numpy=np.swapaxes)
def swapaxes(xp: Any, x: Array, *, axis1: int, axis2: int) -> Array:
    """Exchange two axes. Negative ones count from the end, here and in all functions of this module.

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
    return x.swapaxes(axis1, axis2)


@primitive(
    x=lambda g, source, destination: moveaxis(g, source=destination, destination=source),
    numpy=np.moveaxis,
)
def moveaxis(xp: Any, x: Array, *, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array:
    """Move axes to other places; the others keep their order.

    Raises
    ------
    ValueError
        If an axis does not exist or comes twice.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.moveaxis(Variable([[[1.0, 2.0, 3.0]]]), source=-1, destination=0).shape
    (3, 1, 1)
    """
    return xp.moveaxis(x, source, destination)


@primitive(x=lambda g, x_shape: reshape(g, shape=x_shape), numpy=np.squeeze)
def squeeze(xp: Any, x: Array, *, axis: Axis = None) -> Array:
    """Drop axes of length 1: all of them, or those given.

    Raises
    ------
    ValueError
        If an axis to drop has another length.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.squeeze(Variable([[[1.0, 2.0]]]), axis=0).shape
    (1, 2)
    """
    return x.squeeze(axis)


@primitive(x=lambda g, x_shape: reshape(g, shape=x_shape), numpy=np.expand_dims)
def expand_dims(xp: Any, x: Array, *, axis: int | tuple[int, ...]) -> Array:
    """Insert axes of length 1 at the places that they have in the result.

    Raises
    ------
    ValueError
        If the result has no such axis, or one comes twice.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.expand_dims(Variable([1.0, 2.0]), axis=-1).shape
    (2, 1)
    """
    return xp.expand_dims(x, axis)
