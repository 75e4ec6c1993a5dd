"""Updates by hand that make a computed value of what was a leaf."""

from __future__ import annotations

import linecache
import re
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .variable import Variable

_UPDATE = re.compile(r"\b(?P<name>\w+)\s*-=?[^#,;()\[\]=<>]*\b(?P=name)\.grad\b")
"""``w = w - lr * w.grad`` or ``w -= lr * w.grad``, and nothing that merely has such a gradient beside it."""

_GUARD = re.compile(r"\b(is|or|if)\b")


def check_update(variable: Variable, frame: FrameType) -> None:
    """Raise a TypeError where the gradient that is not there would be subtracted from the value itself.

    After an update such as ``w = w - lr * w.grad``, `variable` is no leaf any more and gets no gradient: the next one
    would fail with an error that says nothing of it.
    """
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    found = _UPDATE.search(line)
    if found is None or _GUARD.search(line):
        return
    name, what = found["name"][:20], "a constant" if variable.node is None else "a computed value"
    raise TypeError(
        f"Variable.grad: there is no gradient of {name}, which is {what} now: an assignment such as {name} = {name} - "
        f"... makes it one. An update changes the leaf: {name}.data -= lr * {name}.grad.data"
    )
