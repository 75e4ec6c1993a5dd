"""Reductions at ties, zeros, infinities and in degenerate shapes: what their docstrings promise."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pytest

from autolab import Variable, grad, record
from autolab import functions as F

INF, NAN = np.inf, np.nan
ZEROS = [
    [2.0, 0.0, 3.0],
    [0.0, 2.0, 0.0, 3.0],
    [0.0, 0.0, 0.0],
    [5.0, 1.0, 2.0, 0.0, 3.0, 0.0, 7.0],
    [1e200, 1e-200, 1e200, 2.0],
    [-0.0, 4.0],
]


def slope(y: Variable, x: Variable) -> Any:
    return grad(F.sum(y), x).data.tolist()


@pytest.mark.parametrize("values", ZEROS)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_the_product_of_zeros_has_every_derivative(values: list[float]) -> None:
    x = Variable(values)
    others = [prod(values[:i] + values[i + 1 :]) for i in range(len(values))]
    first = grad(F.prod(x), x, create_graph=True)
    np.testing.assert_allclose(first.data, others, rtol=1e-15)
    for i, j in combinations(range(len(values)), 2):
        second = grad(first[i], x, create_graph=True)[j]
        rest = [v for k, v in enumerate(values) if k not in (i, j)]
        np.testing.assert_allclose(second.data, prod(rest), rtol=1e-15)
    assert grad(first[0], x)[0].item() == 0.0


@pytest.mark.parametrize("values", [v for v in ZEROS if 1e200 not in v])
def test_running_products_of_zeros_have_every_derivative(values: list[float]) -> None:
    n = len(values)
    x = Variable(values)
    y = F.cumprod(x)
    for k in range(n):
        first = grad(y[k], x, create_graph=True)
        expected = [prod(values[:i] + values[i + 1 : k + 1]) if i <= k else 0.0 for i in range(n)]
        np.testing.assert_allclose(first.data, expected, rtol=1e-15)
        for i, j in combinations(range(k + 1), 2):
            rest = [values[m] for m in range(k + 1) if m not in (i, j)]
            np.testing.assert_allclose(grad(first[i], x).data[j], prod(rest), rtol=1e-15)


def test_no_factors() -> None:
    x = Variable(np.ones((2, 0)))
    assert F.prod(x, axis=1).data.tolist() == [1.0, 1.0]
    assert grad(F.sum(F.prod(x, axis=1)), x).shape == (2, 0)


def test_equal_extremes_share_the_gradient() -> None:
    x = Variable([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    assert slope(F.max(x, axis=1), x) == [[0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]]
    assert slope(F.min(x, axis=1), x) == [[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]]
    assert slope(F.max(x), x) == [[0.0, 0.5, 0.5], [0.0, 0.0, 0.0]]


def test_infinite_extremes() -> None:
    x = Variable([INF, INF, 1.0])
    assert slope(F.max(x), x) == [0.5, 0.5, 0.0]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_extreme_of_nan_says_so() -> None:
    x = Variable([NAN, 1.0])
    assert np.isnan(F.max(x).item()) and np.isnan(slope(F.max(x), x)).all()


@pytest.mark.parametrize("order", [1, 2])
def test_equal_elements_deviate_by_nothing(order: int) -> None:
    x = Variable([2.0, 2.0, 2.0])
    g = grad(F.std(x), x, create_graph=True)
    assert (g if order == 1 else grad(F.sum(g * [1.0, 2.0, 3.0]), x)).data.tolist() == [0.0, 0.0, 0.0]
    assert slope(F.var(x), x) == [0.0, 0.0, 0.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_too_few_degrees_of_freedom() -> None:
    x = Variable([2.0])
    for function in (F.var, F.std):
        y = function(x, ddof=1)
        assert np.isnan(y.item()) and np.isnan(slope(y, x)).all()
    for ddof in (2, 3):  # more than there are elements, too, gives what NumPy gives, and no negative variance
        x = Variable([1.0, 2.0])
        y = F.var(x, ddof=ddof)
        assert y.item() == np.var(x.data, ddof=ddof) == INF and slope(y, x) == [-INF, INF]
        assert F.std(x, ddof=ddof).item() == INF
        opened = record(lambda x, ddof=ddof: F.var(x, ddof=ddof), x, options={"open": "var"})
        assert opened.openings[0].value == 0.0, "the steps give another variance"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_mean_of_nothing() -> None:
    x = Variable(np.zeros((0, 3)))
    assert np.isnan(F.mean(x).item())
    for y in (F.mean(x), F.mean(x, axis=0)):
        with np.errstate(divide="raise"):
            assert slope(y, x) == []


def test_a_quantile_beside_nan_is_nan() -> None:
    x = Variable([1.0, NAN, 2.0, 3.0, 4.0])
    assert np.isnan(F.quantile(x, [0.0, 0.3, 0.5]).data).all() and np.isnan(F.percentile(x, 10).item())


def test_the_norm_of_nothing() -> None:
    x = Variable([0.0, 0.0])
    for options in ({}, {"ord": 2}, {"ord": 1}, {"axis": 0}):
        g = grad(F.norm(x, **options), x, create_graph=True)
        assert g.data.tolist() == [0.0, 0.0]
        assert options == {"ord": 1} or slope(g, x) == [0.0, 0.0]
    rows = Variable([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(slope(F.norm(rows, axis=1), rows), [[0.0, 0.0], [0.6, 0.8]], rtol=1e-15)
    assert F.norm(Variable(np.zeros((2, 0))), axis=1).data.tolist() == F.norm(np.zeros((2, 0)), 3, 1).tolist() == [0, 0]
    for order, found, slopes in (
        (0, [0, 2], [[0, 0], [0, 0]]),
        (0.5, [0, 13.928203], [[0, 0], [2.154701, 1.866025]]),
        (-1, [0, 12 / 7], [[0, 0], [16 / 49, 9 / 49]]),
    ):
        with np.errstate(divide="ignore"):  # NumPy's own, of an order below 0
            np.testing.assert_allclose(F.norm(rows, order, 1).data, found, rtol=1e-6)
            np.testing.assert_allclose(slope(F.norm(rows, order, 1), rows), slopes, rtol=1e-6)


def test_logsumexp_does_not_overflow() -> None:
    x = Variable([1000.0, 1000.0, -1000.0, -INF])
    y = F.logsumexp(x)
    assert y.item() == 1000 + np.log(2) and slope(y, x) == pytest.approx([0.5, 0.5, 0.0, 0.0], rel=1e-12)
    nothing = Variable([[-INF, -INF], [0.0, -INF]])
    assert F.logsumexp(nothing, axis=1).data.tolist() == [-INF, 0.0]
    assert F.logsumexp(Variable([INF, 0.0])).item() == INF


def test_sorting_takes_equal_elements_in_their_order() -> None:
    x = Variable([2.0, 1.0, 2.0, NAN, 1.0])
    y = F.sort(x)
    np.testing.assert_array_equal(y.data, [1.0, 1.0, 2.0, 2.0, NAN])
    assert grad(y, x, np.arange(1.0, 6)).data.tolist() == [3.0, 1.0, 4.0, 5.0, 2.0]


def test_axes_of_a_scalar() -> None:
    for function in (F.sum, F.prod, F.max, F.min, F.logsumexp, F.cumsum, F.cumprod):
        for axis in (0, -1):
            x = Variable(3.0)
            y = function(x, axis=axis)
            g = grad(y, x, np.ones(y.shape), create_graph=True)
            assert (y.data, g.data, g.shape) == (3.0, 1.0, ())


def test_the_ways_to_say_ddof() -> None:
    x = Variable([1.0, 2.0, 4.0])
    assert np.var(x, ddof=1).item() == np.var(x, correction=1).item() == x.var(ddof=1).item() == np.var(x.data, ddof=1)
