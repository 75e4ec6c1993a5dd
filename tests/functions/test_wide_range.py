"""Where squares and products overflow or vanish on the way to a gradient that is a number like any other.

A function of degree d has ``f(s * x) = s**d * f(x)``, so its gradient at ``s * x`` is ``s**(d - 1)`` times that at
``x``, for a power of 2 digit by digit. What comes from above may be as large or small as the numbers themselves: the
gradient of ``x / norm(x)`` is one of the norm, with ``-x / norm(x)**2`` from above.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Variable, grad
from autolab import functions as F

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 2, (3, 4)) * RNG.choice([-1, 1], (3, 4))
A = RNG.standard_normal((3, 3)) + 2 * np.eye(3)
NONE = np.ones(4), np.zeros(4)
DEGREES: dict[str, tuple[Any, np.ndarray, float, int]] = {  # function, input, degree, orders of derivatives
    "norm": (F.norm, X, 1, 2),
    "norm of rows": (lambda x: F.norm(x, axis=1), X, 1, 2),
    "norm p=1": (lambda x: F.norm(x[0], ord=1), X, 1, 1),
    "norm p=3": (lambda x: F.norm(x[0], ord=3), X, 1, 1),
    "norm p=inf": (lambda x: F.norm(x[0], ord=np.inf), X, 1, 1),
    "frobenius": (lambda x: np.linalg.norm(x, "fro"), X, 1, 2),
    "nuclear": (lambda x: np.linalg.norm(x, "nuc"), X, 1, 2),
    "spectral": (lambda x: np.linalg.norm(x, 2), X, 1, 2),
    "std": (F.std, X, 1, 2),
    "std of columns": (lambda x: F.std(x, axis=0, ddof=1), X, 1, 2),
    "var": (F.var, X, 2, 2),
    "hypot": (lambda x: np.hypot(x[0], x[1]), X, 1, 2),
    "arctan2": (lambda x: np.arctan2(x[0], x[1]), X, 0, 1),
    "reciprocal": (np.reciprocal, X, -1, 2),
    "division": (lambda x: x[0] / x[1], X, 0, 2),
    "square root": (lambda x: np.sqrt(abs(x)), X, 0.5, 2),
    "cube root": (np.cbrt, X, 1 / 3, 1),
    "layer_norm": (lambda x: F.layer_norm(x, eps=0), X, 0, 1),
    "rms_norm": (lambda x: F.rms_norm(x, eps=0), X, 0, 1),
    "batch_norm": (lambda x: F.batch_norm(x, *NONE, eps=0), X, 0, 1),
    "normalize": (lambda x: F.normalize(x, eps=1e-300), X, 0, 2),
    "cosine_similarity": (lambda x: F.cosine_similarity(x[:1], x[1:2], eps=1e-300), X, 0, 2),
    "to mean 0 and deviation 1": (lambda x: (x - x.mean()) / x.std(), X, 0, 2),
    "to norm 1": (lambda x: x / F.norm(x), X, 0, 2),
    "ratio of norms": (lambda x: F.norm(x[0]) / F.norm(x[1]), X, 0, 2),
    "log of a norm": (lambda x: np.log(F.norm(x)), X, 0, 2),
    "deviation per mean": (lambda x: x.std() / x.mean(), X, 0, 2),
    "singular values": (lambda a: np.linalg.svd(a, compute_uv=False), X, 1, 2),
    "singular vectors": (lambda a: np.linalg.svd(a, full_matrices=False)[0] ** 2, X, 0, 2),
    "eigenvectors": (lambda a: np.linalg.eigh(a + a.T)[1] ** 2, A, 0, 1),
    "qr": (lambda a: np.linalg.qr(a)[1], A, 1, 1),
    "inv": (np.linalg.inv, A, -1, 1),
    "pinv": (np.linalg.pinv, X, -1, 1),
    "cond": (np.linalg.cond, A, 0, 1),
    "slogdet": (lambda a: np.linalg.slogdet(a)[1], A, 0, 1),
    "cov": (np.cov, X, 2, 1),
}


def derivative(f: Any, x: np.ndarray, above: float, order: int) -> np.ndarray:
    """The gradient, or that of its weighted sum, with weights times ``above`` from above."""
    v = Variable(x)
    y = f(v)
    (g,) = grad([y], [v], [np.cos(np.arange(y.size).reshape(y.shape) + 1.0) * above], create_graph=order > 1)
    return g.data if order == 1 else grad([g], [v], [np.sin(np.arange(x.size).reshape(x.shape) + 2.0)])[0].data


@each("name", DEGREES)
def test_gradients_scale_as_their_functions_do(name: str) -> None:
    f, x, degree, orders = DEGREES[name]
    for order, exponent in itertools.product(range(1, orders + 1), (600, 340, -340, -600)):
        base, slope = derivative(f, x, 1.0, order), exponent * (degree - order)
        for above in (0, -slope, -slope / 2):  # the slope is as far away as the numbers, or of the size of 1
            if max(abs(above), abs(above + slope), abs(degree * exponent)) > 900:
                continue
            found = derivative(f, x * 2.0**exponent, 2.0**above, order)
            wanted = base * 2.0 ** (above + slope)
            where = f"order {order}, 2**{exponent}, 2**{above} from above"
            np.testing.assert_allclose(found, wanted, 1e-6, 1e-9 * abs(wanted).max(), err_msg=where)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_product_is_right_where_a_part_of_it_is_out_of_range(dtype: Any) -> None:
    """Every order of factors whose partial products leave the range of numbers, also beside a 0."""
    big = dtype(1e30 if dtype is np.float32 else 1e200)
    for factors in {*itertools.permutations([big, big, 1 / big, 1 / big, dtype(3)])}:
        for more in ((), (dtype(0),)):
            x = Variable(np.array([*factors, *more]))
            y = F.prod(x)
            exact = np.prod([Fraction(float(v)) for v in x.data])
            np.testing.assert_allclose(float(y.data), float(exact), 1e-6)
            y.backward()
            for i, slope in enumerate(x.grad.data):
                exact = np.prod([Fraction(float(v)) for j, v in enumerate(x.data) if j != i])
                if abs(exact) < np.finfo(dtype).max:
                    np.testing.assert_allclose(float(slope), float(exact), 1e-6, err_msg=f"{x.data}, {i}")
    rows = np.array([[big, big, 1 / big], [2, 3, 4]], dtype)
    assert F.prod(rows, axis=1).tolist() == pytest.approx([float(big), 24], rel=1e-6)
    assert F.prod(rows, axis=1, keepdims=True).shape == (2, 1)
