"""Functions of functions: closed forms, other engines, structures, composition."""

from __future__ import annotations

import inspect
import math
from collections import OrderedDict, defaultdict, namedtuple
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
from autolab.transforms import grad, hessian, hvp, jacobian, jvp, nth_derivative, value_and_grad, vjp

X = np.array([0.3, -0.7, 1.1])
W = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.4]])


def layer(x: Any, w: Any) -> Any:
    return F.tanh(F.matmul(w, x)) * 2.0


def loss(x: Any, w: Any) -> Any:
    return F.sum(layer(x, w) ** 2) + F.sum(x**3)


def layer_reference(x: Any, w: Any) -> Any:
    return anp.tanh(anp.matmul(w, x)) * 2.0


def loss_reference(x: Any, w: Any) -> Any:
    return anp.sum(layer_reference(x, w) ** 2) + anp.sum(x**3)


def close(got: Variable, expected: Any, rtol: float = 1e-11) -> None:
    assert type(got) is Variable
    np.testing.assert_allclose(got.data, expected, rtol=rtol, atol=1e-13)


# ---------------------------------------------------------------------- against another engine
@pytest.mark.parametrize("wrt", [0, 1])
def test_against_hips_autograd(wrt: int) -> None:
    point, rng = (X, W), np.random.default_rng(0)
    v = rng.normal(size=point[wrt].shape)
    close(grad(loss, wrt)(*point), autograd.grad(loss_reference, wrt)(*point))
    close(jacobian(layer, wrt)(*point), autograd.jacobian(layer_reference, wrt)(*point))
    close(hessian(loss, wrt)(*point), autograd.hessian(loss_reference, wrt)(*point))
    close(hvp(loss, point, v, wrt=wrt), autograd.hessian_vector_product(loss_reference, wrt)(*point, v))
    value, tangent = jvp(layer, point, v, wrt=wrt)
    close(value, layer_reference(*point))
    expected = np.tensordot(autograd.jacobian(layer_reference, wrt)(*point), v, axes=v.ndim)
    close(tangent, expected)
    value, pull = vjp(layer, point, wrt=wrt)
    g = rng.normal(size=2)
    close(pull(g), autograd.make_vjp(layer_reference, wrt)(*point)[0](g))
    close(pull(2 * g), 2 * pull(g).data)


def test_third_and_fourth_order_by_composition() -> None:
    close(jacobian(hessian(loss))(X, W), autograd.jacobian(autograd.hessian(loss_reference))(X, W), 1e-10)
    along = grad(lambda x: F.sum(hvp(lambda z: loss(z, W), x, X * 2) * X))
    reference = autograd.grad(
        lambda x: anp.sum(autograd.hessian_vector_product(lambda z: loss_reference(z, W))(x, X * 2) * X)
    )
    close(along(X), reference(X), 1e-10)
    close(jacobian(along)(X), autograd.jacobian(reference)(X), 1e-10)


# ---------------------------------------------------------------------- closed forms
@pytest.mark.parametrize("n", range(7))
def test_nth_derivative(n: int) -> None:
    x = np.array([0.4, -1.2])
    close(nth_derivative(F.exp, n)(x), np.exp(x))
    close(nth_derivative(F.sin, n)(x), np.sin(x + n * np.pi / 2))
    close(nth_derivative(lambda x: x**4, n)(x), math.perm(4, n) * x ** max(4 - n, 0))
    close(nth_derivative(lambda k, x: F.exp(k * x), n, wrt="x")(3.0, 0.5), 3.0**n * np.exp(1.5))
    composed: Callable[..., Any] = nth_derivative(F.sin, 0)
    for _ in range(n):
        composed = grad(composed)
    close(composed(0.4), np.sin(0.4 + n * np.pi / 2))


def test_hessian_of_a_quadratic_form_and_of_several_arguments() -> None:
    A = np.arange(9.0).reshape(3, 3)
    close(hessian(lambda x: F.matmul(x, F.matmul(A, x)))(X), A + A.T)
    h = hessian(lambda x, y: F.sum(x * x) * y, wrt=("x", "y"))(X, 2.0)
    close(h[0][0], 4 * np.eye(3))
    close(h[0][1], 2 * X)
    close(h[1][0], 2 * X)
    close(h[1][1], 0.0)


