"""The pages about PyTorch and JAX: every name that they mention exists, and the versions are those of the tests."""

from __future__ import annotations

import json
import re
from importlib import import_module

import pytest
from helpers.checkout import ROOT
from helpers.each import each

TABLE = (ROOT / "docs" / "from_autolab_to_pytorch.md").read_text("utf-8")
NOTE = (ROOT / "docs" / "bridges.md").read_text("utf-8")
ROWS = [row.strip("| ").split(" | ") for row in TABLE.splitlines() if row.startswith("| `")]
AUTOLAB = {"F": "autolab.functions", "L": "autolab.links"} | {
    name: f"autolab.{name}" for name in ("transforms", "authoring", "optimizers", "initializers", "data", "serializers")
}
TORCH = {"F": "torch.nn.functional", "nn": "torch.nn", "optim": "torch.optim"}
OBJECTS = ("x", "y", "h", "loss", "optimizer", "axis", "keepdims", "dim", "keepdim")  # what is no module's name


def names(cell: str) -> list[str]:
    """The dotted names in a cell that begin with a module."""
    found = [re.match(r"[\w.]+", code) for code in re.findall(r"`([^`]+)`", cell)]
    return [match[0] for match in found if match and match[0].partition(".")[0] not in OBJECTS]


def found(name: str, modules: dict[str, str]) -> object:
    first, _, rest = name.partition(".")
    value: object = import_module(modules.get(first, first))
    for part in rest.split("."):
        value = getattr(value, part)
    return value


def test_the_table_is_one_page():
    assert 35 <= len(ROWS) <= 60
    assert all(len(row) >= 2 for row in ROWS)


@each("name", sorted({name for row in ROWS for name in names(row[0])}))
def test_autolab_has_it(name):
    assert found(name, AUTOLAB) is not None


@each("name", sorted({name for row in ROWS for name in names(row[1])}))
def test_pytorch_has_it(name):
    pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
    assert found(name, TORCH) is not None


def test_the_note_has_the_saved_figures(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    saved = json.loads((ROOT / "benchmarks" / "results" / "bridges.json").read_text("utf-8"))
    assert import_module("bridges").table(saved["rows"]) in NOTE


def test_the_versions_are_those_of_the_tests():
    pinned = (ROOT / "tests" / "bridges" / "requirements.txt").read_text("utf-8")
    versions = dict(re.findall(r"^(torch|jax)(?:\[cpu\])?==(\S+)$", pinned, re.MULTILINE))
    assert f"PyTorch {versions['torch']} and JAX {versions['jax']}" in NOTE
