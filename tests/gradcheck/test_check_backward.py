"""Chainer's checks with given tolerances: check_backward and check_double_backward (SOURCES.md section 3)."""

from __future__ import annotations

import unittest

import numpy as np
import pytest
from check_subjects import node

import autolab
from autolab import FunctionNode, Parameter, Variable
from autolab import functions as F
from autolab.authoring import Function
from autolab.gradcheck import GradientCheckError, assert_allclose, check_backward, check_double_backward, numerical_grad

RNG = np.random.default_rng(0)


def normal(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


class ReLU(FunctionNode):
    """The documents' example."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (np.maximum(inputs[0], 0),)

    def backward(self, target_input_indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (grad_outputs[0] * (x.data > 0),)


def relu(x):
    (y,) = ReLU().apply((x,))
    return y


@pytest.mark.source("CK-08")
class TestReLU(unittest.TestCase):
    """The documents' test case, with inputs away from the kink."""

    def setUp(self):
        x = np.random.default_rng(3).uniform(0.1, 1, (3, 2)) * [[1, -1], [-1, 1], [1, 1]]
        self.x = x.astype(np.float32)
        self.gy = np.array([[1, -2], [0.5, 1], [3, -1]], np.float32)

    @pytest.mark.source("CK-05", "CK-08")
    def test_backward_cpu(self):
        x = Variable(self.x)
        y = relu(x)
        y.grad = self.gy
        y.backward()

        def f():
            return (relu(x).data,)

        (gx,) = numerical_grad(f, (x.data,), (y.grad.data,))
        assert_allclose(gx, x.grad, atol=1e-3, rtol=1e-3)

    @pytest.mark.source("CK-06", "CK-08")
    def test_the_whole_procedure(self):
        check_backward(relu, self.x, self.gy)
        check_backward(relu, (self.x,), (self.gy,), eps=1e-2)


def muladd(wrong=None):
    """``x * y + z``, with one gradient spoiled."""
    gradients = [lambda g, x, y, z: g * y, lambda g, x, y, z: g * x, lambda g, x, y, z: g]
    gradients = [lambda *a, k=k, rule=rule: rule(*a) * (-1 if k == wrong else 1) for k, rule in enumerate(gradients)]
    return node(lambda x, y, z: x * y + z, lambda *a: tuple([rule(*a) for rule in gradients]), name="muladd")


@pytest.mark.source("CK-06")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (3, 4), (40, 30)])
def test_a_right_backward_passes(shape, dtype):
    xs = tuple([np.asarray(normal(*shape), dtype) for _ in range(3)])
    assert check_backward(muladd(), xs, np.asarray(normal(*shape), dtype)) is None


@pytest.mark.source("CK-06")
@pytest.mark.parametrize("wrong", [0, 1, 2])
@pytest.mark.parametrize("shape", [(), (3, 4), (40, 30)])
def test_a_wrong_backward_raises_and_names_input_and_worst_element(shape, wrong):
    xs = tuple([np.asarray(normal(*shape)) for _ in range(3)])
    gy = np.asarray(normal(*shape))
    with pytest.raises(AssertionError) as caught:
        check_backward(muladd(wrong), xs, gy)
    (mismatch,) = caught.value.mismatches
    expected = gy * [xs[1], xs[0], np.ones(shape)][wrong]
    assert mismatch.input == f"inputs[{wrong}]"
    assert mismatch.numeric == pytest.approx(expected[mismatch.index], rel=1e-6)
    assert mismatch.analytic == pytest.approx(-expected[mismatch.index], rel=1e-6)
    if expected.size <= 256:
        assert (mismatch.count, mismatch.total) == (expected.size, expected.size)
        assert mismatch.index == np.unravel_index(np.abs(expected).argmax(), shape)
    text = str(caught.value)
    assert text.startswith("check_backward(muladd): wrong\nThe gradient of inputs")
    text = text.replace("−", "-")
    assert f"{mismatch.analytic:.4g}" in text and f"{mismatch.numeric:.4g}" in text
    assert all(len(line) <= 300 for line in text.splitlines())


