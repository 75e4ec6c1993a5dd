"""Elementwise functions near kinks and at extreme values; the points themselves are in test_singular_points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autolab import Variable, grad
from autolab import functions as F

INF, NAN = np.inf, np.nan


def slopes(function: Callable[..., Any], *values: Any, order: int = 1) -> list[Any]:
    """The derivatives of ``function`` with respect to each value, ``order`` times."""
    xs = [Variable(value) for value in values]
    y = function(*xs)
    for _ in range(order):
        gs = grad([y], xs, [np.ones(y.shape)], create_graph=True)
        y = gs[0]
    return [g.data.tolist() for g in gs]


UNARY = [
    (F.abs, -0.0, 0.0),
    (F.cbrt, -1e-300, 1 / (3 * 1e-200)),
    (F.cbrt, -8.0, 1 / 12),
    (F.reciprocal, 1e-200, -INF),
    (F.log1p, 1e-20, 1.0),
    (F.expm1, -50.0, math.exp(-50)),
    (F.sigmoid, -300.0, math.exp(-300)),
    (F.arcsin, 1 - 2**-53, 2.0**26),
    (F.arcsinh, 1e300, 1e-300),
    (F.arccosh, 1e300, 1e-300),
    (F.erf, 0.0, 2 / math.sqrt(math.pi)),
]


@pytest.mark.parametrize(("function", "x", "slope"), UNARY, ids=lambda value: getattr(value, "__name__", None))
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:overflow:RuntimeWarning")
def test_slopes_of_one_input(function: Callable[..., Any], x: float, slope: float) -> None:
    np.testing.assert_allclose(slopes(function, x), [slope], rtol=1e-14)


BINARY = [
    (F.maximum, INF, INF, 0.5, 0.5),
    (F.hypot, 3e200, 4e200, 0.6, 0.8),
    (F.hypot, 1e-310, 0.0, 1.0, 0.0),
    (F.arctan2, 3e200, 4e200, 1.6e-201, -1.2e-201),
    (F.arctan2, 3e-200, 4e-200, 1.6e199, -1.2e199),
    (F.arctan2, 0.0, -2.0, -0.5, 0.0),
    (F.logaddexp, 1000.0, 1000.0, 0.5, 0.5),
    (F.logaddexp, 1000.0, -1000.0, 1.0, 0.0),
    (F.logaddexp, -INF, 0.0, 0.0, 1.0),
    (F.logaddexp, INF, 0.0, 1.0, 0.0),
]


@pytest.mark.parametrize(("function", "a", "b", "to_a", "to_b"), BINARY)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_slopes_of_two_inputs(function: Callable[..., Any], a: float, b: float, to_a: float, to_b: float) -> None:
    np.testing.assert_allclose(slopes(function, a, b), [to_a, to_b], rtol=1e-14)


@pytest.mark.parametrize("order", [2, 3])
def test_kinks_have_no_curvature(order: int) -> None:
    assert slopes(lambda x: F.abs(x) * x / x, [-2.0, 3.0], order=order) == [[0.0, 0.0]]
    assert slopes(F.sqrt, 4.0, order=2) == [-1 / 32]
    assert slopes(F.hypot, 0.0, 0.0, order=order) == [0.0, 0.0]


CLIP = [
    # low, high, x -> gradients of x, low and high
    (-1.0, 1.0, 0.0, (1, 0, 0)),
    (-1.0, 1.0, -2.0, (0, 1, 0)),
    (-1.0, 1.0, 2.0, (0, 0, 1)),
    (1.0, 1.0, 0.0, (0, 1, 0)),
    (1.0, 1.0, 2.0, (0, 0, 1)),
    (1.0, -1.0, -2.0, (0, 0, 1)),
    (1.0, -1.0, 2.0, (0, 0, 1)),
]


@pytest.mark.parametrize(("low", "high", "x", "expected"), CLIP)
def test_clip_gives_the_gradient_to_what_it_takes(low: float, high: float, x: float, expected: tuple[int, ...]) -> None:
    assert slopes(F.clip, x, low, high) == list(expected)


def test_rounding_gives_zeros_and_not_none() -> None:
    for function in (F.sign, F.floor, F.ceil, F.round):
        x = Variable([1.5, -2.0])
        g = grad(function(x), x, np.array([INF, NAN]))
        assert g.data.tolist() == [0.0, 0.0]


def test_what_where_does_not_choose_gets_nothing() -> None:
    x = Variable([0.0, 4.0])
    y = F.where(x > 0, F.sqrt(F.where(x > 0, x, 1.0)), 0.0)
    assert grad(y, x, np.ones(2)).data.tolist() == [0.0, 0.25]
    with np.errstate(divide="ignore", invalid="ignore"):
        harmed = grad(F.where(x > 0, F.sqrt(x), 0.0), x, np.ones(2))
    assert np.isnan(harmed.data[0])


def test_where_keeps_the_dtype_beside_numbers() -> None:
    x = Variable(np.ones(2, np.float32))
    counts = np.array([1, 0])
    for y in (
        *(F.where(x > 0, x, 0), F.where(x > 0, 1.5, x), np.where(x > 0, x, 2.5)),
        *(F.where(counts, x, 0.5), F.where(counts, 1, x), F.where(counts, x.data, 0.5)),
    ):
        assert y.dtype == np.float32


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-15), (np.float32, 5e-7)])
def test_erf(dtype: type, rtol: float) -> None:
    points = [0.0, 1e-300, 0.46875, 0.468749999, 1.0, 4.0, 5.9, 6.0, 30.0, 1e300, INF]
    x = np.concatenate([np.linspace(-7, 7, 100_001), np.geomspace(1e-30, 1, 10_000), points])
    x = x[x <= np.finfo(dtype).max].astype(dtype) if dtype is np.float32 else x
    expected = np.array([math.erf(value) for value in x])
    np.testing.assert_allclose(F.erf(x), expected, rtol=rtol)
    assert F.erf(x).dtype == dtype
    assert np.isnan(F.erf(np.array([NAN]))).all() and np.signbit(F.erf(np.array([-0.0]))).all()


def test_numpys_own_functions() -> None:
    x = Variable([-1.5, 0.25, 2.5])
    for called, expected in (
        (np.abs(x), F.abs(x)),
        (abs(x), F.abs(x)),
        (np.rint(x), F.round(x)),
        (np.round(x, 1), F.round(x, decimals=1)),
        (np.where(x > 0, x, -1.0), F.where(x > 0, x, -1.0)),
        (np.clip(x, -1, 1), F.clip(x, -1, 1)),
        (np.clip(x, None, 1.0), F.clip(x, None, 1.0)),
        (np.clip(x, a_min=None, a_max=1.0), F.clip(x, None, 1.0)),
        (x.clip(0.0, 1.0), F.clip(x, 0.0, 1.0)),
        (x.clip(max=1.0), F.clip(x, None, 1.0)),
        (np.arctan2(1.0, x), F.arctan2(1.0, x)),
    ):
        assert called.creator.function is expected.creator.function
        np.testing.assert_array_equal(called.data, expected.data)
