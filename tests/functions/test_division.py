"""Division with a remainder: NumPy's values with every sign and at the edges, and the slopes of the pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Variable, grad
from autolab import functions as F

EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 7.0, -7.0, 1e-300, 1e300, np.inf, -np.inf, np.nan])
A, B = [x.ravel() for x in np.meshgrid(EDGES, EDGES)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@each("name", ["floor_divide", "remainder", "fmod"])
@each("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint64, np.int32])
def test_values_are_numpys(name: str, dtype: type) -> None:
    a, b = (A, B) if np.dtype(dtype).kind == "f" else (np.arange(24) % 7, np.arange(24) % 5)
    a, b = a.astype(dtype), b.astype(dtype)
    found = getattr(F, name)(Variable(a), b).data
    np.testing.assert_array_equal(found, getattr(np, name)(a, b))
    assert found.dtype == dtype


@pytest.mark.parametrize(("function", "quotient"), [(F.remainder, np.floor), (F.fmod, np.trunc)])
def test_the_slope_is_minus_the_whole_quotient(function: Callable[..., Any], quotient: Callable[..., Any]) -> None:
    a, b = Variable([7.0, -7.0, 7.0, -7.0, 0.3]), Variable([4.0, 4.0, -4.0, -4.0, 0.1])
    to_a, to_b = grad(F.sum(function(a, b)), [a, b])
    np.testing.assert_array_equal(to_a.data, 1)
    np.testing.assert_array_equal(to_b.data, -quotient(a.data / b.data))
    rest, whole = function(a, b).data, -to_b.data
    np.testing.assert_allclose(rest + whole * b.data, a.data, rtol=1e-15)


def test_operators() -> None:
    x = Variable([7.0, -7.5])
    for y, expected in ((x // 2, [3, -4]), (x % 2, [1, 0.5]), (20 // x, [2, -3]), (20 % x, [6, -2.5])):
        np.testing.assert_array_equal(y.data, expected)
        assert y.requires_grad
    whole, rest = divmod(x, 2)
    np.testing.assert_array_equal((whole * 2 + rest).data, x.data)
    np.testing.assert_array_equal(np.mod(x, 2).data, [1, 0.5])
