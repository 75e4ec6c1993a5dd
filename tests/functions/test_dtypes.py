"""NEP 50: which dtype results and gradients have."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st

import autolab
from autolab import Variable
from autolab import functions as F

OPERATORS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}
# NumPy's functions: the operator ** of NumPy 2.0 gave another dtype beside scalars
UFUNCS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "pow": np.power}
OTHERS = {
    "float": 1.5,
    "int": 2,
    "bool": True,
    "float32 scalar": np.float32(1.5),
    "float64 scalar": np.float64(1.5),
    "int64 scalar": np.int64(2),
    "0-d float32": np.array(1.5, np.float32),
    "0-d float64": np.array(1.5),
    "float32": np.full(3, 1.5, np.float32),
    "float64": np.full(3, 1.5),
    "int32": np.full(3, 2, np.int32),
    "bool array": np.array([True, True, True]),
    "float16": np.full(3, 1.5, np.float16),
}


@pytest.mark.source("CI-02", "X6")
@each("name", OPERATORS)
@each("other", OTHERS)
@each("dtype", [np.float32, np.float64, np.float16])
@each("left", [True, False])
def test_promotion_is_numpys(name: str, other: str, dtype: type, left: bool) -> None:
    array = np.array([1.0, 2.0, 3.0], dtype)
    x, value = Variable(array), OTHERS[other]
    y = OPERATORS[name](*((x, value) if left else (value, x)))
    expected = UFUNCS[name](*((array, value) if left else (value, array)))
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(y.data, expected)
    for create_graph in (False, True):
        g = autolab.grad(y, x, np.ones(3), create_graph=create_graph)
        assert (g.dtype, g.shape) == (x.dtype, x.shape)


@given(st.one_of(st.floats(width=32), st.integers(-(2**40), 2**40), st.booleans()))
def test_a_number_is_used_as_it_is_whatever_came_before(number: float) -> None:
    """The cache of numbers keeps 0.0 and -0.0, 1 and 1.0 and True, and NaN apart."""
    array = np.array([1.0, -0.0], np.float32)
    with np.errstate(all="ignore"):
        for value in (number, -number, float(number), int(number) if np.isfinite(number) else number):
            y, expected = Variable(array) * value, array * value
            assert y.dtype == expected.dtype
            np.testing.assert_array_equal(y.data, expected)
            np.testing.assert_array_equal(np.signbit(y.data), np.signbit(expected))


@pytest.mark.parametrize("first", [0.0, -0.0])
def test_zero_keeps_its_sign(first: float) -> None:
    x = Variable([1.0])
    for zero in (first, -first, first):
        assert np.signbit((x * zero).data[0]) == np.signbit(zero)


@pytest.mark.source("X7")
def test_integers_compute_but_have_no_gradient() -> None:
    n = Variable(np.array([1, 2, 3]))
    assert (n + n).dtype == np.int64 and (n * 2).dtype == np.int64 and (n / 2).dtype == np.float64
    assert not (n / 2).requires_grad and (n / 2).creator is None
    x = Variable(np.ones(3, np.float32))
    y = x * n
    assert y.dtype == (x.data * n.data).dtype
    x_grad, n_grad = autolab.grad(F.sum(y), (x, n))
    assert x_grad.dtype == np.float32 and n_grad is None
    with pytest.raises(ValueError, match=r"pow: .*[Ii]ntegers to negative integer powers"):
        n**-1


@pytest.mark.parametrize("start", [np.ones(2, np.float32), np.ones(2, np.int64), Variable(np.ones(2, np.float32))])
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_have_their_inputs_dtype_whatever_they_start_from(start: object, create_graph: bool) -> None:
    x = Variable([1.0, 2.0])
    y = x + x
    assert autolab.grad(y, x, start, create_graph=create_graph).dtype == np.float64
    y.grad = start
    y.backward(create_graph=create_graph)
    assert x.grad.dtype == np.float64
    x.cleargrad()


def test_fast_paths_notice_a_forward_that_changes_the_dtype() -> None:
    @autolab.elementwise(x=lambda g: 2 * g)
    def widened(xp, x):
        return 2 * x.astype("float64")

    @autolab.elementwise(a=lambda g: g, b=lambda g: g)
    def wide_sum(xp, a, b):
        return a.astype("float64") + b

    x = Variable(np.ones(2, np.float32))
    for y in (widened(x), wide_sum(x, x)):
        assert y.dtype == np.float64
        assert autolab.grad(F.sum(y), x).dtype == np.float32
