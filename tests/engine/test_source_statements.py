"""Statements of the source documents that no other test is about."""

from __future__ import annotations

import ctypes
import ctypes.util

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.gradcheck import numerical_grad


@pytest.mark.source("CI-01")
def test_the_graph_is_what_ran() -> None:
    def program(x: Variable, steps: int) -> Variable:
        y = x
        for _ in range(steps):
            y = y * x if y.item() < 20 else y + x
        return y

    for steps, power, extra in ((0, 1, 0), (2, 3, 0), (3, 3, 1), (5, 3, 3)):  # 3 ** 3 is 27: from there on it adds
        x = Variable(3.0)
        y = program(x, steps)
        y.backward()
        assert (y.item(), x.grad.item()) == (3.0**power + extra * 3.0, power * 3.0 ** (power - 1) + extra)
    assert program(Variable(3.0), 0).creator is None


@pytest.mark.source("X3")
def test_a_gradient_is_a_variable() -> None:
    x = Variable(np.ones(2, np.float32))
    (x * x).sum().backward()
    assert type(x.grad) is Variable and type(x.grad.data) is np.ndarray
    assert type(grad((x * x).sum(), x)) is Variable


@pytest.mark.source("DZ-05")
@pytest.mark.parametrize("data", ["text", None, object(), {"a": 1.0}, np.array(["text"]), np.array([1j])])
def test_what_holds_no_numbers_is_no_data(data: object) -> None:
    with pytest.raises(TypeError, match=r"Variable: data: got .*expected real numbers"):
        Variable(data)


@pytest.mark.source("DZ-17")
def test_the_names_are_importable_from_the_top() -> None:
    names = ("Variable", "Parameter", "FunctionNode", "grad", "using_config", "no_grad", "config", "as_variable")
    assert all(hasattr(autolab, name) for name in names)
    assert set(names) <= set(dir(autolab))
    assert hasattr(autolab.authoring, "SimpleFunction")


@pytest.mark.source("DZ-49")
def test_automatic_differentiation_loses_no_digits_and_runs_once() -> None:
    runs = 0

    def program(x: np.ndarray | Variable) -> np.ndarray | Variable:
        nonlocal runs
        runs += 1
        return F.sum(F.exp(x) * F.sin(x))

    points = np.linspace(0, 2, 50)
    exact = np.exp(points) * (np.sin(points) + np.cos(points))
    x = Variable(points)
    automatic = grad(program(x), x).data
    assert runs == 1
    moved = points.copy()
    (numeric,) = numerical_grad(lambda: (program(moved),), (moved,), (np.ones(()),), eps=1e-3)
    assert runs >= 1 + 2 * points.size
    assert np.abs(automatic - exact).max() < 1e-14
    assert 1e-9 < np.abs(numeric - exact).max() < 1e-4


@pytest.mark.source("PT-21")
def test_an_operation_in_c_gets_a_gradient() -> None:
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.tgamma.restype = library.lgamma.restype = ctypes.c_double
    library.tgamma.argtypes = library.lgamma.argtypes = [ctypes.c_double]

    def digamma(x: float) -> float:
        return (library.lgamma(x + 1e-5) - library.lgamma(x - 1e-5)) / 2e-5

    class Gamma(FunctionNode):
        def forward(self, inputs):
            (x,) = inputs
            self.retain_inputs((0,))
            self.retain_outputs((0,))
            return (np.vectorize(library.tgamma)(x),)

        def backward(self, target_input_indexes, grad_outputs):
            (x,), (y,) = self.get_retained_inputs(), self.get_retained_outputs()
            return (grad_outputs[0] * y * np.vectorize(digamma)(x.data),)

    x = Variable([1.0, 2.0, 5.0])
    (y,) = Gamma().apply((x,))
    y.grad = np.ones(3)
    y.backward()
    np.testing.assert_allclose(y.data, [1.0, 1.0, 24.0])
    np.testing.assert_allclose(x.grad.data, [-0.5772156649, 0.4227843351, 24 * 1.5061176684], rtol=1e-8)
