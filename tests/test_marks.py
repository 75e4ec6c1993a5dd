"""The marks of tests: goals are found by their ids and names, and what needs a browser or JupyterLab says so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from helpers.checkout import ROOT
from helpers.marks import TESTS, marked, marks

GOALS = tomllib.loads((TESTS / "goals.toml").read_text("utf-8"))


def names_in(file: Path) -> set[str]:
    """The names by which `pytest -k` finds the tests of a file that carry a goal's mark."""
    tree = ast.parse(file.read_text("utf-8"))
    return {file.stem} | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_goal_has_tests_that_are_found_by_its_id_and_by_its_name() -> None:
    found = marked("goal")
    assert list(GOALS) == [f"R{number}" for number in range(1, 19)] and set(found) == set(GOALS)
    for goal, told in GOALS.items():
        names = {name for file in found[goal] for name in names_in(file)}
        assert any([name.startswith(told["test"]) for name in names]), f"{goal} has no {told['test']}"


def test_a_goal_is_found_in_a_keyword_too() -> None:
    assert list(marks('@pytest.mark.goal(id="R7")\ndef test_it(): ...', "goal")) == ["R7"]


SUSPECTS = """
import subprocess
import pytest

def start(*words):
    subprocess.run(["true", *words], check=True)

def test_asks_for_the_browser(browser): ...
def test_starts_chromium(): start("/usr/bin/chromium", "--headless")
def test_starts_the_lab(): start("-m", "jupyterlab", "--no-browser")
def test_starts_a_kernel(): start("-m", "ipykernel_launcher", "-f", "kernel.json")
def test_opens_a_notebook(): start("-m", "autolab.app.cli", "lab", "start.ipynb")

@pytest.fixture
def notebook():
    try:
        start("-m", "jupyter_server")
    except Exception:
        pass

def test_starts_it_in_a_fixture(notebook): ...

@pytest.mark.lab
def test_fine_with_the_mark(): start("-m", "jupyterlab")

@pytest.mark.goal(id="R1")
def test_fine_without(): start("lab")
"""


def test_what_starts_a_browser_or_jupyter_without_its_mark_fails_by_name(tmp_path: Path) -> None:
    (tmp_path / "test_suspects.py").write_text(SUSPECTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "--tb=line"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), str(tmp_path)]
    path = os.pathsep.join([str(TESTS), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "4 failed, 2 passed, 2 errors" in done.stdout, done.stdout
    told = dict(re.findall(r"::(\w+) [^\n]*: mark it with @pytest\.mark\.(\w+)", done.stdout))
    assert told == {
        "test_asks_for_the_browser": "browser",
        "test_starts_chromium": "browser",
        "test_starts_the_lab": "lab",
        "test_starts_a_kernel": "lab",
        "test_opens_a_notebook": "lab",
        "test_starts_it_in_a_fixture": "lab",
    }
