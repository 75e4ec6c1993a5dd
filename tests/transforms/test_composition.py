"""Transforms of transforms, and their place in the caller's graph."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from helpers.garbage import collector_off, garbage

import autolab
from autolab import Parameter, Variable
from autolab import functions as F
from autolab.authoring import Function
from autolab.engine.backward import watched_nodes
from autolab.engine.node import Node
from autolab.transforms import grad, hessian, hvp, jacobian, jvp, nth_derivative, value_and_grad, vjp

X = np.array([0.3, -0.7, 1.1])
W = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.4]])


def layer(x: Any, w: Any) -> Any:
    return F.tanh(F.matmul(w, x)) * 2.0


def loss(x: Any, w: Any) -> Any:
    return F.sum(layer(x, w) ** 2) + F.sum(x**3)


def close(got: Variable, expected: Any, rtol: float = 1e-11) -> None:
    assert type(got) is Variable
    np.testing.assert_allclose(got.data, expected, rtol=rtol, atol=1e-13)


def test_no_perturbation_is_confused() -> None:
    """d/dx (x · d/dy (x + y)) = 1: the inner derivative is by y alone."""
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(5.0).item() == 1.0
    assert grad(lambda x: x * grad(lambda y: x * y * y)(3.0))(5.0).item() == 60.0
    assert grad(lambda x: grad(lambda y: x * y)(x))(5.0).item() == 1.0
    assert grad(lambda x: jvp(lambda y: x * y * y, x, 1.0)[1])(3.0).item() == 12.0
    assert grad(lambda x: vjp(lambda y: y * y, 2.0)[1](x))(5.0).item() == 4.0
    assert grad(lambda v: jvp(lambda y: y * y, 2.0, v)[1])(5.0).item() == 4.0
    assert grad(lambda v: hvp(lambda y: y**3, 2.0, v))(5.0).item() == 12.0


def test_results_go_on_into_the_callers_graph() -> None:
    x, w = Variable(2.0), Parameter(3.0)
    value, g = value_and_grad(lambda x: w * x**3)(x)
    (value + g).backward()
    assert x.grad.item() == 3 * 12 + 3 * 12 and w.grad.item() == 8 + 12
    x.cleargrad()
    w.cleargrad()
    value, g = value_and_grad(lambda x: w * x**3)(2.0)  # only the Variable from outside is differentiable
    assert autolab.grad(g, w).item() == 12.0 and autolab.grad(value, w).item() == 8.0
    jacobian(lambda x: w * x**3)(x).backward()
    nth_derivative(lambda x: w * x**3, 2)(x).backward()
    assert x.grad.item() == 36 + 18 and w.grad.item() == 12 + 12


def test_nothing_of_the_callers_changes() -> None:
    x = Variable(X)
    x.grad = np.ones(3)
    before = x.node
    grad(lambda x: F.sum(x * x))(x)
    assert x.node is before and x.grad.data.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("made", [grad(loss), value_and_grad(loss), jacobian(layer), hessian(loss)])
def test_results_without_a_callers_graph_are_constants(made: Callable[..., Any]) -> None:
    for x in (X, Variable(X, requires_grad=False)):
        results = made(x, W)
        assert not any(y.requires_grad for y in (results if isinstance(results, tuple) else (results,)))
    with autolab.no_grad():
        results = made(Variable(X), Variable(W))
        assert not any(y.requires_grad for y in (results if isinstance(results, tuple) else (results,)))
        assert not vjp(layer, (Variable(X), W))[1](np.ones(2))[0].requires_grad
        assert not jvp(layer, (Variable(X), W), (X, W))[1].requires_grad
        assert not hvp(loss, (Variable(X), W), (X, W))[0].requires_grad
        assert not nth_derivative(F.exp, 3)(Variable(X)).requires_grad
        close(nth_derivative(F.exp, 3)(Variable(X)), np.exp(X))


def test_a_matrix_in_a_function_is_differentiated_again_and_again() -> None:
    """The rows of the Jacobian take part in sums and squares of it."""

    def f(x: Any) -> Any:
        return F.sum(jacobian(lambda z: z**3 * F.sum(z))(x) ** 2)

    def reference(x: Any) -> Any:
        return anp.sum(autograd.jacobian(lambda z: z**3 * anp.sum(z))(x) ** 2)

    close(grad(f)(X), autograd.grad(reference)(X), 1e-10)
    close(hessian(f)(X), autograd.hessian(reference)(X), 1e-10)
    along = grad(lambda x: F.sum(hvp(f, x, X)))
    close(along(X), autograd.grad(lambda x: anp.sum(autograd.hessian_vector_product(reference)(x, X)))(X), 1e-9)


def test_what_does_not_depend_is_zero() -> None:
    c = Variable(3.0, requires_grad=False)
    assert grad(lambda x: c * 2)(1.0).item() == 0.0
    assert grad(lambda x, y: y * 2)(X, c).data.tolist() == [0.0, 0.0, 0.0]
    assert jvp(lambda x: c * 2, X, X)[1].item() == 0.0
    assert jacobian(lambda x: c * F.sign(x))(X).data.tolist() == np.zeros((3, 3)).tolist()
    assert hvp(lambda x: F.sum(x), X, X).data.tolist() == [0.0, 0.0, 0.0]
    assert hessian(lambda x: F.sum(x))(X).data.tolist() == np.zeros((3, 3)).tolist()


def test_an_argument_that_comes_back_as_it_is() -> None:
    close(jacobian(lambda x: x)(X), np.eye(3))
    assert grad(lambda x: x)(2.0).item() == 1.0
    close(jvp(lambda x: x, X, 2 * X)[1], 2 * X)


def test_old_style_functions_serve_the_first_order() -> None:
    class Square(Function):
        def forward(self, inputs):
            return (inputs[0] ** 2,)

        def backward(self, inputs, grad_outputs):
            return (2 * inputs[0] * grad_outputs[0],)

    assert grad(lambda x: Square()(x))(3.0).item() == 6.0
    for second in (lambda: hessian(lambda x: Square()(x))(3.0), lambda: jvp(lambda x: Square()(x), 3.0, 1.0)):
        with pytest.raises(RuntimeError, match='twice-differentiate an old style Function "Square"'):
            second()


def test_gradient_descent_on_rosenbrock() -> None:
    def rosenbrock(p: Any) -> Any:
        return 100 * (p["b"] - p["a"] ** 2) ** 2 + (p["a"] - 1) ** 2

    p = {"a": 0.0, "b": 2.0}
    for _ in range(1000):
        g = grad(rosenbrock)(p)
        p = {k: p[k] - 0.001 * g[k].item() for k in p}
    assert (p["a"], p["b"]) == pytest.approx((0.683711857, 0.465952684))


def test_steps_of_descent_stay_short_whatever_the_point_was_computed_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with JAX's arrays: ``w = w - rate * grad(loss)(w)``, of which each w is computed from the one before."""
    looked_at: list[Any] = []
    parents = Node.parents.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Node, "parents", property(lambda node: looked_at.append(node) or parents(node)))
    w, work = Variable(X), []
    for _ in range(12):
        looked_at.clear()
        with autolab.observe(looked_at.append):
            g = value_and_grad(lambda w: F.sum((w - 1.0) ** 4))(w)[1]
        w = w - 0.01 * g
        work.append(len(looked_at))
    assert w.requires_grad and work[2] == work[-1] > 10
    first = grad(lambda w: F.sum(w**3))
    np.testing.assert_allclose(autolab.grad(F.sum(first(w) * X), w).data, 6 * w.data * X)  # still differentiable


