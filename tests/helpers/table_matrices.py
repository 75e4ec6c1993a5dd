"""Rows of inverses, equations, determinants, factors and spectra.

Matrices are drawn near a diagonal one, so that they are far from singular and their spectra from degenerate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, Make, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row

Shape = tuple[int, ...]


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _near_diagonal(rng: np.random.Generator, shape: Shape, dtype: type) -> np.ndarray:
    diagonal = np.zeros(shape)
    np.einsum("...ii->...i", diagonal[..., : min(shape[-2:]), : min(shape[-2:])])[:] = np.arange(min(shape[-2:])) + 2
    return (diagonal + rng.uniform(-0.4, 0.4, shape)).astype(dtype)


def _matrices(*shapes: Shape) -> Make:
    """The first one near a diagonal, others as they come."""
    return lambda rng, dtype: (
        _near_diagonal(rng, shapes[0], dtype),
        *[rng.uniform(-2, 2, shape).astype(dtype) for shape in shapes[1:]],
    )


def _cases(*shapes: Shape, call: Any = None) -> tuple[Case, ...]:
    options = {} if call is None else {"call": call}
    return tuple([Case(str(shape), _matrices(shape), **options) for shape in shapes])


_SQUARE = ((1, 1), (2, 2), (3, 3), (4, 4), (2, 3, 3), (2, 1, 2, 2), (0, 0), (0, 2, 2), (2, 0, 0))


def _laid_out(call: Any = lambda f, x: f(x)) -> tuple[Case, ...]:
    """A matrix in every layout, moved away from singular ones."""
    diagonal = np.diag([3.0, 5.0, 7.0])
    return layouts((3, 3), (-0.4, 0.4), lambda f, x: call(f, x + diagonal.astype(dtype_of(x))))


def _singular(function: Any, result: Any = lambda y: y) -> Bad:
    x = Variable(np.ones((2, 2)))
    return Bad(lambda: result(function(x)).backward(), ValueError, rf"{function.__name__}: a matrix is singular; the")


def _not_square(function: Any) -> Bad:
    return Bad(lambda: function(_x(2, 3)), ValueError, rf"{function.__name__}: a has shape \(2, 3\): .*square")


def _no_matrix(function: Any) -> Bad:
    return Bad(lambda: function(_x(3)), ValueError, rf"{function.__name__}: a has shape \(3,\)")


def _positive(f: Any, a: Any) -> Any:
    """`f` of a symmetric positive definite matrix."""
    return f(a @ _t(a))


def _t(a: Any) -> Any:
    return F.swapaxes(a, axis1=-1, axis2=-2) if isinstance(a, Variable) else anp.swapaxes(a, -1, -2)


def _symmetric(a: Any) -> Any:
    return (a + _t(a)) / 2


def _solve(a: Any, b: Any) -> Any:
    return anp.einsum("...ij,j->...i" if b.ndim == 1 else "...ij,...jk->...ik", anp.linalg.inv(a), b)


def _log_of_det(f: Any, a: Any) -> Any:
    return f(a)[1]


def _eigen(f: Any, a: Any) -> Any:
    """What does not depend on the vectors' signs."""
    w, v = f(a)
    return v * v + w.reshape((*w.shape[:-1], 1, w.shape[-1]))


def _singular_parts(f: Any, a: Any) -> Any:
    u, s, vh = f(a)
    return (u * u * s.reshape((*s.shape[:-1], 1, s.shape[-1]))) @ (vh * vh) + u @ vh


