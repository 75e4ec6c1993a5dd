"""R5: long chains and wide fans are walked without recursion, in linear time, and freed by reference counting."""

from __future__ import annotations

import sys
import tracemalloc
import weakref
from time import process_time

import numpy as np
import pytest
from helpers.garbage import collector_off, garbage, traced

from autolab import FunctionNode, Variable, grad
from autolab import functions as F

pytestmark = pytest.mark.goal(id="R5")

SIZES = [100_000, pytest.param(1_000_000, marks=pytest.mark.full)]


class Same(FunctionNode):
    def forward(self, inputs):
        return (inputs[0],)

    def backward(self, target_input_indexes, grad_outputs):
        return grad_outputs


def chain(x: Variable, n: int) -> Variable:
    for _ in range(n):
        x = x + 1.0
    return x


def fan(x: Variable, n: int) -> Variable:
    """One value used n times; the uses wait in the heap and on the stack at once."""
    total = x * 0.0
    for _ in range(n // 2):
        total = total + x * 2.0
    return total


def node_of(y: Variable) -> weakref.ref:
    return weakref.ref(y.node)


@pytest.mark.source("DZ-04", "DZ-11")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("build", "slope"), [(chain, lambda n: 1.0), (fan, lambda n: float(n // 2 * 2))])
def test_graphs_of_many_operations(build: object, slope: object, n: int) -> None:
    assert n > 10 * sys.getrecursionlimit()
    with collector_off():
        x = Variable(np.ones(1))
        y = build(x, n)
        y.backward()
        assert x.grad.data.tolist() == [slope(n)]
        watched = node_of(y), node_of(x)
        start = process_time()  # of this process, whatever else the machine does
        del y, x
        freed = process_time() - start
        assert [w() for w in watched] == [None, None] and freed < max(1.0, n / 5e5)
        assert garbage() == []


@pytest.mark.parametrize("n", [20_000, pytest.param(100_000, marks=pytest.mark.full)])
def test_a_long_chain_can_be_differentiated_twice(n: int) -> None:
    with collector_off():
        x = Variable(2.0)
        y = x
        for _ in range(n):
            y = y * 1.00001
        first = grad(y * y, x, create_graph=True)
        second = grad(first, x)
        np.testing.assert_allclose(
            [first.item(), second.item()], [4 * 1.00001 ** (2 * n), 2 * 1.00001 ** (2 * n)], rtol=1e-9
        )
        watched = node_of(first), node_of(y)
        del first, second, y, x
        assert [w() for w in watched] == [None, None]
        assert garbage() == []


def test_many_outputs_and_long_chains_of_function_nodes() -> None:
    n = 20_000
    with collector_off():
        x = Variable(np.ones(1))
        ys = [x * 2.0 for _ in range(n)]
        assert grad(ys, x).data.tolist() == [2.0 * n]
        y = x
        for _ in range(n):
            (y,) = Same().apply((y,))
        assert grad(y, x).data.tolist() == [1.0]
        watched = node_of(y)
        del y, ys, x
        assert watched() is None
        assert garbage() == []


@pytest.mark.full
@pytest.mark.parametrize("build", [chain, fan])
def test_time_is_linear(build: object) -> None:
    def seconds(n: int) -> float:
        start = process_time()  # of this process, whatever else the machine does
        x = Variable(np.ones(1))
        build(x, n).backward()
        return process_time() - start

    with collector_off():
        seconds(1000)
        assert seconds(1_000_000) / seconds(100_000) <= 12


def test_memory_of_a_chain_of_fifty_layers() -> None:
    """At most 28 arrays at once, of which 25 are the outputs that the rules need; nothing stays."""
    size = 1 << 20

    def run() -> float:
        h = x
        for _ in range(25):
            h = F.tanh(h * 1.01)
        h.grad = start
        h.backward()
        return tracemalloc.get_traced_memory()[1] / size

    x, start = Variable(np.ones(size // 8)), np.ones(size // 8)
    with collector_off(), traced():
        peak = run()
        x.cleargrad()
        assert 25 <= peak <= 28.05
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            run()
            x.cleargrad()
        assert tracemalloc.get_traced_memory()[0] - before < 2048


@pytest.mark.source("CO-11", "CN-15")
def test_only_what_a_rule_asks_for_is_kept() -> None:
    size = 1 << 20
    x, c = Variable(np.ones(size // 8)), Variable(np.ones(size // 8), requires_grad=False)

    def held(make: object) -> int:
        with collector_off(), traced():
            before = tracemalloc.get_traced_memory()[0]
            y = make()
            kept = tracemalloc.get_traced_memory()[0] - before - y.data.nbytes
            return round(kept / size)

    assert held(lambda: x + c + c) == 0  # a sum needs no value
    assert held(lambda: x * c * c) == 0  # the gradient of x needs c alone, which is there
    assert held(lambda: (x + c) * x) == 1  # that of x needs the sum
    assert held(lambda: F.tanh(F.tanh(x + c))) == 1  # tanh needs its output, not its input
    assert held(lambda: F.exp(F.sin(x))) == 0
