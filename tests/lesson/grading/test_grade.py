"""`autolab grade`: points equal what is known, hostile notebooks harm nothing, and grading goes on."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter

import pytest
from helpers.checkout import ROOT

from autolab import lesson
from autolab.app.cli import main
from autolab.lesson import Result
from autolab.lesson.grading import Graded, NotebookLimits, class_page, fences, grade, notebook_starter
from autolab.lesson.grading.class_page import page_of
from autolab.lesson.grading.graded import table
from autolab.lesson.messages import SENTENCES
from autolab.views.draw.escape import escape
from lesson.lessons import NOTEBOOKS, answers

from .submissions import HOSTILE, submission, write_class
from .test_escapes import BARE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture
def server():
    """A server that nobody may reach, and how many did."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        yield listening


def check_class(folder, count, kinds, server, limits):
    mark = folder.parent / "mark"
    expected = write_class(folder, count, server.getsockname()[1], mark, kinds)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    graded = grade(folder, folder.parent / "grades.csv", limits)
    assert [one.file for one in graded] == sorted(expected)
    for one in graded:
        found = [(result.exercise, result.verdict, result.cause) for result in one.results]
        if expected[one.file] is None:
            assert one.points == 0 and (one.problem or "writes-to-the-judge" in one.file), one
        else:
            reads = one.file.startswith(("deletes", "reads", "lists"))
            is_named = "may not read" in one.problem
            assert found == expected[one.file], one
            assert is_named == reads or (reads and "bubblewrap" in fences.holding()), one  # there it is not to be seen
            assert reads or not one.problem, one
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before and not mark.exists()
    with pytest.raises(TimeoutError):
        server.accept()
    rows = list(csv.DictReader((folder.parent / "grades.csv").read_text().splitlines()))
    assert [int(row["points"]) for row in rows] == [one.points for one in graded]


def test_a_class_gets_the_points_that_are_known(tmp_path, server):
    (tmp_path / "class").mkdir()
    kinds = ["forges", "deletes", "lists", "kills", "leaves", "no-json", "reads", "writes-to-the-judge"]
    check_class(tmp_path / "class", 12, kinds, server, NotebookLimits(seconds=20))


@pytest.mark.full
def test_300_notebooks_get_the_points_that_are_known(tmp_path, server):
    (tmp_path / "class").mkdir()
    check_class(tmp_path / "class", 300, [*HOSTILE, *HOSTILE], server, NotebookLimits(seconds=15, megabytes=2048))


def test_where_the_kernel_does_not_help_the_tripwire_stops_the_usual_calls(tmp_path, server, monkeypatch):
    monkeypatch.setattr(notebook_starter, "PROGRAM", notebook_starter.PROGRAM + BARE)
    monkeypatch.setattr(fences, "bubblewrap", lambda *of: [])
    (tmp_path / "class").mkdir()
    kinds = ["deletes", "calls", "forks"]
    check_class(tmp_path / "class", len(kinds), kinds, server, NotebookLimits(seconds=20))


# ---------------------------------------------------------------------------------------------------- table and page
ODD = "<img src=x onerror=alert(1)>.ipynb"


def some_grades():
    wrong = Result("start-zero", "wrong", "sign", 1)
    return [
        Graded("=1+1.ipynb", "start", (Result("start-zero", "right"), Result("start-own"))),
        Graded(ODD, "start", (wrong, Result("start-own", "wrong", "<b>"))),
        Graded("b.ipynb", problem="it <i>stopped</i>"),
    ]


def test_the_table_is_no_formula():
    rows = list(csv.reader(table(some_grades()).splitlines()))
    assert rows[0] == ["notebook", "lesson", "points", "of", "problem", "start-zero", "start-own"]
    assert rows[1] == ["'=1+1.ipynb", "start", "1", "2", "", "1", "0"]
    assert rows[3] == ["b.ipynb", "", "0", "0", "it <i>stopped</i>", "", ""]


def test_the_page_counts_causes_says_what_helps_and_escapes():
    page = page_of([*some_grades(), Graded(ODD, "start", problem=ODD)])
    assert "<img" not in page and "<b>" not in page and "<i>" not in page and "&lt;img src=x" in page
    says = lesson.checking.exercises("start")["start-zero"].says["sign"]
    assert says in page and "start: 3 notebooks" in page


def test_the_page_has_whole_sentences():
    """For every cause of which a sentence of all exercises speaks."""
    causes = [cause for cause in SENTENCES if not cause.startswith(("state", "shape", "differs", "errors", "more"))]
    for name, exercise in lesson.checking.exercises("start").items():
        wrong = [Graded("a.ipynb", "start", (Result(name, "wrong", cause),)) for cause in ("stopped", *causes)]
        sentences = [class_page._sentence(exercise, cause) for cause in ("stopped", "no_number", "no_choice")]
        assert all([says in page_of(wrong) for says in map(escape, sentences)])
        assert all([says[-1] in ".?" and "{" not in says and "  " not in says for says in sentences]), sentences


