"""Every statement of the source documents has a test that carries its id."""

from __future__ import annotations

import re
import tomllib

from helpers.marks import TESTS, marked, marks

KNOWN_ID = re.compile(r"(CO|CN|CK|CI|DZ|PT)-\d\d|X\d\d?|T-00[0-4]-\d\d?")


def statements() -> dict[str, str]:
    groups = tomllib.loads((TESTS / "sources.toml").read_text("utf-8"))
    return {name: text for group in groups.values() for name, text in group.items()}


def test_every_statement_has_a_test() -> None:
    found = marked("source")
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
    assert sorted(marks(source, "source")) == ["CO-01", "CO-02", "CO-04", "X1"]
