"""The folders of the gradient checks import one way."""

from __future__ import annotations

import ast

import pytest
from helpers.checkout import ROOT

PACKAGE = ROOT / "autolab" / "gradcheck"

BELOW = {
    "messages": set(),
    "measuring": {"messages"},
    "judging": {"messages", "measuring"},
    "formulas": {"messages", "measuring", "judging"},
    "naming": {"messages", "measuring", "judging", "formulas"},
    "checks": {"messages", "measuring", "judging", "naming", "report"},
}


def test_every_module_is_in_a_folder():
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "report.py"}
    assert {path.parent.name for path in PACKAGE.glob("*/*.py")} == BELOW.keys()


@pytest.mark.parametrize("folder", BELOW)
def test_a_folder_imports_only_those_below(folder):
    imports = [
        node.module.partition(".")[0]
        for path in (PACKAGE / folder).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module
    ]
    assert set(imports) <= BELOW[folder]
