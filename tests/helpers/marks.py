"""What the tests say about themselves in marks, read from their source: nothing is imported."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .checkout import ROOT

TESTS = ROOT / "tests"


def marked(mark: str) -> dict[str, set[Path]]:
    """The ids that tests carry in ``@pytest.mark.<mark>(...)``, with the files in which they do."""
    found: dict[str, set[Path]] = defaultdict(set)
    for file in TESTS.rglob("test_*.py"):
        for name in marks(file.read_text("utf-8"), mark):
            found[name].add(file)
    return dict(found)


def marks(source: str, mark: str) -> Iterator[str]:
    """The ids with which the tests in ``source`` are marked, one by one or all by ``pytestmark``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield from (name for decorator in node.decorator_list for name in _ids(decorator, mark))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            yield from _ids(node.value, mark)


def _ids(node: ast.expr, mark: str) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == f"pytest.mark.{mark}":
            given = [*call.args, *[keyword.value for keyword in call.keywords]]
            yield from (argument.value for argument in given if isinstance(argument, ast.Constant))
