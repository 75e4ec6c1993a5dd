"""The source of the recorded function with its line numbers, and which steps each line made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recording.model import Recording
from .ended import line_marks
from .escape import clean

MAX_LINES = 400
MAX_COLUMNS = 200


def listing(recording: Recording, boxes: Mapping[int, int]) -> dict[str, Any]:
    """The lines as plain data.

    Parameters
    ----------
    recording : Recording
    boxes : mapping
        The box of the picture in which each step stands.

    Returns
    -------
    dict
        ``file``, the number of the ``first`` line, the ``lines`` and ``at``: line number -> boxes of what it made; the
        first line has the inputs. Where there are any, ``marks``: line number -> that it raised, or was not reached,
        and the number of the line that ``raised``. Empty where the source is not known.
    """
    if recording.source is None or recording.first_line is None:
        return {}
    lines = [clean(line, MAX_COLUMNS) if line else "" for line in recording.source.splitlines()[:MAX_LINES]]
    found: dict[int, list[int]] = {}
    for step in recording.steps:
        line = recording.first_line if step.kind == "input" else step.outer_line
        if line is not None and 0 <= line - recording.first_line < len(lines) and step.id in boxes:
            found.setdefault(line, []).append(boxes[step.id])
    at = {str(line): list(dict.fromkeys(nodes)) for line, nodes in found.items()}
    told = {"file": clean(recording.file or ""), "first": recording.first_line, "lines": lines, "at": at}
    marks = {str(line): words for line, words in sorted(line_marks(recording).items())}
    raised = None if recording.raised is None else recording.raised.outer_line
    return {**told, "marks": marks, "raised": raised} if marks else told
