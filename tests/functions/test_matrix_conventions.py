"""Matrices where a derivative is one of many or none at all, and NumPy's own functions of matrices on Variables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import NoGradientError, Variable, grad, jacfwd, jacrev
from autolab import functions as F


def test_values_that_coincide_have_the_gradient_of_their_sum() -> None:
    x = Variable(np.eye(3))
    w, _ = F.eigh(x)
    np.testing.assert_allclose(grad(F.sum(w * w), x).data, 2 * np.eye(3), atol=1e-15)
    _, s, _ = F.svd(x)
    np.testing.assert_allclose(grad(F.sum(s), x).data, np.eye(3), atol=1e-15)


@pytest.mark.parametrize("gap", [0.0, 1e-16])
def test_vectors_of_values_that_coincide_are_refused_in_any_stack(gap: float) -> None:
    x = Variable(np.stack([np.diag([1.0, 2.0]), np.diag([1.0, 1.0 + gap])]))
    _, v = F.eigh(x)
    with pytest.raises(ValueError, match=r"^eigh: two eigenvalues coincide, and their vectors have no"):
        grad(v, x, np.ones(v.shape))
    _, _, vh = F.svd(x)
    with pytest.raises(ValueError, match=r"^svd: two singular values coincide, and their vectors"):
        grad(vh, x, np.ones(vh.shape))


def test_second_derivatives_of_values_that_coincide_are_refused() -> None:
    x = Variable(np.eye(2))
    w, _ = F.eigh(x)
    g = grad(F.sum(w * w), x, create_graph=True)
    with pytest.raises(ValueError, match="eigh: two eigenvalues coincide"):
        grad(g, x, np.ones((2, 2)))


@pytest.mark.parametrize("function", [F.cholesky, lambda a: F.eigh(a)[0]])
def test_only_the_symmetric_part_counts(function) -> None:
    symmetric, skew = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([[0.0, 0.5], [-0.5, 0.0]])
    x = Variable(symmetric + skew)
    y = function(x)
    np.testing.assert_allclose(y.data, function(symmetric))
    g = grad(y, x, np.arange(1.0, y.size + 1).reshape(y.shape)).data
    np.testing.assert_allclose(g, g.T)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, 2.0], [2.0, 4.0]],
        [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]],
        [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        [[0.0, 1.0], [1.0, 0.0]],
        [[3.0]],
        [[0.0]],
        np.zeros((0, 0)),
        np.random.default_rng(0).normal(size=(2, 4, 4)),
    ],
)
def test_the_gradient_of_a_determinant_is_made_of_cofactors(matrix) -> None:
    x = Variable(matrix)
    expected = np.zeros(x.shape)
    for at in np.ndindex(*x.shape):
        minor = np.delete(np.delete(x.data[at[:-2]], at[-2], axis=0), at[-1], axis=1)
        expected[at] = (-1) ** (at[-2] + at[-1]) * np.linalg.det(minor)
    np.testing.assert_allclose(grad(F.sum(F.det(x)), x).data, expected, atol=1e-14)


A = np.array([[4.0, 1.0], [1.0, 3.0]])
B = np.array([[1.0, 2.0], [3.0, 4.0]])


@each(
    "call",
    [
        lambda a: np.dot(a, B),
        lambda a: np.dot(B, a),
        lambda a: np.outer(a, B),
        lambda a: np.tensordot(a, B, 1),
        lambda a: np.tensordot(a, B, axes=((0,), (1,))),
        lambda a: np.einsum("ij,jk->ik", a, B),
        lambda a: np.einsum("ij,jk->ik", B, a, optimize=False),
        lambda a: np.einsum(a, [0, 1], B, [1, 2]),
        lambda a: np.einsum(B, (..., 30), a, (30, 2), (2, ...)),
        lambda a: np.einsum(a, [1, 0]),  # the result's axes are in the order of the numbers: the transpose
        lambda a: np.linalg.inv(a),
        lambda a: np.linalg.solve(a, B),
        lambda a: np.linalg.solve(B, a),
        lambda a: np.linalg.det(a),
        lambda a: np.linalg.slogdet(a)[1],
        lambda a: np.linalg.cond(a),
        lambda a: np.linalg.cholesky(a),
        lambda a: np.linalg.eigh(a)[0],
        lambda a: np.linalg.svd(a)[1],
        lambda a: np.linalg.svd(a, compute_uv=False),
        lambda a: np.linalg.svd(a[:1], full_matrices=False)[1],
    ],
)
def test_numpys_functions_reach_these(call) -> None:
    x = Variable(A)
    y = call(x)
    np.testing.assert_allclose(y.data, call(A))
    assert grad(y, x, np.ones(y.shape)).shape == x.shape


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: np.linalg.svd(x), "numpy.linalg.svd on a Variable that is not square takes full_matrices=False"),
        (lambda x: np.linalg.cholesky(x, upper=True), "numpy.linalg.cholesky on a Variable does not take 'upper'"),
    ],
)
def test_numpys_options_without_a_gradient_are_refused(call, message: str) -> None:
    with pytest.raises(NoGradientError, match=message):
        call(Variable(np.ones((2, 3))))


def test_the_gradient_of_a_pseudo_inverse_of_lower_rank() -> None:
    """Among matrices of rank 1, which is where ``outer(u, v)`` stays: there it has a closed form."""
    rng = np.random.default_rng(0)
    u, v, w = [Variable(rng.normal(size=n)) for n in (4, 3, 12)]
    weights = w.data.reshape(3, 4)
    y = F.pinv(F.outer(u, v))
    closed = F.outer(v, u) / (F.sum(u * u) * F.sum(v * v))
    np.testing.assert_allclose(y.data, closed.data, rtol=1e-12)
    for got, expected in zip(grad(y, (u, v), weights), grad(closed, (u, v), weights), strict=True):
        np.testing.assert_allclose(got.data, expected.data, rtol=1e-10)


@each("share", [1e-3, 0.3, 0.6, 0.9])
@each("shape", [(4, 5), (5, 3), (4, 4), (2, 3, 4)])
def test_singular_values_that_are_cut_off_have_their_part_in_the_gradient(shape: tuple[int, ...], share: float) -> None:
    rng = np.random.default_rng(int(100 * share) + len(shape))
    a, b = rng.standard_normal(shape), rng.standard_normal(shape[-2])
    cases = {"rcond": lambda v: np.linalg.pinv(v, share), "rtol": lambda v: np.linalg.pinv(v, rtol=share)}
    if len(shape) == 2:
        cases |= {"of b": lambda v: np.linalg.lstsq(v, b, share)[0], "lstsq": lambda v: F.lstsq(v, b, rcond=share)[0]}
    for name, f in cases.items():
        x, direction = Variable(a), 1e-6 * rng.standard_normal(shape)
        y = f(x)
        above = rng.standard_normal(y.shape)
        (y * above).sum().backward()
        slope = ((np.asarray(f(a + direction)) - np.asarray(f(a - direction))) * above).sum() / 2
        np.testing.assert_allclose((x.grad.data * direction).sum(), slope, 1e-6, 1e-14, err_msg=name)
    twice = np.diag([2.0, 2.0, 0.5, 0.5, 0.0])
    x = Variable(twice)
    np.linalg.pinv(x, 0.6)[0, 1].backward()
    np.testing.assert_array_equal(x.grad.data[:2, :2], [[0, -0.25], [0, 0]])


def test_pinv_in_float32_does_not_invert_rounding() -> None:
    x = np.outer([1, 2, 3], [0.1, 0.7, 0.3]).astype(np.float32)
    np.testing.assert_allclose(F.pinv(x), np.linalg.pinv(x.astype(np.float64), 1e-6), rtol=1e-5)


@pytest.mark.parametrize("axis", [-1, 52, "i", 1.0, None])
def test_axes_that_are_no_numbers_are_refused(axis) -> None:
    with pytest.raises(ValueError, match=r"^einsum: an axis is .*; expected a number from 0 to 51"):
        F.einsum(Variable(A), [0, axis], B, [1, 2])


@pytest.mark.parametrize("rcond", [None, 0, -1, 1.5, 1e-3, 0.5])
def test_lstsq_counts_the_singular_values_that_numpy_counts(rcond: float | None) -> None:
    a = np.diag([1.0, 2 * np.finfo(float).eps, 0.1])
    x, _, rank, _ = F.lstsq(Variable(a), np.ones(3), rcond)
    expected = np.linalg.lstsq(a, np.ones(3), rcond)
    assert rank == expected[2]
    np.testing.assert_allclose(x.data, expected[0], rtol=1e-12)


def test_singular_values_alone_are_there_for_every_shape() -> None:
    x = Variable(np.arange(6.0).reshape(3, 2))
    np.testing.assert_allclose(np.linalg.svd(x, compute_uv=False).data, np.linalg.svd(x.data, compute_uv=False))


COINCIDING = {
    "identity": np.eye(3),
    "rotation": np.array([[0.6, -0.8], [0.8, 0.6]]),
    "orthonormal columns": np.array([[0.6, -0.8], [0.8, 0.6], [0.0, 0.0]]),
    "two of three": np.diag([2.0, 2.0, 1.0]),
}
OF_VALUES: dict[str, Callable[[Any], Any]] = {
    "nuclear norm": lambda a: F.matrix_norm(a, ord="nuc"),
    "sum of squares": lambda a: F.sum(np.linalg.svdvals(a) ** 2),
    "eigenvalues": lambda a: F.sum(np.linalg.eigvalsh(a.T @ a) ** 2),
    "least squares": lambda a: F.lstsq(a, np.ones(len(a)))[0],
    "pseudo-inverse": F.pinv,
}


def test_forward_mode_is_reverse_mode_where_values_coincide() -> None:
    for (name, matrix), (what, f) in product(COINCIDING.items(), OF_VALUES.items()):
        forward, reverse = jacfwd(f)(matrix), jacrev(f)(matrix)
        np.testing.assert_allclose(forward.data, reverse.data, atol=1e-12, err_msg=f"{what} of {name}")


def _laplace(a: Any) -> Any:
    """The determinant by expansion along the first row: a polynomial, which is differentiable everywhere."""
    if a.shape[-1] == 1:
        return a[0, 0]
    rest = list(range(a.shape[-1]))
    minors = [a[1:][:, [*rest[:i], *rest[i + 1 :]]] for i in rest]
    return sum([(-1) ** i * a[0, i] * _laplace(minor) for i, minor in enumerate(minors)])


def test_all_derivatives_of_a_determinant_are_those_of_the_polynomial() -> None:
    rng = np.random.default_rng(0)
    full = [rng.normal(size=(n, n)) for n in (1, 2, 3, 4)]
    low = [np.outer(np.arange(n) + 1.0, np.ones(n)) for n in (2, 3, 4)]
    wide = [np.diag([1e3, 1.0, 1e-3]) @ full[2] @ np.diag([1e-2, 1.0, 1e5]), np.zeros((3, 3)), np.diag([1.0, 1.0, 0.0])]
    for matrix, order in [*product([*full, *low, *wide[1:]], (1, 2, 3, 4)), (wide[0], 1), (wide[0], 2)]:
        x, ways = Variable(matrix), [rng.normal(size=matrix.shape) for _ in range(order)]
        found = []
        for f in (F.det, _laplace):
            y = f(x)
            for way in ways:
                g = grad(y, x, create_graph=True) if getattr(y, "requires_grad", False) else None
                y = 0.0 if g is None else F.sum(g * way)
            found.append(np.asarray(getattr(y, "data", y)))
        size = abs(matrix).max() ** max(len(matrix) - order, 0)
        np.testing.assert_allclose(found[0], found[1], rtol=1e-8, atol=1e-12 * size, err_msg=f"{matrix}, {order}")


def test_determinants_of_wide_range_have_gradients() -> None:
    for dtype, big in ((np.float32, 1e30), (np.float64, 1e250)):
        d = np.array([big, 1 / big, big, 1 / big], dtype)
        turn = np.eye(4, dtype=dtype)[[1, 0, 3, 2]]
        for matrix in (np.diag(d), np.diag(d) @ turn):
            x = Variable(matrix)
            with np.errstate(over="raise", invalid="raise"):
                (g,) = grad([F.det(x)], [x])
            assert g.dtype == dtype
            np.testing.assert_allclose((g.data * matrix).sum(axis=0), np.ones(4), rtol=1e-5)
