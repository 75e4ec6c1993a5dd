"""named_scope(): names the steps inside a ``with`` block, so that a graph can fold them into one box.

It costs next to nothing without observers: nothing is recorded then.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from types import FrameType

from .configuration import Block
from .errors import a_kind
from .modes import modes, watchers


class Mark:
    """One entry of a scope: its label, and the frame and line that opened it.

    ``paths``: for the call of a link, the names of all links in it, by identity.
    """

    def __init__(self, label: str, frame: FrameType, line: int, paths: Mapping[int, str] | None = None) -> None:
        self.label, self.frame, self.line, self.paths = label, frame, line, paths


class named_scope(Block):
    """Give the steps inside a ``with`` block a name under which a recording keeps them together.

    Parameters
    ----------
    label : str
        The label of the box.

    Raises
    ------
    TypeError
        If ``label`` is not a string.

    Examples
    --------
    >>> import autolab
    >>> def program(x):
    ...     with autolab.named_scope("square"):
    ...         y = x * x
    ...     return y + 1
    >>> recording = autolab.record(program, x=3.0)
    >>> [(scope.kind, scope.label, scope.steps) for scope in recording.scopes]
    [('link', 'square', (1,))]
    """

    name = "marks"
    _paths: Mapping[int, str] | None = None

    def __init__(self, label: str) -> None:
        if not isinstance(label, str):
            raise TypeError(f"named_scope: label is {a_kind(label)}; expected a string")
        self._label = label

    def value(self) -> tuple[Mark, ...]:
        if not watchers:
            return modes().marks
        frame = _opener()
        return (*modes().marks, Mark(self._label, frame, frame.f_lineno, self._paths))


def _opener() -> FrameType:
    """The frame whose ``with`` statement, or exit stack, opens the scope."""
    frame = sys._getframe(3)  # above this function, `value` and `__enter__`
    while frame.f_code.co_filename == contextlib.__file__ and frame.f_back is not None:
        frame = frame.f_back
    return frame
