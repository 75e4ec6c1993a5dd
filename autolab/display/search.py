"""Searching a recording by a name, a function, a piece of code or a line."""

from __future__ import annotations

import re
from typing import Any

from ..recording.model import Recording, Step
from .steps import heading

_LINE = re.compile(r"(?:line\s*|:)(\d+)", re.IGNORECASE)


def matches(recording: Recording, text: str) -> list[int]:
    """The ids of the steps that ``text`` finds, in the order of the program; none for nothing but spaces.

    A step is found by a part of what its box says, of its function's name, or of the label of a call, loop or block
    that it is in, whatever the case; ``line 12`` and ``:12`` find what stands in that line.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x, y: x * y + x, x=2.0, y=3.0)
    >>> matches(recording, "mul"), matches(recording, "Y"), matches(recording, "  ")
    ([2], [1, 2, 3], [])
    """
    wanted = text.strip().casefold()
    if not wanted:
        return []
    line = _LINE.fullmatch(wanted)
    if line:
        return [step.id for step in recording.steps if int(line[1]) in (step.line, step.outer_line)]
    return [identity for identity, (words, *_) in search_words(recording).items() if wanted in words]


def search_words(recording: Recording) -> dict[int, list[Any]]:
    """For each step the text in which is searched, and the lines in which it stands."""
    scopes = [f"{scope.name or ''} = {scope.label}" for scope in recording.scopes]
    return {
        step.id: [_words(step, "" if step.scope is None else scopes[step.scope]), step.line, step.outer_line]
        for step in recording.steps
    }


def _words(step: Step, scope: str) -> str:
    return f"{heading(step)}\n{step.function or ''}\n{scope}".casefold()
