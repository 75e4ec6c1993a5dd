"""Every statement of the source documents has a test that carries its id."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

from helpers.checkout import ROOT

TESTS = ROOT / "tests"
KNOWN_ID = re.compile(r"(CO|CN|CK|CI|DZ|PT)-\d\d|X\d\d?|T-00[0-4]-\d\d?")


def statements() -> dict[str, str]:
    groups = tomllib.loads((TESTS / "sources.toml").read_text("utf-8"))
    return {name: text for group in groups.values() for name, text in group.items()}


def marks(source: str) -> Iterator[str]:
    """The ids with which the tests in ``source`` are marked, one by one or all by ``pytestmark``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield from (mark for decorator in node.decorator_list for mark in ids(decorator))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            yield from ids(node.value)


def ids(node: ast.expr) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.source":
            yield from (argument.value for argument in call.args if isinstance(argument, ast.Constant))


def marked() -> set[str]:
    return {mark for file in TESTS.rglob("test_*.py") for mark in marks(file.read_text("utf-8"))}


def test_every_statement_has_a_test() -> None:
    found = marked()
    assert {name: text for name, text in statements().items() if name not in found} == {}
    assert [mark for mark in {*found, *statements()} if not KNOWN_ID.fullmatch(mark)] == []


def test_marks_are_found_on_tests_alone() -> None:
    source = """
@pytest.mark.source("CO-01", "X1")
@pytest.mark.parametrize("x", [1])
def test_something(x): ...

class TestMore:
    @pytest.mark.source("CO-02")
    def test_it(self): ...

@pytest.mark.source("CO-03")
def helper(): ...

pytestmark = [pytest.mark.full, pytest.mark.source("CO-04")]
text = 'pytest.mark.source("CO-05")'
"""
    assert sorted(marks(source)) == ["CO-01", "CO-02", "CO-04", "X1"]
