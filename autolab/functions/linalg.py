"""Linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from .shape import reshape, sum_to, transpose


@primitive(numpy=np.matmul)
def matmul(xp: Any, a: Array, b: Array) -> Array:
    """Matrix product ``a @ b`` with NumPy's rules: vectors, matrices and stacks of matrices that broadcast.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(n,)`` or ``(..., m, n)``.
    b : Variable or array
        Of shape ``(n,)`` or ``(..., n, p)``.

    Returns
    -------
    Variable or array
        Of shape ``(..., m, p)``, without the axes that a vector does not have.

    Raises
    ------
    ValueError
        If the shapes do not fit, or an input has no axis.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.matmul(Variable([[1.0, 2.0]]), Variable([3.0, 4.0]))
    variable([11.])
    """
    return xp.matmul(a, b)


@matmul.vjp("a")
def _matmul_a(g: Any, b: Any, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Any:
    """g @ b.T"""
    g, right = _as_matrices(g, a_shape, b_shape), _column(b, b_shape)
    return _fit(matmul(g, _swapped(right)), a_shape, _row_shape(a_shape))


@matmul.vjp("b")
def _matmul_b(g: Any, a: Any, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Any:
    """a.T @ g"""
    g, left = _as_matrices(g, a_shape, b_shape), _row(a, a_shape)
    return _fit(matmul(_swapped(left), g), b_shape, _column_shape(b_shape))


def _row_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1, *shape) if len(shape) == 1 else shape


def _column_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape, 1) if len(shape) == 1 else shape


def _row(a: Any, shape: tuple[int, ...]) -> Any:
    return reshape(a, shape=_row_shape(shape)) if len(shape) == 1 else a


def _column(b: Any, shape: tuple[int, ...]) -> Any:
    return reshape(b, shape=_column_shape(shape)) if len(shape) == 1 else b


def _as_matrices(g: Any, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> Any:
    """The upstream gradient with the axes that the product of a vector dropped."""
    if len(a_shape) > 1 and len(b_shape) > 1:
        return g
    rows = g.shape[-1:] if len(a_shape) > 1 else (1,)
    columns = g.shape[-1:] if len(b_shape) > 1 else (1,)
    stack = g.shape[:-1] if g.shape else ()
    return reshape(g, shape=(*stack, *rows, *columns))


def _swapped(x: Any) -> Any:
    """The last two axes exchanged."""
    axes = tuple(range(x.ndim))
    return transpose(x, axes=(*axes[:-2], axes[-1], axes[-2])) if len(axes) > 2 else transpose(x)


def _fit(g: Any, shape: tuple[int, ...], matrix_shape: tuple[int, ...]) -> Any:
    """Sum over the stacks that were broadcast, and drop the axis that a vector does not have."""
    g = sum_to(g, shape=matrix_shape) if g.shape != matrix_shape else g
    return reshape(g, shape=shape) if shape != matrix_shape else g
