"""A graph that ends at a value: gradients reach it, and what was before it is freed."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from autolab import Variable, grad, graph
from autolab import functions as F
from autolab.authoring.hooks import unchain, unchain_backward


@pytest.mark.parametrize("retain_grad", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_end_at_what_was_unchained(retain_grad, create_graph):
    x = Variable([1.0, 2.0])
    h = F.exp(x)
    y = F.sum(h * h + h)
    unchain(h)
    y.backward(retain_grad, create_graph)
    assert x.grad is None and np.allclose(h.grad.data, 2 * np.exp([1, 2]) + 1)
    assert h.creator is None and h.requires_grad and grad(y, x) is None
    assert [step.function for step in graph(y).steps if step.function] == ["mul", "add", "sum"]


def test_a_truncated_graph_goes_on_from_where_it_ended():
    x, state = Variable(1.0), Variable(0.5)
    start = weakref.ref(state.node)
    for _ in range(3):
        for _ in range(4):
            state = F.tanh(x * state)
        x.cleargrad()
        state.backward()
        unchain_backward(state)
        unchain(state)
    assert start() is None and float(x.grad.data) > 0
    last = state
    for _ in range(4):
        last = F.tanh(x * last)
    assert len([step for step in graph(last).steps if step.kind == "call"]) == 8


def test_one_of_several_results_keeps_its_function():
    x = Variable(np.eye(2) * [2.0, 3.0])
    a = x + x.T
    values, vectors = F.eigh(a)
    unchain_backward(values)
    assert values.creator is not None and a.creator is None
    F.sum(values).backward()
    assert x.grad is None and np.allclose(a.grad.data, np.eye(2))
    assert vectors.creator == values.creator


@pytest.mark.parametrize("value", [Variable(2.0), Variable(2.0, requires_grad=False), Variable(np.array(2))])
@pytest.mark.parametrize("end", [unchain, unchain_backward])
def test_what_nothing_computed_stays_what_it_is(value, end):
    node = value.node
    end(value)
    assert value.node is node and value.creator is None


def test_a_hundred_thousand_steps_end_without_recursion():
    x = Variable(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1
    unchain_backward(y)
    y.backward()
    assert x.grad is None and y.creator is not None
