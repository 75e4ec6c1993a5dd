"""``torch.linalg``"""

from __future__ import annotations

from typing import Any

from ... import functions as F
from .. import missing
from ._arguments import axes, tensor_of
from ._products import cross, det, matmul, matrix_power, slogdet
from ._reductions import norm as _norm
from ._tensor import dressed

__all__ = [
    "cholesky",
    "cross",
    "det",
    "eigh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "norm",
    "pinv",
    "slogdet",
    "solve",
    "svd",
    "vector_norm",
]


def inv(A: Any) -> Any:
    """The inverse of a matrix.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return dressed(F.inv(tensor_of("inv", A, "A")))


def solve(A: Any, B: Any) -> Any:
    """The X for which ``A @ X == B``."""
    return dressed(F.solve(tensor_of("solve", A, "A"), tensor_of("solve", B, "B")))


def cholesky(A: Any, *, upper: bool = False) -> Any:
    """The lower triangle L with ``L @ L.T == A``; with ``upper``, its transpose."""
    found = dressed(F.cholesky(tensor_of("cholesky", A, "A")))
    return found.mT if upper else found


def eigh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues and eigenvectors of a symmetric matrix."""
    return dressed(tuple(F.eigh(tensor_of("eigh", A, "A"))))


def svd(A: Any, full_matrices: bool = True) -> Any:
    """The singular value decomposition ``(U, S, Vh)``; of a matrix that is not square with ``full_matrices=False``."""
    shape = tensor_of("svd", A, "A")._data.shape
    if full_matrices and shape[-1] != shape[-2]:
        raise NotImplementedError("svd: full_matrices=True is not part of AutoLab's torch facade; give False")
    return dressed(tuple(F.svd(A)))


def pinv(A: Any, *, rtol: float | None = None) -> Any:
    """The pseudo-inverse."""
    return dressed(F.pinv(tensor_of("pinv", A, "A"), rtol))


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
    """The norm of a vector, or of a matrix where ``ord`` is given and there are two axes."""
    if ord is not None and ((dim is None and tensor_of("norm", A, "A")._data.ndim == 2) or isinstance(dim, tuple)):
        return dressed(F.matrix_norm(A, ord=ord, keepdims=keepdim))
    return _norm(A, 2 if ord is None else ord, dim, keepdim)


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """The norm along ``dim``, or of all elements."""
    return _norm(x, ord, axes(dim), keepdim)


def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """The norm of the matrices over the last two axes."""
    if tuple(dim) != (-2, -1):
        raise NotImplementedError("matrix_norm: dim is not part of AutoLab's torch facade but for (-2, -1)")
    return dressed(F.matrix_norm(tensor_of("matrix_norm", A, "A"), ord=ord, keepdims=keepdim))


__getattr__ = missing(__name__)
