"""The source at the instruction that a frame is executing, found by the position that Python keeps.

The syntax trees are parsed once per text. Where the code was changed since, or its text is not kept, nothing is found.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType
from typing import Any, Generic, TypeVar

from .tracebacks import PACKAGE

T = TypeVar("T")

MOST_CODE = 500
"""Of so many functions and modules it is remembered what was found at their instructions."""

_MARIMO_INDENT = 4
"""By so much marimo indents a cell in its file."""


@dataclass(frozen=True)
class Found:
    """The node of an instruction, whose nodes all have a ``parent``, its statement, and the lines of the file."""

    node: Any
    statement: Any
    lines: list[str]


def by_position(frame: FrameType, instruction: int | None = None) -> Found | None:
    """What ``frame`` is at, or what an ``instruction`` of its code is; None where that cannot be told."""
    return in_code(frame.f_code, frame.f_lasti if instruction is None else instruction, frame.f_globals)


def in_code(code: CodeType, instruction: int, names: dict[str, Any] | None = None) -> Found | None:
    """The same of code whose frame is gone; ``names`` are its globals, where these say how to get the text."""
    start, end, column, end_column = position(code, instruction)
    lines = linecache.getlines(code.co_filename, names)
    nodes = _nodes("".join(lines))
    node = nodes.get((start, column, end, end_column))
    if node is None and in_marimo() and column is not None and end_column is not None:
        node = nodes.get((start, column + _MARIMO_INDENT, end, end_column + _MARIMO_INDENT))
    if node is None:
        return None
    statement = node
    while not isinstance(statement, ast.stmt):
        statement = statement.parent
    return Found(node, statement, [line.rstrip("\n") for line in lines])


def in_marimo() -> bool:
    """Whether the code may be a cell of an app of marimo.

    Its cells are functions in a file. marimo compiles the body of each as if it were not indented: the lines
    are those of the file, the columns are not.
    """
    return "marimo" in sys.modules


def position(code: CodeType, instruction: int) -> tuple[int | None, int | None, int | None, int | None]:
    """First line, last line, first column and last column (in bytes) of an instruction."""
    return next(islice(code.co_positions(), max(instruction, 0) // 2, None), (None, None, None, None))


def segment(lines: list[str], node: Any) -> str:
    """The text of ``node``. `ast.get_source_segment` splits the whole file for every one."""
    part = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    part[-1] = part[-1][: node.end_col_offset]
    part[0] = part[0][node.col_offset :]
    return b"\n".join(part).decode()


class PerInstruction(Generic[T]):
    """A function of a frame's instruction, which is asked once for each: loops pass the same one many times."""

    def __init__(self, look: Callable[[FrameType], T]) -> None:
        self._look = look
        self._known: dict[int, tuple[CodeType, dict[int, T]]] = {}  # by identity: code is slow to hash

    def __call__(self, frame: FrameType) -> T:
        try:
            return self._known[id(frame.f_code)][1][frame.f_lasti]
        except KeyError:
            return self._learn(frame)

    def _learn(self, frame: FrameType) -> T:
        if len(self._known) > MOST_CODE:
            self.clear()
        _, found = self._known.setdefault(id(frame.f_code), (frame.f_code, {}))
        found[frame.f_lasti] = self._look(frame)
        return found[frame.f_lasti]

    def clear(self) -> None:
        """Forget what was found."""
        self._known.clear()


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


def caller() -> FrameType | None:
    """For hooks that want to know it: the user's line, the innermost frame outside this package below the event."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_own(frame):  # the hook itself
        frame = frame.f_back
    while frame is not None and is_own(frame):
        frame = frame.f_back
    return frame


def file_label(filename: str) -> str:
    """``cell [4]`` for a notebook cell, ``cell`` for one of marimo, else the name of the file."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    label = shell.compile.format_code_name(filename) if shell is not None else None
    if label is not None:
        return f"cell {label[1].removeprefix('In')}"
    name = os.path.basename(filename)
    return "cell" if name.startswith("__marimo__cell_") else name


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs this package's own code."""
    return frame.f_code.co_filename.startswith(PACKAGE)
