"""A lesson as a folder, for authors of lessons: its notebook, and the answers to try.

`tried`: tests whether a lesson judges every answer in its ``answers.toml`` as intended.

`released`: a lesson in the format of nbgrader or otter-grader, with marked solutions and a test for each exercise.

In the cell of an exercise the gap remains, followed by the whole solution between the markers at which the two programs
remove it. The test calls ``lesson.check(...)`` again, for one point.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ..shared.files import reading, shown_path, visible
from . import checking
from .messages import SENTENCES
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


def tried(folder: LessonFolder, name: str) -> tuple[int, list[str]]:
    """The number of answers tried, and a sentence for each problem.

    Every exercise is tried empty, with its right answer, and with each wrong one, which must be recognised and get the
    intended sentence. Every known mistake and every sentence must be reached by some answer.

    Parameters
    ----------
    folder : LessonFolder
    name : str
        The name of the lesson, whose exercises must have been loaded: see `lesson.use`.

    Examples
    --------
    >>> count, problems = tried(LessonFolder.called("start"), "start")
    >>> count > 30, problems
    (True, [])
    """
    known = checking.exercises(name)
    problems = [f"{one}: answers.toml has no answers for it" for one in known if one not in folder.answers]
    problems += [f"{one}: no exercise has this name" for one in folder.answers if one not in known]
    count = 0
    for one, exercise in known.items():
        for source, state, kind, sentence in _cases(folder, one, exercise) if one in folder.answers else ():
            count += 1
            problem = _problem(folder, one, source, (state, kind, sentence))
            problems += [f"{one}, {kind or state}: {problem}"] if problem else []
        problems += [f"{one}: {missing}" for missing in _unreached(folder.answers.get(one, {}), exercise)]
    return count, problems


def _cases(folder: LessonFolder, name: str, exercise: Any) -> Iterator[tuple[str, str, str, str]]:
    """For each answer the source, and the expected state, kind of mistake and sentence."""
    yield folder.cells.get(name, ""), "not yet", "", ""
    yield folder.solved(name), "right", "", exercise.says.get("right", "")
    for wrong in folder.answers[name].get("wrong", ()):
        key = wrong.get("hint", wrong["kind"])
        sentence = exercise.says.get(key) or SENTENCES.get(key, "")
        yield folder.mistaken(name, wrong), "wrong", wrong["kind"], sentence


def _problem(folder: LessonFolder, name: str, source: str, expected: tuple[str, str, str]) -> str:
    state, kind, sentence = expected
    checking._given.pop(name, None)
    try:
        outcome = folder.run(source)
        while getattr(outcome, "further", 0):
            outcome = folder.run(source)
    except Exception as error:  # a user's program may raise anything
        return f"the cell stops with {type(error).__name__}: {visible(error, 120)}"
    finally:
        checking._given.pop(name, None)
    if (outcome.state, outcome.kind) != (state, kind):
        return f"it is judged {outcome.state!r} {outcome.kind!r}"
    shown = [outcome.remark, *[hint.text for hint in outcome.hints]]
    if any([text.startswith(sentence.partition("{")[0]) for text in shown]):
        return ""
    return f"it does not get the sentence {sentence!r:.120}"


def _unreached(entry: dict[str, Any], exercise: Any) -> list[str]:
    """Sentences and mistakes that no answer reaches."""
    wrong = entry.get("wrong", ())
    said = {"right", *[one.get("hint", one["kind"]) for one in wrong]}
    made = {one["kind"] for one in wrong}
    silent = [f"no answer reaches the sentence {key!r}" for key in exercise.says if key not in said]
    unmade = [kind for kind in getattr(exercise, "mistakes", ()) if kind not in made]
    return [*silent, *[f"no answer makes the mistake {kind!r}" for kind in unmade]]


Format = Literal["nbgrader", "otter"]
NBGRADER_CONFIG = """# Written by `autolab lesson release`: what nbgrader leaves where it cuts a solution out.
c = get_config()
c.CourseDirectory.course_id = "autolab"
c.ClearSolutions.code_stub = {"python": "# Your answer belongs above."}
"""


def released(folder: LessonFolder, form: Format, own: bool = False) -> dict[str, Any]:
    """The notebook from which nbgrader's ``generate_assignment`` or otter's ``assign`` creates that of the students.

    Parameters
    ----------
    folder : LessonFolder
        With an answer to each exercise in its ``answers.toml``.
    form : {"nbgrader", "otter"}
    own : bool
        Whether the notebook needs the ``exercises.py`` in its folder, for a lesson of your own.

    Returns
    -------
    dict
        The notebook, which can be written as JSON.

    Examples
    --------
    >>> book = released(LessonFolder.called("start"), "nbgrader")
    >>> sum([cell["metadata"]["nbgrader"].get("points", 0) for cell in book["cells"] if "nbgrader" in cell["metadata"]])
    6
    """
    exercise = {"nbgrader": _for_nbgrader, "otter": _for_otter}[form]
    begin = _OTTER_CONFIG + (_OTTER_FILES if own else "")
    cells: list[dict[str, Any]] = [] if form == "nbgrader" else [_raw("otter-config", begin)]
    for cell in folder.book["cells"]:
        name = cell["id"]
        cells += exercise(name, *_parts(folder, name)) if name in folder.answers else [cell]
    return {**folder.book, "cells": cells}


_OTTER_CONFIG = """# ASSIGNMENT CONFIG
check_all_cell: false
export_cell: false
solutions_pdf: false
tests:
  files: true
