"""docs/compat.md says what the facades offer; they offer nothing but their originals' names and a few more."""

from __future__ import annotations

import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT
from helpers.each import each
from helpers.marks import marks

from autolab import compat

PAGE: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "compat.py"))
MODULES = list(compat.originals())
MORE = {  # names of other versions, in DeZero's repository and in AutoLab
    "dezero.functions": {"batch_norm"},
    "dezero.models": {"Layer"},
    "dezero.cuda": {"cupy"},
}


def test_the_page_is_that_of_the_facades() -> None:
    assert (ROOT / "docs" / "compat.md").read_text("utf-8") == PAGE["markdown"](), "run scripts/compat.py"


def test_every_statement_about_dezero_has_a_test_through_its_facade() -> None:
    found = {
        mark for path in Path(__file__).parent.glob("test_*.py") for mark in marks(path.read_text("utf-8"), "source")
    }
    statements = {f"DZ-{i:02}" for i in range(1, 50)} | {f"X{i}" for i in range(1, 13)}
    assert statements - found == set()


def test_every_statement_about_pytorch_has_a_test_through_its_facade() -> None:
    found = {
        mark
        for path in Path(__file__).parent.glob("test_torch_*.py")
        for mark in marks(path.read_text("utf-8"), "source")
    }
    assert {f"PT-{i:02}" for i in range(1, 22)} - found == set()


@each("module", MODULES)
def test_a_module_offers_what_its_original_has(module: str) -> None:
    facade = import_module(f"autolab.compat.{module}")
    offered = set(facade.__all__)
    assert offered - set(compat.originals()[module]) <= MORE.get(module, set())
    assert {name for name in offered - {"cupy", "gpu_enable"} if not hasattr(facade, name)} == set()
    assert facade.__doc__ and facade.__doc__.strip()


@each("module", MODULES)
def test_what_a_module_does_not_offer_fails_by_name(module: str) -> None:
    facade = import_module(f"autolab.compat.{module}")
    for name in set(compat.originals()[module]) - set(facade.__all__):
        with pytest.raises(AttributeError, match=rf"^{module}\.{name} is not part of AutoLab's \w+ facade"):
            getattr(facade, name)


@each("module", [module for module in MODULES if compat.remedies(module)])
def test_an_error_says_what_there_is_instead(module: str) -> None:
    for name, there in compat.remedies(module).items():
        with pytest.raises(AttributeError, match=f"facade; {re.escape(there)}$"):
            getattr(import_module(f"autolab.compat.{module}"), name)
        assert name in compat.originals()[module]


@each("module", MODULES)
def test_everything_offered_says_what_it_is(module: str) -> None:
    facade = import_module(f"autolab.compat.{module}")
    named = {name: getattr(facade, name) for name in set(facade.__all__) - {"cupy", "gpu_enable"}}
    callables = {name: one for name, one in named.items() if callable(one)}
    assert [name for name, one in callables.items() if not inspect.getdoc(one)] == []