def test_one_wrong_element_of_many_is_found():
    def backward(g, x):
        g = g * np.cos(x)
        g[12, 7] *= 1.1
        return g

    x = normal(50, 40)
    with pytest.raises(GradientCheckError, match=r"inputs\[0\] at \[12, 7\]"):
        check_backward(node(np.sin, backward), x, np.ones((50, 40)), eps=1e-4)


def test_many_small_errors_that_only_add_up_are_named_as_a_direction():
    """The differences are those of a function whose every slope is just within the limit, all at random."""
    x, errors = np.full((40, 40), 0.5), np.random.default_rng(5).choice([-9e-6, 9e-6], (40, 40))
    within = node(lambda x: x * 0.0, lambda g, x: g * errors)
    check_backward(within, x, np.ones((40, 40)))
    step = np.random.default_rng(0).normal(size=1600).reshape(40, 40)  # the check's own first direction
    conspiring = node(lambda x: x * 0.0, lambda g, x: g * 9e-6 * np.sign(step))
    with pytest.raises(GradientCheckError, match="Along a random direction"):
        check_backward(conspiring, x, np.ones((40, 40)))


@pytest.mark.source("CK-06")
def test_integers_are_passed_on_and_no_grads_are_not_compared():
    def pick(x, i, y):
        return F.sum(x[i.data]) * y

    xs = (normal(4), np.array([0, 2, 2]), normal(3))
    check_backward(pick, xs, np.ones(3))
    spoiled = muladd(1)
    xs = (normal(3), normal(3), normal(3))
    check_backward(spoiled, xs, np.ones(3), no_grads=[False, True, False])
    with pytest.raises(AssertionError):
        check_backward(spoiled, xs, np.ones(3), no_grads=[True, False, True])


@pytest.mark.source("CK-06")
def test_parameters_are_checked_and_keep_their_arrays():
    w, b = Parameter(normal(2, 4), name="W"), Parameter(normal(4))
    before = w.data, b.data, w.data.copy()
    check_backward(lambda x: np.tanh(x @ w + b), normal(3, 2), normal(3, 4), params=(w, b))
    assert w.data is before[0] and b.data is before[1] and w.grad is None
    np.testing.assert_array_equal(w.data, before[2])
    half = node(lambda x, w: x @ w, lambda g, x, w: (g @ w.T, 0.5 * x.T @ g))
    with pytest.raises(AssertionError, match="The gradient of W at"):
        check_backward(lambda x: half(x, w), normal(3, 2), normal(3, 4), params=w)
    assert w.data is before[0]


def test_parameters_keep_their_arrays_when_the_function_raises():
    w = Parameter(normal(2))
    own, calls = w.data, []

    def breaks(x):
        calls.append(1)
        if len(calls) > 3:
            raise KeyError("mine")
        return x * w

    with pytest.raises(KeyError):
        check_backward(breaks, normal(2), np.ones(2), params=w)
    assert w.data is own


@pytest.mark.source("CK-06")
def test_several_results_and_missing_upstream_gradients():
    def both(x, y):
        return x * y, x + y

    xs = (normal(3), normal(3))
    check_backward(both, xs, (normal(3), None))
    check_backward(lambda x: F.sum(x * x), xs[0], None)
    with pytest.raises(ValueError, match="got 1 upstream gradients; expected 2"):
        check_backward(both, xs, np.ones(3))
    with pytest.raises(ValueError, match="every result must be one number"):
        check_backward(both, xs, None)


@pytest.mark.source("CK-06")
def test_dtype_makes_a_check_of_float32_sharp():
    nearly = node(lambda x: x * x, lambda g, x: g * 2 * x * np.float32(1.0004))
    x, gy = normal(5, dtype=np.float32), np.ones(5, np.float32)
    with pytest.raises(AssertionError):
        check_backward(nearly, x, gy, dtype=np.float64)
    right = node(lambda x: x * x, lambda g, x: g * 2 * x)
    check_backward(right, x, gy, dtype=np.float64, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 100.0, 1e4])
