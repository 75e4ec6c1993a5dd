"""Eigenvalues and singular values with their vectors, of a matrix or of each matrix in a stack.

Where two values coincide, their vectors are only determined up to a rotation and have no derivative. A gradient that
flows through the vectors is then refused; that of the values alone is computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, get_array_module, numpy_protocol
from ...engine.declare import primitive
from ...engine.errors import NoGradientError
from ..arrays.axes import expand_dims
from .linalg import symmetric, transposed
from .minors import check_finite


@primitive(outputs=("w", "v"), numpy=np.linalg.eigh)
def eigh(xp: Any, a: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of a symmetric matrix.

    Only the symmetric part of the matrix, ``(a + a.T) / 2``, is used, and the gradient is symmetric; NumPy reads the
    lower triangle and ignores the upper one. Gradients are meaningful only for results that do not depend on the signs
    of the vectors.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., n, n)``.

    Returns
    -------
    w : Variable or array
        The eigenvalues in ascending order, of shape ``(..., n)``.
    v : Variable or array
        The eigenvectors in columns, of shape ``(..., n, n)``.

    Raises
    ------
    ValueError
        If a matrix is not square; in backward, if the gradient of the vectors is needed and two eigenvalues coincide.
        A second derivative of the values needs it, too. Where eigenvalues coincide, the gradient of a single one is one
        of many possible; that of a result that does not depend on their order, such as a sum, is correct.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> w, v = F.eigh(Variable([[2.0, 1.0], [1.0, 2.0]]))
    >>> w
    variable([1. 3.])
    """
    check_finite(xp, a)
    w, v = xp.linalg.eigh(symmetric(a))
    return w, v


@eigh.vjp("a")
def _eigh_a(g: Any, w: Any, v: Any) -> Any:
    """symmetric(v @ (diag(g[0]) + v.T @ g[1] / differences(w)) @ v.T)

    Here ``differences(w)`` has ``w[j] - w[i]`` in row i and column j, and infinity on the diagonal;
    ``symmetric(m) = (m + m.T) / 2``.
    """
    of_values, of_vectors = g
    left = v * _rows(of_values)
    if not _is_unused(of_vectors):
        _check_apart("eigh", "eigenvalues", w)
        left = left + v @ (transposed(v) @ of_vectors * _reciprocal_differences(w))
    return symmetric(left @ transposed(v))


@primitive(outputs=("u", "s", "vh"))
def svd(xp: Any, a: Array) -> tuple[Array, Array, Array]:
    """Reduced singular value decomposition: ``a = u @ diag(s) @ vh``.

    Gradients are meaningful only for results that do not depend on the signs of the vectors. At 0 a singular value has
    a kink: its gradient is that of one side.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., m, n)``; below, ``k = min(m, n)``.

    Returns
    -------
    u : Variable or array
        The left singular vectors in columns, of shape ``(..., m, k)``.
    s : Variable or array
        The singular values in descending order, of shape ``(..., k)``.
    vh : Variable or array
        The right singular vectors in rows, of shape ``(..., k, n)``.

    Raises
    ------
    ValueError
        If ``a`` is not a matrix; in backward, if the gradient of the vectors is needed (as for a second derivative of
        the values) and two singular values coincide or one is 0.

    Notes
    -----
    J. Townsend, "Differentiating the singular value decomposition", 2016. `numpy.linalg.svd` dispatches here with
    ``full_matrices=False`` or for square matrices.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> u, s, vh = F.svd(Variable([[0.0, 3.0], [2.0, 0.0], [0.0, 0.0]]))
    >>> s
    variable([3. 2.])
    """
    check_finite(xp, a)
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    return u, s, vh