def test_shapes() -> None:
    x = np.ones((2, 3))
    assert jacobian(lambda x: F.sum(x, axis=0))(x).shape == (3, 2, 3)
    assert jacobian(lambda x: x * 2)(1.0).shape == ()
    assert hessian(lambda x: F.sum(x**2))(x).shape == (2, 3, 2, 3)
    empty = jacobian(lambda x: x * 2)(np.ones(0))
    assert empty.shape == (0, 0)
    assert grad(lambda x: F.sum(x))(np.ones((0, 2))).shape == (0, 2)
    assert grad(lambda x: F.sum(x * 2, axis=0))(np.ones((1, 1))[0]).shape == (1,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_derivatives_have_their_arguments_dtype(dtype: type) -> None:
    x = np.ones(2, dtype)
    for made in (grad(lambda x: F.sum(x * x)), jacobian(lambda x: x * x), nth_derivative(F.exp, 2)):
        assert made(x).dtype == dtype
    assert jvp(F.exp, x, np.ones(2))[1].dtype == dtype
    assert hvp(lambda x: F.sum(x**3), x, [1.0, 2.0][0] * np.ones(2)).dtype == dtype


# ---------------------------------------------------------------------- structures and the choice of arguments
def test_nested_structures() -> None:
    Pair = namedtuple("Pair", "first second")
    params = {"a": [1.0, np.array([2.0, 3.0])], "b": (Pair(Variable(4.0), None), ())}

    def f(p: Any) -> Any:
        return F.sum(p["a"][1]) * p["a"][0] + p["b"][0].first ** 2

    value, g = value_and_grad(f)(params)
    assert value.item() == 21.0
    assert list(g) == ["a", "b"] and type(g["a"]) is list and type(g["b"][0]) is Pair
    assert (g["a"][0].item(), g["a"][1].data.tolist(), g["b"][0].first.item()) == (5.0, [1.0, 1.0], 8.0)
    assert g["b"][0].second is None and g["b"][1] == ()
    assert params["a"][0] == 1.0 and type(params["b"][0].first) is Variable
    h = hessian(f)(params)
    assert h["a"][0]["a"][1].data.tolist() == [1.0, 1.0] and h["b"][0].first["b"][0].first.item() == 2.0
    assert h["a"][1]["a"][0].shape == (2,) and h["a"][1]["b"][0].first.data.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", [dict, OrderedDict, lambda pairs: defaultdict(list, pairs)])
def test_kinds_of_dicts_stay(kind: Any) -> None:
    g = grad(lambda d: d["x"] * d["y"])(kind([("x", 2.0), ("y", 3.0)]))
    assert type(g) is type(kind([])) and (g["x"].item(), g["y"].item()) == (3.0, 2.0)


def test_structures_in_results() -> None:
    def f(x: Any) -> Any:
        return {"double": x * 2, "rest": [F.sum(x), (x * x,)]}

    j = jacobian(f)(X)
    close(j["double"], 2 * np.eye(3))
    close(j["rest"][0], np.ones(3))
    close(j["rest"][1][0], np.diag(2 * X))
    value, tangent = jvp(f, X, np.ones(3))
    close(tangent["rest"][1][0], 2 * X)
    close(value["rest"][0], X.sum())
    _, pull = vjp(f, X)
    close(pull({"double": np.ones(3), "rest": [1.0, (np.zeros(3),)]}), np.full(3, 3.0))


def test_the_choice_of_arguments() -> None:
    def f(x: Any, y: Any, *, z: Any) -> Any:
        return x * y**2 * z**3

    assert grad(f)(2.0, 3.0, z=1.0).item() == 9.0
    assert grad(f, 1)(2.0, 3.0, z=1.0).item() == grad(f, "y")(2.0, 3.0, z=1.0).item() == 12.0
    assert grad(f, 1)(2.0, y=3.0, z=1.0).item() == grad(f, "x")(y=2.0, x=3.0, z=1.0).item() * 3.0
    assert [g.item() for g in grad(f, ("z", 0))(2.0, 3.0, z=1.0)] == [54.0, 9.0]
    assert grad(f, (0,))(2.0, 3.0, z=1.0)[0].item() == 9.0
    assert [g.item() for g in vjp(lambda x, y: x * y, (2.0, 3.0))[1](1.0)] == [3.0, 2.0]
    assert vjp(lambda x, y: x * y, (2.0, 3.0), wrt="y")[1](1.0).item() == 2.0
    assert jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))[1].item() == 23.0
    assert [v.item() for v in hvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))] == [10.0, 1.0]
    assert grad(lambda *xs: xs[0] * xs[1], 1)(2.0, 3.0).item() == 2.0


def test_other_arguments_pass_through() -> None:
    def f(x: Any, how: str, flag: Any = None) -> Any:
        assert how == "square" and flag is marker
        return x * x

    marker = object()
    assert grad(f)(3.0, "square", flag=marker).item() == 6.0


def test_made_functions_can_be_looked_at() -> None:
    def f(x: Any, scale: float = 2.0) -> Any:
        """About f."""
        return x * scale

    for make in (grad, value_and_grad, jacobian, hessian, lambda f: nth_derivative(f, 2)):
        made = make(f)
        assert str(inspect.signature(made)) == str(inspect.signature(f))
        assert made.__name__.endswith("(f)") and made.__doc__ != f.__doc__
    assert grad(grad(f)).__name__ == "grad(grad(f))"


