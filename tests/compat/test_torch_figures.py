"""Layers, losses and functions beside recorded figures of PyTorch: every parameter at other values than its default.

What PyTorch refuses is refused, and what is taken gives the same numbers, dtypes, shapes and gradients.
tests/bridges compares the record with PyTorch itself.
"""

from __future__ import annotations

import random

import pytest
from helpers.torch_calls import difference, is_excepted, outcome
from helpers.torch_figures import load

from autolab.compat import torch


def _different(count: int | None) -> dict[str, str]:
    figures = load()
    chosen = list(figures) if count is None else random.Random(57).sample(list(figures), count)
    chosen = [line for line in chosen if not is_excepted(line, figures[line])]
    found = {line: difference(figures[line], outcome(torch, torch.nn, line)) for line in chosen}
    return {line: said for line, said in found.items() if said}


def test_what_is_taken_gives_what_pytorch_gives() -> None:
    assert _different(1500) == {}


@pytest.mark.full
def test_all_that_is_taken_gives_what_pytorch_gives() -> None:
    assert _different(None) == {}


def test_most_calls_are_taken() -> None:
    """A refusal is no difference; so many calls that PyTorch takes are not refused."""
    figures = load()
    chosen = random.Random(58).sample([line for line, one in figures.items() if not isinstance(one, str)], 400)
    taken = [line for line in chosen if not isinstance(outcome(torch, torch.nn, line), str)]
    assert len(taken) >= 360
