"""Compiled training is eager training, bit for bit: losses, parameters, gradients, states, buffers and draws."""

from __future__ import annotations

import pytest
from helpers.bits import bits
from helpers.training_steps import STEPS, trained

import autolab


@pytest.mark.parametrize("updates", [6, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", STEPS)
def test_updates_are_the_eager_ones(name: str, updates: int) -> None:
    seen, function = trained(name, updates, autolab.compile)
    expected, _ = trained(name, updates, lambda f: f)
    for i, (found, right) in enumerate(zip(seen, expected, strict=True)):
        assert bits(found) == bits(right), f"update {i}"
    assert not function.refusals
    assert sum([program.calls for program in function.programs]) >= updates - 4