def test_a_link_out_of_the_folder_is_not_run(tmp_path):
    (tmp_path / "class" / "inner").mkdir(parents=True)
    book = json.dumps(submission(NOTEBOOKS[0], {}))
    for path in ("outside.ipynb", "class/inner/a.ipynb"):
        (tmp_path / path).write_text(book)
    (tmp_path / "class" / "b.ipynb").symlink_to(tmp_path / "outside.ipynb")
    (tmp_path / "class" / "c.ipynb").symlink_to(tmp_path / "class" / "inner" / "a.ipynb")
    found = {one.file: (one.lesson, one.problem) for one in grade(tmp_path / "class")}
    out = ("", "it is a link to a file outside the folder, and was not run")
    assert found == {"b.ipynb": out, "c.ipynb": ("start", ""), "inner/a.ipynb": ("start", "")}


def test_who_exceeds_a_limit_of_time_is_told_which(tmp_path):
    for kind in ("never-ends", "sleeps"):
        (tmp_path / f"{kind}.ipynb").write_text(json.dumps(submission(NOTEBOOKS[0], {}, first=HOSTILE[kind])))
    found = {one.file: one.problem for one in grade(tmp_path, limits=NotebookLimits(seconds=2))}
    slow = "it exceeded its time limit: 6 s, with less than 2 s of the processor"
    assert found["sleeps.ipynb"] == slow
    assert found["never-ends.ipynb"] in (
        "it exceeded its time limit: 2 s of the processor",
        slow,
    )  # others compute, too


# ---------------------------------------------------------------------------------------------------- the command
def test_the_command_grades_a_lesson_of_ones_own(tmp_path, capsys):
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "exercises.py").write_text(
        "from autolab.lesson.exercise import Prediction\nEXERCISES = (Prediction('tiny-sum', lambda: 4.0),)\n"
    )
    (tmp_path / "class").mkdir()
    for name, guess in (("a", 4), ("b", 5)):
        cells = [f"from autolab import lesson\nlesson.use('.')\nlesson.check('tiny-sum', {guess})"]
        book = {"cells": [{"cell_type": "code", "source": source} for source in cells]}
        (tmp_path / "class" / f"{name}.ipynb").write_text(json.dumps(book))
    output = tmp_path / "out.csv"
    try:
        assert main(["grade", str(tmp_path / "class"), "-o", str(output), "--lesson", str(tmp_path / "tiny")]) == 0
    finally:
        lesson.own.own_lessons.pop("tiny", None)
    assert [row["tiny-sum"] for row in csv.DictReader(output.read_text().splitlines())] == ["1", "0"]
    told = capsys.readouterr().out
    assert all([part in told for part in ("   2 of 2: ", "2 notebooks in", "and a tripwire.")])
    assert (tmp_path / "out.html").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "there is no folder 'nowhere'"),
        (["."], "'.' holds no notebook (*.ipynb)"),
        ([".", "-o", "grades.txt"], "got the output 'grades.txt'; expected a name that ends in .csv"),
        (["class", "-o", "nowhere/grades.csv"], "the folder of 'nowhere/grades.csv' is not there or cannot be written"),
        (["class", "-o", "full.csv"], "'full.csv' is a folder; expected the name of a file"),
        (["class", "-o", "page.csv"], "'page.html' is a folder; expected the name of a file"),
        ([".", "--lesson", "nowhere"], "there is no file nowhere/exercises.py"),
    ],
)
def test_bad_input_is_a_sentence(arguments, told, tmp_path, monkeypatch, capsys):
    """Said before a notebook has run."""
    monkeypatch.chdir(tmp_path)
    if "class" in arguments:
        (tmp_path / "class").mkdir()
        (tmp_path / "class" / "a.ipynb").touch()
        for name in ("full.csv", "page.html"):
            (tmp_path / name).mkdir()
    assert main(["grade", *arguments]) == 1
    out, message = capsys.readouterr()
    assert message.startswith("autolab grade: ") and told in message and message.count("\n") == 1 and not out


def test_numbers_of_the_command_are_whole(capsys):
    with pytest.raises(SystemExit):
        main(["grade", ".", "--seconds", "-1"])
    assert "'-1' is not a positive integer" in capsys.readouterr().err


def test_half_a_notebook_counts_to_where_it_came(tmp_path):
    """Points from before the cell in which the process ends stay."""
    start = NOTEBOOKS[0]
    book = submission(start, dict.fromkeys(answers(start), 0))
    book["cells"][-2]["source"] += "\nimport os\nos._exit(1)"
    book["cells"][-2]["cell_type"] = "code"
    (tmp_path / "a.ipynb").write_text(json.dumps(book))
    (one,) = grade(tmp_path)
    assert (one.points, one.problem) == (5, "its process ended before the last cell")
    assert Counter(result.verdict for result in one.results) == {"right": 5, "not tried": 1}


def test_ctrl_c_ends_all_in_silence(tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.ipynb").write_text(json.dumps(submission(NOTEBOOKS[0], {}, HOSTILE["sleeps"])))
    command = [sys.executable, "-m", "autolab.app.cli", "grade", "class"]
    variables = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    options = {"cwd": tmp_path, "env": variables, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, start_new_session=True, text=True, **options) as grader:
        while not list(tmp_path.glob("autolab-grade-*")):
            assert grader.poll() is None
            time.sleep(0.02)
        time.sleep(0.2)  # the folder is there a moment before anybody would remove it
        os.killpg(grader.pid, signal.SIGINT)
        told = grader.communicate(timeout=60)[0]
        # a finalizer of Python's own may complain, if it comes while a process is being started
        assert "KeyboardInterrupt" not in told and grader.returncode == 130
    assert not list(tmp_path.glob("autolab-grade-*"))
