"""A lesson as a folder, for authors of lessons: its notebook, and the answers to try."""

from __future__ import annotations

import ast
import json
import linecache
import os
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..shared.files import reading, shown_path
from .shipped import ANSWERS, notebooks


@dataclass(frozen=True)
class LessonFolder:
    """The notebook of a lesson, and the folder of its ``answers.toml``.

    Examples
    --------
    >>> lesson = LessonFolder.called("start")
    >>> lesson.notebook.name, lesson.answers["start-zero"]["right"]
    ('00_start.ipynb', 'found = -1')
    """

    notebook: Path
    folder: Path

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> LessonFolder:
        """A lesson whose files are all in one folder; a ValueError unless it has exactly one notebook."""
        found = sorted(Path(folder).glob("*.ipynb"))
        if len(found) != 1:
            raise ValueError(f"lesson: {shown_path(folder)} holds {len(found)} notebooks; expected one (*.ipynb)")
        return cls(found[0], Path(folder))

    @classmethod
    def called(cls, name: str) -> LessonFolder:
        """AutoLab's own lesson with this name."""
        return cls(notebooks()[name], ANSWERS / name)

    @cached_property
    def book(self) -> dict[str, Any]:
        """The notebook as it is stored."""
        with reading(self.notebook):
            book: dict[str, Any] = json.loads(self.notebook.read_text("utf-8"))
            assert all([isinstance(cell["id"], str) for cell in book["cells"]])
        return book

    @cached_property
    def cells(self) -> dict[str, str]:
        """The sources of the code cells, by their ids."""
        return {cell["id"]: "".join(cell["source"]) for cell in self.book["cells"] if cell["cell_type"] == "code"}

    @cached_property
    def table(self) -> dict[str, Any]:
        """The content of ``answers.toml``."""
        path = self.folder / "answers.toml"
        with reading(path):
            return tomllib.loads(path.read_text("utf-8"))

    @cached_property
    def answers(self) -> dict[str, dict[str, Any]]:
        """For each exercise the text to replace in its cell, and the answers."""
        return {name: entry for name, entry in self.table.items() if isinstance(entry, dict)}

    def solved(self, name: str) -> str:
        """The exercise's cell with the right answer."""
        return self.filled(name, self.answers[name]["right"])

    def filled(self, name: str, answer: str) -> str:
        """The exercise's cell with the given answer."""
        if name not in self.cells:
            raise ValueError(f"lesson: no code cell has the id {name!r:.60}, for which answers.toml has answers")
        gap = self.answers[name]["replace"].strip("\n")
        return _replaced(self.cells[name], gap, answer.strip("\n"), f"{name}: the cell")

    def mistaken(self, name: str, wrong: dict[str, Any]) -> str:
        """The exercise's cell with a wrong answer, given in full or as a change of the right one."""
        if "answer" in wrong:
            return self.filled(name, wrong["answer"])
        before, after = wrong["change"]
        return _replaced(self.solved(name), before, after, f"{name}: the right answer")

    def run(self, source: str) -> Any:
        """Run a cell in this process, after the definitions of the first cell; returns the value of its last line.

        Nothing is drawn. As in a notebook, the source code of functions and classes in the cell is available.
        """
        file = self.notebook.name
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        first = ast.parse(next(iter(self.cells.values())))
        first.body = [statement for statement in first.body if not isinstance(statement, ast.Expr)]
        names: dict[str, Any] = {}
        exec(compile(first, file, "exec"), names)
        tree = ast.parse(source)
        last = tree.body.pop()
        if not isinstance(last, ast.Expr):
            raise ValueError("lesson: the cell of an exercise ends with lesson.check(...)")
        exec(compile(tree, file, "exec"), names)
        return eval(compile(ast.Expression(last.value), file, "eval"), names)


def _replaced(source: str, before: str, after: str, where: str) -> str:
    count = source.count(before)
    if count != 1:
        raise ValueError(f"lesson: {where} holds {before!r:.80} {count} times; expected once")
    return source.replace(before, after)
