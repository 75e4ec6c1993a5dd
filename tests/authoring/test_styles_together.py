"""All ways to write a function, in one graph."""

from __future__ import annotations

import weakref
from typing import Any

import autograd.numpy as anp
import numpy as np
import pytest
from helpers.garbage import collector_off, garbage
from helpers.oracle import Weights, ours, reference, zeros_for_none

import autolab
from autolab import FunctionNode, Variable, elementwise, grad
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, SimpleFunction


@elementwise(x=lambda g, x: g * (3 * x * x), domain=(-2, 2))
def cube(xp, x):
    """The cube."""
    return x * x * x


class MulAdd(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return (inputs[0] * inputs[1] + inputs[2],)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (g,) = grad_outputs
        return g * y, g * x, g


class SinCos(SimpleFunction):
    def forward(self, x):
        return np.sin(x), np.cos(x)

    def backward(self, gs, gc):
        sin, cos = [output() for output in self.outputs]
        return gs * cos - gc * sin


class ScaledExp(ContextFunction):
    @staticmethod
    def forward(ctx, x, scale):
        y = F.exp(x) * scale
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y, None


class OldSquare(Function):
    def forward(self, inputs):
        return (inputs[0] ** 2,)

    def backward(self, inputs, grad_outputs):
        return (2 * inputs[0] * grad_outputs[0],)


def mixed(x: Variable, y: Variable) -> Variable:
    """Five styles; both results of SinCos, and each of the inputs several times."""
    sin, cos = SinCos()(x * y)
    (w,) = MulAdd().apply((sin, cube(y), ScaledExp.apply(x, 0.5)))
    return MulAdd().apply((w, cos, F.tanh(w * x)))[0]


def the_same(x: Any, y: Any) -> Any:
    w = anp.sin(x * y) * y**3 + 0.5 * anp.exp(x)
    return w * anp.cos(x * y) + anp.tanh(w * x)


def points() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.uniform(0.3, 1.2, (2, 3)), rng.uniform(0.3, 1.2, (2, 3))


@pytest.mark.source("CN-12", "CN-16", "DZ-23", "PT-13")
def test_three_orders_against_hips_autograd() -> None:
    arrays, weights = points(), Weights(3)
    levels = zip(ours(mixed, arrays, 3, weights), reference(the_same, arrays, 3, weights), strict=True)
    for order, (got, expected) in enumerate(levels, 1):
        shapes = [e.shape for e in expected]
        for one, other in zip(zeros_for_none(got, shapes), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, err_msg=f"order {order}")


@pytest.mark.source("CO-29", "CO-28")
def test_the_old_style_joins_in_at_the_first_order() -> None:
    xs = [Variable(a) for a in points()]
    g = np.ones((2, 3))
    with_old = grad(OldSquare()(mixed(*xs)), xs, g, create_graph=True)
    without = grad(mixed(*xs) ** 2.0, xs, g)
    for one, other in zip(with_old, without, strict=True):
        np.testing.assert_allclose(one.data, other.data, rtol=1e-12)
    with pytest.raises(RuntimeError, match='old style Function "OldSquare"'):
        grad(with_old[0], xs, g)


@pytest.mark.source("DZ-11")
def test_a_dropped_graph_is_gone_at_once() -> None:
    with collector_off():
        x, y = [Variable(a) for a in points()]
        z = F.sum(OldSquare()(mixed(x, y)))
        nodes = [weakref.ref(z.node), weakref.ref(z.node.parent), weakref.ref(z.node.parent.parent)]
        functions = [weakref.ref(node().function) for node in nodes[1:]]
        z.backward()
        first = grad(z, (x, y), create_graph=True)
        barriers = [weakref.ref(g.node) for g in first]
        assert all(ref() is not None for ref in (*nodes, *functions, *barriers))
        del z, first
        assert [ref() for ref in (*nodes, *functions, *barriers)] == [None] * 7
        assert garbage() == []


@pytest.mark.source("DZ-11")
def test_changes_in_place_and_errors_leave_no_garbage() -> None:
    class AddOne(ContextFunction):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.data[...] += 1
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            if ctx.fail:
                raise ZeroDivisionError
            return g * y

    with collector_off():
        for fail in (False, True):
            x = Variable([1.0, 2.0])
            h = AddOne.apply(x * 2)
            h.creator.fail = fail
            try:
                grad(grad(h, x, np.ones(2), create_graph=True), x, np.ones(2))
            except ZeroDivisionError:
                assert fail
            node = weakref.ref(h.node)
            del h
            assert node() is None
        assert garbage() == []


@pytest.mark.parametrize("style", [SinCos, ScaledExp, OldSquare])
def test_a_function_is_of_the_style_in_which_it_is_written(style: type) -> None:
    members = {name: vars(style)[name] for name in ("forward", "backward")}
    base: Any = autolab.Function  # type: ignore[attr-defined]
    assert type(base)(style.__name__, (base,), members).__bases__ == style.__bases__


def test_what_is_based_on_such_a_function_is_another_one() -> None:
    class Square(autolab.Function):  # type: ignore[misc, name-defined]
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = factor

        def forward(self, x: Any) -> Any:
            return self.factor * x**2

        def backward(self, gy: Variable) -> Any:
            return 2 * self.factor * self.inputs[0] * gy

    class Wrong(Square):
        def backward(self, gy: Variable) -> Any:
            return -super().backward(gy)

    x = Variable(3.0)
    assert grad(Square(2.0)(x), x).data == 12 and grad(Wrong(2.0)(x), x).data == -12


def test_a_function_node_is_called_as_well() -> None:
    x = Variable(3.0)
    assert MulAdd()(x, 2.0, 1.0).data == 7 and grad(MulAdd()(x, 2.0, 1.0), x).data == 2
