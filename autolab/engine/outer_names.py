"""What a function reads around it: the variables that it closes over, the globals of its module, and builtins."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

EMPTY = object()
"""The content of a variable that has no value yet."""


def outer_names(function: Any) -> Iterator[tuple[str, Any]]:
    """The names that a function's code, and the code written inside it, reads around it, with what they stand for.

    A name without a value is left out. Of anything but a function written in Python there are none.

    Examples
    --------
    >>> from autolab.engine.outer_names import outer_names
    >>> rate = 0.1
    >>> dict(outer_names(lambda x: [abs(x) * rate for _ in range(3)]))["rate"]
    0.1
    """
    if not isinstance(function, FunctionType):
        return
    names = function.__globals__
    for name in looked_up(function.__code__):
        if name in names or hasattr(builtins, name):
            yield name, names[name] if name in names else getattr(builtins, name)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if (content := content_of(cell)) is not EMPTY:
            yield name, content


@lru_cache(1024)
def looked_up(code: CodeType, deep: bool = True) -> tuple[str, ...]:
    """The global names that code reads, each once; if ``deep``, those of the functions written inside it too."""
    steps = dis.get_instructions(code) if code.co_names else ()
    found = [step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    for constant in code.co_consts if deep else ():
        if isinstance(constant, CodeType):
            found += looked_up(constant)
    return tuple(dict.fromkeys(found))


def content_of(cell: CellType) -> Any:
    """What a variable around a function stands for, or `EMPTY`."""
    try:
        return cell.cell_contents
    except ValueError:
        return EMPTY