@svd.vjp("a")
def _svd_a(g: Any, u: Any, s: Any, vh: Any) -> Any:
    """u @ (diag(g[1]) + turned(u.T @ g[0]) * s + s.T * turned(vh @ g[2].T)) @ vh + outside

    Here ``turned(m)`` has ``(m[i, j] - m[j, i]) / (s[j]**2 - s[i]**2)`` in row i and column j, and 0 on the diagonal;
    ``outside`` is what the part of the vectors' gradients that ``u`` and ``vh`` do not span adds.
    """
    of_u, of_s, of_vh = g
    values = (u * _rows(of_s)) @ vh
    if _is_unused(of_u) and _is_unused(of_vh):
        return values
    _check_apart("svd", "singular values", s, zero=True)
    apart, sums = _reciprocal_differences(s), _rows(s) + _columns(s)  # s * s may overflow
    inside_u, inside_v = transposed(u) @ of_u, vh @ transposed(of_vh)
    middle = _skew(inside_u) * apart * (_rows(s) / sums) + _columns(s) / sums * (_skew(inside_v) * apart)
    outside_u = (of_u - u @ inside_u) / _rows(s) @ vh
    outside_v = u @ ((of_vh - transposed(inside_v) @ vh) / _columns(s))
    return values + u @ middle @ vh + outside_u + outside_v


@primitive(name="svdvals")
def singular_values(xp: Any, a: Array) -> Array:
    """The singular values alone: they have a slope where two of them coincide, in either mode."""
    check_finite(xp, a)
    return xp.linalg.svd(a, full_matrices=False, compute_uv=False)


@singular_values.vjp("a")
def _singular_values_a(g: Any, a: Any) -> Any:
    """u @ diag(g) @ vh"""
    u, _, vh = svd(a)
    return (u * _rows(g)) @ vh


@primitive(name="eigvalsh")
def eigenvalues(xp: Any, a: Array) -> Array:
    """The eigenvalues of a symmetric matrix alone, for which the same holds."""
    check_finite(xp, a)
    return xp.linalg.eigh(symmetric(a))[0]


@eigenvalues.vjp("a")
def _eigenvalues_a(g: Any, a: Any) -> Any:
    """v @ diag(g) @ v.T"""
    v = eigh(a)[1]
    return (v * _rows(g)) @ transposed(v)


@numpy_protocol.adapt(np.linalg.svd)
def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if full_matrices and compute_uv and a.shape[-2] != a.shape[-1]:
        raise NoGradientError("numpy.linalg.svd on a Variable that is not square takes full_matrices=False")
    return svd(a) if compute_uv else singular_values(a)


def _is_unused(g: Any) -> bool:
    """Whether an upstream gradient is the constant 0, as for a result that was not used."""
    return not hasattr(g, "requires_grad") and not g.any()


def _check_apart(function: str, what: str, values: Any, zero: bool = False) -> None:
    """Refuse the gradient of vectors that are determined only up to a rotation."""
    array = numpy_protocol.unwrap(values)
    if not array.size:
        return
    xp = get_array_module(array)
    size = xp.absolute(array).max(axis=-1, keepdims=True)
    least = size * array.shape[-1] * xp.finfo(array.dtype).eps
    if (xp.absolute(xp.diff(array, axis=-1)) <= least).any():
        raise ValueError(f"{function}: two {what} coincide, and their vectors have no derivative there")
    if zero and (array <= least).any():
        raise ValueError(f"{function}: one of the {what} is 0, and its vectors have no derivative there")


def _reciprocal_differences(values: Any) -> Any:
    """``1 / (values[j] - values[i])``, and 0 on the diagonal."""
    diagonal = get_array_module(values).eye(values.shape[-1], dtype=values.dtype)
    return (1 - diagonal) / (_rows(values) - _columns(values) + diagonal)


def _skew(x: Any) -> Any:
    return x - transposed(x)


def _rows(x: Any) -> Any:
    """As factors of the columns of the matrices."""
    return expand_dims(x, axis=-2)


def _columns(x: Any) -> Any:
    """As factors of the rows of the matrices."""
    return expand_dims(x, axis=-1)
