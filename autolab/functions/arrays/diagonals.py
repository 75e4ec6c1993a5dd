"""Diagonals and triangles of matrices and stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array
from ...engine.declare import primitive
from .shape import broadcast_to, reshape

Shape = tuple[int, ...]


@primitive(
    a=lambda g, a_shape, offset, axis1, axis2: on_diagonal(g, shape=a_shape, offset=offset, axis1=axis1, axis2=axis2),
    numpy=np.diagonal,
)
def diagonal(xp: Any, a: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The diagonals ``a[i, i + offset]`` of the matrices along ``axis1`` and ``axis2``, as a new last axis.

    Raises
    ------
    ValueError
        If there are fewer than two axes, an axis does not exist, or both are the same.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.diagonal(Variable([[1.0, 2.0], [3.0, 4.0]]))
    variable([1. 4.])
    """
    y = a.diagonal(offset, axis1, axis2)
    if type(y) is np.ndarray and a.flags.writeable:
        y.flags.writeable = True  # a view like any other; NumPy has not decided yet whether it stays one
    return y


@primitive(g=lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2))
def on_diagonal(xp: Any, g: Array, *, shape: Shape, offset: int, axis1: int, axis2: int) -> Array:
    """Zeros of ``shape`` with ``g`` on the diagonal."""
    y = xp.zeros(shape, g.dtype)
    i = xp.arange(g.shape[-1])
    xp.moveaxis(y, (axis1, axis2), (-2, -1))[..., i + max(-offset, 0), i + max(offset, 0)] = g
    return y


@primitive(numpy=np.trace)
def trace(xp: Any, a: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The sum of `diagonal`.

    Raises
    ------
    ValueError
        If there are fewer than two axes, an axis does not exist, or both are the same.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.trace(Variable([[1.0, 2.0], [3.0, 4.0]]))
    variable(5.0)
    """
    return a.trace(offset, axis1, axis2)


@trace.vjp("a")
def _trace_x(g: Any, a_shape: Shape, offset: int, axis1: int, axis2: int) -> Any:
    """g on the diagonal"""
    rows, columns = a_shape[axis1], a_shape[axis2]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    along = broadcast_to(reshape(g, shape=(*g.shape, 1)), shape=(*g.shape, length))
    return on_diagonal(along, shape=a_shape, offset=offset, axis1=axis1, axis2=axis2)


@primitive(m=lambda g, k: tril(g, k=k), numpy=np.tril)
def tril(xp: Any, m: Array, *, k: int = 0) -> Array:
    """Lower triangle: a copy with the elements above diagonal ``k`` set to zero.

    Raises
    ------
    ValueError
        If there are fewer than two axes.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.tril(Variable([[1.0, 2.0], [3.0, 4.0]]))
    variable([[1. 0.]
              [3. 4.]])
    """
    return xp.tril(_matrices(m), k)


@primitive(m=lambda g, k: triu(g, k=k), numpy=np.triu)
def triu(xp: Any, m: Array, *, k: int = 0) -> Array:
    """Upper triangle: a copy with the elements below diagonal ``k`` set to zero.

    Raises
    ------
    ValueError
        If there are fewer than two axes.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.triu(Variable([[1.0, 2.0], [3.0, 4.0]]))
    variable([[1. 2.]
              [0. 4.]])
    """
    return xp.triu(_matrices(m), k)


def _matrices(x: Array) -> Array:
    if x.ndim < 2:
        raise ValueError("expected a matrix or a stack of matrices")
    return x