ROWS = (
    Row(
        F.inv,
        anp.linalg.inv,
        (*_cases(*_SQUARE), *_laid_out()),
        (
            _not_square(F.inv),
            _no_matrix(F.inv),
            Bad(
                lambda: F.inv(_x(2, 2)),
                ValueError,
                r"inv: a has shape \(2, 2\): .*expected matrices that have an inverse",
            ),
        ),
        exact=False,
    ),
    Row(
        F.solve,
        _solve,
        (
            *[
                Case(str(shapes), _matrices(*shapes))
                for shapes in (
                    *(((3, 3), (3,)), ((3, 3), (3, 2)), ((1, 1), (1,)), ((2, 3, 3), (2, 3, 2)), ((2, 3, 3), (3,))),
                    *(((2, 3, 3), (3, 1)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1)), ((0, 0), (0,))),
                    *(((0, 2, 2), (2,)), ((3, 3), (3, 0))),
                )
            ],
            Case("a value with itself", _matrices((3, 3)), lambda f, a: f(a, a * a)),
            *_laid_out(lambda f, x: f(x, np.arange(3, dtype=dtype_of(x)))),
        ),
        (
            Bad(
                lambda: F.solve(_x(2, 2), _x(2)),
                ValueError,
                r"solve: a has shape \(2, 2\), b has shape \(2,\): .*have an inverse",
            ),
            Bad(lambda: F.solve(Variable(np.eye(2)), _x(3)), ValueError, r"solve: .*b has shape \(3,\)"),
        ),
        mixed=True,
        exact=False,
        rounding=16,
    ),
    Row(
        F.det,
        anp.linalg.det,
        (*_cases(*_SQUARE), *_laid_out()),
        (_not_square(F.det), _no_matrix(F.det)),
        exact=False,
    ),
    Row(
        F.slogdet,
        anp.linalg.slogdet,
        (
            *_cases(*_SQUARE, call=_log_of_det),
            Case("the sign", _matrices((3, 3)), lambda f, a: f(a)[0] * a[0, 0]),
            Case("of a negative determinant", _matrices((2, 2)), lambda f, a: f(-a[::-1])[1]),
            *_laid_out(_log_of_det),
        ),
        (_not_square(F.slogdet), _no_matrix(F.slogdet), _singular(F.slogdet, lambda y: y[1])),
        exact=False,
    ),
    Row(
        F.cholesky,
        lambda a: anp.linalg.cholesky(_symmetric(a)),
        (
            *_cases(*_SQUARE),
            Case("a product", _matrices((3, 3)), _positive),
            *_laid_out(),
        ),
        (
            Bad(lambda: F.cholesky(-_x(1, 1)), ValueError, "cholesky: .*expected symmetric, positive definite"),
            Bad(lambda: F.cholesky(_x(2, 3)), ValueError, r"cholesky: a has shape \(2, 3\): expected square matrices"),
            Bad(lambda: F.cholesky(_x(3)), ValueError, r"cholesky: a has shape \(3,\): expected square matrices"),
        ),
        exact=False,
    ),
    Row(
        F.eigh,
        lambda a: anp.linalg.eigh(_symmetric(a)),
        (
            *_cases((1, 1), (3, 3), (2, 3, 3), (0, 2, 2), call=_eigen),
            *[Case(f"values {s}", _matrices(s), lambda f, a: f(a)[0]) for s in ((1, 1), (4, 4), (2, 3, 3))],
            *_laid_out(_eigen),
        ),
        (
            Bad(lambda: F.eigh(_x(2, 3)), ValueError, r"eigh: a has shape \(2, 3\): expected square matrices"),
            Bad(lambda: F.sum(F.eigh(Variable(np.eye(2)))[1]).backward(), ValueError, "eigh: two eigenvalues coincide"),
        ),
        exact=False,
        rounding=32,
    ),
    Row(
        F.svd,
        lambda a: anp.linalg.svd(a, full_matrices=False),
        (
            *_cases((1, 1), (3, 3), (4, 3), (2, 3), (2, 3, 3), (0, 2, 2), call=_singular_parts),
            *[Case(f"values {s}", _matrices(s), lambda f, a: f(a)[1]) for s in ((3, 3), (4, 2), (2, 4), (2, 3, 3))],
            *_laid_out(_singular_parts),
        ),
        (
            _no_matrix(F.svd),
            Bad(lambda: F.sum(F.svd(Variable(np.eye(2)))[0]).backward(), ValueError, "svd: two singular values coinci"),
            Bad(
                lambda: F.sum(F.svd(Variable(np.diag([1.0, 0.0])))[2]).backward(),
                ValueError,
                "svd: one of the singular values is 0",
            ),
            Bad(lambda: np.linalg.svd(_x(2, 3)), TypeError, "numpy.linalg.svd .*takes full_matrices=False"),
        ),
        exact=False,
        rounding=32,
    ),
)
