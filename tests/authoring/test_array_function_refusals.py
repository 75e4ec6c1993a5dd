"""What the old style refuses: being differentiated twice, used twice, or written wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.each import each
from written import muladd, old_style, shown

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.authoring import Function


def three(*shape: int) -> list[Variable]:
    rng = np.random.default_rng(0)
    return [Variable(rng.uniform(0.5, 2, shape)) for _ in range(3)]


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


FORWARDS = [
    (lambda s, xs: xs[0], TypeError, "forward returned an ndarray; expected a tuple"),
    (lambda s, xs: [xs[0]], TypeError, "forward returned a list; expected a tuple"),
    (lambda s, xs: (Variable(xs[0]),), TypeError, "forward returned a Variable; it works on arrays"),
    (lambda s, xs: (s.retain_inputs((2,)), xs[0])[1:], IndexError, r"retained inputs \(2,\).*there are 2 inputs"),
    (lambda s, xs: (s.retain_inputs(0), xs[0])[1:], TypeError, "retain_inputs: got 0; expected one tuple"),
]


@pytest.mark.source("CO-03")
@pytest.mark.parametrize(("forward", "error", "message"), FORWARDS)
def test_wrong_forward(forward: Any, error: type[Exception], message: str) -> None:
    shown(lambda: old_style(forward)(Variable([1.0, 2.0]), Variable([3.0, 4.0])), error, message)


BACKWARDS = [
    (lambda s, xs, g: (g[0],), ValueError, "returned 1 gradient; expected 2, one per input"),
    (lambda s, xs, g: (g[0],) * 3, ValueError, "returned 3 gradients; expected 2"),
    (lambda s, xs, g: g[0], TypeError, "returned an ndarray; expected a tuple of arrays"),
    (lambda s, xs, g: None, TypeError, "returned None; expected a tuple"),
    (lambda s, xs, g: (g[0], g[0].sum()), ValueError, r"'inputs\[1\]' has shape \(\), .*\(2,\)"),
    (lambda s, xs, g: (g[0], Variable(g[0])), TypeError, "a Variable for input 1; expected an array"),
    (lambda s, xs, g: (1.0, g[0]), TypeError, "a float for input 0; expected an array"),
]


@pytest.mark.source("CO-05", "CN-18")
@each(("backward", "error", "message"), BACKWARDS)
@each("create_graph", [False, True])
def test_wrong_backward(backward: Any, error: type[Exception], message: str, create_graph: bool) -> None:
    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    z = old_style(backward=backward)(x, y)
    z.grad = np.ones(2)
    shown(lambda: z.backward(create_graph=create_graph), error, message)
    assert x.grad is None and y.grad is None


def test_methods_that_are_not_written() -> None:
    x = Variable(2.0)
    shown(lambda: type("Mine", (Function,), {})()(x), NotImplementedError, "write forward")
    half = type("Mine", (Function,), {"forward": lambda self, xs: (xs[0],)})
    shown(lambda: grad(half()(x), x), NotImplementedError, "write backward")


@pytest.mark.source("CO-09", "X9")
def test_an_object_is_used_once() -> None:
    function = old_style()
    x, y = Variable(2.0), Variable(3.0)
    z = function(x, y)
    shown(lambda: function(x, y), autolab.ReuseError, r"make a new one for every call: Mine\(\)")
    assert grad(z, x).item() == 3.0