def test_nothing_stays_behind() -> None:
    with collector_off():
        x = Variable(X)
        for point in ((X, W), (x, W)):
            hessian(loss)(*point)
            value_and_grad(loss, (0, 1))(*point)
            vjp(layer, point)[1](np.ones(2))
            jvp(layer, point, point)
            hvp(loss, point, point)
        nth_derivative(F.tanh, 4)(x)
        with pytest.raises(ValueError, match="single number"):
            grad(layer)(x, W)
        assert garbage() == []


@pytest.mark.parametrize(
    "derivative",
    [
        pytest.param(lambda x, v: grad(lambda x: loss(x, W))(x), id="grad"),
        pytest.param(lambda x, v: vjp(lambda x: layer(x, W), x)[1](F.matmul(W, v)), id="vjp"),
        pytest.param(lambda x, v: jvp(lambda x: layer(x, W), (x,), (v,)), id="jvp"),
        pytest.param(lambda x, v: jvp(grad(lambda x: loss(x, W)), (x,), (v,)), id="jvp of grad"),
        pytest.param(lambda x, v: hvp(lambda x: loss(x, W))(x, v), id="hvp"),
        pytest.param(lambda x, v: jacobian(lambda x: layer(x, W))(x), id="jacobian"),
        pytest.param(lambda x, v: hessian(lambda x: loss(x, W))(x), id="hessian"),
    ],
)
def test_no_pass_goes_into_what_computed_the_arguments(derivative: Callable[[Any, Any], Any]) -> None:
    """It would cost more at each step of an iteration."""
    visited: list[bool] = []
    x, v = Variable(X) * 2.0, F.sin(Variable(X))
    for step in (x, v):
        watched_nodes[weakref.ref(step.node)] = visited.append
    try:
        derivative(x, v)
    finally:
        watched_nodes.clear()
    assert not visited
