"""Formulas of a notebook's text are drawn in its page, and nothing but formulas gets there on that way."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from helpers.each import each

from autolab.lesson.pages.notebook_page import mathml, save_notebook, without_formulas

from .lessons import NOTEBOOKS, raw


def formulas_in(text: str) -> list[str]:
    found: dict[str, str] = {}
    left = without_formulas(text, found)
    assert all([mark in left for mark in found])
    return list(found.values())


@each("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_formula_of_the_lessons_is_drawn(notebook: Path) -> None:
    for cell in raw(notebook)["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            formulas = formulas_in(text)
            assert all([formula.startswith("<math") for formula in formulas])
            assert len(formulas) == text.replace("$$", "$").count("$") / 2


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("$x^2$ and $$\\frac{1}{2}$$", 2),
        ("in code: `$x$`, ``$a$ `$b$` ``", 0),
        ("```\n$x$\n```", 0),
        ("it costs $5, or $6", 0),
        (r"it costs \$5\$", 0),
        ("$ x $", 0),
        ("no end: $x", 0),
        ("", 0),
    ],
)
def test_what_is_a_formula(text: str, count: int) -> None:
    assert len(formulas_in(text)) == count


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"</math><script>alert(1)</script>",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\frac{1}{",
        "\\" * 300,
        "x" * 100_000,
        "{" * 3000,
        "\x00",
    ],
)
def test_a_hostile_formula_brings_nothing_but_text(tex: str) -> None:
    page = mathml(tex, "inline")
    for word in ("<script", "<img", "href=", "<a"):
        assert word not in page


@pytest.mark.lab
def test_the_page_of_a_notebook_draws_its_formulas(tmp_path: Path) -> None:
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_markdown_cell("The mean is $\\frac{1}{n} \\sum_i x_i$, and `$HOME` is a folder.")]
    nbformat.write(book, tmp_path / "book.ipynb")
    assert save_notebook(tmp_path / "book.ipynb", tmp_path / "book.html") == []
    page = (tmp_path / "book.html").read_text("utf-8")
    assert "<mfrac>" in page and "<code>$HOME</code>" in page and "\\frac" not in page
