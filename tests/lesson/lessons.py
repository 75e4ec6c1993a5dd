"""The notebooks and their answers, as tests need them."""

from __future__ import annotations

import ast
import json
import linecache
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from helpers.checkout import ROOT

from autolab.lesson.checking import exercises, lessons

NOTEBOOKS = sorted((ROOT / "autolab" / "lessons").glob("*/*.ipynb"), key=lambda path: path.name)
EXERCISES = {name: exercise for lesson in lessons() for name, exercise in exercises(lesson).items()}


@cache
def raw(notebook: Path) -> dict[str, Any]:
    """The notebook as it is stored."""
    return json.loads(notebook.read_text("utf-8"))


@cache
def cells(notebook: Path) -> dict[str, str]:
    """The code cells, by their ids."""
    return {cell["id"]: "".join(cell["source"]) for cell in raw(notebook)["cells"] if cell["cell_type"] == "code"}


@cache
def answers(notebook: Path) -> dict[str, dict[str, Any]]:
    """For each exercise what is replaced in its cell, and by what."""
    return {name: entry for name, entry in _table(notebook).items() if name != "words"}


def own_words(notebook: Path) -> list[str]:
    """The words that this lesson alone needs, and somebody has read."""
    return _table(notebook).get("words", "").split()


def _table(notebook: Path) -> dict[str, Any]:
    return tomllib.loads(notebook.with_name("answers.toml").read_text("utf-8"))


def solved(notebook: Path, name: str) -> str:
    return filled(notebook, name, answers(notebook)[name]["right"])


def filled(notebook: Path, name: str, answer: str) -> str:
    """The exercise's cell with an answer in it."""
    source, gap = cells(notebook)[name], answers(notebook)[name]["replace"].strip("\n")
    assert source.count(gap) == 1, f"{name}: {gap!r} stands {source.count(gap)} times in its cell"
    return source.replace(gap, answer.strip("\n"))


def mistaken(notebook: Path, name: str, wrong: dict[str, Any]) -> str:
    """The exercise's cell with a wrong answer: one of its own, or the right one with a change."""
    if "answer" in wrong:
        return filled(notebook, name, wrong["answer"])
    before, after = wrong["change"]
    right = solved(notebook, name)
    assert right.count(before) == 1, f"{name}: {before!r} stands {right.count(before)} times in the solution"
    return right.replace(before, after)


def run_exercise(notebook: Path, source: str) -> Any:
    """What a cell shows, run in this process after what the first cell defines. Nothing is drawn.

    As in a notebook, the source of what the cell defines can be read.
    """
    linecache.cache[notebook.name] = (len(source), None, source.splitlines(keepends=True), notebook.name)
    first = ast.parse(next(iter(cells(notebook).values())))
    first.body = [statement for statement in first.body if not isinstance(statement, ast.Expr)]
    names: dict[str, Any] = {}
    exec(compile(first, notebook.name, "exec"), names)
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, notebook.name, "exec"), names)
    return eval(compile(ast.Expression(last.value), notebook.name, "eval"), names)
