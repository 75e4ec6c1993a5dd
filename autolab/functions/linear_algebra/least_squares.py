"""QR decomposition and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, Variable, as_array, get_array_module, numpy_protocol, takes_other_words
from ...engine.declare import primitive
from ...engine.errors import NoGradientError
from ..arrays.diagonals import tril
from ..arrays.joining import concatenate
from ..elementwise.powers import square
from ..reductions.reduce import sum
from ..working_precision import in_full
from .linalg import solve, transposed
from .matrix_functions import pinv
from .products import matmul
from .spectra import singular_values


@primitive(outputs=("q", "r"))
def qr(xp: Any, a: Array) -> tuple[Array, Array]:
    """Reduced QR decomposition ``a = q @ r``: ``q`` has orthonormal columns, ``r`` is upper triangular.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(..., m, n)``; below, ``k = min(m, n)``.

    Returns
    -------
    q : Variable or array
        Of shape ``(..., m, k)``.
    r : Variable or array
        Of shape ``(..., k, n)``.

    Raises
    ------
    ValueError
        If ``a`` is not a matrix; in backward, if its first ``k`` columns are linearly dependent, because ``q`` then has
        no derivative.

    Notes
    -----
    S. Walter, L. Lehmann, "Algorithmic differentiation of linear algebra functions with application in optimum
    experimental design", 2010. `numpy.linalg.qr` dispatches here for ``mode="reduced"``, its default, and ``mode="r"``.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> q, r = F.qr(Variable([[3.0, 1.0], [4.0, 2.0]]))
    >>> abs(r)
    variable([[5.  2.2]
              [0.  0.4]])
    """
    if a.ndim < 2:
        raise ValueError(f"qr: a has shape {a.shape}; expected matrices")
    q, r = xp.linalg.qr(a)
    return q, r


@qr.vjp("a")
def _qr_a(g: Any, q: Any, r: Any) -> Any:
    """(g[0] + q @ mirrored(r @ g[1].T - g[0].T @ q)) @ inv(r).T

    Here ``mirrored(m) = tril(m) + tril(m, k=-1).T``. Columns of ``a`` behind its square get ``q @ g[1]``.
    """
    of_q, of_r = g
    k, n = r.shape[-2:]
    square_r, square_g = r[..., :k], of_r[..., :k]
    _check_full_rank(square_r)
    if n > k:  # the rest of r is q.T times the rest of a
        of_q = of_q + matmul(q, r[..., k:]) @ transposed(of_r[..., k:])
    middle = square_r @ transposed(square_g) - transposed(of_q) @ q
    lower = tril(middle)
    mirrored = lower + transposed(tril(middle, -1))
    found = transposed(solve(square_r, transposed(of_q + q @ mirrored)))
    return found if n == k else concatenate([found, q @ of_r[..., k:]], axis=-1)


def _check_full_rank(r: Any) -> None:
    array = numpy_protocol.unwrap(r)
    if not array.size:
        return
    xp = get_array_module(array)
    diagonal = xp.absolute(xp.diagonal(array, axis1=-2, axis2=-1))
    least = diagonal.max(axis=-1, keepdims=True) * array.shape[-1] * xp.finfo(array.dtype).eps
    if (diagonal <= least).any():
        raise ValueError("qr: columns of a matrix are linearly dependent, and q has no derivative there")


@numpy_protocol.adapt(np.linalg.qr)
def _qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "r"):
        raise NoGradientError(f"numpy.linalg.qr: mode is {mode!r:.40}; on a Variable it is 'reduced' or 'r'")
    q, r = qr(a)
    return r if mode == "r" else (q, r)


@numpy_protocol.adapt(np.linalg.lstsq)
@takes_other_words
def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, np.int32, Any]:
    """Least squares: the ``x`` that minimizes ``norm(a @ x - b)``; of several, the one with the smallest norm.

    The solution jumps where the rank of ``a`` changes. The gradient is that among matrices of the same rank.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(m, n)``.
    b : Variable or array
        Of shape ``(m,)`` or ``(m, k)``.
    rcond : float, optional
        Singular values below ``rcond`` times the largest count as 0. By default the machine epsilon of the dtype times
        ``max(m, n)``; the machine epsilon alone if ``rcond`` is not between 0 and 1.

    Returns
    -------
    x : Variable or array
        Of shape ``(n,)`` or ``(n, k)``.
    residuals : Variable or array
        Sums of the squares of ``b - a @ x``, of shape ``(1,)`` or ``(k,)``; empty if ``m <= n`` or the rank is below
        ``n``.
    rank : numpy.int32
    s : Variable or array
        The singular values of ``a``.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x, residuals, rank, s = F.lstsq(Variable([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), [1.0, 3.0, 5.0])
    >>> x, int(rank)
    (variable([1. 2.]), 2)
    """
    a, b = [x if isinstance(x, Variable) else as_array(x, f"lstsq: {name}") for x, name in ((a, "a"), (b, "b"))]
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ValueError(f"lstsq: a has shape {a.shape}, b has shape {b.shape}: expected (m, n) and (m,) or (m, k)")
    if np.float16 in (a.dtype, b.dtype):
        raise TypeError("lstsq: got float16, which LAPACK does not have; expected float32 or float64")
    (a, b), _ = in_full("lstsq", a=a, b=b)
    m, n = a.shape
    digits = float(np.finfo(a.dtype if a.dtype.kind == "f" else np.float64).eps)
    share = max(m, n) * digits if rcond is None else rcond if 0 < rcond < 1 else digits  # as in LAPACK
    x = matmul(pinv(a, share), b)
    s = singular_values(a)
    values = numpy_protocol.unwrap(s)
    rank = np.int32(int((values > share * values.max()).sum()) if values.size else 0)
    off = square(b - matmul(a, x)).reshape(m, -1)
    residuals = sum(off, axis=0)
    return x, residuals if rank == n < m else residuals[:0], rank, s
