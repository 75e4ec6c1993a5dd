"""What a backward is given and what it returns: arrays that others hold too do not change with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from authoring.written import old_style, shown

from autolab import FunctionNode, Variable, check_inplace, elementwise, grad, record
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, SimpleFunction
from autolab.engine.errors import DamagedValueError

Backward = Callable[[Any, Any, Any], Any]


def product(style: str, backward: Backward) -> Callable[..., Variable]:
    """``x * y`` in a style, with ``backward(g, x, y)``."""

    class Node(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1))
            return (inputs[0] * inputs[1],)

        def backward(self, target_input_indexes, grad_outputs):
            return backward(grad_outputs[0], *self.get_retained_inputs())

    class Old(Function):
        def forward(self, inputs):
            return (inputs[0] * inputs[1],)

        def backward(self, inputs, grad_outputs):
            return backward(grad_outputs[0], *inputs)

    class Simple(SimpleFunction):
        def forward(self, x, y):
            return x * y

        def backward(self, gy):
            return backward(gy, *self.inputs)

    class Context(ContextFunction):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            return backward(g, *ctx.saved_tensors)

    return {
        "FunctionNode": lambda x, y: Node().apply((x, y))[0],
        "Function": lambda x, y: Old()(x, y),
        "SimpleFunction": lambda x, y: Simple()(x, y),
        "ContextFunction": Context.apply,
    }[style]


STYLES = ["FunctionNode", "Function", "SimpleFunction", "ContextFunction"]


def masked(g: Any, x: Any, y: Any) -> Any:
    """As one writes relu's backward with NumPy."""
    g[x < 2] = 0
    return g * y, None


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("create_graph", [False, True])
def test_writing_to_the_upstream_array_reaches_nobody_else(first: bool, create_graph: bool) -> None:
    """Beside a residual connection the same array goes to two functions."""
    x, z, start = Variable([1.0, 2.0]), Variable([3.0, 4.0]), np.array([1.0, 10.0])
    h = product("Function", masked)(x, np.array([5.0, 6.0]))
    gx, gz = grad(F.add(h, z) if first else F.add(z, h), (x, z), start, create_graph=create_graph)
    np.testing.assert_array_equal(gx.data, [0.0, 60.0])
    np.testing.assert_array_equal(gz.data, [1.0, 10.0])
    np.testing.assert_array_equal(start, [1.0, 10.0])


def test_the_upstream_array_of_a_sum_can_be_written_to() -> None:
    """It is one number, repeated."""
    x = Variable([1.0, 2.0])
    F.sum(product("Function", masked)(x, np.array([5.0, 6.0]))).backward()
    np.testing.assert_array_equal(x.grad.data, [0.0, 6.0])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_that_is_an_input_gets_an_array_of_its_own(style: str, create_graph: bool) -> None:
    """The upstream gradient was forgotten, which shows nowhere while it is 1."""
    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    product(style, lambda g, x, y: (y, x))(x, y).sum().backward(create_graph=create_graph)
    gradients = x.grad.data, y.grad.data
    x.data += 10  # a step of training, in place
    y.data += 10
    np.testing.assert_array_equal(gradients, [[3.0, 4.0], [1.0, 2.0]])
    gradients[0][...] = 0
    np.testing.assert_array_equal(y.data, [13.0, 14.0])


@pytest.mark.parametrize("array", [np.array([1.0, 2j]), np.array([1.0, 2.0], object), np.array(["1", "2"])])
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_that_are_no_real_numbers_are_refused(array: np.ndarray, create_graph: bool) -> None:
    z = old_style(backward=lambda self, xs, gs: (gs[0], array))(Variable([1.0, 2.0]), y := Variable([3.0, 4.0]))
    shown(lambda: grad(z, y, np.ones(2), create_graph), TypeError, "Mine.backward: the gradient for input 1: got an ar")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_buffer_that_backward_uses_for_both_gradients(style: str, create_graph: bool) -> None:
    buffer = np.empty(2)

    def backward(g: Any, x: Any, y: Any) -> Any:
        g, x, y = [getattr(value, "data", value) if style != "Function" else value for value in (g, x, y)]
        gx = np.multiply(g, y, out=buffer).view() if style == "Function" else Variable(np.multiply(g, y, out=buffer))
        return gx, (gx if style == "Function" else Variable(buffer))

    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    product(style, backward)(x, y).sum().backward(create_graph=create_graph)
    gx = x.grad.data
    assert not np.shares_memory(gx, buffer) and not np.shares_memory(gx, y.grad.data)
    product(style, backward)(x * 1.0, y * 10.0).sum().backward()
    np.testing.assert_array_equal(gx, [3.0, 4.0])


