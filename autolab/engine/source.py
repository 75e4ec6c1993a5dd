"""The source of the instruction that a frame is executing, found by the positions that Python stores.

Each text is parsed once. If the source has changed since, or is not available, nothing is found. Code without a file
(below ``%%time`` and its like, or of ``exec``) was compiled from a text that is often still there; see `lines_of`.

The names that code uses, according to its bytecode, and what they stand for around a function.

Attributes NumPy's RuntimeWarnings to the user's line.

NumPy names the Python line that is running when it warns: a line of AutoLab, which means nothing to the reader, and
because of which Python's filters would suppress the next warning from a different user line. So a warning from this
package's own files is issued again with the user's line that led there, through the same filters.
"""

from __future__ import annotations
import __future__

import ast
import dis
import inspect
import linecache
import opcode
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any, Generic, NamedTuple, TextIO, TypeVar

from .tracebacks import PACKAGE

T = TypeVar("T")

MOST_CODE = 500
"""The number of functions and modules for whose instructions results are cached."""

_TAKES_NEXT = opcode.opmap["FOR_ITER"] if sys.version_info >= (3, 13) else None

_MARIMO_INDENT = 4
"""The indentation of a cell in a marimo file."""


class Found(NamedTuple):
    """The syntax node of an instruction (all nodes have a ``parent``), its statement, and the lines of the file."""

    node: Any
    statement: Any
    lines: list[str]


def first_line(code: CodeType) -> int:
    """The line of ``def``; that of the code object is the first decorator's."""
    above = lines_of(code)[code.co_firstlineno - 1 :]
    return code.co_firstlineno + len(list(takewhile(lambda line: line.lstrip().startswith("@"), above)))


def by_position(frame: FrameType, instruction: int | None = None) -> Found | None:
    """The syntax node that ``frame`` is executing, or that of an ``instruction`` of its code; None if unknown."""
    return in_code(frame.f_code, frame.f_lasti if instruction is None else instruction, frame.f_globals)


def in_code(code: CodeType, instruction: int, names: dict[str, Any] | None = None) -> Found | None:
    """The same for code whose frame no longer exists; ``names`` are its globals, which may say how to load the text."""
    start, end, column, end_column = position(code, instruction)
    text = _text(lines_of(code, names))
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
    """The loop that is fetching its next element: Python 3.13 gives this the position of the iterable."""
    around = node.parent
    return getattr(around, "parent", None) if isinstance(around, ast.comprehension) else around


