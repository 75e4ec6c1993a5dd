"""What docs/compile.md shows is what happens."""

from __future__ import annotations

import doctest

from helpers.checkout import ROOT


def test_the_examples_of_the_page_are_right() -> None:
    found = doctest.testfile(str(ROOT / "docs" / "compile.md"), module_relative=False)
    assert found.attempted > 15 and not found.failed
