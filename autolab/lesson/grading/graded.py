"""The limits for a notebook, its result, and the table of a class."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ...views.draw import clean
from ..results import Result


@dataclass(frozen=True)
class NotebookLimits:
    """Limits for one notebook.

    Attributes
    ----------
    seconds : float
        Processor time. The elapsed time may be three times as long.
    megabytes : int
        Memory, as address space, of which Python reserves more than it uses.
    disk_megabytes : int
        All its files together, where the system has namespaces; each of them may have 16.

    Examples
    --------
    >>> NotebookLimits(seconds=10).megabytes
    4096
    """

    seconds: float = 30.0
    megabytes: int = 4096
    disk_megabytes: int = 64


@dataclass(frozen=True)
class Graded:
    """The result of one notebook.

    Attributes
    ----------
    file : str
        Its path, relative to the folder.
    lesson : str
        The name of its lesson; empty if it checks no known exercise.
    results : tuple of Result
        One for each exercise of the lesson.
    problem : str
        What prevented the notebook from reaching its last cell; empty if nothing did.

    Examples
    --------
    >>> from autolab.lesson import Result
    >>> Graded("a.ipynb", "start", (Result("start-zero", "right"), Result("start-own"))).points
    1
    """

    file: str
    lesson: str = ""
    results: tuple[Result, ...] = ()
    problem: str = ""

    @property
    def points(self) -> int:
        """The sum of the points of all exercises."""
        return sum([result.points for result in self.results])


def table(graded: Sequence[Graded]) -> str:
    """The results as CSV: a row for each notebook, and a column for each exercise with 1 for a right answer."""
    names = list(dict.fromkeys([result.exercise for one in graded for result in one.results]))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["notebook", "lesson", "points", "of", "problem", *names])
    for one in graded:
        points = {result.exercise: result.points for result in one.results}
        row = [_cell(one.file), one.lesson, one.points, len(one.results), _cell(one.problem)]
        writer.writerow([*row, *[points.get(name, "") for name in names]])
    return text.getvalue()


def _cell(text: str) -> str:
    """A text that no spreadsheet interprets as a formula."""
    shown = clean(text, 300)
    return f"'{shown}" if shown[:1] in ("=", "+", "-", "@") else shown
