"""The source at the instruction that a frame is executing, found by the position that Python keeps.

The syntax trees are parsed once per text. Where the code was changed since, or its text is not kept, nothing is found.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import opcode
import os
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import takewhile
from types import CodeType, FrameType
from typing import Any, Generic, NamedTuple, TypeVar

from .tracebacks import PACKAGE

T = TypeVar("T")

MOST_CODE = 500
"""Of so many functions and modules it is remembered what was found at their instructions."""

_TAKES_NEXT = opcode.opmap["FOR_ITER"] if sys.version_info >= (3, 13) else None

_MARIMO_INDENT = 4
"""By so much marimo indents a cell in its file."""


class Found(NamedTuple):
    """The node of an instruction, whose nodes all have a ``parent``, its statement, and the lines of the file."""

    node: Any
    statement: Any
    lines: list[str]


def first_line(code: CodeType) -> int:
    """The line of ``def``: that of code is its first decorator's."""
    above = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    return code.co_firstlineno + len(list(takewhile(lambda line: line.lstrip().startswith("@"), above)))


def by_position(frame: FrameType, instruction: int | None = None) -> Found | None:
    """What ``frame`` is at, or what an ``instruction`` of its code is; None where that cannot be told."""
    return in_code(frame.f_code, frame.f_lasti if instruction is None else instruction, frame.f_globals)


def in_code(code: CodeType, instruction: int, names: dict[str, Any] | None = None) -> Found | None:
    """The same of code whose frame is gone; ``names`` are its globals, where these say how to get the text."""
    start, end, column, end_column = position(code, instruction)
    text = _text(code.co_filename, names)
    node = text.nodes.get((start, column, end, end_column))
    if node is None and in_marimo() and column is not None and end_column is not None:
        node = text.nodes.get((start, column + _MARIMO_INDENT, end, end_column + _MARIMO_INDENT))
    if node is None:
        return None
    if _TAKES_NEXT is not None and code.co_code[instruction] == _TAKES_NEXT:
        node = _loop_over(node)
    statement = node
    while not isinstance(statement, ast.stmt):
        statement = statement.parent
    return Found(node, statement, text.lines)


def _loop_over(node: Any) -> Any:
    """The loop that takes its next element: Python 3.13 gives that the position of what it is taken from."""
    around = node.parent
    return getattr(around, "parent", None) if isinstance(around, ast.comprehension) else around


def is_as_written(code: CodeType, names: dict[str, Any] | None = None) -> bool | None:
    """Whether the text of a file, as it is now, is the one that ``code`` was compiled from: it gives the same code.

    None where that cannot be told, as the text is none of Python's own.
    """
    linecache.checkcache(code.co_filename)
    source = "".join(linecache.getlines(code.co_filename, names))
    texts = (source, code.co_filename, code.co_flags & _FUTURES)
    if any(code in _compiled(*texts, is_split).get(code.co_firstlineno, ()) for is_split in (False, True)):
        return True
    return False if _compiled(*texts, False) else None


_FUTURES = sum([getattr(__future__, name).compiler_flag for name in __future__.all_feature_names])


@lru_cache(16)
def _compiled(source: str, filename: str, flags: int, is_split: bool) -> dict[int, list[CodeType]]:
    """The code of all functions of a text, by their first lines.

    ``is_split``: each statement by itself, as IPython compiles a cell; calls of what another one imports differ then.
    """
    try:
        whole = ast.parse(source, filename)
        units = [ast.Module([one], []) for one in whole.body] if is_split else [whole]
        waiting = [compile(one, filename, "exec", flags, dont_inherit=True) for one in units]
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, list[CodeType]] = {}
    while waiting:
        code = waiting.pop()
        found.setdefault(code.co_firstlineno, []).append(code)
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def in_marimo() -> bool:
    """Whether the code may be a cell of an app of marimo.

    Its cells are functions in a file. marimo compiles the body of each as if it were not indented: the lines
    are those of the file, the columns are not.
    """
    return "marimo" in sys.modules


def position(code: CodeType, instruction: int) -> tuple[int | None, int | None, int | None, int | None]:
    """First line, last line, first column and last column (in bytes) of an instruction."""
    if id(code) not in _positions:
        if len(_positions) >= _MOST_POSITIONS:
            _positions.clear()
        _positions[id(code)] = code, [*code.co_positions()]
    found, place = _positions[id(code)][1], max(instruction, 0) // 2
    return found[place] if place < len(found) else (None, None, None, None)


_positions: dict[int, tuple[CodeType, list[tuple[int | None, int | None, int | None, int | None]]]] = {}
_MOST_POSITIONS = 50  # functions whose positions are known, by identity


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


class _Text(NamedTuple):
    """A file's lines without their ends, and its nodes; ``read`` is what they were made of."""

    read: list[str]
    lines: list[str]
    nodes: dict[tuple[Any, ...], Any]


_texts: dict[str, _Text] = {}


def _text(filename: str, names: dict[str, Any] | None) -> _Text:
    """What is kept of a file; Python hands out the same list of lines as long as it has not changed."""
    read = linecache.getlines(filename, names)
    if filename not in _texts or _texts[filename].read is not read:
        if len(_texts) >= _MOST_POSITIONS:
            _texts.clear()
        _texts[filename] = _Text(read, [line.rstrip("\n") for line in read], _nodes("".join(read)))
    return _texts[filename]


def _nodes(source: str) -> dict[tuple[Any, ...], Any]:
    """All expressions and statements by what they span; of several at one place the innermost."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a cell with IPython's own syntax
        return {}
    found: dict[tuple[Any, ...], Any] = {}
    parents: list[ast.AST] = [tree]
    for parent in parents:
        for node in ast.iter_child_nodes(parent):
            node.parent = parent  # type: ignore[attr-defined]
            parents.append(node)
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
    return _is_in_package(frame.f_code.co_filename)


@cache
def _is_in_package(file: str) -> bool:
    return file.startswith(PACKAGE)
