"""What wrong uses of the transforms are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.transforms import grad, hessian, hvp, jacobian, jvp, nth_derivative, vjp

X = np.array([0.3, -0.7, 1.1])


def double(x: Any) -> Any:
    return x * 2


ERRORS = [
    (lambda: grad(double)(X), ValueError, r"grad: double returned shape \(3,\); expected a single number.*jacobian"),
    (lambda: hessian(double)(X), ValueError, r"hessian: double returned shape \(3,\)"),
    (lambda: hvp(double, X, X), ValueError, r"hvp: double returned shape \(3,\)"),
    (lambda: grad(lambda x: x.data)(X), TypeError, r"grad: <lambda> returned an ndarray; .*has lost its gradient"),
    (lambda: grad(lambda x: 3.0)(X), TypeError, "returned a float; expected a Variable"),
    (lambda: grad(lambda x: None)(X), TypeError, "returned None; expected a Variable"),
    (lambda: grad(lambda x: (x, x))(1.0), TypeError, "returned a tuple; expected one Variable"),
    (lambda: vjp(lambda x: [x, {"a": 1}], X), TypeError, r"returned an int at \[1\]\['a'\]"),
    (lambda: grad(double)("text"), TypeError, "argument 0 of double is a str; expected real numbers or an array"),
    (lambda: grad(double)({"a": [1.0, "b"]}), TypeError, r"argument 0 of double at \['a'\]\[1\] is a str"),
    (lambda: grad(double)(True), TypeError, "is a bool; expected real numbers"),
    (
        lambda: grad(double)(np.arange(3)),
        TypeError,
        "argument 0 of double holds int64; expected floating-point",
    ),
    (lambda: grad(double)(Variable(np.arange(3))), TypeError, "holds int64"),
    (lambda: grad(double)(np.ones(2, complex)), TypeError, "complex128"),
    (lambda: grad(double, "y")(X), TypeError, "wrt is 'y'; expected an argument of double: 'x'"),
    (lambda: grad(double, 1)(X), TypeError, "wrt is 1; expected an argument of double"),
    (lambda: grad(double)(), TypeError, "wrt is 0; .*none was given"),
    (lambda: grad(double, (0, "x"))(X), TypeError, "names an argument of double twice"),
    (lambda: grad(double, -1), TypeError, "wrt is -1; expected the position or the name"),
    (lambda: grad(double, ()), TypeError, r"wrt is \(\)"),
    (lambda: grad(double, (0, 0)), TypeError, r"wrt is \(0, 0\)"),
    (lambda: jacobian(double, 1.5), TypeError, "jacobian: wrt is 1.5"),
    (lambda: jvp(double, X, np.ones(2)), ValueError, r"jvp: the tangent has shape \(2,\); expected \(3,\)"),
    (lambda: jvp(double, X, (X,)), TypeError, "jvp: the tangent is a tuple of 1; expected an array"),
    (lambda: jvp(double, (X,), X), TypeError, "jvp: the tangent is an ndarray; expected a tuple of 1"),
    (lambda: hvp(grad, {"a": 1.0}, {"b": 1.0}), TypeError, "grad: fn is a dict; expected a function"),
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


@each(("call", "error", "message"), ERRORS)
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
