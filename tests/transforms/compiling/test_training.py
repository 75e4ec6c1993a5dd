"""Compiled training is eager training, bit for bit: losses, parameters, gradients, states, buffers and draws; so is
training with a compiled network."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits
from helpers.each import each
from helpers.training_steps import STEPS, trained

import autolab
from autolab import Variable
from autolab import functions as F
from autolab import links as L
from autolab.engine.reach import is_plain
from autolab.optimizers import Adam

NETWORKS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "convolutions": (lambda: L.Sequential(L.Conv2D(2, 3, 3), L.BatchNormalization(3), F.relu), (2, 2, 5, 5)),
    "transposed": (lambda: L.Sequential(L.ConvTranspose2D(2, 3, 2), L.GroupNormalization(3, 3)), (2, 2, 4, 4)),
    "normalized": (lambda: L.Sequential(L.Linear(4, 6), L.BatchNormalization(6), L.RMSNormalization(6)), (5, 4)),
    "dropout": (lambda: L.Sequential(L.Linear(4, 6), F.dropout, L.LayerNormalization(6)), (5, 4)),
    "attention": (lambda: L.SelfAttention(4), (2, 3, 4)),
    "a transformer": (lambda: L.TransformerEncoderLayer(4, 2, dropout=0.2), (2, 3, 4)),
    "gates": (lambda: L.Sequential(L.GRU(4, 3, layers=2, dropout=0.1), lambda states, *last: states), (2, 3, 4)),
    "memory": (lambda: L.Sequential(L.LSTM(4, 3), lambda states, *last: states), (2, 3, 4)),
}
"""Networks, some of which keep something of each call, with the shape of a batch."""


@each("updates", [6, pytest.param(200, marks=pytest.mark.full)])
@each("name", STEPS)
def test_updates_are_the_eager_ones(name: str, updates: int) -> None:
    seen, function = trained(name, updates, autolab.compile)
    expected, _ = trained(name, updates, lambda f: f)
    for i, (found, right) in enumerate(zip(seen, expected, strict=True)):
        assert bits(found) == bits(right), f"update {i}"
    assert not function.refusals
    assert sum([program.calls for program in function.programs]) >= updates - 4


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_that_is_compiled_alone_gives_what_it_gives(name: str) -> None:
    make, shape = NETWORKS[name]
    told: list[Any] = []
    for wrap in (autolab.compile, lambda net: net):
        with autolab.using_config("rng", np.random.default_rng(1)):
            net = make()
            called = wrap(net)
            for x in np.random.default_rng(2).normal(size=(5, *shape)).astype(np.float32):
                net.cleargrads()
                given = Variable(x)
                y = called(given)
                F.sum(y**3).backward()
                told.append((bits([y, net.state_dict()]), [one.grad.data for one in (given, *net.params())]))
        assert wrap is not autolab.compile or (called.programs and not called.refusals)
    for found, expected in zip(told[:5], told[5:], strict=True):
        assert found[0] == expected[0]
        size = max(
            [np.abs(g).max() for g in expected[1]]
        )  # not the same bits: ``3 y**2`` lies in memory in another way
        for g, right in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(g, right, rtol=1e-4, atol=1e-5 * size)


NAMES = sorted({name for name, value in vars(Adam().setup(L.Linear(1, 1))).items() if is_plain(value)})


def names_of_its_own(name: str, asks: bool) -> Callable[[], float]:
    """A step of an object with an attribute that an optimizer has, too, and which it may read there."""
    model = L.Linear(3, 2, initialW=0.3)
    optimizer, own = Adam().setup(model), SimpleNamespace(**{name: 2.0})

    def step() -> float:
        model.cleargrads()
        loss = F.mean(model(np.ones((4, 3))) ** 2) * getattr(own, name)
        if asks:
            loss = loss * (1.0 + float(getattr(optimizer, name) or 0.0))
        loss.backward()
        optimizer.update()
        return loss

    return step


@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_may_be_called_as_one_of_an_optimizer(name: str) -> None:
    compiled, plain = autolab.compile(names_of_its_own(name, False)), names_of_its_own(name, False)
    assert [str(compiled().data) for _ in range(6)] == [str(plain().data) for _ in range(6)]
    assert compiled.programs and not compiled.refusals
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled, plain = autolab.compile(names_of_its_own(name, True)), names_of_its_own(name, True)
        assert [str(compiled().data) for _ in range(6)] == [str(plain().data) for _ in range(6)]


def test_code_that_draws_counts_if_it_runs() -> None:
    class Net:
        def __init__(self) -> None:
            self.w = Variable(np.random.normal(size=(3, 2)))

        def noise(self) -> float:
            return float(np.random.normal())

        def __call__(self, x: np.ndarray, is_noisy: bool) -> Variable:
            return F.sum((x @ self.w) ** 2) * (self.noise() if is_noisy else 1.0)

    found = []
    for wrap in (autolab.compile, lambda f: f):
        np.random.seed(0)
        call = wrap(Net())
        x = np.ones((4, 3))
        found.append([str(call(x, False).data) for _ in range(3)])
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            found[-1] += [str(call(x, True).data) for _ in range(3)]
            if wrap is autolab.compile:
                assert call.programs and "numpy.random" in str(heard[0].message)
    assert found[0] == found[1]
