"""What a Variable of DeZero's can do, and its higher gradients, under DeZero's names."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest

import autolab
from autolab.compat import dezero
from autolab.compat.dezero import Function, Parameter, Variable
from autolab.compat.dezero import functions as F
from autolab.engine.errors import ReuseError


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return 2 * x * gy


class Twice(Function):
    """Two results."""

    def forward(self, x0, x1):
        return x0 + x1, x0 * x1

    def backward(self, g0, g1):
        x0, x1 = self.inputs
        return g0 + g1 * x1, g0 + g1 * x0


@pytest.mark.source("DZ-14")
def test_what_a_variable_says_of_itself():
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]), name="x")
    assert (x.name, x.shape, x.ndim, x.size, len(x), x.dtype) == ("x", (2, 3), 2, 6, 2, np.dtype(np.int64))
    assert repr(x) == "variable([[1 2 3]\n          [4 5 6]])" and repr(Variable(np.array(1.0))) == "variable(1.0)"


@pytest.mark.source("DZ-15", "DZ-16")
def test_operators_take_numbers_and_arrays_on_either_side():
    x, a = Variable(np.array(2.0)), np.array(3.0)
    results = [x + a, a + x, x * 3.0, 3 * x, x - a, a - x, x / a, a / x, -x, x**3, 1 / x, np.float64(3.0) * x]
    assert [float(y.data) for y in results] == pytest.approx([5, 5, 6, 6, -1, 1, 2 / 3, 1.5, -2, 8, 0.5, 6])
    assert {type(y) for y in results} == {Variable}
    y = np.ones((2, 3)) * Variable(np.ones(3))
    assert type(y) is Variable and y.shape == (2, 3)
    assert dezero.as_variable(x) is x and type(dezero.as_variable(a)) is Variable
    with pytest.raises(TypeError):
        dezero.as_variable(1.0)


@pytest.mark.source("DZ-17")
def test_the_names_are_importable_from_the_top():
    for name in ["Variable", "Function", "using_config", "no_grad", "as_array", "as_variable", "setup_variable"]:
        assert callable(getattr(dezero, name))
    dezero.setup_variable()
    from autolab.compat.dezero import core, core_simple

    assert core_simple.Variable is core.Variable is Variable


@pytest.mark.source("DZ-20")
def test_gradient_descent_on_the_rosenbrock_function():
    x0, x1 = Variable(np.array(0.0)), Variable(np.array(2.0))
    for i in range(1000):
        y = 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        if i == 0:
            assert (float(x0.grad.data), float(x1.grad.data)) == (-2, 400)
        x0.data -= 0.001 * x0.grad.data
        x1.data -= 0.001 * x1.grad  # as with DeZero's first core, where gradients were arrays
    assert type(x1.data) is np.ndarray
    assert (float(x0.data), float(x1.data)) == pytest.approx((0.683711857, 0.465952684), abs=1e-9)


@pytest.mark.source("DZ-21", "X3", "X8")
def test_gradients_have_a_graph_on_request():
    x = Variable(np.array(2.0))
    y = x**2
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    z = gx**3 + y
    z.backward()
    assert float(x.grad.data) == 100 and type(gx) is Variable
    x.cleargrad()
    y.backward()
    y.backward()
    assert x.grad.creator is None and float(x.grad.data) == 8


@pytest.mark.source("DZ-23")
@pytest.mark.parametrize("function", [F.sin, F.cos, F.tanh])
def test_sin_cos_tanh_of_every_order(function):
    x = Variable(np.array(1.0))
    y = function(x)
    y.backward(create_graph=True)
    for _ in range(3):
        gx = x.grad
        x.cleargrad()
        gx.backward(create_graph=True)
    expected = autolab.transforms.nth_derivative(getattr(autolab.functions, function.__name__), 4)(1.0)
    assert float(x.grad.data) == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.source("X9")
def test_an_object_is_called_once():
    f, x = Square(), Variable(np.array(1.0))
    f(x)
    with pytest.raises(ReuseError, match=r"^Square: this object was applied before"):
        f(x)


@pytest.mark.source("X6")
def test_float32_beside_float64_is_float64():
    y = Variable(np.ones(2, np.float32)) * Variable(np.ones(2))
    assert y.dtype == np.float64


@pytest.mark.source("DZ-33")
def test_a_parameter_is_a_variable_that_isinstance_tells():
    x, p = Variable(np.array(1.0)), Parameter(np.array(2.0), name="p")
    y = x * p
    assert isinstance(p, Parameter) and not isinstance(x, Parameter) and not isinstance(y, Parameter)
    assert isinstance(p, autolab.Parameter) and repr(Parameter(None)) == "variable(None)"
    later = Parameter(None, name="W")
    later.data = np.ones(2)
    F.sum(later * later).backward()
    assert later.grad.data.tolist() == [2, 2] and later.name == "W"


def test_copies_are_of_the_same_class():
    p, x = Parameter(np.ones(2), name="W"), Variable(np.array([1, 2]), name="i")
    for twin in (copy.deepcopy(p), pickle.loads(pickle.dumps(p)), p.copy()):
        assert type(twin) is Parameter and twin.name == "W" and twin.data is not p.data
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(twin) is type(x) and repr(twin) == "variable([1 2])"
    assert copy.deepcopy(Parameter(None, name="W")).data is None


def test_a_graph_ends_where_it_is_unchained():
    x = Variable(np.array(2.0))
    h = x * x
    y = h * h
    h.unchain()
    y.backward()
    assert x.grad is None and float(h.grad.data) == 8 and h.creator is None and y.creator is not None


def test_what_a_value_was_computed_from_is_freed():
    x = Variable(np.array(2.0))
    h = Square()(x)
    y = Twice()(h, h)[1]
    node = weakref.ref(x.node)
    y.unchain_backward()
    del x
    assert node() is None and h.creator is None and y.creator is not None
    y.backward()
    assert float(h.grad.data) == 8
    Variable(np.array(1.0)).unchain()
    Variable(np.array(1, np.int8)).unchain_backward()
