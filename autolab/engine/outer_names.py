"""What a function reads from its surroundings: closure variables, globals of its module, and builtins."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

EMPTY = object()
"""The content of a variable without a value."""


def outer_names(function: Any) -> Iterator[tuple[str, Any]]:
    """The outer names that the code of a function, including nested functions, reads, with their values.

    Names without a value are omitted. For anything but a Python function there are none.

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
    """The global names that code reads, each once; if ``deep``, including those of nested functions."""
    steps = dis.get_instructions(code) if code.co_names else ()
    found = [step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    for constant in code.co_consts if deep else ():
        if isinstance(constant, CodeType):
            found += looked_up(constant)
    return tuple(dict.fromkeys(found))


def content_of(cell: CellType) -> Any:
    """The value of a closure variable, or `EMPTY`."""
    try:
        return cell.cell_contents
    except ValueError:
        return EMPTY
