"""Gradients for solvers: they call a function with plain arrays, and expect plain arrays and numbers."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

import autolab
from autolab import Variable, transforms

TRANSFORMS = {
    "grad": transforms.grad,
    "value_and_grad": transforms.value_and_grad,
    "jacobian": transforms.jacobian,
    "jacfwd": transforms.jacfwd,
    "jacrev": transforms.jacrev,
    "hessian": transforms.hessian,
    "elementwise_grad": transforms.elementwise_grad,
    "grad of grad": lambda f: transforms.jacobian(transforms.grad(f)),
}


def bowl(x):
    return ((x - 1) ** 2).sum()


def solver(name):
    """A function of a library with this name, which calls what it is given."""
    space = {"__name__": name}
    exec("def solve(f, *args, **kwargs):\n    result = f(*args, **kwargs)\n    return result", space)
    return space["solve"]


def kinds(found):
    return {type(one) for one in (found if isinstance(found, tuple) else (found,))}


def test_a_solver_gets_plain_arrays_and_numbers_and_everybody_else_variables(monkeypatch):
    if "scipy" not in sys.modules:  # only where one is imported, the caller matters
        monkeypatch.setitem(sys.modules, "scipy", ModuleType("scipy"))
    x, solve, anybody = np.array([1.0, 3.0]), solver("scipy.optimize._standin"), solver("mine")
    for name, transform in TRANSFORMS.items():
        made = transform(bowl)
        for call in (made, lambda p, made=made: made(p), compiled := autolab.compile(made), compiled):
            found = solve(call, x)
            assert kinds(found) <= {np.ndarray, np.float64}, name
            usual = anybody(call, x)
            assert kinds(usual) == {Variable}, name
            for a, b in zip(*[one if isinstance(one, tuple) else (one,) for one in (found, usual)], strict=True):
                np.testing.assert_array_equal(a, b.data)
    value, gradient = solve(transforms.value_and_grad(bowl), x)
    assert type(value) is np.float64 and value == 4.0 and gradient.tolist() == [0.0, 4.0]
    assert solve(transforms.grad(lambda x, a: (x * a).sum()), x, 2.0).tolist() == [2.0, 2.0]
    used = solve(lambda p: transforms.grad(bowl)(p).data + 0, x)  # who takes .data gets it from a Variable
    assert type(used) is np.ndarray


def test_scipy_runs_unchanged():
    optimize = pytest.importorskip("scipy.optimize")

    def rosen(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    def residuals(x):
        return np.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])

    x0 = np.array([-1.2, 1.0, 0.5])
    for method in ("BFGS", "CG", "L-BFGS-B", "SLSQP", "Newton-CG", "trust-constr"):
        for fn, jac in ((autolab.value_and_grad(rosen), True), (rosen, autolab.grad(rosen))):
            found = optimize.minimize(fn, x0, jac=jac, method=method)
            np.testing.assert_allclose(found.x, 1.0, atol=2e-3)
            assert type(found.x) is np.ndarray
    for method in ("trf", "dogbox", "lm"):
        found = optimize.least_squares(residuals, x0[:2], jac=transforms.jacobian(residuals), method=method)
        np.testing.assert_allclose(found.x, 1.0, atol=1e-6)
    for method in ("hybr", "lm"):
        found = optimize.root(residuals, x0[:2], jac=transforms.jacobian(residuals), method=method)
        np.testing.assert_allclose(found.x, 1.0, atol=1e-6)
    exact = optimize.minimize(rosen, x0, jac=autolab.grad(rosen), hess=transforms.hessian(rosen), method="trust-exact")
    np.testing.assert_allclose(exact.x, 1.0, atol=1e-4)


def test_a_second_point_is_no_switch():
    """``jacobian(f, x, y)`` took y for has_aux: "the truth value of an array is ambiguous", or a function."""

    def f(x, y):
        return (x * y).sum()

    points = [(np.ones(2), np.ones(2)), (1.0, 2.0), (2, 3), (Variable([1.0]), Variable([2.0])), (np.ones(2), None)]
    for transform in (transforms.jacobian, transforms.hessian, transforms.grad, transforms.value_and_grad):
        for x, y in points:
            with pytest.raises(TypeError, match=r"has_aux is .*\(f, wrt=\(0, 1\)\)\(x, y\)"):
                transform(f, x, y)
        with pytest.raises(TypeError, match=rf"at a point it is {transform.__name__}\(f\)\(x\)"):
            transform(f, 1.0)
    with pytest.raises(TypeError, match="has_aux"):
        transforms.jacfwd(f, 0, 1)
    both = transforms.jacobian(f, (np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    assert [one.data.tolist() for one in both] == [[3.0, 4.0], [1.0, 2.0]]


def test_a_function_of_another_library_is_told_what_to_pass():
    """It got a Variable for a number, and only that library's own words came out."""
    words = {
        "sin(): argument 'input' (position 1) must be Tensor, not Variable": "x=torch.tensor(2.0)",
        "expected Tensor as element 0 in argument 0, but got Variable": "x=torch.tensor(2.0)",
        "Argument 'variable(2.0)' of type Variable is not a valid JAX type.": "x=jax.numpy.array(2.0)",
    }
    for said, told in words.items():

        def theirs(x, said=said):
            raise TypeError(said)

        for tool in (autolab.record, autolab.check_gradients, autolab.explore):
            with pytest.raises(TypeError, match="pass ") as caught:
                tool(theirs, x=2.0)
            assert told in str(caught.value) and str(caught.value.__cause__) == said

    def own(x):
        raise TypeError("no such thing")

    with pytest.raises(TypeError, match=r"^no such thing"):
        autolab.record(own, x=2.0)


def test_what_gives_an_array_is_taken_as_one():
    """A column of a table, as those of pandas, is an array to every transform, as it is to Variable."""

    class Column:
        def __array__(self, dtype=None, copy=None):
            return np.asarray([1.5, 3.0], dtype)

    x, column = np.array([1.5, 3.0]), Column()
    for transform in TRANSFORMS.values():
        found, expected = [transform(bowl)(given) for given in (Variable(column), column)]
        for a, b in zip(*[y if isinstance(y, tuple) else (y,) for y in (found, expected)], strict=True):
            np.testing.assert_array_equal(autolab.as_variable(a).data, autolab.as_variable(b).data)
    np.testing.assert_array_equal(transforms.jvp(np.square, (column,), (column,))[1].data, 2 * x * x)
    np.testing.assert_array_equal(transforms.vjp(np.square, column)[1](column).data, 2 * x * x)
