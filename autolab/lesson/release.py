"""`released`: a lesson in the format of nbgrader or otter-grader, with marked solutions and a test for each exercise.

In the cell of an exercise the gap remains, followed by the whole solution between the markers at which the two programs
remove it. The test calls ``lesson.check(...)`` again, for one point.
"""

from __future__ import annotations

import ast
from typing import Any, Literal

from .lesson_folder import LessonFolder

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
