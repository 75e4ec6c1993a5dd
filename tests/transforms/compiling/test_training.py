"""Compiled training is eager training, bit for bit: losses, parameters, gradients, states, buffers and draws; so is
training with a compiled network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.bits import bits
from helpers.training_steps import STEPS, trained

import autolab
from autolab import Variable
from autolab import functions as F
from autolab import links as L

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


@pytest.mark.parametrize("updates", [6, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", STEPS)
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
