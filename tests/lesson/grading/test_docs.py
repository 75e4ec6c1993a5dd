"""The five pages about lessons of one's own: each command runs, each piece of Python is a lesson's."""

from __future__ import annotations

import os
import re
import shlex
import shutil

import pytest
from helpers.checkout import ROOT

from autolab.app.cli import main
from autolab.lesson import own

PAGES = sorted((ROOT / "docs").glob("own_lesson_*.md"))
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")


def blocks(kind: str) -> list[str]:
    return [
        block for page in PAGES for block in re.findall(rf"```{kind}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]


def test_every_command_does_what_the_pages_say(tmp_path, monkeypatch, capsys):
    """In the order of the pages, in one folder."""
    (tmp_path / "handed_in").mkdir()
    commands: list[list] = []
    for block in blocks("console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append([shlex.split(line[2:]), ""])
            else:
                commands[-1][1] += line + "\n"
    assert len(PAGES) == 5 and len(commands) >= 6
    monkeypatch.chdir(tmp_path)
    for (program, *arguments), shown in commands:
        assert program == "autolab"
        if arguments[0] == "grade":
            shutil.copy(tmp_path / "cubes" / "01_cubes.ipynb", tmp_path / "handed_in" / "a.ipynb")
        assert main(arguments) == 0
        assert shown in capsys.readouterr().out
    for written in (
        "grades.csv",
        "grades.html",
        "course/source/cubes/exercises.py",
        "otter_course/cubes/01_cubes.ipynb",
    ):
        assert (tmp_path / written).exists(), written


def test_the_exercises_on_the_pages_are_exercises(tmp_path):
    (tmp_path / "exercises.py").write_text("\n".join(blocks("python")))
    try:
        assert own.use(tmp_path) == "cubes" and list(own.own_lessons["cubes"]) == ["cubes-value", "cubes-slope"]
    finally:
        own.own_lessons.pop("cubes", None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no file"),
        ("1 / 0", "stops with ZeroDivisionError: division by zero"),
        ("EXERCISES = [1]", "defines no EXERCISES; expected a tuple of exercises"),
        ("EXERCISES = (1,)", "defines no EXERCISES; expected a tuple of exercises"),
        ("{p}('a-x', lambda: 1.0), {p}('b-x', lambda: 1.0))", "the exercises are called 'a-x', 'b-x'"),
        ("{p}('a-x', lambda: 1.0), {p}('a-x', lambda: 1.0))", "two exercises of 'a' have the same name"),
        ("{p}('start-x', lambda: 1.0),)", "AutoLab has a lesson 'start'"),
    ],
)
def test_a_lesson_that_cannot_be_read_is_a_sentence(text, told, tmp_path):
    head = "from autolab.lesson.exercise import Prediction\nEXERCISES = ("
    if text is not None:
        text = text.replace("{p}", "Prediction")
        (tmp_path / "exercises.py").write_text(head + text if text.startswith("Pred") else text)
    with pytest.raises(ValueError, match=r"^lesson\.use: ") as caught:
        own.use(tmp_path)
    assert told in str(caught.value) and len(str(caught.value)) <= 300


def test_a_lesson_whose_answers_are_wrong_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        assert main(["lesson", "new", "wrong"]) == 0
        answers = tmp_path / "wrong" / "answers.toml"
        answers.write_text(answers.read_text().replace('right = "guess = 12"', 'right = "guess = 11"'))
        assert main(["lesson", "try", "wrong"]) == 1
        assert "wrong-predict, right: it is judged 'wrong' 'different'\n" in capsys.readouterr().out
        for arguments in (
            ["new", "wrong"],
            ["new", "start"],
            ["new", "A b"],
            ["try", "nowhere"],
            ["release", "nowhere"],
        ):
            assert main(["lesson", *arguments]) == 1
        assert capsys.readouterr().err.count("autolab lesson: ") == 5
    finally:
        own.own_lessons.pop("wrong", None)