def definition_of(code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The ``def`` of a function in its text; None if there is none, as for a lambda."""
    return _text(lines_of(code)).definitions.get(code.co_firstlineno)


def block_of(code: CodeType) -> list[str]:
    """The lines of a function, with its decorators, and with the comments at its end as `inspect.getblock` has them,
    which reads token by token, and here only what is no ``def``. Empty if the text is unknown."""
    lines, first, definition = lines_of(code), code.co_firstlineno, definition_of(code)
    if definition is None:
        return inspect.getblock(lines[first - 1 :]) if lines[first - 1 :] else []
    end, inside = definition.end_lineno or first, definition.body[0].col_offset
    for number, line in enumerate(lines[end:], end + 1):
        text = line.lstrip()
        if text and not (text.startswith("#") and len(line) - len(text) >= inside):
            break
        end = number if text else end
    return lines[first - 1 : end]


def lines_of(code: CodeType, names: dict[str, Any] | None = None) -> list[str]:
    """The lines of the text that ``code`` is from: those of its file.

    If there is no such file, a text around it that compiles to the very same code; ``names`` are its globals. Empty if
    there is none.
    """
    if read := linecache.getlines(code.co_filename, names):
        return read
    if id(code) not in _elsewhere:
        if len(_elsewhere) >= MOST_CODE:
            _elsewhere.clear()
        name = code.co_name if code.co_name.isidentifier() else "lambda" if code.co_name == "<lambda>" else ""
        words = (name, *[word for word in code.co_varnames[: code.co_argcount] if word.isidentifier()])
        texts = _texts_around(vars(sys.modules["__main__"]) | (names or {}), words)
        text = next((text for text in texts if _is_from(code, text)), "")
        _elsewhere[id(code)] = code, text.splitlines(keepends=True)
    return _elsewhere[id(code)][1]


_elsewhere: dict[int, tuple[CodeType, list[str]]] = {}


_FILE = re.compile(r"[\"']([^\"'\n]+\.py)[\"']")


def _texts_around(names: dict[str, Any], words: Sequence[str]) -> Iterator[str]:
    """The texts with all ``words`` among the globals, which in IPython have its cells, and those written in them and in
    the file, or in files that these name. Below a magic such as ``%%time``, that is the rest of the cell."""
    cells, file = names.get("In"), names.get("__file__")
    texts = [*(cells[::-1] if isinstance(cells, list) else ()), *names.values()]
    texts.append("".join(linecache.getlines(file)) if isinstance(file, str) else "")
    for name in dict.fromkeys([name for text in texts if type(text) is str for name in _FILE.findall(text)]):
        linecache.checkcache(name)
        texts.append("".join(linecache.getlines(name)))
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    for text in dict.fromkeys([text for text in texts if type(text) is str and all([word in text for word in words])]):
        magic, _, below = text.partition("\n")
        plain = below if magic.startswith("%%") else text
        yield plain if shell is None else shell.transform_cell(plain)
        written = [getattr(node, "value", None) for node in _nodes(plain).values() if isinstance(node, ast.Constant)]
        yield from [one for one in written if type(one) is str and all([word in one for word in words])]


def is_as_written(code: CodeType, names: dict[str, Any] | None = None) -> bool | None:
    """Whether the current text of a file is the one that ``code`` was compiled from: it compiles to the same code.

    None if unknown, because the text is not plain Python.
    """
    linecache.checkcache(code.co_filename)
    source = "".join(lines_of(code, names))
    if _is_from(code, source):
        return True
    return False if _compiled(source, code.co_filename, code.co_flags & _FUTURES, "whole") else None


def _is_from(code: CodeType, source: str) -> bool:
    texts = source, code.co_filename, code.co_flags & _FUTURES
    ways = "whole", "split", "inside"  # one after the other: mostly the first is it
    return any(code in _compiled(*texts, way).get(code.co_firstlineno, ()) for way in ways)


_FUTURES = sum([getattr(__future__, name).compiler_flag for name in __future__.all_feature_names])


@lru_cache(16)
def _compiled(source: str, filename: str, flags: int, way: str) -> dict[int, list[CodeType]]:
    """The code of all functions in a text, by their first lines.

    ``way``: the "whole" text at once, or "split": each statement separately, as IPython does with cells, where calls on
    a module that another statement imports give different code, or "inside" a function, as below ``%%timeit``.
    """
    try:
        units: list[Any] = [source]
        if way == "split":
            units = [ast.Module([one], []) for one in ast.parse(source, filename).body]
        elif way == "inside" and (body := ast.parse(source, filename).body):
            units = [ast.parse("def inner(_it, _timer):\n    pass")]
            units[0].body[0].body = body
        waiting = [compile(one, filename, "exec", flags, dont_inherit=True) for one in units]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, list[CodeType]] = {}
    while waiting:
        code = waiting.pop()
        found.setdefault(code.co_firstlineno, []).append(code)
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def in_marimo() -> bool:
    """Whether the code may be a cell of a marimo app.

    Its cells are functions in a file. marimo compiles the body of each without indentation: the lines are those of the
    file, but the columns are not.
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


def unparse(node: ast.AST) -> str:
    """The code of a syntax tree, as `ast.unparse` writes it; an ellipsis for one that is too deep for that.

    Examples
    --------
    >>> import ast
    >>> unparse(ast.parse("x+ y", mode="eval")), unparse(ast.parse("+".join(["x"] * 900), mode="eval"))
    ('x + y', '...')
    """
    try:
        return ast.unparse(node)
    except RecursionError:
        return "..."


def segment(lines: list[str], node: Any) -> str:
    """The text of ``node``. `ast.get_source_segment` would split the whole file each time."""
    part = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    part[-1] = part[-1][: node.end_col_offset]
    part[0] = part[0][node.col_offset :]
    return b"\n".join(part).decode()


class PerInstruction(Generic[T]):
    """A function of a frame's current instruction, cached per instruction, because loops pass each one many times."""

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
        """Clear the cache."""
        self._known.clear()


class _Text(NamedTuple):
    """The lines of a file without line ends, its syntax nodes, and its functions by their first lines, which may be
    decorators; ``read`` is the list they were made from."""

    read: list[str]
    lines: list[str]
    nodes: dict[tuple[Any, ...], Any]
    definitions: dict[int, ast.FunctionDef | ast.AsyncFunctionDef]


_texts: dict[int, _Text] = {}


def _text(read: list[str]) -> _Text:
    """The cached text of these lines; linecache returns the same list as long as the file has not changed."""
    if id(read) not in _texts:
        if len(_texts) >= _MOST_POSITIONS:
            _texts.clear()
        nodes = _nodes("".join(read))
        functions = [node for node in nodes.values() if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        first = {min([at.lineno for at in (node, *node.decorator_list)]): node for node in functions}
        _texts[id(read)] = _Text(read, [line.rstrip("\n") for line in read], nodes, first)
    return _texts[id(read)]


def _nodes(source: str) -> dict[tuple[Any, ...], Any]:
    """All expressions and statements by their span; of several with the same span, the innermost."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a cell with IPython's own syntax, or no program
        return {}
    found: dict[tuple[Any, ...], Any] = {}
    parents: list[Any] = [tree]
    for parent in parents:
        for name in _parts_of(parent.__class__):
            part = getattr(parent, name, None)
            for node in part if type(part) is list else (part,):
                if isinstance(node, ast.AST):
                    node.parent = parent  # type: ignore[attr-defined]
                    parents.append(node)
                    if isinstance(node, _PLACED):
                        found[node.lineno, node.col_offset, node.end_lineno, node.end_col_offset] = node
    return found


_PLACED = (ast.expr, ast.stmt)
_WORDS = {"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "simple", "conversion"}


@cache
def _parts_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes with a position; asked for once a kind, as a long function has
    a hundred thousand nodes."""
    return () if kind is ast.Constant else tuple([name for name in kind._fields if name not in _WORDS])


def caller() -> FrameType | None:
    """For hooks: the frame of the user's line, the innermost one outside this package below the event."""
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


EMPTY = object()
"""The content of a variable without a value."""


def content_of(cell: CellType) -> Any:
    """The value of a closure variable, or `EMPTY`."""
    try:
        return cell.cell_contents
    except ValueError:
        return EMPTY


def name_of_default(function: FunctionType, i: int) -> str:
    """The name of the argument that has the i-th default."""
    code = function.__code__
    return code.co_varnames[code.co_argcount - len(function.__defaults__ or ()) + i]


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those of the functions defined inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_in(inner)


@lru_cache(1024)
def looked_up(code: CodeType, deep: bool = True) -> tuple[str, ...]:
    """The global names that code reads or sets, each once; if ``deep``, including those of nested functions."""
    wanted = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
    codes = [one for one in (codes_in(code) if deep else [code]) if one.co_names]
    found = [step.argval for one in codes for step in dis.get_instructions(one) if step.opname in wanted]
    return tuple(dict.fromkeys(found))


@cache
def read_in(code: CodeType) -> frozenset[str]:
    """The attributes that code reads, and its strings, which may be names of attributes."""
    found = [step.argval for step in dis.get_instructions(code) if step.opname.startswith("LOAD_")]
    return frozenset([name for name in found if isinstance(name, str)])


@cache
def attributes_of(code: CodeType) -> frozenset[str]:
    """The attributes that code reads or sets; if it uses `getattr` or `setattr`, all its names."""
    if "getattr" in code.co_names or "setattr" in code.co_names:
        return words_of(code)
    return frozenset([name for _, opname, name in placed(code) if opname.endswith(("_ATTR", "_METHOD"))])


def placed(code: CodeType) -> Iterator[tuple[int, str, Any]]:
    """The instructions of code, with their line numbers."""
    starts, line = dict(dis.findlinestarts(code)), code.co_firstlineno
    for step in dis.get_instructions(code):
        line = starts.get(step.offset) or line
        yield line, step.opname, step.argval


@cache
def owners_of(code: CodeType, name: str) -> frozenset[str]:
    """The names whose attribute ``name`` code reads: ``np`` for ``np.random``."""
    pairs = [(a, b) for a, b in pairwise(dis.get_instructions(code)) if b.opname[:5] == "LOAD_" and b.argval == name]
    return frozenset([a.argval for a, b in pairs if a.opname.startswith("LOAD_") and isinstance(a.argval, str)])


@cache
def imported(code: CodeType) -> tuple[str, ...]:
    """The modules that code imports when it runs."""
    return tuple([s.argval for one in codes_in(code) for s in dis.get_instructions(one) if s.opname == "IMPORT_NAME"])


@cache
def words_of(code: CodeType) -> frozenset[str]:
    """Everything that code may use as the name of an attribute: its names, and its strings for `getattr`."""
    return frozenset([*code.co_names, *[one for one in code.co_consts if isinstance(one, str) and one.isidentifier()]])


_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def point_to_users() -> None:
    """Install this for all warnings, on top of what showed them before."""
    before = warnings.showwarning

    def showwarning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        frame = _users(filename) if category is RuntimeWarning else None
        if frame is None:
            before(message, category, filename, lineno, file, line)
        else:
            warn_of(frame, message, category)

    warnings.showwarning = showwarning


def warn_of(frame: FrameType, message: Warning | str, category: type[Warning]) -> None:
    """Issue a warning for the current line of a frame."""
    where, line = frame.f_globals, (frame.f_code.co_filename, frame.f_lineno)
    registry = where.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, *line, where.get("__name__", "<unknown>"), registry)


def _users(filename: str) -> FrameType | None:
    """The user's frame, for a warning from a file of AutoLab's, which may be given again: of another line perhaps."""
    if not filename.startswith(_PACKAGE):
        return None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != filename:  # of the module warnings
        frame = frame.f_back
    if frame is not None:
        frame.f_globals.get("__warningregistry__", {}).clear()
    while frame is not None and is_own(frame):
        frame = frame.f_back
    return frame