def test_right_gradients_in_float32_are_not_accused_for_rounding(offset):
    for seed in range(50):
        x = np.random.default_rng(seed).normal(size=(3, 4)).astype(np.float32)
        gy = np.random.default_rng(seed + 1000).normal(size=(3, 4)).astype(np.float32)
        check_backward(lambda x: np.exp(x) * x + offset, x, gy)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (((normal(2), 3.0), normal(2)), TypeError, r"x_data\[1\] is a float; expected an array"),
        ((np.arange(2), normal(2)), TypeError, "nothing to check"),
        ((normal(2), normal(3)), ValueError, r"upstream gradient 0 has shape \(3,\); the result has \(2,\)"),
        ((normal(2), normal(2), 3.0), TypeError, r"params\[0\] is a float"),
        ((normal(2), normal(2), (), 0.0), ValueError, "eps is 0.0"),
        ((np.full(2, 1e17), normal(2)), ValueError, "lost in the rounding of 1e\\+17 in float64"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        check_backward(lambda *xs: xs[0] * 1.0, *arguments)
    assert str(caught.value).startswith("check_backward: ") and len(str(caught.value)) <= 300


def test_no_grads_and_dtype_must_fit():
    with pytest.raises(ValueError, match="got 2 no_grads for 1 arrays"):
        check_backward(lambda x: x * 1.0, normal(2), normal(2), no_grads=[True, False])
    with pytest.raises(TypeError, match="i holds int64, which has no gradient"):
        check_backward(lambda x, i: x * 1.0, (normal(2), np.arange(2)), normal(2), no_grads=[False, False])
    with pytest.raises(TypeError, match="dtype is int64"):
        check_backward(lambda x: x * 1.0, normal(2), normal(2), dtype=int)


def test_wrong_shapes_and_numbers_of_gradients_fail_the_check():
    for backward in (lambda g, x: g.sum(), lambda g, x: (g, g)):
        with pytest.raises(GradientCheckError, match=r"check_backward: .*(shape|returned 2 gradients)"):
            check_backward(node(np.sin, backward), normal(3), normal(3))


# ---------------------------------------------------------------------- second order
@pytest.mark.source("CK-07")
def test_second_derivatives_are_checked():
    check_double_backward(lambda x: x**3, normal(3), normal(3), normal(3))
    check_double_backward(
        muladd_with_variables, tuple([normal(2, 3) for _ in range(3)]), normal(2, 3), (normal(2, 3),) * 3
    )


def muladd_with_variables(x, y, z):
    class MulAdd(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1))
            return (inputs[0] * inputs[1] + inputs[2],)

        def backward(self, target_input_indexes, grad_outputs):
            x, y = self.get_retained_inputs()
            return grad_outputs[0] * y, grad_outputs[0] * x, grad_outputs[0]

    (w,) = MulAdd().apply((x, y, z))
    return w


