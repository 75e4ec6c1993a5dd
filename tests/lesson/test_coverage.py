"""01 to 04 teach what Chainer's tutorial on functions says: coverage.toml tells in which cell each statement stands."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from helpers.each import each

from .lessons import NOTEBOOKS, raw

STATEMENTS = {"CO": 30, "CN": 19, "CK": 10}
COVERED = tomllib.loads((Path(__file__).parent / "coverage.toml").read_text("utf-8"))
ROWS = [(f"{group}-{number}", row) for group, rows in COVERED.items() for number, row in rows.items()]
LESSONS = [notebook for notebook in NOTEBOOKS if notebook.stem[:2] in ("01", "02", "03", "04")]
CELLS = {cell["id"]: "".join(cell["source"]) for notebook in LESSONS for cell in raw(notebook)["cells"]}


def test_every_statement_has_its_cell():
    assert {group: sorted(rows) for group, rows in COVERED.items()} == {
        group: [f"{number:02}" for number in range(1, count + 1)] for group, count in STATEMENTS.items()
    }


@each(("statement", "row"), ROWS, ids=[statement for statement, _ in ROWS])
def test_the_cell_says_it(statement: str, row: dict[str, Any]):
    assert " ".join(row["words"].split()) in " ".join(CELLS[row["cell"]].split()), row["cell"]


@pytest.mark.parametrize("notebook", LESSONS, ids=lambda path: path.stem)
def test_each_lesson_quotes_the_original(notebook: Path):
    text = " ".join(" ".join("".join(cell["source"]) for cell in raw(notebook)["cells"]).split())
    own = [row for _, row in ROWS if row["cell"].partition("-")[0] == notebook.stem.partition("_")[2]]
    quoted = [row["original"] for row in own if "original" in row]
    assert quoted and [words for words in quoted if words not in text] == []
