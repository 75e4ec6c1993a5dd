"""Which node of the source an instruction belongs to: by the package `executing`, and by position where it is missing.

A machine with NumPy and CuPy alone has no `executing`. Python itself keeps the position of every instruction; the node
that spans exactly that is the one, unless the code was changed since (`executing` also looks at the bytecode).
"""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from types import FrameType
from typing import Any


@dataclass(frozen=True)
class Found:
    """The node of an instruction, whose nodes all have a ``parent``, its statement, and the lines of the file."""

    node: Any
    statement: Any
    lines: list[str]


def found_at(frame: FrameType) -> Found | None:
    """What ``frame`` is at; None where that cannot be told."""
    if find_spec("executing") is None:
        return by_position(frame)
    import executing

    found = executing.Source.executing(frame)
    if found.node is None:
        return None
    return Found(found.node, next(iter(found.statements or ()), found.node), found.source.lines)


def by_position(frame: FrameType) -> Found | None:
    """The same by the position of the instruction alone."""
    code = frame.f_code
    start, end, column, end_column = next(islice(code.co_positions(), frame.f_lasti // 2, None))
    lines = linecache.getlines(code.co_filename, frame.f_globals)
    node = _nodes("".join(lines)).get((start, column, end, end_column))
    if node is None:
        return None
    statement = node
    while not isinstance(statement, ast.stmt):
        statement = statement.parent
    return Found(node, statement, [line.rstrip("\n") for line in lines])


@lru_cache(64)
def _nodes(source: str) -> dict[tuple[Any, ...], Any]:
    """All expressions and statements by what they span; of several at one place the innermost."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a cell with IPython's own syntax
        return {}
    found: dict[tuple[Any, ...], Any] = {}
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            node.parent = parent  # type: ignore[attr-defined]
            if isinstance(node, ast.expr | ast.stmt):
                found[node.lineno, node.col_offset, node.end_lineno, node.end_col_offset] = node
    return found
