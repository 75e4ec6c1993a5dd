"""PyTorch's checks: gradcheck and gradgradcheck (SOURCES.md sections 3 and 6)."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node

from autolab import Variable
from autolab import functions as F
from autolab.authoring import ContextFunction
from autolab.gradcheck import GradientCheckError, gradcheck, gradgradcheck

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape)


class LinearFunction(ContextFunction):
    """The documents' example."""

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.T
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, g):
        input, weight, bias = ctx.saved_tensors
        return g @ weight, g.T @ input, None if bias is None else g.sum(axis=0)


@pytest.mark.source("CK-09", "PT-15")
def test_the_documents_check_of_linear_prints_true(capsys):
    linear = LinearFunction.apply
    inputs = (Variable(normal(20, 20)), Variable(normal(30, 20)))
    print(gradcheck(linear, inputs, eps=1e-6, atol=1e-4))
    assert capsys.readouterr().out == "True\n"


@pytest.mark.source("CK-09")
def test_every_element_of_the_jacobian_is_compared():
    def backward(g, x, w):
        gx = g @ w.T
        gx[2, 1] += 1e-2 * g[2, 4]  # only the derivative of result [2, 4] by x[2, 1] is wrong
        return gx, x.T @ g

    spoiled = node(lambda x, w: x @ w, backward, name="spoiled")
    x, w = normal(4, 3), normal(3, 5)
    with pytest.raises(AssertionError) as caught:
        gradcheck(spoiled, (x, w))
    (mismatch,) = caught.value.mismatches
    assert (mismatch.input, mismatch.index, mismatch.result_index) == ("inputs[0]", (2, 1), (2, 4))
    assert (mismatch.count, mismatch.total) == (1, 240)
    assert mismatch.analytic - mismatch.numeric == pytest.approx(1e-2, rel=1e-3)
    assert "The derivative of the result at [2, 4] by inputs[0] at [2, 1] is " in str(caught.value)


@pytest.mark.source("CK-09")
def test_false_instead_of_an_exception():
    for wrong in (lambda g, x: -g, lambda g, x: g.sum(), lambda g, x: (g, g)):
        assert gradcheck(node(np.copy, wrong), normal(3), raise_exception=False) is False
    assert gradcheck(node(np.copy, lambda g, x: g), normal(3), raise_exception=False) is True


@pytest.mark.source("CK-09")
def test_double_precision_is_needed_and_integers_are_refused():
    with pytest.raises(TypeError, match=r"gradcheck: inputs\[0\] is float32; expected float64"):
        gradcheck(np.exp, normal(3).astype(np.float32))
    with pytest.raises(TypeError, match=r"gradcheck: inputs\[1\] holds int64, which has no gradient"):
        gradcheck(lambda x, i: x[i], (normal(3), np.arange(2)))
    with pytest.raises(TypeError, match="requires a gradient"):
        gradcheck(np.exp, Variable(normal(3), requires_grad=False))


def test_constants_are_passed_on():
    index = Variable(np.array([0, 2, 2]), requires_grad=False)
    mask = Variable(np.array([1.0, 0.0, 1.0], np.float32), requires_grad=False)
    assert gradcheck(lambda x, i, m: x[i.data] * m, (normal(3), index, mask))


def test_several_results_and_inputs_of_all_shapes():
    def f(x, y, z):
        return x * y, F.sum(x) * z, np.exp(z)

    assert gradcheck(f, (normal(2, 3), normal(3), normal()))
    twice = node(lambda x: (x * 1.0, x * x), lambda g, h, x: g + h * x)
    with pytest.raises(AssertionError, match="The derivative of result 1 at"):
        gradcheck(twice, normal(3))
    assert gradcheck(lambda x, y: x * 2 + F.sum(y), (normal(2), np.ones((0, 3))))


