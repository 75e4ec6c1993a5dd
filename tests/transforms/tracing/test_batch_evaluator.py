"""Many points at once: the same numbers as one by one, and the slow way wherever a program would be wrong."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import links as L
from autolab.analysis.ladder import Ladder
from autolab.analysis.loss_space import Space
from autolab.transforms.tracing import BatchEvaluator

W = np.random.default_rng(1).normal(size=(6, 6))


def net(x):
    h = F.tanh(W @ (x * W[0]))
    return F.sum(F.sin(W @ h))


def branching(x):
    return F.sum(x * W[0]) if x < 0.3 else F.sum(F.exp(x * W[1]))


class Counted:
    def __init__(self, function):
        self.function, self.calls, self.__name__ = function, 0, "counted"

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


@pytest.fixture
def slow(monkeypatch):
    """Computes with every program switched off."""

    def compute(function):
        with monkeypatch.context() as patch:
            patch.setattr(BatchEvaluator, "at", lambda self, points, others=(): None)
            return function()

    return compute


@pytest.mark.parametrize("fn", [net, branching])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_a_ladder_is_the_same_by_programs(fn, order, slow):
    xs, counted = np.linspace(-2, 2, 161), Counted(fn)
    found = Ladder("test", counted, order).at(xs)
    np.testing.assert_allclose(found, slow(lambda: Ladder("test", fn, order).at(xs)), rtol=1e-12, atol=1e-12)
    assert counted.calls < 20


def test_a_program_serves_when_other_inputs_move():
    counted = Counted(lambda x, w: F.sum(F.tanh(w * x)))
    ladder, xs = Ladder("test", counted, 2, [W[0]]), np.linspace(-1, 1, 161)
    for k, w in enumerate(W[:3]):
        ladder.others, before = [w], counted.calls
        y = np.tanh(np.outer(w, xs))
        slope = (1 - y**2) * w[:, None]
        np.testing.assert_allclose(ladder.at(xs)[:2], [y.sum(0), slope.sum(0)], rtol=1e-12, atol=1e-12)
        assert counted.calls - before <= (12, 1, 1)[k]


def test_numbers_that_no_program_knows_are_computed_one_by_one():
    rng = np.random.default_rng(0)
    calls = []

    def noisy(x):
        calls.append(1)
        return F.sum(x * np.ones(2)) + rng.normal()

    ladder = Ladder("test", noisy, 1)
    ladder.at(np.linspace(0, 1, 50))
    assert ladder._evaluator.refusal and len(calls) > 50


def test_what_a_function_raises_is_said_as_before():
    def picky(x):
        if x > 0.5:
            raise ValueError(f"too large: {float(x.data):.1f}")
        return F.sum(x * np.ones(3))

    ladder = Ladder("test", picky, 1)
    found = ladder.at(np.linspace(0, 1, 101))
    assert ladder.raised == "ValueError: too large: 1.0"
    assert np.isnan(found[:, 51:]).all() and found[0, :51] == pytest.approx(3 * np.linspace(0, 0.5, 51))


def test_a_surface_is_the_same_by_programs(slow):
    x, t = W[:4], np.array([0, 1, 2, 0])

    class Net(L.Chain):
        def __init__(self):
            super().__init__()
            self.first, self.second = L.Linear(6, 5), L.Linear(5, 3)

        def __call__(self, x):
            return self.second(F.relu(self.first(x)))

    model = Net()
    loss = Counted(lambda m: F.softmax_cross_entropy(m(x), t))
    found = autolab.surface(loss, model, steps=9)
    assert loss.calls < 9
    np.testing.assert_allclose(found.values, slow(lambda: autolab.surface(loss, model, steps=9)).values, rtol=1e-12)


def test_a_loss_with_a_memory_is_computed_one_by_one(slow):
    def made():
        state = [0.0]

        def loss(w):
            state[0] += 1.0
            return F.sum(w * w) * state[0]

        return loss

    space = Space(made(), np.ones(3))
    assert BatchEvaluator(space.traced, space.alone).at(np.ones((20, 3))) is None
