"""The locations of AutoLab's own lessons: the notebooks, and in another folder their exercises and answers, which
students do not see."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ANSWERS = Path(__file__).parents[1] / "lessons"
"""The exercises and answers, one folder per lesson."""


@cache
def notebooks() -> dict[str, Path]:
    """The notebook of each lesson, by the name of the lesson and in the order of their numbers.

    In a checkout they are in the folder ``notebooks``; a wheel includes them in the package.

    Examples
    --------
    >>> from autolab.lesson.shipped import notebooks
    >>> notebooks()["linear"].name
    '03_linear.ipynb'
    """
    packed = ANSWERS / "notebooks"
    folder = packed if packed.is_dir() else ANSWERS.resolve().parents[1] / "notebooks"
    found = {path.stem[3:]: path for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}
    return {name: path for name, path in found.items() if (ANSWERS / name / "exercises.py").is_file()}
