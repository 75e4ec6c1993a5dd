"""What a newcomer reads of the engine: the files that its README names are those that run, and they stay short."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from helpers.checkout import ROOT

from autolab import Variable

ENGINE = ROOT / "autolab" / "engine"
README = (ENGINE / "README.md").read_text("utf-8")
PATH = [(ENGINE / name).resolve() for name in re.findall(r"^\d\. \*\*`([\w./]+)`\*\*", README, re.MULTILINE)]
HELPERS = {"result", "array_of", "own", "publish", "note_pass"}
CORE = """
variable node schema declare primitive fast_path_binary backward modes observe backend numpy_protocol
"""


def lines(files: list[Path]) -> int:
    return sum([len(file.read_text("utf-8").splitlines()) for file in files])


def step(x: Variable, y: Variable) -> None:
    z = x * y
    z.backward()


def functions_that_run() -> dict[str, Path]:
    """The functions of AutoLab that run in one step, when nothing runs for the first time any more."""
    step(Variable(3.0), Variable(4.0))
    x, y = Variable(3.0), Variable(4.0)
    found: dict[str, Path] = {}

    def tell(frame: FrameType, event: str, argument: Any) -> None:
        file = Path(frame.f_code.co_filename)
        if (ROOT / "autolab") in file.parents:
            found[frame.f_code.co_name] = file

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        step(x, y)
    finally:
        sys.setprofile(before)
    return found


def test_a_step_runs_through_the_files_that_the_readme_names_and_few_helpers() -> None:
    found = functions_that_run()
    assert {name for name, file in found.items() if file not in PATH} <= HELPERS
    assert set(found.values()) >= set(PATH) - {ENGINE / "node.py"}  # a node is made without its code
    assert all([f"`{name}`" in README or f".{name}`" in README for name in HELPERS])


def test_these_are_five_files_of_about_800_lines_and_the_core_has_about_1950() -> None:
    assert len(PATH) == 5 and lines(PATH) <= 820
    assert lines([ENGINE / f"{name}.py" for name in CORE.split()]) <= 1955


@pytest.mark.parametrize("file", PATH, ids=lambda file: file.name)
def test_what_the_readme_names_of_a_file_is_there(file: Path) -> None:
    told = re.search(rf"^\d\. \*\*`[./\w]*{file.name}`\*\*(.*?)\. ", README, re.MULTILINE)
    assert told is not None
    named = set(re.findall(r"`(\w+)`", told[1])) - {"call"}  # it is made inside `binary`
    defined = {
        node.name
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert named and named <= defined


def test_the_readme_names_every_file_and_no_other() -> None:
    named = set(re.findall(r"`(\w+\.pyi?)`", README))
    files = {file.name for file in [*ENGINE.glob("*.py"), *ENGINE.glob("*.pyi")]} - {"__init__.py"}
    assert files - named == set()
    everywhere = {file.name for file in (ROOT / "autolab").rglob("*.py*")}
    assert named <= everywhere
