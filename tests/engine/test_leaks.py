"""R6: whatever happens, the collector finds nothing, and memory does not grow."""

from __future__ import annotations

import tracemalloc
import weakref
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from helpers.garbage import collector_off, garbage, growth, traced
from helpers.interrupts import Interrupter

import autolab
from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.engine.observe import observe

pytestmark = pytest.mark.goal(id="R6")


class Split(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        self.retain_outputs((0, 1))
        return np.sin(inputs[0]), np.exp(inputs[0])

    def backward(self, target_input_indexes, grad_outputs):
        (x,), (_, e) = self.get_retained_inputs(), self.get_retained_outputs()
        terms = [g * d for g, d in zip(grad_outputs, (F.cos(x), e), strict=True) if g is not None]
        return (sum(terms[1:], start=terms[0]),)


class Failing(Split):
    def backward(self, target_input_indexes, grad_outputs):
        raise ZeroDivisionError


W = Variable(np.ones((3, 3)))
X = np.arange(9.0).reshape(3, 3) / 9


def program() -> Variable:
    a, b = Split().apply((W @ X,))
    return F.sum(F.tanh(a * b) + a / 2)


def train() -> None:
    W.cleargrad()
    program().backward(retain_grad=True)


def higher_order() -> None:
    g = grad(program(), W, create_graph=True)
    F.sum(grad(F.sum(g * g), W, create_graph=True)).backward()
    W.cleargrad()


def create_graph_then_clear() -> None:
    program().backward(create_graph=True)
    W.cleargrad()


def a_dropped_output() -> None:
    _, b = Split().apply((W,))
    del _
    grad(F.sum(b), W)


def no_backward() -> None:
    program()


def failing_forward() -> None:
    with suppress(ValueError):
        program() + W @ np.ones((2, 2))


def failing_backward() -> None:
    a, _ = Failing().apply((W * 2,))
    with suppress(ZeroDivisionError):
        F.sum(a).backward()


def refused_gradient() -> None:
    with suppress(RuntimeError):
        (W * 2).backward()


def raising_hook() -> None:
    def hook(event: object) -> None:
        raise ZeroDivisionError

    y = program()
    with suppress(ZeroDivisionError), observe(hook):
        y.backward()


def listening() -> None:
    events: list[object] = []
    with observe(events.append):
        program().backward()


def interrupted() -> None:
    y = program()
    Interrupter(350).run(lambda: grad(y, W, create_graph=True))


def modes() -> None:
    with autolab.no_grad(), autolab.test_mode():
        program()


def watched() -> None:
    with autolab.check_inplace():
        program().backward()
    W.cleargrad()


def damaged() -> None:
    with autolab.check_inplace():
        h = W * 1
        y = F.sum(h * h)
        h.data[0] += 1
        with suppress(autolab.DamagedValueError):
            y.backward()


SCENARIOS = [train, higher_order, create_graph_then_clear, a_dropped_output, no_backward, failing_forward]
SCENARIOS += [
    failing_backward,
    refused_gradient,
    raising_hook,
    listening,
    interrupted,
    modes,
    watched,
    damaged,
]


@pytest.mark.source("DZ-11")
@pytest.mark.parametrize("times", [50, pytest.param(10_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_nothing_leaks(scenario: Callable[[], None], times: int) -> None:
    W.cleargrad()
    assert growth(scenario, times) <= 64 * 1024
    W.cleargrad()


def test_growth_is_noticed() -> None:
    """Positive control: fifty small graphs that are kept exceed the limit."""
    kept = []
    with traced():
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(50):
            kept.append(program())
        assert tracemalloc.get_traced_memory()[0] - before > 64 * 1024


def test_a_dropped_graph_is_gone_at_once() -> None:
    with collector_off():
        x = Variable(np.ones(3))
        h = x * 2
        y = F.sum(F.tanh(h))
        nodes = [weakref.ref(v.node) for v in (h, y)]
        values = [weakref.ref(v) for v in (h, y)]
        y.backward(retain_grad=True)
        del h
        assert values[0]() is None and nodes[0]() is not None
        del y
        assert [w() for w in (*nodes, *values)] == [None] * 4


def test_a_cycle_is_noticed() -> None:
    """Positive control; and T-002-13: gradients with a graph that are stored make one, which is why grad() returns."""
    with collector_off():
        x = Variable(2.0)
        (x * x * x).backward(create_graph=True)
        del x
        assert "Node" in garbage()
        x = Variable(2.0)
        g = grad(x * x * x, x, create_graph=True)
        del x, g
        assert garbage() == []
