"""Missing terms, found by running the user's forward on Variables: the finding names the way that is forgotten."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients, elementwise, primitive
from autolab.authoring import ContextFunction, Function, SimpleFunction

X = np.random.default_rng(0).uniform(0.5, 2, (3, 4))


def centred(x):
    return x - x.mean(axis=1, keepdims=True)


# name: (forward, wrong backward, the function on the forgotten way)
FORGOTTEN = {
    "exp of a product": (lambda x: x * np.exp(x), lambda g, x: g * np.exp(x), "through exp"),
    "sum in a share": (lambda x: x / np.sum(x), lambda g, x: g / np.sum(x), "through sum"),
    "mean in a difference": (lambda x: centred(x) ** 2, lambda g, x: 2 * g * centred(x), "through mean"),
    "second summand": (lambda x: np.sin(x) + np.exp(x), lambda g, x: g * np.cos(x), "through exp"),
    "inner one of two": (lambda x: np.tanh(x * np.log(x)), None, "through log"),
}
FORGOTTEN["inner one of two"] = (
    FORGOTTEN["inner one of two"][0],
    lambda g, x: g * (1 - np.tanh(x * np.log(x)) ** 2) * np.log(x),
    "through log",
)


def the_finding(function, *inputs):
    (finding,) = [f for f in check_gradients(function, *inputs).findings if not f.innocent]
    return finding


@pytest.mark.parametrize("name", FORGOTTEN)
def test_a_forgotten_way_is_named(name):
    forward, backward, words = FORGOTTEN[name]
    finding = the_finding(node(forward, backward), X)
    assert finding.kind == "missing_term"
    assert f"{words} is missing" in finding.message


def test_two_forgotten_ways_are_named():
    finding = the_finding(node(lambda x: np.sin(x) + np.exp(x) + np.log(x), lambda g, x: g * np.cos(x)), X)
    assert finding.kind == "missing_term"
    assert "through exp" in finding.message and "through log" in finding.message


def test_a_term_with_the_wrong_sign_is_named():
    finding = the_finding(node(lambda x: np.sin(x) + np.exp(x), lambda g, x: g * (np.cos(x) - np.exp(x))), X)
    assert (finding.kind, "through exp has the wrong sign" in finding.message) == ("missing_term", True)


def test_a_way_that_counts_for_another_is_named():
    a = np.random.default_rng(1).normal(size=(4, 4))
    finding = the_finding(node(lambda x: x @ a @ x, lambda g, x: 2 * g * (a @ x)), X[0])
    assert finding.kind == "missing_term"
    assert "one through matmul is counted twice" in finding.message and "not symmetric" in finding.message
    a = a + a.T
    assert check_gradients(node(lambda x: x @ a @ x, lambda g, x: 2 * g * (a @ x)), X[0]).verdict == "right"


class Ctx(ContextFunction):
    @staticmethod
    def forward(ctx, x, scale=2.0):
        ctx.save_for_backward(x)
        return np.sin(x) * np.exp(x) * scale

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * np.cos(x) * np.exp(x) * 2.0, None


class Simple(SimpleFunction):
    def forward(self, x):
        return np.sin(x) * np.exp(x)

    def backward(self, g):
        (x,) = self.inputs
        return g * np.cos(x) * np.exp(x)


class Old(Function):
    def forward(self, inputs):
        (x,) = inputs
        return (np.sin(x) * np.exp(x),)

    def backward(self, inputs, grad_outputs):
        (x,) = inputs
        return (grad_outputs[0] * np.cos(x) * np.exp(x),)


@pytest.mark.parametrize("function", [Ctx.apply, lambda x: Simple()(x), lambda x: Old()(x)])
def test_in_every_way_to_write_a_function(function):
    finding = the_finding(function, X)
    assert (finding.kind, "through exp is missing" in finding.message) == ("missing_term", True)


def test_a_function_inside_of_others_is_traced_with_its_own_upstream_gradient():
    wrong = node(*FORGOTTEN["exp of a product"][:2])
    assert the_finding(lambda x: np.tanh(wrong(x)).sum(axis=0), X).kind == "missing_term"


def untraceable(x):
    return np.frompyfunc(lambda v: v * 2.718281828**v, 1, 1)(x).astype(float)


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        (untraceable, lambda g, x: g * np.exp(x)),
        (lambda x: x * np.exp(x), lambda g, x: g * np.exp(x) * np.cos(x)),
    ],
)
def test_without_a_trace_or_a_way_nothing_is_guessed(forward, backward):
    finding = the_finding(node(forward, backward), X)
    assert finding.kind == "wrong_function" and "cause" not in finding.evidence


def test_a_trace_that_disagrees_with_the_differences_is_not_used():
    """The forward does something else with arrays than with Variables."""

    def two_faced(x):
        return x * x if isinstance(x, np.ndarray) else x * x + (x - x.data) * np.exp(x)

    finding = the_finding(node(two_faced, lambda g, x: g * (2 * x - np.exp(x))), X)
    assert finding.kind == "wrong_function"


# name: (forward, wrong backward, the function whose derivative is forgotten)
CHAINS = {
    "inner derivative": (lambda x: np.exp(x * x), lambda g, x: g * np.exp(x * x), "mul"),
    "outer derivative": (lambda x: np.exp(np.sin(x)), lambda g, x: g * np.cos(x), "exp"),
    "in the middle": (lambda x: np.log(np.sin(x * x) + 2), lambda g, x: g / (np.sin(x * x) + 2) * 2 * x, "sin"),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_forgotten_step_of_the_chain_rule_is_named(name):
    forward, backward, function = CHAINS[name]
    finding = the_finding(node(forward, backward), X)
    assert finding.kind == "wrong_function"
    assert f"through {function} is not multiplied by the derivative of {function}" in finding.message
    assert finding.hint.startswith("The chain rule")


def test_the_factor_that_another_input_gives_is_named():
    def backward(g, x, w):
        d = g * (1 - np.tanh(x * w) ** 2)
        return d, d * x

    finding = the_finding(node(lambda x, w: np.tanh(x * w), backward), X, X[::-1].copy())
    assert (finding.kind, finding.input) == ("wrong_function", "inputs[0]")
    assert "through mul is not multiplied by the derivative of mul" in finding.message


@elementwise(x=lambda g, y: g * y)
def bell(xp, x):
    return xp.exp(-x * x)


@primitive(x=lambda g, x: g * np.exp(x))
def product(xp, x, *, by=1.0):
    return x * xp.exp(x) * by


def test_declared_functions_are_traced_too():
    finding = the_finding(lambda x: bell(x), X)
    assert finding.kind == "wrong_function" and "through mul is not multiplied by the inner" in finding.message
    assert "through exp is missing" in the_finding(lambda x: product(x), X).message


def test_a_square_that_the_derivative_of_tanh_lacks_is_named():
    def layer(g, x, w, b):
        a = g * (1 - np.tanh(x @ w + b))
        return a @ w.T, x.T @ a, a.sum(axis=0)

    @primitive(x=lambda g, y: g * (1 - y))
    def own(xp, x):
        return xp.tanh(x)

    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=shape) for shape in ((5, 3), (3, 4), 4)]
    for function, inputs in (
        (node(np.tanh, lambda g, x: g * (1 - np.tanh(x))), arrays[:1]),
        (lambda x: own(x), arrays[:1]),
        (node(lambda x: np.exp(np.tanh(x)), lambda g, x: g * np.exp(np.tanh(x)) * (1 - np.tanh(x))), arrays[:1]),
        (node(lambda x, w, b: np.tanh(x @ w + b), layer), arrays),
    ):
        found = [f for f in check_gradients(function, *inputs).findings if not f.innocent]
        assert [f.kind for f in found] == ["wrong_function"] * len(inputs)
        assert all("that of tanh lacks a square" in f.message for f in found)
