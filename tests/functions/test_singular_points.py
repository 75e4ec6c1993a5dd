"""Where a derivative does not exist or a formula breaks down: the values that AutoLab gives, and says that it gives."""

from __future__ import annotations

import numpy as np
import pytest

from autolab import Variable, grad
from autolab import functions as F

INF, NAN = np.inf, np.nan

# base, exponent -> gradient of the base, gradient of the exponent
POW = [
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 1.0, 0.0),
    (0.0, 2.0, 0.0, 0.0),
    (0.0, 0.5, INF, 0.0),
    (0.0, -1.0, -INF, NAN),
    (-2.0, 3.0, 12.0, NAN),
    (-2.0, 0.0, 0.0, NAN),
    (-2.0, 0.5, NAN, NAN),
    (1.0, 1e300, 1e300, 0.0),
    (2.0, -1.0, -0.25, 0.5 * np.log(2.0)),
    (1e-200, 2.0, 2e-200, 0.0),
    (INF, 0.0, 0.0, INF),
    (INF, 1.0, 1.0, INF),
    (NAN, 0.0, NAN, NAN),
]
# numerator, denominator -> gradient of each
DIV = [
    (1.0, 0.0, INF, -INF),
    (-1.0, 0.0, INF, INF),
    (0.0, 0.0, INF, NAN),
    (1.0, -0.0, -INF, -INF),
    (1e-200, 1e-200, 1e200, -1e200),  # the square of the denominator would be 0
    (1e200, 1e200, 1e-200, -1e-200),  # and here infinite
    (1.0, INF, 0.0, 0.0),
    (INF, INF, 0.0, NAN),
]


@pytest.mark.parametrize(("base", "exponent", "to_base", "to_exponent"), POW)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pow(base: float, exponent: float, to_base: float, to_exponent: float) -> None:
    a, b = Variable(base), Variable(exponent)
    for create_graph in (False, True):
        got = grad(a**b, (a, b), create_graph=create_graph)
        np.testing.assert_allclose([g.item() for g in got], [to_base, to_exponent], rtol=1e-15)


@pytest.mark.parametrize(("a", "b", "to_a", "to_b"), DIV)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_div(a: float, b: float, to_a: float, to_b: float) -> None:
    x, y = Variable(a), Variable(b)
    for create_graph in (False, True):
        got = grad(x / y, (x, y), create_graph=create_graph)
        np.testing.assert_allclose([g.item() for g in got], [to_a, to_b], rtol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_powers_of_zero_have_every_derivative(n: int) -> None:
    x = Variable(0.0)
    y, factorial = x**n, 1.0
    for order in range(1, n + 2):
        y = grad(y, x, create_graph=True)
        factorial *= n - order + 1
        assert y.item() == (factorial if order == n else 0.0), order


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_log_at_zero_and_below() -> None:
    x = Variable([0.0, -1.0, 1e-310])
    y = F.log(x)
    np.testing.assert_array_equal(y.data, np.log(x.data))
    np.testing.assert_array_equal(grad(y, x, np.ones(3)).data, [INF, -1.0, INF])
