"""Layers, losses and functions beside recorded figures of PyTorch: every parameter at other values than its default.

What PyTorch refuses is refused, and what is taken gives the same numbers, dtypes, shapes and gradients.
tests/bridges compares the record with PyTorch itself.
"""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.torch_calls import difference, is_excepted, outcome
from helpers.torch_figures import load

import autolab
from autolab import nn
from autolab.compat import torch
from autolab.engine.habit_tables import ON_PURPOSE


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
    assert len(taken) >= 380


OWN_MEANING = {
    r"\(t\(\(0,|i\(\[\]\)": "mse_loss",
    r"F\.(cross_entr|nll_l).*(i\(-100\)|i\(\[-100, -100, -100\]\)|i\(\[1, 1, 1\]\).*ignore_index=1)": "cross_entropy",
    r"F\.gaussian_nll_loss\(.*(eps=0\.5|1e-9)": "gaussian_nll_loss",
    r"F\.cosine_similarity\(.*1e-9": "cosine_similarity",
    r"F\.poisson_nll_loss\(.*full=True": "poisson_nll_loss",
    r"F\.max_pool.*'ties'": "max_pool1d",
    r"F\.avg_pool.*'int64'": "avg_pool1d",
    r"F\.hardtanh\(.*'int64'.*min_val=0\.5": "hardtanh",
    r"F\.tanh\(.*'bool'": "tanh",
    r"F\.one_hot": "one_hot",
}
"""Calls of `autolab.nn.functional` whose numbers are not PyTorch's, and the row of `ON_PURPOSE` that says why; what is
whole stays in NumPy's dtypes."""

OWN = SimpleNamespace(
    **{name: np.dtype(name) for name in ("bool", "float16", "float32", "float64", "int64")},
    tensor=lambda numbers, dtype: autolab.Variable(np.array(numbers, dtype), requires_grad=False),
    Tensor=autolab.Variable,
    autograd=SimpleNamespace(
        backward=lambda ys, starts: sum([(y * g).sum() for y, g in zip(ys, starts, strict=True)]).backward()
    ),
)


def test_functions_of_autolab_with_pytorchs_meaning_give_what_pytorch_gives() -> None:
    figures = {line: one for line, one in load().items() if line.startswith("F.") and not isinstance(one, str)}
    found, taken = {}, 0
    for line, expected in figures.items():
        if not is_excepted(line, expected) and not any([re.search(part, line) for part in OWN_MEANING]):
            got: Any = outcome(OWN, nn, line)
            taken += not isinstance(got, str)
            if re.search(r"'int64'|'bool'|\bi\(|1\.0\)$|return_indices", line) and len(got) == len(expected):
                got = [(dtype, array) for (dtype, _), (_, array) in zip(expected, got, strict=True)]
            found[line] = difference(expected, got)
    assert {line: said for line, said in found.items() if said} == {}
    assert taken > 1700
    assert {*OWN_MEANING.values()} <= ON_PURPOSE.keys()
