"""ContextFunction, PyTorch's style, statement by statement (SOURCES.md section 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from written import ctx_style, shown

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.authoring import ContextFunction
from autolab.engine.observe import observe


class LinearFunction(ContextFunction):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = F.matmul(input, F.transpose(weight))
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = F.matmul(grad_output, weight)
        if ctx.needs_input_grad[1]:
            grad_weight = F.matmul(F.transpose(grad_output), input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = F.sum(grad_output, axis=0)
        return grad_input, grad_weight, grad_bias


class MulConstant(ContextFunction):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


class Exp(ContextFunction):
    @staticmethod
    def forward(ctx, x):
        y = F.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


@pytest.mark.source("PT-01", "PT-14", "PT-06", "PT-11")
@pytest.mark.parametrize("with_bias", [True, False])
def test_linear(with_bias: bool) -> None:
    linear = LinearFunction.apply
    x, W, b = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.arange(12.0).reshape(4, 3)), Variable(np.ones(4))
    y = linear(x, W, b) if with_bias else linear(x, W)
    np.testing.assert_array_equal(y.data, x.data @ W.data.T + with_bias)
    assert isinstance(y.creator, LinearFunction) and y.creator.name == "LinearFunction"
    g = np.arange(8.0).reshape(2, 4)
    gx, gW, gb = grad(y, (x, W, b), g)
    np.testing.assert_array_equal(gx.data, g @ W.data)
    np.testing.assert_array_equal(gW.data, g.T @ x.data)
    assert (gb.data.tolist() == g.sum(0).tolist()) if with_bias else gb is None
    assert grad(linear(x, W), W, g).data.tolist() == gW.data.tolist()


@pytest.mark.source("PT-15")
def test_the_gradients_of_linear_are_right() -> None:
    rng = np.random.default_rng(0)
    report = autolab.check_gradients(LinearFunction.apply, rng.normal(size=(20, 20)), rng.normal(size=(30, 20)))
    assert report.verdict == "right"


@pytest.mark.source("PT-15")
def test_the_documents_own_slip_is_found() -> None:
    """T-003-1: the gradient of the weight was assigned to that of the input."""

    def backward(ctx, grad_output):
        input, weight, _ = ctx.saved_tensors
        grad_input, grad_weight = F.matmul(grad_output, weight), None
        grad_input = F.matmul(F.transpose(grad_output), input)
        return grad_input, grad_weight, None

    square = np.random.default_rng(0).normal(size=(2, 5, 5))
    report = autolab.check_gradients(ctx_style(LinearFunction.forward, backward).apply, *square)
    assert report.verdict == "wrong"


@pytest.mark.source("PT-11")
def test_needs_input_grad() -> None:
    seen: list[Any] = []

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, g

    mine = ctx_style(lambda ctx, x, y: (seen.append(ctx.needs_input_grad), x)[1], backward)
    x, c = Variable(2.0), Variable(3.0, requires_grad=False)
    mine.apply(x, c).backward()
    mine.apply(np.array(3.0), x).backward()
    assert seen == [(True, False)] * 2 + [(False, True)] * 2


@pytest.mark.source("PT-02", "PT-12", "PT-05")
def test_any_object_is_an_argument() -> None:
    taken: list[Any] = []

    def forward(ctx, x, text, n=2, *rest, flag=None):
        taken.extend((text, n, rest))
        return x * n

    mine = ctx_style(forward, lambda ctx, g: (g * 2, None))
    x = Variable(3.0)
    marker = object()
    assert mine.apply(x, "text").item() == 6.0
    assert mine.apply(x, "text", 3, marker).item() == 9.0
    assert taken == ["text", 2, (), "text", 3, (marker,)]
    assert grad(mine.apply(x, "text"), x).item() == 2.0
    assert grad(MulConstant.apply(x, 7), x).item() == 7.0


@pytest.mark.source("PT-02", "PT-03")
def test_variables_in_a_list_are_not_tracked() -> None:
    def forward(ctx, xs, y):
        assert not (xs[0] * y).requires_grad and not y.requires_grad
        return xs[0] * y

    a, y = Variable(2.0), Variable(3.0)
    z = ctx_style(forward, lambda ctx, g: (None, g * 2.0)).apply([a], y)
    ga, gy = grad(z, (a, y))
    assert ga is None and gy.item() == 2.0
    assert not ctx_style(forward).apply([a], Variable(3.0, requires_grad=False)).requires_grad


@pytest.mark.source("PT-03")
def test_nothing_is_recorded_inside_forward() -> None:
    events: list[Any] = []
    with observe(events.append):
        y = Exp.apply(Variable(1.0))
    assert [event.function.name for event in events] == ["Exp"] and events[0].outputs == (y,)
    assert autolab.config.enable_backprop


@pytest.mark.source("PT-04", "X11")
def test_one_result_or_a_tuple() -> None:
    both = ctx_style(lambda ctx, x: (x * 2, x.data * 3), lambda ctx, g, h: g * 2 + h * 3)
    x = Variable([1.0, 2.0])
    results = both.apply(x)
    assert type(results) is tuple and [type(y) for y in results] == [Variable] * 2
    assert grad([*results], x, [np.ones(2), np.ones(2)]).data.tolist() == [5.0, 5.0]
    assert type(ctx_style(lambda ctx, x: x.data.sum(), None).apply(x)) is Variable


def test_a_tuple_of_one_result_remains_a_tuple() -> None:
    """In PyTorch and JAX, too: results[0] is the result, not its first row."""
    mine = ctx_style(forward=lambda ctx, x: (x * 2,), backward=lambda ctx, g: g * 2)
    doubled = autolab.custom_vjp(lambda x: (x * 2,))  # type: ignore[attr-defined]
    doubled.defvjp(lambda x: (doubled(x), None), lambda kept, g: (g[0] * 2,))
    pushed = autolab.custom_jvp(lambda x: (x * 2,))  # type: ignore[attr-defined]
    pushed.defjvp(lambda primals, tangents: (pushed(*primals), (tangents[0] * 2,)))
    for function in (mine.apply, doubled, pushed):
        x = Variable(np.ones(3))
        for called in (function, autolab.compile(function)):
            results = called(x)
            assert type(results) is tuple and [y.shape for y in results] == [(3,)]
            np.testing.assert_array_equal(grad(results[0], x, np.ones(3)), [2, 2, 2])


@pytest.mark.source("PT-05", "PT-06")
def test_the_number_of_gradients() -> None:
    x, y = Variable(2.0), Variable(3.0)
    for returned, fine in (((1, 1), True), ((1, 1, None, None), True), ((1,), False), ((1, 1, 1), False), ((), False)):
        mine = ctx_style(backward=lambda ctx, g, r=returned: tuple([None if v is None else g * v for v in r]))
        z = mine.apply(x, y)
        if fine:
            assert [g.item() for g in grad(z, (x, y))] == [1.0, 1.0]
        else:
            message = f"returned {len(returned)} gradients?; expected 2, one per argument"
            shown(lambda z=z: grad(z, x), autolab.GradientCountError, message)


@pytest.mark.source("PT-05")
@pytest.mark.parametrize("argument", ["text", 2, None, [1.0], {}])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_for_something_else_is_refused(argument: Any, create_graph: bool) -> None:
    mine = ctx_style(lambda ctx, x, option: x * 2, lambda ctx, g: (g * 2, g))
    x = Variable(1.0)
    message = r"a gradient for argument 1 \(option\), which is not a Variable; expected None"
    shown(lambda: grad(mine.apply(x, argument), x, create_graph=create_graph), TypeError, message)


@pytest.mark.source("PT-05")
def test_a_gradient_for_a_constant_is_ignored() -> None:
    x = Variable([1.0, 2.0])
    for constant in (np.ones(2), Variable(np.ones(2), requires_grad=False)):
        assert grad(ctx_style().apply(x, constant), x, np.ones(2)).data.tolist() == [1.0, 1.0]


WRONG = [
    ({"forward": lambda ctx, x, y: [x]}, TypeError, "forward returned a list; expected a Variable or an array"),
    ({"forward": lambda ctx, x, y: None}, TypeError, "forward returned None"),
    ({"forward": lambda ctx, x, y: "text"}, TypeError, "forward returned a str"),
    ({"forward": lambda ctx, x, y: x.data * 1j}, TypeError, "complex128"),
    (
        {"forward": lambda ctx, x, y: ctx.save_for_backward(3)},
        TypeError,
        "save_for_backward got an int at 0.*ctx.n = n",
    ),
    ({"backward": lambda ctx, g: (g.data, g)}, TypeError, "an ndarray for input 0; expected a Variable"),
    ({"backward": lambda ctx, g: (g, g.sum())}, ValueError, r"'y' has shape \(\), .*\(2,\)"),
]


@pytest.mark.parametrize(("methods", "error", "message"), WRONG)
def test_wrong_methods(methods: dict[str, Any], error: type[Exception], message: str) -> None:
    def use() -> None:
        z = ctx_style(**methods).apply(Variable([1.0, 2.0]), Variable([3.0, 4.0]))
        z.grad = np.ones(2)
        z.backward()

    shown(use, error, message)


def test_methods_must_be_static_and_the_class_is_not_called() -> None:
    for method in ("forward", "backward"):
        body = {method: lambda ctx, x: x}
        shown(lambda b=body: type("Mine", (ContextFunction,), b), autolab.DeclarationError, "write @staticmethod above")
    shown(lambda: ctx_style()()(Variable(1.0)), TypeError, r"use Mine.apply\(\.\.\.\)")
    bare = type("Mine", (ContextFunction,), {})
    shown(lambda: bare.apply(Variable(1.0)), NotImplementedError, "write a static forward")
    half = ctx_style(lambda ctx, x: x)
    del half.backward
    shown(lambda: grad(half.apply(x := Variable(1.0)), x), NotImplementedError, "write a static backward")


def test_a_failing_forward_leaves_no_mode_behind() -> None:
    def forward(ctx, x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match=r"^mine$"):
        ctx_style(forward).apply(Variable(1.0))
    assert (Variable(1.0) * 2).requires_grad
