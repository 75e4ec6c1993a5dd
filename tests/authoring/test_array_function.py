"""Function, Chainer's old style, statement by statement (SOURCES.md section 1)."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.authoring import Function
from autolab.engine import backend


class MulAdd(Function):
    def forward_cpu(self, inputs):
        x, y, z = inputs
        return (x * y + z,)

    def backward_cpu(self, inputs, grad_outputs):
        x, y, _ = inputs
        (gw,) = grad_outputs
        return gw * y, gw * x, gw


def muladd(x, y, z):
    return MulAdd()(x, y, z)


class Linear(Function):
    def forward(self, inputs):
        x, W, b = inputs
        return (x.dot(W.T) + b,)

    def backward(self, inputs, grad_outputs):
        x, W, _ = inputs
        (gy,) = grad_outputs
        return gy.dot(W), gy.T.dot(x), gy.sum(axis=0)


class ExpAndDouble(Function):
    """Two results; keeps the first, and remembers what backward was given."""

    def forward(self, inputs):
        self.retain_inputs(())
        self.retain_outputs((0,))
        return np.exp(inputs[0]), 2 * inputs[0]

    def backward(self, inputs, grad_outputs):
        self.given = inputs, grad_outputs, self.output_data
        terms = [g * d for g, d in zip(grad_outputs, (self.output_data[0], 2.0), strict=True) if g is not None]
        return (sum(terms),)


def make(forward: Callable[..., Any] | None = None, backward: Callable[..., Any] | None = None) -> Function:
    """A new Function of two inputs called Mine."""
    body = {
        "forward": forward or (lambda self, inputs: (inputs[0] * inputs[1],)),
        "backward": backward or (lambda self, inputs, gs: (gs[0] * inputs[1], gs[0] * inputs[0])),
    }
    return type("Mine", (Function,), body)()


def shown(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "Mine" in str(caught.value) and len(str(caught.value)) <= 300


def three(*shape: int) -> list[Variable]:
    rng = np.random.default_rng(0)
    return [Variable(rng.uniform(0.5, 2, shape)) for _ in range(3)]


@pytest.mark.source("CO-01", "CO-02", "CO-04", "CO-08", "CO-10")
def test_muladd() -> None:
    x, y, z = three(3, 2)
    w = muladd(x, y, z)
    assert type(w) is Variable and isinstance(w.creator, MulAdd) and w.creator.name == "MulAdd"
    np.testing.assert_array_equal(w.data, x.data * y.data + z.data)
    w.grad = gw = np.arange(6.0).reshape(3, 2)
    w.backward()
    for v, expected in ((x, gw * y.data), (y, gw * x.data), (z, gw)):
        np.testing.assert_array_equal(v.grad.data, expected)


@pytest.mark.source("CO-01", "CO-02")
def test_everything_is_a_tuple_of_arrays() -> None:
    seen: list[tuple[Any, ...]] = []

    def forward(self, inputs):
        seen.append(inputs)
        return (inputs[0] * inputs[1],)

    def backward(self, inputs, grad_outputs):
        seen.extend((inputs, grad_outputs))
        return grad_outputs[0], grad_outputs[0]

    for create_graph in (False, True):
        y = make(forward, backward)(Variable(2.0), 3.0) * 4.0
        y.backward(create_graph=create_graph)
    assert all(type(values) is tuple for values in seen)
    assert {type(a) for values in seen for a in values} == {np.ndarray}


@pytest.mark.source("CO-24", "CO-05", "CO-07")
def test_linear() -> None:
    x, W, b = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.ones((4, 3)) * 0.5), Variable(np.ones(4))
    y = Linear()(x, W, b)
    g = np.arange(8.0).reshape(2, 4)
    gx, gW, gb = grad(y, (x, W, b), g)
    np.testing.assert_allclose(gx.data, g @ W.data)
    np.testing.assert_allclose(gW.data, g.T @ x.data)
    np.testing.assert_allclose(gb.data, g.sum(0))


@pytest.mark.source("CO-08", "CO-30", "X11")
def test_several_results_and_an_unused_one() -> None:
    x = Variable([0.5, 1.0])
    results = ExpAndDouble()(x)
    assert type(results) is tuple
    exp, double = results
    F.sum(double).backward()
    inputs, grad_outputs, outputs = exp.creator.given
    assert grad_outputs[0] is None and type(grad_outputs[1]) is np.ndarray
    assert inputs == (None,) and outputs[0] is exp.data and outputs[1] is None
    np.testing.assert_array_equal(x.grad.data, [2.0, 2.0])
    x.cleargrad()
    F.sum(exp * double).backward()
    e = np.exp(x.data)
    np.testing.assert_allclose(x.grad.data, 2 * e + 2 * x.data * e, rtol=1e-15)


def test_inputs_are_retained_unless_they_are_dropped() -> None:
    """T-001-8: retain_inputs(()) drops them here, where all are kept by default."""
    for retained, kept in ((None, (0, 1)), ((), ()), ((1,), (1,))):

        def forward(self, inputs, retained=retained):
            if retained is not None:
                self.retain_inputs(retained)
            return (inputs[0] + inputs[1],)

        def backward(self, inputs, grad_outputs, kept=kept):
            assert [i for i, a in enumerate(inputs) if a is not None] == list(kept) and len(inputs) == 2
            return grad_outputs * 2

        x, y = Variable(2.0), Variable(3.0)
        assert [g.item() for g in grad(make(forward, backward)(x, y), (x, y))] == [1.0, 1.0]


@pytest.mark.source("CO-06", "CO-07")
def test_the_arrays_type_chooses_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(np.ndarray):
        """An array type of another module."""

    module = ModuleType("other")
    vars(module).update(vars(np))
    monkeypatch.setitem(backend.modules, Other, module)

    class Both(MulAdd):
        def forward_gpu(self, inputs):
            return (2 * super().forward_cpu(inputs)[0],)

        def backward_gpu(self, inputs, grad_outputs):
            return tuple([2 * g for g in super().backward_cpu(inputs, grad_outputs)])

    for kind, factor in ((np.ndarray, 1.0), (Other, 2.0)):
        x, y, z = [Variable(np.array([v]).view(kind)) for v in (2.0, 3.0, 4.0)]
        w = Both()(x, y, z)
        w.backward()
        assert [v.item() for v in (w, x.grad, y.grad, z.grad)] == [10 * factor, 3 * factor, 2 * factor, factor]


@pytest.mark.source("CO-26")
def test_attributes_live_until_backward() -> None:
    class Exp(Function):
        def forward(self, inputs):
            self.retain_inputs(())
            self.result = np.exp(inputs[0])
            return (self.result,)

        def backward(self, inputs, grad_outputs):
            return (self.result * grad_outputs[0],)

    x = Variable([0.5, 1.0])
    y = Exp()(x)
    assert y.creator.result is y.data
    np.testing.assert_array_equal(grad(y, x, np.ones(2)).data, np.exp(x.data))


@pytest.mark.source("CO-27")
def test_backward_may_run_again() -> None:
    x, y, z = three(2)
    w = F.sum(muladd(x, y, z))
    w.backward()
    w.backward()
    np.testing.assert_array_equal(x.grad.data, 2 * y.data)


def ancestors(node: Any) -> set[Any]:
    return {node}.union(*[ancestors(parent) for parent in node.parents])


@pytest.mark.source("CO-28")
@pytest.mark.parametrize("through", ["an input", "another input", "the upstream gradient", "only one of its inputs"])
def test_differentiating_twice_fails_loudly(through: str) -> None:
    x, y, z = three(2)
    a = Variable([5.0, 6.0])
    w = F.sum(muladd(x * 1.0, y, z) * a)
    gx, gy = grad(w, (x, y), create_graph=True)
    assert {x.node, y.node, z.node, a.node} <= ancestors(gx.node)
    assert gx.requires_grad and gy.data.tolist() == (x.data * a.data).tolist()
    if through == "only one of its inputs":
        w = F.sum(muladd(x, y.data, z.data) * a.data)
        gx = grad(w, x, create_graph=True)
    target = {"another input": y, "the upstream gradient": a}.get(through, x)
    message = r'^cannot twice-differentiate an old style Function "MulAdd": .*no history.*FunctionNode'
    for create_graph in (False, True):
        with pytest.raises(RuntimeError, match=message) as caught:
            grad(F.sum(gx * gx), target, create_graph=create_graph)
        assert len(str(caught.value)) <= 300
    with pytest.raises(RuntimeError, match=message):
        F.sum(gx + gy).backward()
    assert x.grad is None


@pytest.mark.source("CO-28", "CO-29")
def test_second_derivatives_beside_it_are_no_matter() -> None:
    """Only a path through its gradient is refused, not a graph in which it stands."""
    x, y, z = three()
    w = x * x * x + muladd(y, z, 1.0)
    gx, gy = grad(w, (x, y), create_graph=True)
    assert grad(gx, x).item() == pytest.approx(6 * x.item()) and gy.item() == z.item()
    gx = grad(muladd(x, y, z) * z, z, create_graph=True)  # z * muladd and muladd's own share of z
    with pytest.raises(RuntimeError, match="twice-differentiate"):
        grad(gx, x)
    value_through = grad(muladd(x, y, 0.0) * a_constant(z), x)
    assert value_through.item() == pytest.approx(y.item() * z.item())


def a_constant(v: Variable) -> Variable:
    return Variable(v.data, requires_grad=False)


def test_without_a_graph_nothing_is_refused_or_kept() -> None:
    x, y, z = three()
    with autolab.no_grad():
        w = muladd(x, y, z)
    assert w.creator is None
    assert grad(muladd(x, y, z), x).requires_grad is False


@pytest.mark.source("CO-09", "X9")
def test_an_object_is_used_once() -> None:
    function = make()
    x, y = Variable(2.0), Variable(3.0)
    z = function(x, y)
    shown(lambda: function(x, y), autolab.ReuseError, r"make a new one for every call: Mine\(\)")
    assert grad(z, x).item() == 3.0


FORWARDS = [
    (lambda s, xs: xs[0], TypeError, "forward returned a ndarray; expected a tuple"),
    (lambda s, xs: [xs[0]], TypeError, "forward returned a list; expected a tuple"),
    (lambda s, xs: (Variable(xs[0]),), TypeError, "forward returned a Variable; it works on arrays"),
    (lambda s, xs: (s.retain_inputs((2,)), xs[0])[1:], IndexError, r"retained inputs \(2,\).*there are 2 inputs"),
    (lambda s, xs: (s.retain_inputs(0), xs[0])[1:], TypeError, "retain_inputs: got 0; expected a tuple"),
]


@pytest.mark.source("CO-03")
@pytest.mark.parametrize(("forward", "error", "message"), FORWARDS)
def test_wrong_forward(forward: Any, error: type[Exception], message: str) -> None:
    shown(lambda: make(forward)(Variable([1.0, 2.0]), Variable([3.0, 4.0])), error, message)


BACKWARDS = [
    (lambda s, xs, g: (g[0],), ValueError, "returned 1 gradients; expected 2, one per input"),
    (lambda s, xs, g: (g[0],) * 3, ValueError, "returned 3 gradients; expected 2"),
    (lambda s, xs, g: g[0], TypeError, "returned a ndarray; expected a tuple of arrays"),
    (lambda s, xs, g: None, TypeError, "returned a NoneType; expected a tuple"),
    (lambda s, xs, g: (g[0], g[0].sum()), ValueError, r"'inputs\[1\]' has shape \(\), .*\(2,\)"),
    (lambda s, xs, g: (g[0], Variable(g[0])), TypeError, "a Variable for input 1; expected an array"),
    (lambda s, xs, g: (1.0, g[0]), TypeError, "a float for input 0; expected an array"),
]


@pytest.mark.source("CO-05", "CN-18")
@pytest.mark.parametrize(("backward", "error", "message"), BACKWARDS)
@pytest.mark.parametrize("create_graph", [False, True])
def test_wrong_backward(backward: Any, error: type[Exception], message: str, create_graph: bool) -> None:
    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    z = make(backward=backward)(x, y)
    z.grad = np.ones(2)
    shown(lambda: z.backward(create_graph=create_graph), error, message)
    assert x.grad is None and y.grad is None


def test_methods_that_are_not_written() -> None:
    x = Variable(2.0)
    shown(lambda: type("Mine", (Function,), {})()(x), NotImplementedError, "write forward")
    half = type("Mine", (Function,), {"forward": lambda self, xs: (xs[0],)})
    shown(lambda: grad(half()(x), x), NotImplementedError, "write backward")


def test_none_means_no_dependence_and_gradients_get_their_inputs_dtype() -> None:
    x, y = Variable(np.ones(2, np.float32)), Variable(np.ones(2))
    for create_graph in (False, True):
        z = make(backward=lambda s, xs, g: (g[0].astype(np.float64), None))(x, y)
        gx, gy = grad(z, (x, y), np.ones(2), create_graph=create_graph)
        assert gx.dtype == np.float32 and gy is None


@pytest.mark.source("CO-29", "CN-16")
def test_old_and_new_style_in_one_graph() -> None:
    class NewMulAdd(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1))
            return (inputs[0] * inputs[1] + inputs[2],)

        def backward(self, target_input_indexes, grad_outputs):
            x, y = self.get_retained_inputs()
            return grad_outputs[0] * y, grad_outputs[0] * x, grad_outputs[0]

    x, y, z = three(2)
    mixed = F.sum(F.tanh(muladd(NewMulAdd().apply((x, y, z))[0], x, z)))
    plain = F.sum(F.tanh((x * y + z) * x + z))
    for got, expected in zip(grad(mixed, (x, y, z)), grad(plain, (x, y, z)), strict=True):
        np.testing.assert_allclose(got.data, expected.data, rtol=1e-13)
