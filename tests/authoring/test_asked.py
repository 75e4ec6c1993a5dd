"""`grad` asks a FunctionNode only for the gradients that lead to its inputs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import autolab
from autolab.compat import chainer
from autolab.engine import walks


def _product(base: Any, asked: list[tuple[int, ...]], gives_all: bool) -> Any:
    class Product(base):
        def forward(self, inputs):
            self.retain_inputs((0, 1, 2))
            x, y, z = inputs
            return (x * y * z,)

        def backward(self, indexes, grad_outputs):
            asked.append(indexes)
            (g,), (x, y, z) = grad_outputs, self.get_retained_inputs()
            found = g * y * z, g * x * z, g * x * y
            return found if gives_all else tuple([found[i] for i in indexes])

    return Product


@pytest.mark.parametrize("library", [autolab, chainer])
@pytest.mark.parametrize("gives_all", [False, True])
def test_only_what_leads_to_the_inputs_is_asked_for(library: Any, gives_all: bool) -> None:
    asked: list[tuple[int, ...]] = []
    product = _product(library.FunctionNode, asked, gives_all)
    values = np.array([2.0]), np.array([3.0]), np.array([5.0])
    for wanted in [w for n in (1, 2, 3) for w in combinations(range(3), n)]:
        for is_leaf in (False, True):
            xs = [library.Variable(value) for value in values]
            inputs = xs if is_leaf else [x * 1.0 for x in xs]
            (y,) = product().apply(tuple(inputs))
            asked.clear()
            found = library.grad([y], [xs[i] for i in wanted])
            assert asked == [wanted]
            assert [g.data[0] for g in found] == [30.0 / values[i][0] for i in wanted]
            y.backward()
            assert asked[1:] == [(0, 1, 2)]


def test_a_function_that_leads_to_no_input_is_not_asked() -> None:
    asked: list[tuple[int, ...]] = []
    product = _product(autolab.FunctionNode, asked, False)
    x, a = autolab.Variable(2.0), autolab.Variable(3.0)
    (y,) = product().apply((a, a, a))
    assert autolab.grad(x * y, x).data == 27.0 and not asked


def test_graphs_that_a_backward_makes_for_itself_are_asked_for_everything() -> None:
    asked: list[tuple[int, ...]] = []
    inner = _product(autolab.FunctionNode, asked, False)

    class Outer(autolab.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1, 2))
            return (inputs[0] * inputs[1] * inputs[2],)

        def backward(self, indexes, grad_outputs):
            xs = [autolab.Variable(x.data) for x in self.get_retained_inputs()]
            inner().apply(xs)[0].backward()
            return tuple([grad_outputs[0] * x.grad for x in xs])

    xs = [autolab.Variable(value) for value in (2.0, 3.0, 5.0)]
    assert autolab.grad(Outer().apply(xs)[0], xs[1]).data == 10.0 and asked == [(0, 1, 2)]


def test_a_backward_inside_of_a_pass_is_asked_for_everything_though_it_visits_the_same_graph() -> None:
    asked: list[tuple[int, ...]] = []
    x, a = autolab.Variable(2.0), autolab.Variable(3.0)
    (h,) = _product(autolab.FunctionNode, asked, False)().apply((x, a, a * 1.0))

    class Outer(autolab.FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * 2.0,)

        def backward(self, indexes, grad_outputs):
            h.backward()
            return (grad_outputs[0] * 2.0,)

    assert autolab.grad(Outer().apply((h,))[0], x).data == 18.0
    assert asked == [(0, 1, 2), (0,)] and a.grad.data == 12.0


def test_a_graph_is_walked_at_most_once_for_a_pass_and_only_where_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []
    product, count, below = _product(autolab.FunctionNode, asked, False), [0], walks.nodes_below
    monkeypatch.setattr(walks, "nodes_below", lambda *roots: (count.append(1), below(*roots))[1])
    x, a = autolab.Variable(0.9), autolab.Variable(1.1)
    y = x
    for _ in range(5):
        (y,) = product().apply((y, a, y * a))
    autolab.grad(y, x)
    assert sum(count) == 1 and asked == [(0, 2)] * 5
    autolab.grad(y, (x, a))
    autolab.grad((x * a).sum(), x, create_graph=True)
    y.backward()
    assert sum(count) == 2 and asked[-5:] == [(0, 1, 2)] * 5
