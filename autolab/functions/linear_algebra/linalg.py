"""Inverses, linear systems, determinants and the Cholesky decomposition, of a matrix or of each matrix in a stack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays import refuse_singular
from ...engine.backend import Array, get_array_module, strict_linalg
from ...engine.declare import primitive
from ..arrays.axes import expand_dims, squeeze, swapaxes
from ..arrays.shape import sum_to
from .minors import cofactors

Shape = tuple[int, ...]


@primitive(numpy=np.linalg.inv)
def inv(xp: Any, a: Array) -> Array:
    """Inverse of a square matrix.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., n, n)``.

    Raises
    ------
    ValueError
        If a matrix is singular or not square.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.inv(Variable([[2.0, 0.0], [0.0, 4.0]]))
    variable([[0.5  0.  ]
              [0.   0.25]])
    """
    with strict_linalg(xp):
        return refuse_singular(xp.linalg.inv(a), a)


@inv.vjp("a")
def _inv_a(g: Any, y: Any) -> Any:
    """-(y.T @ g @ y.T)"""
    return -(transposed(y) @ g @ transposed(y))


@primitive(numpy=np.linalg.solve)
def solve(xp: Any, a: Array, b: Array) -> Array:
    """Solve ``a @ x = b`` for ``x``.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., n, n)``.
    b : Variable or array
        Of shape ``(n,)`` or ``(..., n, k)``; stacks broadcast.

    Raises
    ------
    ValueError
        If a matrix is singular or not square, or the shapes do not match.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.solve(Variable([[2.0, 0.0], [0.0, 4.0]]), [2.0, 2.0])
    variable([1.  0.5])
    """
    if xp is not np and b.ndim > 1:
        a, b = _of_one_stack(xp, a, b)
        if not b.size and a.shape[-1] == a.shape[-2]:  # cuBLAS and cuSOLVER require at least one column
            return b.astype(xp.result_type(a, b))
    with strict_linalg(xp):
        return refuse_singular(xp.linalg.solve(a, b), a, b)


def _of_one_stack(xp: Any, a: Array, b: Array) -> tuple[Array, Array]:
    """Both broadcast to the same stack of matrices, which CuPy's solve does not do."""
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return xp.broadcast_to(a, (*stack, *a.shape[-2:])), xp.broadcast_to(b, (*stack, *b.shape[-2:]))


@solve.vjp("a")
def _solve_a(g: Any, a: Any, y: Any, a_shape: Shape, b_shape: Shape) -> Any:
    """-(solve(a.T, g) @ y.T)

    Vectors are columns here.
    """
    if len(b_shape) == 1:
        g, y = expand_dims(g, axis=-1), expand_dims(y, axis=-1)
    return _summed(-(solve(transposed(a), g) @ transposed(y)), a_shape)


@solve.vjp("b")
def _solve_b(g: Any, a: Any, b_shape: Shape) -> Any:
    """solve(a.T, g)"""
    if len(b_shape) > 1:
        return _summed(solve(transposed(a), g), b_shape)
    return _summed(squeeze(solve(transposed(a), expand_dims(g, axis=-1)), axis=-1), b_shape)


@primitive(numpy=np.linalg.det)
def det(xp: Any, a: Array) -> Array:
    """Determinant of a square matrix.

    Its derivatives are made of minors, of all orders and without a division, also where the determinant is 0.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., n, n)``.

    Returns
    -------
    Variable or array
        Of shape ``(...)``.

    Raises
    ------
    ValueError
        If a matrix is not square.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.det(Variable([[0.0, 1.0], [1.0, 0.0]]))
    variable(-1.0)
    """
    return xp.linalg.det(a)


@det.vjp("a")
def _det_a(g: Any, a: Any) -> Any:
    """g * cofactors(a)

    Here ``cofactors(m) = det(m) * inv(m).T``, without the inverse, so that ``a`` may be singular.
    """
    return expand_dims(g, axis=(-2, -1)) * cofactors(a)


@primitive(outputs=("sign", "logabsdet"), numpy=np.linalg.slogdet)
def slogdet(xp: Any, a: Array) -> tuple[Array, Array]:
    """Sign of the determinant and logarithm of its absolute value, which cannot overflow.

    The gradient of the sign is 0. For a singular matrix, backward is refused.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., n, n)``.

    Returns
    -------
    sign, logabsdet : Variable or array
        Of shape ``(...)``.

    Raises
    ------
    ValueError
        If a matrix is not square; in backward, if one is singular.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.slogdet(Variable([[-1.0, 0.0], [0.0, 1.0]]))
    (variable(-1.0), variable(0.0))
    """
    sign, logabsdet = xp.linalg.slogdet(a)
    return sign, logabsdet


@slogdet.vjp("a")
def _slogdet_a(g: Any, a: Any) -> Any:
    """g[1] * inv(a).T"""
    return expand_dims(g[1], axis=(-2, -1)) * transposed(_inverse("slogdet", "gradient", a))


@primitive(numpy=np.linalg.cholesky)
def cholesky(xp: Any, a: Array) -> Array:
    """Cholesky factor: the lower triangular ``y`` with ``y @ y.T = a``, for a symmetric positive definite matrix.

    Only the symmetric part of the matrix, ``(a + a.T) / 2``, is used, and the gradient is symmetric; NumPy reads the
    lower triangle and ignores the upper one.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., n, n)``.

    Raises
    ------
    ValueError
        If a matrix is not positive definite or not square.

    Notes
    -----
    I. Murray, "Differentiation of the Cholesky decomposition", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cholesky(Variable([[4.0, 2.0], [2.0, 2.0]]))
    variable([[2. 0.]
              [1. 1.]])
    """
    with strict_linalg(xp):
        return refuse_singular(xp.linalg.cholesky(symmetric(a)), a)


@cholesky.vjp("a")
def _cholesky_a(g: Any, y: Any) -> Any:
    """symmetric(inv(y.T) @ half_lower(y.T @ g) @ inv(y))

    Here ``half_lower(m) = (tril(m) + tril(m, k=-1)) / 2`` and ``symmetric(m) = (m + m.T) / 2``.
    """
    right = transposed(y)
    middle = (right @ g) * _half_lower(get_array_module(y), y.shape[-1], y.dtype)
    return symmetric(transposed(solve(right, transposed(solve(right, middle)))))


def _inverse(function: str, wanted: str, a: Any) -> Any:
    try:
        return inv(a)
    except ValueError:
        raise ValueError(f"{function}: a matrix is singular; the {wanted} needs its inverse") from None


def _half_lower(xp: Any, n: int, dtype: Any) -> Array:
    """1 below the diagonal, 1/2 on it, 0 above."""
    return xp.tril(xp.ones((n, n), dtype)) - xp.eye(n, dtype=dtype) / 2


def transposed(x: Any) -> Any:
    """Each matrix transposed."""
    return swapaxes(x, axis1=-1, axis2=-2)


def symmetric(x: Any) -> Any:
    """The symmetric part of each matrix."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError("expected square matrices")
    return x / 2 + transposed(x) / 2  # small integers would wrap around in a sum


def _summed(g: Any, shape: Shape) -> Any:
    """Sum over the stack axes that were broadcast."""
    return g if g.shape == shape else sum_to(g, shape=shape)
