"""The facade `autolab.compat.torch` beside PyTorch: the same lines give the same, and its parameters are the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")

from collections import Counter

import torch_signatures
from one_liners import Outcome, difference, lines

from autolab.compat import torch as facade

RIGHT = ("equal", "refused by name", "PyTorch alone refuses")


def judged(code: str, refused: str, more: bool) -> str:
    """``equal``, ``refused by name``, ``PyTorch alone refuses``, or what is wrong."""
    original, ours = Outcome(torch, code), Outcome(facade, code)
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
    assert Counter(found.values())["equal"] >= 1780


def test_the_table_of_parameters_is_what_pytorch_says() -> None:
    assert torch_signatures.TABLE.read_text("utf-8") == torch_signatures.table(), (
        "run tests/bridges/torch_signatures.py"
    )
