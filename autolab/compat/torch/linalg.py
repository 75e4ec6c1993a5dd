"""``torch.linalg``"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from ... import functions as F
from ...functions.elementwise.selection import with_values
from ...functions.numpy_names import by_triangle
from ..table import fill
from . import _products  # noqa: F401  # for table.txt
from ._arguments import axes, cast, of_floats, tensor_of
from ._reductions import norm as _norm
from ._tensor import constant, dressed
from ._types import numpy_dtype


def cholesky(A: Any, *, upper: bool = False) -> Any:
    """The Cholesky factor: lower triangular L with ``L @ L.T == A``; with ``upper``, its transpose."""
    found = dressed(F.cholesky(_of_triangle("cholesky", A, "U" if upper else "L")))
    return found.mT if upper else found


def _of_triangle(function: str, A: Any, UPLO: str) -> Any:
    """The symmetric matrix of which one triangle is read; as in PyTorch, its gradient is passed on to both alike."""
    x = of_floats(function, A, "A")
    if x._data.ndim < 2 or (x._data == x._data.swapaxes(-1, -2)).all():
        return x
    return with_values(x, by_triangle(x, UPLO))


def _solved(A: Any, B: Any) -> Any:
    if B._data.ndim > 1 and B._data.shape == A._data.shape[:-1]:  # a vector for each matrix
        return dressed(F.squeeze(F.solve(A, F.expand_dims(B, -1)), -1))
    return dressed(F.solve(A, B))


QR, SVD = namedtuple("QR", "Q R"), namedtuple("SVD", "U S Vh")
Eigen = namedtuple("Eigen", "eigenvalues eigenvectors")


LeastSquares = namedtuple("LeastSquares", "solution residuals rank singular_values")


def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares:
    """The least-squares solution of ``A @ X = B``, of smallest norm if there are several."""
    if driver not in (None, "gelsy", "gelsd", "gelss"):
        raise ValueError(f"lstsq: driver is {driver!r:.40}; expected None, 'gelsy', 'gelsd' or 'gelss'")
    x, residuals, rank, s = F.lstsq(tensor_of("lstsq", A, "A"), tensor_of("lstsq", B, "B"), rcond)
    none = constant(np.empty(0, x._data.dtype))  # PyTorch's usual driver has neither
    more = (none, none) if driver in (None, "gelsy") else (dressed(residuals), dressed(s))
    return LeastSquares(dressed(x), more[0], constant(np.asarray(rank, np.int64)), more[1])


def eigh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues and eigenvectors of a symmetric matrix; only its lower (or upper) triangle is read."""
    return Eigen(*[dressed(part) for part in F.eigh(_of_triangle("eigh", A, UPLO))])


def svd(A: Any, full_matrices: bool = True) -> Any:
    """The singular value decomposition ``(U, S, Vh)``; if A is not square, only with ``full_matrices=False``."""
    shape = tensor_of("svd", A, "A")._data.shape
    if full_matrices and shape[-1] != shape[-2]:
        raise NotImplementedError("svd: full_matrices=True is not part of AutoLab's torch facade; give False")
    return SVD(*[dressed(part) for part in F.svd(of_floats("svd", A, "A"))])


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The vector norm, or the matrix norm if ``ord`` is given and there are two axes."""
    count = tensor_of("norm", A, "A")._data.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)
    if ord is not None and dim is None and count > 2:
        raise RuntimeError(f"norm: A has {count} axes; with ord and without dim expected 1 or 2")
    if ord is not None and count == 2:
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return _norm(A, 2 if ord is None else _order("norm", ord), dim, keepdim, dtype=dtype)


def _order(function: str, ord: Any) -> Any:
    """The order of the norm of vectors, a number."""
    if isinstance(ord, str):
        raise TypeError(f"{function}: ord is {ord!r:.40}; expected a number for vectors")
    return ord


def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norms of the matrices in two axes."""
    x = of_floats("matrix_norm", A, "A")
    x = F.moveaxis(x if dtype is None else cast(x, numpy_dtype("matrix_norm", dtype)), axes(dim), (-2, -1))
    y = F.matrix_norm(x, ord=ord)
    for d in sorted([d % x._data.ndim for d in dim]) if keepdim else ():
        y = F.expand_dims(y, d)
    return dressed(y)


__getattr__ = fill(__name__)
