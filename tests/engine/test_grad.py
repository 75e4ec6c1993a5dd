"""grad(): several outputs and inputs, values in between, and derivatives of any order."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import Variable, grad
from autolab import functions as F


def test_shape_of_the_answer_follows_the_inputs() -> None:
    x, y = Variable(2.0), Variable(3.0)
    z = x * y
    assert grad(z, x).item() == 3.0
    for many in ([x, y], (x, y)):
        got = grad([z], many)
        assert type(got) is tuple and [g.item() for g in got] == [3.0, 2.0]
    assert grad(z, []) == ()
    assert grad(z, (x, x, x))[2].item() == 3.0
    assert x.grad is None and y.grad is None and z.grad is None


@pytest.mark.source("CN-19")
def test_values_in_between_and_what_was_not_reached() -> None:
    x, other = Variable(2.0), Variable(1.0)
    a = x**2
    b = a * 3
    z = b + a
    for create_graph in (False, True):
        got = grad(z, (x, a, b, z, other, Variable(1.0, requires_grad=False)), create_graph=create_graph)
        assert [g and g.item() for g in got] == [16.0, 4.0, 1.0, 1.0, None, None]
    assert grad(x * 2, a) is None  # a does not lie on the way
    assert grad(Variable(1.0, requires_grad=False), x) is None


def test_several_outputs() -> None:
    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    a, b, constant = x * y, F.sum(x), Variable(np.array([1, 2]))
    starts = (np.array([1.0, 10.0]), None, None)
    for create_graph in (False, True):
        gx, gy = grad((a, b, constant), (x, y), starts, create_graph=create_graph)
        np.testing.assert_array_equal(gx.data, [4.0, 41.0])
        np.testing.assert_array_equal(gy.data, [1.0, 20.0])
    np.testing.assert_array_equal(grad([a, a], x, [np.ones(2)] * 2).data, 2 * y.data)
    np.testing.assert_array_equal(grad([F.sum(a), a], [x, a], [None, np.ones(2)])[1].data, [2.0, 2.0])


ERRORS = [
    (lambda x: grad(3.0, x), TypeError, "outputs has a float"),
    (lambda x: grad(x, 3.0), TypeError, "inputs has a float"),
    (lambda x: grad([x, x.data], x), TypeError, "outputs has an ndarray"),
    (lambda x: grad(x, x, np.ones(3)), ValueError, r"shape \(3,\).*\(2,\)"),
    (lambda x: grad(x, x, Variable(1.0)), ValueError, r"shape \(\).*\(2,\)"),
    (lambda x: grad(x, x, [np.ones(2), np.ones(2)]), ValueError, "2 grad_outputs; expected 1"),
    (lambda x: grad(x * x, x, np.ma.masked_array(np.ones(2), [True, False])), TypeError, "grad_outputs.0.*masked"),
    (lambda x: setattr(x, "grad", np.ma.masked_array(np.ones(2), [True, False])), TypeError, "Variable.grad.*masked"),
    (lambda x: grad(x, x, "text"), TypeError, "str 'text'"),
    (lambda x: grad(x, x), RuntimeError, "2 elements"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call(Variable([1.0, 2.0]))
    assert len(str(caught.value)) <= 300


def test_the_upstream_gradient_is_differentiable_too() -> None:
    x, w = Variable([1.0, 2.0]), Variable([3.0, 5.0])
    g = grad(x**2, x, w, create_graph=True)
    np.testing.assert_array_equal(grad(g, w, np.ones(2)).data, 2 * x.data)
    np.testing.assert_array_equal(grad(g, x, np.ones(2)).data, 2 * w.data)


T = np.tanh(np.linspace(-2, 2, 7))
S = 1 - T * T
TANH = [S, -2 * T * S, S * (6 * T * T - 2), S * T * (16 - 24 * T * T)]


@pytest.mark.source("DZ-23", "CN-12")
def test_tanh_to_order_four_in_closed_form() -> None:
    x = Variable(np.linspace(-2, 2, 7))
    y = F.tanh(x)
    for order, expected in enumerate(TANH, 1):
        y = grad(y, x, np.ones(7), create_graph=True)
        np.testing.assert_allclose(y.data, expected, rtol=1e-13, atol=2e-15, err_msg=f"order {order}")


@pytest.mark.source("DZ-23")
@pytest.mark.parametrize(("function", "cycle"), [(F.sin, (np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t), np.sin))])
def test_sine_to_order_eight(function: object, cycle: tuple) -> None:
    x = Variable(np.linspace(-3, 3, 5))
    y = function(x)
    for order in range(8):
        y = grad(y, x, np.ones(5), create_graph=True)
        np.testing.assert_allclose(y.data, cycle[order % 4](x.data), rtol=0, atol=1e-15)


@pytest.mark.source("DZ-21", "DZ-22")
def test_backward_of_a_gradient() -> None:
    x = Variable(2.0)
    y = x**4 - 2 * x**2
    y.backward(create_graph=True)
    gx = x.grad
    assert gx.item() == 24.0 and gx.requires_grad
    gx.backward()
    assert x.grad.item() == 68.0  # 24 + 44: the old gradient was not cleared
    x.cleargrad()
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    assert x.grad.item() == 44.0
    x.cleargrad()
    y.backward()
    assert not x.grad.requires_grad
    x.cleargrad()


def test_accumulation_is_differentiable_under_create_graph() -> None:
    x = Variable(2.0)
    y = x**3
    y.backward(create_graph=True)
    y.backward(create_graph=True)
    total = x.grad
    assert total.item() == 24.0
    assert grad(total, x).item() == 24.0
    y.backward()  # what a plain pass adds is constant, the rest stays differentiable
    assert x.grad.item() == 36.0 and grad(x.grad, x).item() == 24.0
    x.cleargrad()


def test_newtons_method() -> None:
    x = Variable(2.0)
    for _ in range(10):
        first = grad(x**4 - 2 * x**2, x, create_graph=True)
        x.data -= first.data / grad(first, x).data
    assert x.item() == 1.0


def test_mixed_second_derivatives_are_symmetric() -> None:
    x, y = Variable([[0.3], [0.7]]), Variable([0.5, 1.5, 2.5])
    z = F.sum(F.exp(F.sin(x * y)) / (x + y) ** 2)
    gx, gy = grad(z, (x, y), create_graph=True)
    v, w = np.array([[1.0], [-2.0]]), np.array([0.5, 1.0, -1.5])
    one = grad(F.sum(gx * v), y).data @ w
    other = F.sum(grad(F.sum(gy * w), x) * v).item()
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_create_graph_works_inside_no_grad() -> None:
    x = Variable(2.0)
    y = x**3
    with autolab.no_grad():
        first = grad(y, x, create_graph=True)
        assert not (x * 2).requires_grad
    assert grad(first, x).item() == 12.0
    assert not grad(y, x).requires_grad


def test_deep_graphs_of_gradients() -> None:
    x = Variable(0.5)
    y = x
    for _ in range(2000):
        y = y * 1.0001
    g = grad(F.tanh(y), x, create_graph=True)
    c = 1.0001**2000
    t = np.tanh(0.5 * c)
    np.testing.assert_allclose(
        [g.item(), grad(g, x).item()], [c * (1 - t * t), -2 * c * c * t * (1 - t * t)], rtol=1e-11
    )