def test_an_unused_input_has_the_derivative_zero():
    assert gradcheck(lambda x, y: x * 2, (normal(2), normal(2)))
    with pytest.raises(AssertionError, match=" is 0; numerically it is "):
        gradcheck(node(lambda x, y: x * y, lambda g, x, y: (g * y, None)), (normal(2), normal(2)))


def test_neither_inputs_nor_gradients_of_the_caller_change():
    x = Variable(normal(3))
    x.grad = np.ones(3)
    data, copy = x.data, x.data.copy()
    assert gradcheck(lambda x: x * x, x)
    assert x.data is data
    np.testing.assert_array_equal(x.data, copy)
    np.testing.assert_array_equal(x.grad.data, 1)


def test_large_offsets_are_no_error_of_the_gradient():
    assert gradcheck(lambda x: 1e10 + x * x, normal(3))


def test_what_changes_from_call_to_call_is_no_function():
    noisy = node(lambda x: x + 1e-9 * np.random.default_rng().random(x.shape), lambda g, x: g)
    with pytest.raises(GradientCheckError, match="different results for the same inputs"):
        gradcheck(noisy, normal(3))
    mask = node(lambda x: x * 1.0, lambda g, x: g * (1 + 1e-9 * np.random.default_rng().random(x.shape)))
    with pytest.raises(GradientCheckError, match="different gradients of inputs"):
        gradcheck(mask, normal(3))
    assert gradcheck(mask, normal(3), nondet_tol=1e-6)


@pytest.mark.source("CK-09")
def test_fast_mode_finds_wrong_gradients_with_few_calls():
    calls = []

    def counted(x, w):
        calls.append(1)
        return x @ w

    half = node(lambda x, w: x @ w, lambda g, x, w: (g @ w.T, 0.5 * x.T @ g))
    inputs = (normal(20, 30), normal(30, 10))
    assert gradcheck(counted, inputs, fast_mode=True)
    assert len(calls) < 30
    with pytest.raises(AssertionError, match=r"The gradient of inputs\[1\] at \["):
        gradcheck(half, inputs, fast_mode=True)


def test_mistakes_in_the_arguments_are_named():
    with pytest.raises(ValueError, match=r"gradcheck: eps is -1"):
        gradcheck(np.exp, normal(2), eps=-1)
    with pytest.raises(ValueError, match="gradcheck: a move by 1e-06 is lost"):
        gradcheck(lambda x: x * 1.0, np.array([1e15]))
    with pytest.raises(TypeError, match="gradcheck: executor is an int"):
        gradcheck(np.exp, normal(2), executor=4)


# ---------------------------------------------------------------------- second order
@pytest.mark.source("CK-10")
def test_gradgradcheck_differentiates_the_backward():
    assert gradgradcheck(LinearFunction.apply, (normal(3, 4), normal(5, 4), normal(5)))
    assert gradgradcheck(lambda x: np.exp(x) * x, normal(3), np.ones(3))
    assert gradgradcheck(lambda x, y: (x * y, np.sin(x)), (normal(2), normal(2)), fast_mode=True)


class Detached(ContextFunction):
    """Right once; its gradient is a constant to the second derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0].data ** 2


@pytest.mark.source("CK-10")
def test_gradgradcheck_finds_what_gradcheck_cannot_see():
    assert gradcheck(Detached.apply, normal(3))
    with pytest.raises(AssertionError, match=r"gradgradcheck\(gradient of Detached\): wrong"):
        gradgradcheck(Detached.apply, normal(3))
    assert gradgradcheck(Detached.apply, normal(3), raise_exception=False) is False


def test_results_in_column_order_are_seeded_like_others():
    x, t = np.array([[0.3, 1.2], [0.1, -0.4], [2.0, 1.1]]), np.array([0, 1, 0])
    assert gradgradcheck(lambda x: F.softmax_cross_entropy(x, t), x)
    assert gradcheck(lambda x: F.transpose(np.sin(x)) * 1.0, x)
