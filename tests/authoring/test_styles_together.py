"""All ways to write a function, in one graph."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import autograd.numpy as anp
import numpy as np
import pytest
from helpers.garbage import collector_off, garbage
from helpers.oracle import Weights, ours, reference, zeros_for_none

from autolab import FunctionNode, Variable, elementwise, grad, record
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


@pytest.mark.parametrize("style", ["FunctionNode", "SimpleFunction", "ContextFunction"])
def test_threads_differentiate_one_graph_at_different_orders(style: str) -> None:
    """What is retained is a constant in one thread while it belongs to the graph in another."""
    inside, go_on = threading.Event(), threading.Event()
    waiting = [True]

    def pause() -> None:
        if waiting and threading.current_thread() is not threading.main_thread():
            waiting.clear()
            inside.set()
            assert go_on.wait(10)

    def squared(x: Variable) -> Variable:
        if style == "FunctionNode":

            class Node(FunctionNode):
                def forward(self, inputs):
                    self.retain_inputs((0,))
                    return (inputs[0] ** 2,)

                def backward(self, target_input_indexes, grad_outputs):
                    pause()
                    return (grad_outputs[0] * 2 * self.get_retained_inputs()[0],)

            return Node().apply((x,))[0]
        if style == "SimpleFunction":

            class Simple(SimpleFunction):
                def forward(self, x):
                    return x**2

                def backward(self, gy):
                    pause()
                    return gy * 2 * self.inputs[0]

            return Simple()(x)

        class Context(ContextFunction):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g):
                pause()
                return g * 2 * ctx.saved_tensors[0]

        return Context.apply(x)

    x = Variable(3.0)
    y = squared(x)
    firsts: list[Variable] = []
    thread = threading.Thread(target=lambda: firsts.append(grad(y, x, create_graph=True)))
    thread.start()
    assert inside.wait(10)
    plain = grad(y, x)
    go_on.set()
    thread.join(10)
    assert not plain.requires_grad
    assert (plain.item(), firsts[0].item(), grad(firsts[0], x).item()) == (6.0, 6.0, 2.0)


def test_a_backward_that_differentiates_its_own_graph() -> None:
    """The inner pass ends first; the outer one still knows its Variables."""
    deep = []

    class Square(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            if not deep:
                deep.append(True)
                deep.append(grad(y, x, create_graph=True))
            (x_,) = self.get_retained_inputs()
            return (grad_outputs[0] * 2 * x_,)

    x = Variable(3.0)
    (y,) = Square().apply((x,))
    first = grad(y, x, create_graph=True)
    assert [grad(g, x).item() for g in (first, deep[1])] == [2.0, 2.0]


@pytest.mark.parametrize("style", ["old", "simple", "context"])
def test_recordings_show_the_users_own_words(style: str) -> None:
    functions = {
        "old": lambda x: OldSquare()(x),
        "simple": lambda x: F.sum(SinCos()(x)[0]),
        "context": lambda x: ScaledExp.apply(x, 0.5),
    }
    recording = record(functions[style], x=2.0)
    step = next(s for s in recording.steps if s.function in ("OldSquare", "SinCos", "ScaledExp"))
    assert "def backward" in step.backward_code and "return" in step.backward_code
    parameters = [operand.parameter for operand in step.operands]
    assert parameters == {"old": ["inputs[0]"], "simple": ["x"], "context": ["x", "scale"]}[style]
    assert sum(s.function is not None and s.kind == "call" for s in recording.steps) == (2 if style == "simple" else 1)
    assert float(recording["x"].grad.values) == pytest.approx(
        {"old": 4.0, "simple": np.cos(2.0), "context": 0.5 * np.exp(2.0)}[style]
    )


def test_recordings_take_arguments_that_are_no_arrays() -> None:
    class Chosen(ContextFunction):
        @staticmethod
        def forward(ctx, x, how, also=None):
            return x * (2 if how == "double" else 1)

        @staticmethod
        def backward(ctx, g):
            return g * 2, None, None

    recording = record(lambda x: Chosen.apply(x, "double", None), x=2.0)
    (step,) = [s for s in recording.steps if s.function == "Chosen"]
    assert [(o.parameter, o.constant) for o in step.operands] == [("x", None), ("how", "'double'"), ("also", "None")]