# ---------------------------------------------------------------------- composition
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


# ---------------------------------------------------------------------- errors
def double(x: Any) -> Any:
    return x * 2


ERRORS = [
    (lambda: grad(double)(X), ValueError, r"grad: double returned shape \(3,\); expected a single number.*jacobian"),
    (lambda: hessian(double)(X), ValueError, r"hessian: double returned shape \(3,\)"),
    (lambda: hvp(double, X, X), ValueError, r"hvp: double returned shape \(3,\)"),
    (lambda: grad(lambda x: x.data)(X), TypeError, r"grad: <lambda> returned a ndarray; .*has lost its gradient"),
    (lambda: grad(lambda x: 3.0)(X), TypeError, "returned a float; expected a Variable"),
    (lambda: grad(lambda x: None)(X), TypeError, "returned None; expected a Variable"),
    (lambda: grad(lambda x: (x, x))(1.0), TypeError, "returned a tuple; expected one Variable"),
    (lambda: vjp(lambda x: [x, {"a": 1}], X), TypeError, r"returned a int at \[1\]\['a'\]"),
    (lambda: grad(double)("text"), TypeError, "argument 0 of double is a str; expected numbers or an array"),
    (lambda: grad(double)({"a": [1.0, "b"]}), TypeError, r"argument 0 of double at \['a'\]\[1\] is a str"),
    (lambda: grad(double)(True), TypeError, "is a bool; expected numbers"),
    (
        lambda: grad(double)(np.arange(3)),
        TypeError,
        "argument 0 of double holds int64; derivatives need float",
    ),
    (lambda: grad(double)(Variable(np.arange(3))), TypeError, "holds int64"),
    (lambda: grad(double)(np.ones(2, complex)), TypeError, "complex128"),
    (lambda: grad(double, "y")(X), TypeError, r"double was given no argument 'y' \(wrt\); it was given 'x'"),
    (lambda: grad(double, 1)(X), TypeError, "double was given no argument 1"),
    (lambda: grad(double)(), TypeError, "no argument 0.*given none"),
    (lambda: grad(double, (0, "x"))(X), TypeError, "names an argument of double twice"),
    (lambda: grad(double, -1), TypeError, "wrt is -1; expected the position or the name"),
    (lambda: grad(double, ()), TypeError, r"wrt is \(\)"),
    (lambda: grad(double, (0, 0)), TypeError, r"wrt is \(0, 0\)"),
    (lambda: jacobian(double, 1.5), TypeError, "jacobian: wrt is 1.5"),
    (lambda: jvp(double, X, np.ones(2)), ValueError, r"jvp: the tangent has shape \(2,\); expected \(3,\)"),
    (lambda: jvp(double, X, (X,)), TypeError, "jvp: the tangent is a tuple of 1; expected an array"),
    (lambda: jvp(double, (X,), X), TypeError, "jvp: the tangent is a ndarray; expected a tuple of 1"),
    (lambda: hvp(grad, {"a": 1.0}, {"b": 1.0}), TypeError, "expected a Variable"),
    (lambda: hvp(lambda d: d["a"], {"a": 1.0}, {"b": 1.0}), TypeError, r"a dict with the keys \['b'\].*\['a'\]"),
    (lambda: vjp(double, X)[1](np.ones(2)), ValueError, r"the upstream gradient has shape \(2,\); expected \(3,\)"),
    (lambda: vjp(double, X)[1]("g"), TypeError, "the upstream gradient: got str 'g'"),
    (lambda: nth_derivative(double, -1), TypeError, "n is -1; expected an order"),
    (lambda: nth_derivative(double, 1.0), TypeError, "n is 1.0"),
    (lambda: nth_derivative(double, 1, wrt=(0,)), TypeError, "expected one position or name"),
    (lambda: nth_derivative(F.sum, 1)(X), ValueError, r"returned shape \(\) for an argument of shape \(3,\)"),
    (lambda: nth_derivative(double, 1)([1.0, 2.0]), TypeError, "must take one array"),
    (lambda: nth_derivative(lambda x: (x, x), 1)(1.0), TypeError, "must take one array and return one Variable"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_errors_of_the_function_reach_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        grad(lambda x: 1 / 0)(1.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        grad(lambda x, y: x)(1.0)
    with autolab.no_grad(), pytest.raises(ZeroDivisionError):
        grad(lambda x: 1 / 0)(1.0)


def test_the_module_is_reached_lazily_and_grad_stays_the_engines() -> None:
    assert autolab.transforms.grad is grad
    assert autolab.grad is not grad
    assert "transforms" in dir(autolab) and "authoring" in dir(autolab)