"""
_OTTER_FILES = "files:\n  - exercises.py\n"


def _parts(folder: LessonFolder, name: str) -> tuple[str, str, str]:
    """The cell before its check, the same with the solution, and the check."""
    (gap, check), (solution, _) = (_split(source) for source in (folder.cells[name], folder.solved(name)))
    return gap, solution, check


def _split(source: str) -> tuple[str, str]:
    """A cell split before its last statement."""
    lines, first = source.splitlines(), ast.parse(source).body[-1].lineno - 1
    return "\n".join(lines[:first]).rstrip(), "\n".join(lines[first:])


def _for_nbgrader(name: str, gap: str, solution: str, check: str) -> list[dict[str, Any]]:
    answer = f"{gap}\n\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION\n\n{check}"
    given = {"schema_version": 3, "task": False}
    asked = given | {"grade": False, "solution": True, "locked": False, "grade_id": name}
    tested = given | {"grade": True, "solution": False, "locked": True, "grade_id": f"{name}-points", "points": 1}
    return [
        _code(name, answer, metadata={"nbgrader": asked}),
        _code(f"{name}-points", f"assert {check}.passed", metadata={"nbgrader": tested}),
    ]


def _for_otter(name: str, gap: str, solution: str, check: str) -> list[dict[str, Any]]:
    answer = f"{gap}\n# BEGIN SOLUTION NO PROMPT\n{solution}\n# END SOLUTION\n{check}"
    right = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": ["True"]}}
    return [
        _raw(f"{name}-q", f"# BEGIN QUESTION\nname: {name.replace('-', '_')}\npoints: 1"),
        _raw(f"{name}-s", "# BEGIN SOLUTION"),
        _code(name, answer),
        _raw(f"{name}-e", "# END SOLUTION"),
        _raw(f"{name}-t", "# BEGIN TESTS"),
        _code(f"{name}-points", f"{check}.passed", outputs=[right]),
        _raw(f"{name}-u", "# END TESTS"),
        _raw(f"{name}-z", "# END QUESTION"),
    ]


def _code(name: str, source: str, metadata: Any = None, outputs: Any = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata or {},
        "source": source,
        "execution_count": None,
        "outputs": list(outputs),
    }


def _raw(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "raw", "id": name, "metadata": {}, "source": source}
