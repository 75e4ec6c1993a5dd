"""Chainer's tools: numerical_grad and assert_allclose (SOURCES.md section 3)."""

from __future__ import annotations

import numpy as np
import pytest

from autolab import Variable, assert_allclose, numerical_grad
from autolab import functions as F


@pytest.mark.source("CK-01", "CK-02")
def test_numerical_grad_of_a_closure_over_arrays_that_move_in_place():
    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, -1.0])
    seen = []

    def f():
        seen.append(x.copy())
        return x * y, x.sum(axis=0)

    g, h = np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([10.0, 20.0])
    gx, gy = numerical_grad(f, (x, y), (g, h), eps=1e-3)
    np.testing.assert_allclose(gx, g * y + h, rtol=1e-9)
    np.testing.assert_allclose(gy, (g * x).sum(axis=0), rtol=1e-9)
    np.testing.assert_array_equal(x, [[1, 2], [3, 4]])
    assert len({array.tobytes() for array in seen}) == 1 + 2 * x.size
    assert max(abs(array - x).max() for array in seen) == pytest.approx(1e-3)


@pytest.mark.source("CK-01")
def test_gradients_have_the_shape_and_dtype_of_their_inputs():
    x, s = np.ones((2, 0, 3), np.float32), np.array(2.0, np.float32)
    gx, gs = numerical_grad(lambda: (x.sum() * s * s,), (x, s), (np.ones((), np.float32),))
    assert (gx.shape, gx.dtype, gs.shape, gs.dtype) == ((2, 0, 3), np.float32, (), np.float32)


@pytest.mark.source("CK-02")
def test_a_missing_upstream_gradient_counts_as_zeros():
    x = np.array([1.0, 2.0])
    (gx,) = numerical_grad(lambda: (x**2, np.exp(x)), (x,), (np.ones(2), None))
    np.testing.assert_allclose(gx, 2 * x)


@pytest.mark.source("CK-01")
def test_results_that_are_views_of_the_moving_input_count():
    x = np.array([1.0, 2.0])
    (gx,) = numerical_grad(lambda: (x[::-1],), (x,), (np.array([3.0, 5.0]),))
    np.testing.assert_allclose(gx, [5, 3])


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("after", [0, 1, 5])
def test_inputs_are_restored_after_an_exception(error, after):
    x = np.array([0.1, 0.7, 0.3])
    before = x.copy()
    calls = []

    def f():
        calls.append(1)
        if len(calls) > after:
            raise error
        return (x * 2,)

    with pytest.raises(error):
        numerical_grad(f, (x,), (np.ones(3),))
    np.testing.assert_array_equal(x, before)


@pytest.mark.source("CK-03")
@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ((np.arange(3),), r"inputs\[0\] is an array of int64; expected a floating-point array"),
        ((np.ones(2), np.ones(2, bool)), r"inputs\[1\] is an array of bool"),
        ((Variable(1.0),), r"inputs\[0\] is a Variable"),
        (([1.0, 2.0],), r"inputs\[0\] is a list"),
        ((np.broadcast_to(1.0, 3),), r"inputs\[0\] is read-only"),
    ],
)
def test_what_cannot_move_in_place_is_refused(inputs, sentence):
    with pytest.raises(TypeError, match=sentence):
        numerical_grad(lambda: (np.ones(3),), inputs, (np.ones(3),))


@pytest.mark.parametrize(
    ("f", "grad_outputs", "error", "sentence"),
    [
        (lambda: np.ones(2), (np.ones(2),), TypeError, "f returned an ndarray; expected a tuple"),
        (lambda: (np.ones(2),), (), ValueError, "f returned 1 arrays; expected 0"),
        (lambda: (np.ones(2),), (np.ones(3),), ValueError, r"grad_outputs\[0\] has shape \(3,\); expected \(2,\)"),
    ],
)
def test_results_must_fit_the_upstream_gradients(f, grad_outputs, error, sentence):
    with pytest.raises(error, match=sentence):
        numerical_grad(f, (np.ones(1),), grad_outputs)


@pytest.mark.source("CK-05")
def test_the_documents_test_pattern():
    x = Variable(np.random.default_rng(0).uniform(0.1, 1, (3, 2)).astype(np.float32))
    y = np.exp(x) * x
    y.grad = np.random.default_rng(1).normal(size=(3, 2)).astype(np.float32)
    y.backward()
    (gx,) = numerical_grad(lambda: (F.exp(x.data) * x.data,), (x.data,), (y.grad.data,))
    assert_allclose(gx, x.grad, atol=1e-3, rtol=1e-3)


@pytest.mark.source("CK-04")
def test_assert_allclose_has_its_own_defaults():
    assert_allclose(1.0, 1.0 + 1e-4)
    assert_allclose(Variable([1.0, 2.0]), np.array([1.0, 2.0]))
    assert_allclose(0.0, 9e-6)
    with pytest.raises(AssertionError):
        assert_allclose(1.0, 1.0 + 2e-4)
    with pytest.raises(AssertionError):
        assert_allclose(0.0, 1.1e-5)
    with pytest.raises(AssertionError):
        assert_allclose([1.0, np.nan], [1.0, 2.0])
