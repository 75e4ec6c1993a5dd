"""nbgrader and otter-grader take a lesson, by their own commands. `make test-graders` has both; elsewhere these tests
are skipped."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.each import each

from autolab.app.cli import main
from autolab.lesson import own
from autolab.lesson.lesson_folder import released
from lesson.lessons import NOTEBOOKS, answers, folder_of

COMMANDS = Path(sys.executable).parent
LESSONS = ["start", "muladd", "bugs"]


def needs(command: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not (COMMANDS / command).exists(), reason=f"{command} is not here: make test-graders")


def run(*command: str, folder: Path) -> str:
    """What a command prints; it must end well."""
    environment = os.environ | {"PATH": f"{COMMANDS}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(params=[*LESSONS, "mine"])
def lesson(request, tmp_path, monkeypatch):
    """A lesson by its name, or the folder of a new one."""
    monkeypatch.chdir(tmp_path)
    if request.param == "mine":
        assert main(["lesson", "new", "mine"]) == 0
    yield request.param
    own.own_lessons.pop("mine", None)


def notebook_in(folder: Path) -> Path:
    (found,) = folder.glob("*.ipynb")
    return found


@pytest.mark.lab
@needs("nbgrader")
def test_nbgrader_makes_an_assignment_and_validates_it(lesson, tmp_path):
    assert main(["lesson", "release", lesson, "-o", "course"]) == 0
    course = tmp_path / "course"
    run("nbgrader", "generate_assignment", lesson, folder=course)
    source, release = (notebook_in(course / part / lesson) for part in ("source", "release"))
    assert "Success! Your notebook passes all the tests." in run("nbgrader", "validate", str(source), folder=course)
    told = run("nbgrader", "validate", str(release), folder=course)
    text = release.read_text()
    count = text.count('"points": 1')
    assert count and re.search(rf"FAILED ON {count} CELL", told)
    assert "SOLUTION" not in text and text.count("Your answer belongs above.") == count


@pytest.mark.lab
@needs("otter")
def test_otter_assigns_and_checks(lesson, tmp_path):
    assert main(["lesson", "release", lesson, "--format", "otter", "-o", "course"]) == 0
    notebook = notebook_in(tmp_path / "course" / lesson)
    made = tmp_path / "course" / lesson / "made"
    run("otter", "assign", notebook.name, "made", folder=notebook.parent)  # runs the solutions against the tests
    assert "All tests passed!" in run("otter", "check", notebook.name, folder=made / "autograder")
    assert "All tests passed!" not in run("otter", "check", notebook.name, folder=made / "student")
    assert "SOLUTION" not in (made / "student" / notebook.name).read_text()


@each("form", ["nbgrader", "otter"])
@each("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_lesson_has_a_form_for_graders(form, notebook):
    """One test for each exercise; without the solutions the gaps are as they were."""
    book = released(folder_of(notebook), form)
    text = json.dumps(book)
    begin = {"nbgrader": "### BEGIN SOLUTION\\n", "otter": "# BEGIN SOLUTION NO PROMPT\\n"}[form]
    assert text.count(begin) == len(answers(notebook)) == text.count(".passed")
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    for name in answers(notebook):
        (cell,) = [cell for cell in book["cells"] if cell["id"] == name]
        gap, _, rest = cell["source"].partition(begin.replace("\\n", "\n"))
        kept = gap + rest.partition("END SOLUTION\n")[2]
        assert kept.split() == folder_of(notebook).cells[name].split()
