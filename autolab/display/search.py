"""The words in which the steps of a recording are found; static/acts.js finds them there."""

from __future__ import annotations

from typing import Any

from ..recording.model import Recording, Step
from .steps import heading


def search_words(recording: Recording) -> dict[int, list[Any]]:
    """For each step the text in which is searched, and the lines in which it stands.

    The text is what its box says, its function's name and the label of the call, loop or block that it is in, all in
    small letters.

    Examples
    --------
    >>> import autolab
    >>> [words for words, *_ in search_words(autolab.record(lambda x: x * x, x=2.0)).values()]
    ['x\\n\\n', 'x * x\\nmul\\n']
    """
    scopes = [f"{scope.name or ''} = {scope.label}" for scope in recording.scopes]
    return {
        step.id: [_words(step, "" if step.scope is None else scopes[step.scope]), step.line, step.outer_line]
        for step in recording.steps
    }


def _words(step: Step, scope: str) -> str:
    return f"{heading(step)}\n{step.function or ''}\n{scope}".casefold()
