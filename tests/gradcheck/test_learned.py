"""The parameters of a link are checked as its inputs are; of what else a function uses it is said that it was not."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import FunctionNode, Link, Parameter, Variable, check_gradients, links
from autolab.links.functional import with_parameters

X = np.random.default_rng(0).normal(size=(4, 3))


class TwiceInW(FunctionNode):
    """x @ W, whose gradient of W is twice what it should be."""

    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0, 1))
        return (inputs[0] @ inputs[1],)

    def backward(self, indexes: Any, grad_outputs: Any) -> Any:
        x, w = self.get_retained_inputs()
        (g,) = grad_outputs
        return g @ w.T, 2 * (x.T @ g)


class Layer(Link):
    def __init__(self) -> None:
        super().__init__()
        self.W = Parameter(np.random.default_rng(1).normal(size=(3, 2)))

    def forward(self, x: Variable) -> Variable:
        return TwiceInW().apply((x, self.W))[0]

    def wrong(self, W: Variable) -> Variable:
        return TwiceInW().apply((W, self.W))[0]


class Net(Link):
    """A layer between others, of which two are the same."""

    def __init__(self) -> None:
        super().__init__()
        self.first = links.Linear(3, 3)
        self.rest = links.ChainList(links.Linear(3, 3), self.first)
        self.last = Layer()

    def forward(self, x: Variable) -> Variable:
        for link in self.rest:
            x = np.tanh(link(x))
        return self.last(self.first(x))


def verdicts(report: Any) -> dict[str, str]:
    return {item.name: item.verdict for item in report.inputs}


def test_a_layer_whose_weights_get_a_wrong_gradient_is_wrong() -> None:
    layer = Layer()
    before = layer.W.data.copy()
    report = check_gradients(layer, X)
    assert verdicts(report) == {"x": "right", "W": "wrong"}
    (finding,) = report.findings
    assert (finding.kind, finding.input, finding.evidence["factor"]) == ("wrong_factor", "W", pytest.approx(2.0))
    assert "TwiceInW.backward" in str(report)
    np.testing.assert_array_equal(layer.W.data, before)
    assert layer.W.grad is None
    assert verdicts(check_gradients(layer.forward, X)) == {"x": "right", "W": "wrong"}
    assert verdicts(check_gradients(layer.wrong, X)) == {"W": "right", "self.W": "wrong"}


def test_it_is_found_deep_in_a_net_with_shared_links() -> None:
    report = check_gradients(Net(), X)
    names = ["x", "first.W", "first.b", "rest.0.W", "rest.0.b", "last.W"]
    assert verdicts(report) == {name: "wrong" if name == "last.W" else "right" for name in names}


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_it_is_measured_elsewhere_too(executor: Any) -> None:
    with executor(2) as pool:
        assert verdicts(check_gradients(Net(), X, executor=pool))["last.W"] == "wrong"


def through(model: Link, x: Variable) -> Variable:
    return model(x)


@pytest.mark.parametrize("executor", [None, ProcessPoolExecutor])
def test_links_among_the_arguments_are_checked(executor: Any) -> None:
    if executor is None:
        assert verdicts(check_gradients(through, Net(), X))["model.last.W"] == "wrong"
        return
    with executor(2) as pool:
        assert verdicts(check_gradients(through, Net(), X, executor=pool))["model.last.W"] == "wrong"


def test_a_parameter_with_the_name_of_an_argument_that_is_no_input() -> None:
    class Scaled(Link):
        def __init__(self) -> None:
            super().__init__()
            self.times = Parameter(np.array(2.0))

        def forward(self, x: Variable, times: int) -> Variable:
            return x * self.times * times

    assert verdicts(check_gradients(Scaled(), X, times=3)) == {"x": "right", "self.times": "right"}


def test_a_check_of_a_link_leaves_it_as_it_was() -> None:
    norm = links.BatchNormalization(3)
    state = {name: array.copy() for name, array in norm.state().items()}
    assert set(verdicts(check_gradients(norm, X))) == {"x", "gamma", "beta"}
    for name, array in norm.state().items():
        np.testing.assert_array_equal(array, state[name])


@pytest.mark.parametrize("order", [1, 2])
def test_sizes_that_follow_the_inputs_and_higher_orders(order: int) -> None:
    report = check_gradients(links.MLP([5, 2]), X, order=order)
    assert report.passed and set(verdicts(report)) == {"x", "l0.W", "l0.b", "l1.W", "l1.b"}


def test_a_link_of_integers_and_one_with_frozen_parameters() -> None:
    assert verdicts(check_gradients(links.Embedding(5, 3), np.array([0, 1, 1, 4]))) == {"W": "right"}
    layer = Layer()
    layer.W = Parameter(layer.W.data, requires_grad=False)
    assert verdicts(check_gradients(layer, X)) == {"x": "right"}


W, M = Variable(np.ones((3, 2))), links.MLP([5, 4, 2])
HELD = {"W": [1.0, 2.0], "b": Variable(np.ones(3))}
M(X)


def own(x: Variable) -> Variable:
    return x @ Variable(np.ones((3, 2)))


def of_data(x: Variable) -> Variable:
    with autolab.no_grad():
        scale = (W * W).sum()
    return x @ W.data * scale


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (lambda x: x @ W, "<lambda> also uses W, whose gradient was not checked: make it an input."),
        (lambda x: M(x), "gradients were not checked: make them inputs, or give the link as an argument."),
        (lambda x: x + HELD["b"], "<lambda> also uses HELD['b'], whose gradient was not checked: make it an input."),
        (own, None),
        (of_data, None),
        (lambda x: x * x, None),
    ],
)  # fmt: skip
def test_what_was_not_checked_is_said(fn: Any, said: str | None) -> None:
    report = check_gradients(fn, X)
    assert report.passed
    told = [finding.message for finding in report.findings if finding.kind == "not_checked"]
    assert (said in told[0]) if said else not told


def test_a_link_with_other_parameters() -> None:
    net = Net()
    first = net.first.W.data.copy()
    other = with_parameters(net, {"/first/W": Parameter(np.zeros((3, 3)))})
    assert other.rest[1] is other.first and not other.first.W.data.any()
    np.testing.assert_array_equal(net.first.W.data, first)
    assert other.last.W.data is net.last.W.data