@pytest.mark.parametrize("style", ["FunctionNode", "SimpleFunction", "ContextFunction"])
def test_an_upstream_gradient_that_others_need_cannot_be_written_to(style: str) -> None:
    def backward(g: Any, x: Any, y: Any) -> Any:
        g.data[...] *= y.data
        return g, None

    x, z = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    h = product(style, backward)(x, np.array([5.0, 6.0]))
    with pytest.raises(ValueError, match="read-only") as caught:
        (F.add(h, z) * 2.0).sum().backward()
    assert "changes an array in place that others need too" in caught.value.__notes__[0]
    assert z.grad is None


@pytest.mark.parametrize("style", STYLES)
def test_a_forward_with_a_buffer_for_all_calls(style: str) -> None:
    buffer = np.empty(2)

    class Node(FunctionNode):
        def forward(self, inputs):
            return (np.exp(inputs[0], out=buffer),)

    class Old(Function):
        def forward(self, inputs):
            return (np.exp(inputs[0], out=buffer)[:],)

    class Simple(SimpleFunction):
        def forward(self, x):
            return np.exp(x, out=buffer)

    class Context(ContextFunction):
        @staticmethod
        def forward(ctx, x):
            y = Variable(0.0)
            y.data = np.exp(x.data, out=buffer)
            return y

    call: dict[str, Callable[..., Any]] = {
        "FunctionNode": lambda x: Node().apply((x,))[0],
        "Function": lambda x: Old()(x),
        "SimpleFunction": lambda x: Simple()(x),
        "ContextFunction": Context.apply,
    }
    x = Variable([1.0, 2.0])
    y = call[style](x)
    call[style](x * 2.0)
    np.testing.assert_array_equal(y.data, np.exp(x.data))


@pytest.mark.parametrize("style", STYLES)
def test_record_names_a_backward_that_changes_what_it_kept(style: str) -> None:
    """The bare engine leaves such arrays alone; `record` and `explore` look at them before and after."""

    def backward(g: Any, x: Any, y: Any) -> Any:
        getattr(y, "array", y)[...] *= 2
        return g * y, None

    with pytest.raises(DamagedValueError, match=r"was changed in place by its backward \(.*line \d+\)"):
        record(lambda x, y: product(style, backward)(x, y).sum(), np.ones(2), np.ones(2))


def _doubling() -> dict[str, Callable[[Variable], Any]]:
    """``2 * x`` by forwards that double the caller's own array."""

    class Node(FunctionNode):
        def forward(self, inputs):
            inputs[0][...] *= 2
            return (inputs[0].copy(),)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * 2,)

    class Old(Function):
        def forward(self, inputs):
            inputs[0][...] *= 2
            return (inputs[0].copy(),)

        def backward(self, inputs, grad_outputs):
            return (grad_outputs[0] * 2,)

    class Simple(SimpleFunction):
        def forward(self, x):
            x *= 2
            return x + 0

        def backward(self, gy):
            return gy * 2

    class Context(ContextFunction):
        @staticmethod
        def forward(ctx, x):
            x.data[...] *= 2
            return x + 0

        @staticmethod
        def backward(ctx, g):
            return g * 2

    @elementwise(x=lambda g: g * 2)
    def declared(xp, x):
        x *= 2
        return x + 0

    return {
        "Node": lambda x: Node().apply((x,))[0],
        "Old": lambda x: Old()(x),
        "Simple": lambda x: Simple()(x),
        "Context": Context.apply,
        "declared": declared,
    }


@pytest.mark.parametrize("style", _doubling())
def test_a_forward_that_changes_its_input_is_named_with_its_line_and_the_input_stays(style: str) -> None:
    function, x = _doubling()[style], np.array([1.0, 2.0])
    with pytest.raises(
        DamagedValueError, match=rf"of {style} was changed in place by its forward \(test_shared_arrays\.py, line \d+\)"
    ):
        record(lambda a: F.sum(function(a * 1.0) + a), x)
    with check_inplace():
        x = Variable(np.array([1.0, 2.0]))
        with pytest.raises(DamagedValueError, match="was changed in place by its forward"):
            function(x)
        assert x.data.tolist() == [1.0, 2.0]
