"""The notebooks and their answers, as tests need them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from autolab.lesson.checking import exercises, lessons
from autolab.lesson.lesson_folder import LessonFolder
from autolab.lesson.shipped import notebooks

NOTEBOOKS = list(notebooks().values())
EXERCISES = {name: exercise for lesson in lessons() for name, exercise in exercises(lesson).items()}


@cache
def folder_of(notebook: Path) -> LessonFolder:
    return LessonFolder.called(notebook.stem[3:])


def raw(notebook: Path) -> dict[str, Any]:
    """The notebook as it is stored."""
    return folder_of(notebook).book


def cells(notebook: Path) -> dict[str, str]:
    """The code cells, by their ids."""
    return folder_of(notebook).cells


def answers(notebook: Path) -> dict[str, dict[str, Any]]:
    """For each exercise what is replaced in its cell, and by what."""
    return folder_of(notebook).answers


def own_words(notebook: Path) -> list[str]:
    """The words that this lesson alone needs, and somebody has read."""
    return folder_of(notebook).table.get("words", "").split()


def solved(notebook: Path, name: str) -> str:
    """The exercise's cell with the right answer in it."""
    return folder_of(notebook).solved(name)


def mistaken(notebook: Path, name: str, wrong: dict[str, Any]) -> str:
    """The exercise's cell with a wrong answer."""
    return folder_of(notebook).mistaken(name, wrong)


def run_exercise(notebook: Path, source: str) -> Any:
    """What a cell shows, run in this process after what the first cell defines."""
    return folder_of(notebook).run(source)
