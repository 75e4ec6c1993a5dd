"""The statements about DeZero's core, under DeZero's names."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

from autolab.compat import dezero
from autolab.compat.dezero import Function, Variable
from autolab.compat.dezero import functions as F
from autolab.engine.errors import GradientCountError


class Square(Function):
    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return 2 * x * gy


class Exp(Function):
    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        return gy * self.outputs[0]()


class Twice(Function):
    """Two results."""

    def forward(self, x0, x1):
        return x0 + x1, x0 * x1

    def backward(self, g0, g1):
        x0, x1 = self.inputs
        return g0 + g1 * x1, g0 + g1 * x0


def array(*values: float) -> np.ndarray:
    return np.array(values)


@pytest.mark.source("DZ-01", "DZ-03")
def test_a_function_takes_arrays_out_of_variables_and_puts_its_result_into_one():
    x = Variable(np.array(0.5))
    assert (x.grad, x.creator) == (None, None) and x.data.shape == ()
    a = Square()(x)
    b = Exp()(a)
    y = Square()(b)
    y.backward()
    assert isinstance(y.creator, Square) and type(y) is type(a) is type(x.grad) is Variable
    assert x.grad.data == pytest.approx(3.297442541400256, abs=1e-12)


@pytest.mark.source("DZ-02")
def test_the_base_class_computes_nothing():
    with pytest.raises(NotImplementedError):
        Function()(Variable(np.array(1.0)))
    with pytest.raises(NotImplementedError):
        Function().backward()


@pytest.mark.source("DZ-03", "X12", "DZ-31")
def test_settings_go_through_init_and_a_missing_gradient_is_none():
    class Scale(Function):
        def __init__(self, c):
            self.c = c

        def forward(self, x, t):
            return x * self.c

        def backward(self, gy):
            return gy * self.c  # nothing for t

    x, t = Variable(np.array(2.0)), np.array(1.0)
    y = Scale(3.0)(x, t)
    y.backward()
    assert float(x.grad.data) == 3 and float(y.data) == 6
    with pytest.raises(GradientCountError, match=r"Scale\.backward returned 1 gradient, none for input 1 \(t\)"):
        Scale(3.0)(x, Variable(t)).backward()


@pytest.mark.source("DZ-04", "X1")
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (1, 1)])
def test_backward_begins_with_ones_of_any_shape(shape):
    x = Variable(np.full(shape, 3.0))
    y = x * x
    y.backward()
    assert x.grad.shape == shape and (x.grad.data == 6).all() and y.grad is None


@pytest.mark.source("DZ-04")
def test_backward_is_no_recursion():
    x = Variable(np.array(1.0))
    y = x
    for _ in range(20_000):
        y = y + 1
    y.backward()
    assert float(x.grad.data) == 1 and y.generation == 20_000


@pytest.mark.source("DZ-05")
@pytest.mark.parametrize("data", [1.0, 3, [1.0], "1", np.float64(1.0), object(), Variable(np.array(1.0))])
def test_a_variable_takes_arrays_alone(data):
    with pytest.raises(TypeError) as caught:
        Variable(data)
    assert str(caught.value) == f"{type(data)} is not supported"
    assert repr(Variable(None)) == "variable(None)" and Variable(None).data is None


@pytest.mark.parametrize("data", [np.array(["a"]), np.array([1j]), np.array([None]), np.ma.array([1.0], mask=[True])])
def test_what_are_no_numbers_is_refused_as_anywhere(data):
    with pytest.raises(TypeError, match=r"^Variable: data: got "):
        Variable(data)


@pytest.mark.source("DZ-06")
def test_results_without_axes_are_arrays():
    assert isinstance(Square()(Variable(np.array(3.0))).data, np.ndarray)
    assert isinstance(dezero.as_array(2.0), np.ndarray) and dezero.as_array([1]) == [1]


@pytest.mark.source("DZ-07", "X11")
def test_several_results_are_a_list():
    x0, x1 = Variable(np.array(2.0)), Variable(np.array(3.0))
    results = Twice()(x0, x1)
    assert type(results) is list and [float(y.data) for y in results] == [5, 6]
    (results[0] * results[1]).backward()
    assert (float(x0.grad.data), float(x1.grad.data)) == (6 + 5 * 3, 6 + 5 * 2)


@pytest.mark.source("DZ-08", "DZ-09", "DZ-22")
def test_gradients_add_up_until_they_are_cleared():
    x = Variable(np.array(3.0))
    (x + x + x).backward()
    assert float(x.grad.data) == 3
    (x + x).backward()
    assert float(x.grad.data) == 5
    x.cleargrad()
    assert x.grad is None
    y = x**4 - 2 * x**2
    y.backward(create_graph=True)
    assert float(x.grad.data) == 96
    gx = x.grad
    gx.backward()
    assert float(x.grad.data) == 96 + 104


@pytest.mark.source("DZ-10")
def test_generations_and_a_diamond():
    x = Variable(np.array(2.0))
    a = Square()(x)
    y = Square()(a) + Square()(a)
    assert (x.generation, a.generation, y.generation) == (0, 1, 3)
    y.backward()
    assert (float(y.data), float(x.grad.data)) == (32, 64)
    assert Twice()(a, a)[1].generation == 2


@pytest.mark.source("DZ-11")
def test_a_dropped_graph_is_freed_at_once():
    gc.disable()
    try:
        x = Variable(np.ones(3))
        h = Square()(x)
        y = F.sum(Square()(h) * Twice()(h, h)[0])
        y.backward()
        node = weakref.ref(h.node)
        del y, h
        assert node() is None
    finally:
        gc.enable()


@pytest.mark.source("DZ-12", "X2")
def test_gradients_in_between_are_kept_on_request():
    x0, x1 = Variable(np.array(1.0)), Variable(np.array(1.0))
    t = x0 + x1
    y = x0 + t
    y.backward()
    assert (y.grad, t.grad) == (None, None) and float(x0.grad.data) == 2
    y.backward(retain_grad=True)
    assert (float(y.grad.data), float(t.grad.data)) == (1, 1)
    y.backward(retain_grad=True)  # in DeZero what was kept counts again
    assert float(t.grad.data) == 1 and float(x0.grad.data) == 6


@pytest.mark.source("X2")
def test_a_start_gradient_of_ones_does_not_stay_after_an_error_and_one_of_the_users_does():
    class Fails(Function):
        def forward(self, x):
            return x

        def backward(self, gy):
            raise ZeroDivisionError

    x = Variable(np.ones(2))
    y = Fails()(x)
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert (y.grad, x.grad) == (None, None)
    z = x * 2
    z.grad = Variable(array(1.0, 10.0))
    z.backward()
    assert x.grad.data.tolist() == [2, 20] and z.grad is None  # as in DeZero


@pytest.mark.source("DZ-13", "X10")
def test_modes_come_back_and_are_those_of_the_thread():
    x = Variable(np.array(2.0))
    with pytest.raises(KeyError), dezero.no_grad():
        seen: list[bool] = []
        thread = threading.Thread(target=lambda: seen.append(dezero.Config.enable_backprop))
        thread.start()
        thread.join()
        y = x**2
        assert y.creator is None and seen == [True] and not dezero.Config.enable_backprop
        raise KeyError
    with dezero.using_config("train", False):
        assert not dezero.Config.train
    with dezero.test_mode():
        assert not dezero.Config.train
    assert dezero.Config.train and dezero.Config.enable_backprop and (x**2).creator is not None


def test_the_inputs_of_a_function_are_the_variables_that_were_given():
    x = Variable(array(1.0, 2.0))
    y = Square()(x)
    assert y.creator.inputs[0] is x
    x.data = array(5.0, 6.0)  # backward still has what was computed with
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [2, 4])


def test_an_input_may_be_none():
    class Line(Function):
        def forward(self, x, W, b=None):
            return x * W if b is None else x * W + b

        def backward(self, gy):
            x, W, b = self.inputs
            return gy * W, gy * x, None if b.data is None else gy

    x, W, b = Variable(array(1.0, 2.0)), Variable(array(3.0, 4.0)), Variable(array(5.0, 6.0))
    y = Line()(x, W, None)
    y.backward()
    assert y.data.tolist() == [3, 8] and x.grad.data.tolist() == [3, 4] and W.grad.data.tolist() == [1, 2]
    y = Line()(x, W, b)
    y.backward()
    assert y.data.tolist() == [8, 14] and b.grad.data.tolist() == [1, 1]
    y = dezero.functions.exp(dezero.functions.sin(x))
    assert y.creator.inputs[0].creator.inputs[0] is x


def test_what_scripts_of_the_book_ask_first():
    assert not dezero.is_simple_core and float(Variable(array(2.0).reshape(1, 1))) == 2
    with pytest.raises(TypeError, match=r"^<class 'float'> is not supported$"):
        Variable(1.0)