def detached_square(x):
    """Right once; its gradient forgets that it depends on x."""

    class Square(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            return (grad_outputs[0] * (2 * x.data),)

    (y,) = Square().apply((x,))
    return y


@pytest.mark.source("CK-07")
def test_a_gradient_that_forgets_its_input_is_wrong_in_the_second_order_only():
    x, one = normal(3), np.ones(3)
    check_backward(detached_square, x, one)
    with pytest.raises(AssertionError, match=r"check_double_backward\(gradient of detached_square\): wrong") as caught:
        check_double_backward(detached_square, x, one, one)
    (mismatch,) = caught.value.mismatches
    assert (mismatch.input, mismatch.analytic) == ("x", 0.0)
    assert mismatch.numeric == pytest.approx(2.0)


@pytest.mark.source("CK-07")
def test_second_derivatives_by_parameters_and_with_skipped_inputs():
    w = Parameter(normal(2, 4), name="W")
    gy, ggx, ggw = normal(3, 4), normal(3, 2), normal(2, 4)
    check_double_backward(lambda x: np.tanh(x @ w), normal(3, 2), gy, ggx, params=w, params_grad_grad=ggw)

    def pick(x, i):
        return x[i.data] ** 3

    i = np.array([0, 2, 2])
    for wanted in ((normal(4), None), normal(4)):
        check_double_backward(pick, (normal(4), i), normal(3), wanted)
    check_double_backward(pick, (normal(4), i), normal(3), normal(4), no_grads=[False, True])


@pytest.mark.source("CK-07")
def test_functions_that_can_be_differentiated_once_say_so():
    class Old(Function):
        def forward(self, inputs):
            return (inputs[0] ** 2,)

        def backward(self, inputs, grad_outputs):
            return (2 * inputs[0] * grad_outputs[0],)

    check_backward(lambda x: Old()(x), normal(2), normal(2))
    with pytest.raises(RuntimeError, match="Old"):
        check_double_backward(lambda x: Old()(x), normal(2), normal(2), normal(2))


def test_the_mode_of_the_caller_holds():
    seen = []

    def f(x):
        seen.append(autolab.config.train)
        return x * 2.0

    with autolab.test_mode(), autolab.no_grad():
        check_backward(f, normal(2), normal(2))
    assert set(seen) == {False}


def test_what_is_not_finite_is_not_called_wrong():
    x, wrong = np.array([1e154, 1e145]), node(lambda x: x * x, lambda g, x: 0 * g * x)
    with pytest.raises(GradientCheckError, match=r": cannot tell\n.* at \[0\] is ∞. It cannot be measured"):
        check_backward(lambda x: x * x, x, np.ones(2), eps=1e154)
    with pytest.raises(GradientCheckError, match=r": cannot tell\n.* at \[1\] is 0; numerically it is 2e\+145"):
        check_backward(wrong, x, np.ones(2), eps=1e154)  # the squares overflow nearby
    with pytest.raises(GradientCheckError, match=r": wrong\n.* at \[1\] is 0; numerically it is 2e\+45"):
        check_backward(wrong, np.array([1e44, 1e45]), np.ones(2), eps=1e44)


def test_a_step_that_does_not_suit_the_function_accuses_nobody():
    """Curved, bent, and rounded within the step: see also the hostile draws."""
    doubtful = r": cannot tell\n(.*\n)+That is no proof of a mistake: differences with other steps than 0.001 find none"
    for function, x in [
        (lambda y: 1 / y, np.array([1e-3 / 0.9])),
        (F.relu, np.array([1e-9])),
        (lambda x: F.max(x), np.zeros(3)),
        (lambda x: np.log(np.cosh(x)), np.array([0.1575], np.float16)),
    ]:
        with pytest.raises(GradientCheckError, match=doubtful):
            check_backward(function, x, None)
    wrong = node(lambda y: 1 / y, lambda g, y: g / y**2)
    with pytest.raises(GradientCheckError, match=": wrong\n"):
        check_backward(wrong, np.array([1e-3 / 0.9]), None)


def test_parameters_are_looked_at_again_as_well():
    w, wrong = Parameter(np.array([1e-9]), name="w"), node(lambda w: np.maximum(w, 0), lambda g, w: -g)
    with pytest.raises(GradientCheckError, match=r": cannot tell\n.* of w at \[0\] is 1; numerically it is 0.5"):
        check_backward(lambda x: x + F.relu(w), np.array([1.0]), None, params=w)
    with pytest.raises(GradientCheckError, match=r": wrong\n.* of w at \[0\] is −1; numerically it is 0.5"):
        check_backward(lambda x: x + wrong(w), np.array([1.0]), None, params=w)
    np.testing.assert_array_equal(w.data, [1e-9])
