"""What a FunctionNode that is written or used wrongly is told: always the name of its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import FunctionNode, Variable, grad
from autolab.authoring import ContextFunction, SimpleFunction


def make(forward: Callable[..., Any] | None = None, backward: Callable[..., Any] | None = None) -> FunctionNode:
    """A new FunctionNode of two inputs called Mine."""
    body = {
        "forward": forward or (lambda self, inputs: (inputs[0] * inputs[1],)),
        "backward": backward or (lambda self, indexes, gs: (gs[0], gs[0])),
    }
    return type("Mine", (FunctionNode,), body)()


def shown(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "Mine" in str(caught.value) and len(str(caught.value)) <= 300


def pair() -> tuple[Variable, Variable]:
    return Variable([1.0, 2.0]), Variable([3.0, 4.0])


BACKWARDS = [
    ("too few", lambda s, i, g: (g[0],), ValueError, "returned 1 gradient; expected 2, one per input$"),
    ("too many", lambda s, i, g: (g[0],) * 3, ValueError, "returned 3 gradients; expected 2"),
    ("none at all", lambda s, i, g: (), ValueError, "returned 0 gradients; expected 2"),
    ("wrong shape", lambda s, i, g: (g[0], g[0].sum()), ValueError, r"'inputs\[1\]' has shape \(\), .*\(2,\)"),
    ("not reduced", lambda s, i, g: (g[0] * np.ones((3, 1)), g[0]), ValueError, r"\(3, 2\).*sum_to\(g, shape=\(2,\)\)"),
    ("no tuple", lambda s, i, g: g[0], TypeError, "returned a Variable; expected a tuple"),
    ("None", lambda s, i, g: None, TypeError, "returned None; expected a tuple"),
    ("arrays", lambda s, i, g: (g[0].data, g[0].data), TypeError, "an ndarray for input 0; expected a Variable"),
    ("numbers", lambda s, i, g: (g[0], 1.0), TypeError, "a float for input 1; expected a Variable"),
]


@pytest.mark.source("CN-18")
@each(("label", "backward", "error", "message"), BACKWARDS, ids=[row[0] for row in BACKWARDS])
@each("create_graph", [False, True])
def test_wrong_backward(label: str, backward: object, error: type, message: str, create_graph: bool) -> None:
    x, y = pair()
    (z,) = make(backward=backward).apply((x, y))
    z.grad = np.ones(2)
    shown(lambda: z.backward(create_graph=create_graph), error, message)
    assert x.grad is None and y.grad is None
    expected = {"too few": "GradientCountError", "wrong shape": "GradientShapeError"}.get(label)
    if expected:
        with pytest.raises(getattr(autolab, expected)):
            z.backward()


@pytest.mark.source("CN-18")
def test_the_count_is_judged_by_inputs_and_targets() -> None:
    inputs = (Variable(1.0), Variable(2.0, requires_grad=False), Variable(3.0))
    for count, fine in ((1, False), (2, True), (3, True), (4, False)):
        node = make(lambda self, xs: (xs[0] * xs[2],), lambda self, i, g, n=count: (g[0],) * n)
        (z,) = node.apply(inputs)
        if fine:
            assert [g and g.item() for g in grad(z, inputs)] == [1.0, None, 1.0]
        else:
            shown(
                lambda z=z: grad(z, inputs), ValueError, "expected 3, one per input, or 2, one per input that needs one"
            )


def test_none_means_no_dependence() -> None:
    x, y = pair()
    (z,) = make(backward=lambda self, i, g: (None, g[0])).apply((x, y))
    gx, gy = grad(z, (x, y), np.ones(2))
    assert gx is None
    np.testing.assert_array_equal(gy.data, [1.0, 1.0])


FORWARDS = [
    (lambda s, xs: xs[0], TypeError, "forward returned an ndarray; expected a tuple"),
    (lambda s, xs: [xs[0]], TypeError, "forward returned a list; expected a tuple"),
    (lambda s, xs: None, TypeError, "forward returned None"),
    (lambda s, xs: (Variable(xs[0]),), TypeError, "forward returned a Variable; it works on arrays"),
    (lambda s, xs: ("text",), TypeError, "forward: a result.*str 'text'"),
    (lambda s, xs: (None,), TypeError, "forward: a result.*got None"),
    (lambda s, xs: (xs[0] * 1j,), TypeError, "forward: a result.*complex128"),
    (lambda s, xs: (s.retain_inputs((2,)), xs[0])[1:], IndexError, r"retained inputs \(2,\).*there are 2 inputs"),
    (lambda s, xs: (s.retain_outputs((1,)), xs[0])[1:], IndexError, r"outputs \(1,\).*1 output"),
    (lambda s, xs: (s.retain_inputs(0), xs[0])[1:], TypeError, r"retain_inputs: got 0; expected one tuple of indexes"),
    (lambda s, xs: (s.retain_inputs(0, 1), xs[0])[1:], TypeError, r"got 0, 1; expected one tuple .*\(0, 1\)$"),
    (lambda s, xs: (s.retain_inputs((xs[0], 1)), xs[0])[1:], TypeError, r"got \(an ndarray, 1\); expected"),
    (lambda s, xs: (s.retain_inputs((-1,)), xs[0])[1:], TypeError, r"retain_inputs: got \(-1,\)"),
    (lambda s, xs: (s.retain_outputs("0"), xs[0])[1:], TypeError, "retain_outputs: got '0'"),
]


@pytest.mark.source("CO-03")
@each(("forward", "error", "message"), FORWARDS)
def test_wrong_forward(forward: object, error: type, message: str) -> None:
    shown(lambda: make(forward).apply(pair()), error, message)


CALLS = [
    (lambda node, x, y: node.apply(x), TypeError, r"got a Variable; expected a tuple.*apply\(\(x, \.\.\.\)\)"),
    (lambda node, x, y: node.apply(x.data), TypeError, "got an ndarray; expected a tuple"),
    (lambda node, x, y: node.apply((x, "text")), TypeError, "str 'text'"),
    (lambda node, x, y: node.apply((x, 1j)), TypeError, "complex 1j"),
    (lambda node, x, y: node.apply((x, np.ones(2, complex))), TypeError, "complex128"),
    (lambda node, x, y: make(backward=lambda self, gy: gy)(x, y), TypeError, "is that of an autolab.Function"),
    (lambda node, x, y: node.get_retained_inputs(), RuntimeError, "not been applied yet"),
    (lambda node, x, y: node.retain_inputs((0,)), RuntimeError, "not been applied yet"),
]


@pytest.mark.source("CN-08", "CN-09")
@pytest.mark.parametrize(("call", "error", "message"), CALLS)
def test_wrong_use(call: object, error: type, message: str) -> None:
    shown(lambda: call(make(), *pair()), error, message)


@pytest.mark.source("CN-10", "CO-09", "X9")
def test_an_object_is_used_once() -> None:
    x, y = pair()
    node = make()
    (z,) = node.apply((x, y))
    shown(lambda: node.apply((x, y)), autolab.ReuseError, r"applied before; make a new one for every call: Mine\(\)")
    assert issubclass(autolab.ReuseError, RuntimeError)
    assert grad(z, x, np.ones(2)).data.tolist() == [1.0, 1.0]  # the first use is unharmed
    with autolab.no_grad():
        node = make()
        node.apply((x, y))
        shown(lambda: node.apply((x, y)), autolab.ReuseError, "applied before")


def test_methods_that_are_not_written() -> None:
    shown(lambda: type("Mine", (FunctionNode,), {})().apply(pair()), NotImplementedError, "write forward")
    half = type("Mine", (FunctionNode,), {"forward": lambda self, xs: (xs[0],)})
    xs = pair()
    shown(lambda: grad(half().apply(xs)[0], xs[0], np.ones(2)), NotImplementedError, "write backward")


@pytest.mark.source("CN-16")
def test_the_old_signature_is_refused_at_the_class() -> None:
    """T-001-1: with it the inputs would silently be the indexes 0, 1, 2."""

    def define() -> type:
        return type("Mine", (FunctionNode,), {"backward": lambda self, inputs, grad_outputs: None})

    shown(define, autolab.DeclarationError, r"old signature \(self, inputs, grad_outputs\).*retain_inputs")
    assert issubclass(autolab.DeclarationError, TypeError)


def test_retained_values_need_a_graph() -> None:
    node = make(lambda self, xs: (self.retain_inputs((0,)), xs[0])[1:])
    node.apply((1.0, 2.0))
    shown(node.get_retained_inputs, RuntimeError, "nothing was retained")


def test_user_attributes_cannot_collide() -> None:
    """Everything the engine stores lives under one private name."""
    x, y = pair()
    node = make(backward=lambda self, i, g: (g[0] * self.inputs, g[0] * self.node))
    node.inputs, node.outputs, node.node, node.order, node.grad, node.parent = 2.0, 3.0, 4.0, 5, 6, 7
    (z,) = node.apply((x, y))
    gx, gy = grad(z, (x, y), np.ones(2))
    assert (gx.data.tolist(), gy.data.tolist()) == ([2.0, 2.0], [4.0, 4.0])


def test_an_error_in_the_users_backward_reaches_the_user() -> None:
    def failing(self, indexes, gs):
        raise ZeroDivisionError("mine")

    x, y = pair()
    (z,) = make(backward=failing).apply((x * 1.0, y))
    z.grad = np.ones(2)
    x.grad = before = np.array([5.0, 5.0])
    with pytest.raises(ZeroDivisionError, match=r"^mine$"):
        z.backward()
    np.testing.assert_array_equal(x.grad.data, before)
    assert y.grad is None


def _product(inputs: Any) -> Any:
    return inputs[0] @ inputs[1]


SHAPES = np.ones((2, 3)), np.ones((2, 3), np.float32)
TOLD = "(2, 3) float64", "(2, 3) float32"
STYLES: dict[str, tuple[Callable[[], Any], tuple[str, str]]] = {
    "FunctionNode": (lambda: make(lambda self, xs: (_product(xs),)).apply(SHAPES), ("inputs[0]", "inputs[1]")),
    "SimpleFunction": (
        lambda: type("Mine", (SimpleFunction,), {"forward": lambda self, x, y: x @ y})()(*SHAPES),
        ("x", "y"),
    ),
    "ContextFunction": (
        lambda: type("Mine", (ContextFunction,), {"forward": staticmethod(lambda ctx, a, b: a @ b)}).apply(*SHAPES),
        ("a", "b"),
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_an_error_inside_a_forward_names_the_function_and_what_it_was_given(style: str) -> None:
    call, names = STYLES[style]
    with pytest.raises(ValueError, match="matmul") as caught:
        call()
    given = ", ".join([f"{name} {kind}" for name, kind in zip(names, TOLD, strict=True)])
    assert caught.value.__notes__ == [f"Mine.forward was given {given}"]
