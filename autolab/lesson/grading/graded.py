"""What may be taken by a notebook, what came out for it, and the table of a class."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ...views.draw.escape import clean
from ..results import Result


@dataclass(frozen=True)
class NotebookLimits:
    """What one notebook may take.

    Attributes
    ----------
    seconds : float
        Time of the processor. From start to end it may take three times as long.
    megabytes : int
        Memory, counted as addresses, of which Python takes more than it uses.

    Examples
    --------
    >>> NotebookLimits(seconds=10).megabytes
    4096
    """

    seconds: float = 30.0
    megabytes: int = 4096


@dataclass(frozen=True)
class Graded:
    """What came out for one notebook.

    Attributes
    ----------
    file : str
        Its path in the folder.
    lesson : str
        Empty if it asks for no exercise that is known.
    results : tuple of Result
        One for each exercise of the lesson.
    problem : str
        What kept the notebook from its last cell; empty if nothing did.

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
        """The sum of the points."""
        return sum([result.points for result in self.results])


def table(graded: Sequence[Graded]) -> str:
    """The results as CSV: a row for each notebook, a column for each exercise, 1 where it is right."""
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
    """A text that no spreadsheet takes for a formula."""
    shown = clean(text, 300)
    return f"'{shown}" if shown[:1] in ("=", "+", "-", "@") else shown
