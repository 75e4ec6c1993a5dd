"""The facade `autolab.compat.torch` beside PyTorch: the same lines give the same, and its parameters are the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

import random
from collections import Counter

import operators
import torch_signatures
from helpers import torch_calls, torch_figures
from one_liners import difference, lines, of_line

from autolab.compat import torch as facade

RIGHT = ("equal", "refused by name", "PyTorch alone refuses")


def judged(code: str, refused: str, more: bool) -> str:
    """``equal``, ``refused by name``, ``PyTorch alone refuses``, or what is wrong."""
    original, ours = of_line(torch, code), of_line(facade, code)
    said = difference(original, ours)
    if more:
        return (
            "PyTorch alone refuses"
            if original.error and not ours.error
            else f"expected PyTorch alone to refuse: {said}"
        )
    if refused:
        named = original.error is None and refused in str(ours.error)
        return "refused by name" if named else f"expected an error with {refused!r}, got {ours.error!r}"
    return said or "equal"


def test_lines_give_what_they_give_in_pytorch() -> None:
    found = {line: judged(*line) for line in lines()}
    assert {line[0]: said for line, said in found.items() if said not in RIGHT} == {}
    assert Counter(found.values())["equal"] >= 1980


@pytest.mark.filterwarnings("ignore")  # of what PyTorch will remove
@pytest.mark.parametrize(("dtype", "least"), [("float64", 1_500), ("int64", 1_000)])
def test_samples_of_pytorchs_operators_give_what_they_give_in_pytorch(dtype: str, least: int) -> None:
    found = [(sample, operators.judged(sample)) for sample in operators.samples(dtype)]
    assert {str(sample): said for sample, said in found if said not in ("equal", "refused")} == {}
    assert Counter([said for _, said in found])["equal"] >= least


def test_the_table_of_parameters_is_what_pytorch_says() -> None:
    assert torch_signatures.TABLE.read_text("utf-8") == torch_signatures.table(), (
        "run tests/bridges/torch_signatures.py"
    )


def test_the_recorded_figures_are_what_pytorch_gives() -> None:
    figures = torch_figures.load()
    found = {line: torch_calls.outcome(torch, torch.nn, line) for line in random.Random(2).sample([*figures], 1500)}
    refused = {line for line, one in found.items() if isinstance(one, str) != isinstance(figures[line], str)}
    assert refused == set()
    apart = {line: torch_calls.difference(figures[line], one) for line, one in found.items()}
    assert {line: said for line, said in apart.items() if said} == {}
