"""SimpleFunction, DeZero's style, statement by statement (SOURCES.md section 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.authoring import SimpleFunction


class Mul(SimpleFunction):
    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs
        return gy * x1, gy * x0


class Tanh(SimpleFunction):
    def forward(self, x):
        return np.tanh(x)

    def backward(self, gy):
        y = self.outputs[0]()
        return gy * (1 - y * y)


class Power(SimpleFunction):
    def __init__(self, c: float) -> None:
        self.c = c

    def forward(self, x):
        return x**self.c

    def backward(self, gy):
        (x,) = self.inputs
        return gy * self.c * x ** (self.c - 1)


class SinCos(SimpleFunction):
    def forward(self, x):
        return np.sin(x), np.cos(x)

    def backward(self, gs, gc):
        self.given = gs, gc
        sin, cos = [output() for output in self.outputs]
        return gs * cos - gc * sin


class Linear(SimpleFunction):
    def forward(self, x, W, b=None):
        y = x.dot(W)
        return y if b is None else y + b

    def backward(self, gy):
        x, W, *b = self.inputs
        return F.matmul(gy, F.transpose(W)), F.matmul(F.transpose(x), gy), F.sum(gy, axis=0) if b else None


class CrossEntropy(SimpleFunction):
    """One gradient for (x, t), as document 002 has it."""

    def forward(self, x, t):
        return -np.log(x[np.arange(len(t)), t]).sum()

    def backward(self, gy):
        x, t = self.inputs
        onehot = np.eye(x.shape[1])[t.data]
        return -gy * onehot / x


def make(forward: Callable[..., Any] | None = None, backward: Callable[..., Any] | None = None) -> SimpleFunction:
    body = {"forward": forward or Mul.forward, "backward": backward or Mul.backward}
    return type("Mine", (SimpleFunction,), body)()


def shown(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "Mine" in str(caught.value) and len(str(caught.value)) <= 300


@pytest.mark.source("DZ-01", "DZ-03")
def test_arrays_forward_variables_backward() -> None:
    seen: list[Any] = []

    class Spy(Mul):
        def forward(self, x0, x1):
            seen.extend((x0, x1))
            return super().forward(x0, x1)

        def backward(self, gy):
            seen.extend((gy, *self.inputs, self.outputs[0]()))
            return super().backward(gy)

    x, y = Variable([2.0, 1.0]), Variable([3.0, 5.0])
    z = Spy()(x, y)
    assert type(z) is Variable and isinstance(z.creator, Spy)
    z.grad = np.ones(2)
    z.backward()
    assert [type(value) for value in seen] == [np.ndarray] * 2 + [Variable] * 4
    assert seen[3].data is x.data and seen[5].data is z.data
    assert (x.grad.data.tolist(), y.grad.data.tolist()) == ([3.0, 5.0], [2.0, 1.0])


@pytest.mark.source("DZ-03", "DZ-23")
@pytest.mark.parametrize("name", ["tanh by its output", "power by its input"])
def test_any_order(name: str) -> None:
    x = Variable([0.3, -0.7])
    if name.startswith("tanh"):
        y, t = Tanh()(x), np.tanh(x.data)
        expected = [1 - t**2, -2 * t * (1 - t**2), (1 - t**2) * (6 * t**2 - 2), 8 * t * (1 - t**2) * (2 - 3 * t**2)]
    else:
        y, a = Power(4.0)(x), x.data
        expected = [4 * a**3, 12 * a**2, 24 * a, np.full(2, 24.0)]
    for value in expected:
        y = grad(y, x, np.ones(2), create_graph=True)
        np.testing.assert_allclose(y.data, value, rtol=1e-13)


def test_outputs_serve_although_nobody_holds_them() -> None:
    """T-002-8: the result of Tanh is dropped at once, and `add` keeps nothing."""
    x = Variable(0.5)
    y = Tanh()(x) + 1.0
    assert grad(y, x).item() == pytest.approx(1 - np.tanh(0.5) ** 2)


@pytest.mark.source("DZ-06")
def test_scalars_become_arrays() -> None:
    y = Power(2.0)(Variable(3.0))
    assert type(y.data) is np.ndarray and y.shape == ()


@pytest.mark.source("DZ-07", "X11")
def test_several_results_and_zeros_for_an_unused_one() -> None:
    x = Variable([0.3, 0.4])
    results = SinCos()(x)
    assert type(results) is tuple
    sin, cos = results
    F.sum(cos).backward()
    gs, gc = cos.creator.given
    assert type(gs) is Variable and gs.data.tolist() == [0.0, 0.0] and gc.data.tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(x.grad.data, -np.sin(x.data))
    y = F.sum(sin * cos)
    for expected in (np.cos(2 * x.data), -2 * np.sin(2 * x.data), -4 * np.cos(2 * x.data)):
        y = F.sum(g := grad(y, x, create_graph=True))
        np.testing.assert_allclose(g.data, expected, rtol=1e-12)


@pytest.mark.source("DZ-31")
def test_linear_with_and_without_bias() -> None:
    x, W, b = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.ones((3, 4))), Variable(np.zeros(4))
    g = np.arange(8.0).reshape(2, 4)
    gx, gW, gb = grad(Linear()(x, W, b), (x, W, b), g)
    np.testing.assert_array_equal(gx.data, g @ W.data.T)
    np.testing.assert_array_equal(gW.data, x.data.T @ g)
    np.testing.assert_array_equal(gb.data, g.sum(0))
    shown_without = grad(make(Linear.forward, lambda self, gy: Linear.backward(self, gy)[:2])(x, W), (x, W), g)
    np.testing.assert_array_equal(shown_without[0].data, gx.data)


@pytest.mark.source("X12")
def test_missing_gradients() -> None:
    """Missing means None, which is an error only for an input that requires a gradient."""
    p = np.array([[0.2, 0.8], [0.5, 0.5]])
    x = Variable(p)
    CrossEntropy()(x, np.array([1, 0])).backward()
    np.testing.assert_allclose(x.grad.data, [[0.0, -1.25], [-2.0, 0.0]])
    one = make(backward=lambda self, gy: gy * self.inputs[1])
    y = Variable(3.0)
    assert grad(one(Variable(2.0), Variable(3.0, requires_grad=False)), y) is None
    for create_graph in (False, True):
        z = make(backward=lambda self, gy: gy * self.inputs[1])(Variable(2.0), y)
        message = r"returned 1 gradient, none for input 1 \(x1\), which requires one; return None"
        shown(lambda z=z, c=create_graph: z.backward(create_graph=c), ValueError, message)
    x = Variable(2.0)
    gx, gy = grad(make(backward=lambda self, g: (g, None))(x, y), (x, y))
    assert gx.item() == 1.0 and gy is None


@pytest.mark.source("DZ-02")
def test_methods_that_are_not_written() -> None:
    x = Variable(2.0)
    shown(lambda: type("Mine", (SimpleFunction,), {})()(x), NotImplementedError, "write forward")
    half = type("Mine", (SimpleFunction,), {"forward": lambda self, x: x})
    shown(lambda: grad(half()(x), x), NotImplementedError, "write backward")


@pytest.mark.source("DZ-16")
def test_arrays_and_numbers_are_constants() -> None:
    x = Variable([1.0, 2.0])
    assert grad(Mul()(x, np.array([3.0, 4.0])), x, np.ones(2)).data.tolist() == [3.0, 4.0]
    assert grad(Mul()(5.0, x), x, np.ones(2)).data.tolist() == [5.0, 5.0]
    assert not Mul()(2.0, 3.0).requires_grad


@pytest.mark.source("DZ-13")
def test_nothing_is_kept_without_a_graph() -> None:
    function = Mul()
    with autolab.no_grad():
        y = function(Variable(2.0), Variable(3.0))
    assert y.creator is None
    with pytest.raises(RuntimeError, match="Mul: nothing was retained"):
        _ = function.inputs


WRONG = [
    ({"backward": lambda s, g: (g,) * 3}, ValueError, "returned 3 gradients; expected 2"),
    ({"backward": lambda s, g: (g.data, g)}, TypeError, "an ndarray for input 0; expected a Variable"),
    ({"backward": lambda s, g: (1.0, g)}, TypeError, "a float for input 0"),
    ({"backward": lambda s, g: (g, g.sum())}, ValueError, r"'x1' has shape \(\), .*\(2,\)"),
    ({"backward": lambda s, g: (g, g * np.ones((3, 1)))}, ValueError, r"\(3, 2\).*sum_to\(g, shape=\(2,\)\)"),
    ({"forward": lambda s, a, b: [a, b]}, TypeError, "forward returned a list; expected an array, or a tuple"),
    ({"forward": lambda s, a, b: Variable(a)}, TypeError, "forward returned a Variable; it works on arrays"),
    ({"forward": lambda s, a, b: None}, TypeError, "forward: a result.*got None"),
    ({"forward": lambda s, a, b: a * 1j}, TypeError, "complex128"),
]


@pytest.mark.parametrize(("methods", "error", "message"), WRONG)
def test_wrong_methods(methods: dict[str, Any], error: type[Exception], message: str) -> None:
    def use() -> None:
        y = make(**methods)(Variable([1.0, 2.0]), Variable([3.0, 4.0]))
        y.grad = np.ones(2)
        y.backward()

    shown(use, error, message)


@pytest.mark.source("X9")
def test_an_object_is_used_once() -> None:
    function = make()
    function(Variable(1.0), Variable(2.0))
    shown(lambda: function(Variable(1.0), Variable(2.0)), autolab.ReuseError, "applied before")
    shown(lambda: make().inputs, RuntimeError, "not been applied yet")
    shown(lambda: make()(Variable(1.0), "text"), TypeError, "Mine: an input.*'text'")
