"""Where a step is in the user's code: its expression, statement and line, and the names that the statement assigns to
it.

The loops around an instruction, read from the source: which statement repeats, and what distinguishes its
iterations.

Which node of the syntax tree an instruction belongs to.

Python keeps the position of every instruction, and the node with exactly that span is the right one. If the source has
changed since, or does not match the code, the package `executing` finds the node by the bytecode, which takes a hundred
times as long; a machine with just NumPy and CuPy has no `executing`. Changes that neither notices, such as another
number in a file that was edited but not imported again, are found by comparing names and constants.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import linecache
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from types import CodeType, FrameType
from typing import Any

from ..engine.source import (
    MOST_CODE,
    Found,
    PerInstruction,
    block_of,
    by_position,
    file_label,
    in_marimo,
    is_as_written,
    segment,
    unparse,
)
from ..links.link import Link
from ..shared.collector import collector_waits

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LABEL_LIMIT = 24


@dataclass(frozen=True)
class Loop:
    """A loop in the user's code. ``targets`` are the names that change only from one iteration to the next."""

    label: str
    line: int
    column: int
    targets: tuple[str, ...]

    def values(self, variables: Mapping[str, Any]) -> tuple[Any, ...]:
        """The current values of the targets."""
        return tuple([variables.get(name) for name in self.targets])

    def round_label(self, values: tuple[Any, ...], number: int) -> str:
        """``t = 3`` if a target is a number or a short string, else ``pass 4``."""
        told = [
            f"{name} = {value!r}"
            for name, value in zip(self.targets, values, strict=True)
            if name != "_" and type(value) in (int, float, bool, str) and len(repr(value)) <= _LABEL_LIMIT
        ]
        return ", ".join(told) or f"pass {number}"


def loops_around(node: Any, alone: bool) -> tuple[Loop, ...]:
    """The loops of one function whose iterations execute ``node``, outermost first.

    ``node`` has a ``parent``, as in the trees of `executing`. ``alone``: the code is that of a comprehension or
    generator expression with a frame of its own, which loops around it do not repeat.
    """
    head = loop_of_head(node, alone)
    found: list[Loop] = [] if head is None else [head]
    while (parent := getattr(node, "parent", None)) is not None and not isinstance(node, _FUNCTIONS):
        if _repeats(parent, node):
            found.append(_loop(parent))
        if alone and isinstance(parent, (*_COMPREHENSIONS, ast.GeneratorExp)):
            break
        node = parent
    return tuple(found[::-1])


def loop_of_head(node: Any, alone: bool) -> Loop | None:
    """The loop that ``node`` is, if the instruction is at its head, which takes the next element in every iteration.

    Before Python 3.12, this holds for a comprehension only in its own frame; in the frame around it, it is a call.
    """
    is_inside = alone or sys.version_info >= (3, 12)
    is_head = isinstance(node, ast.For | ast.AsyncFor) or (is_inside and isinstance(node, _COMPREHENSIONS))
    return _loop(node) if is_head else None


def _repeats(loop: Any, part: Any) -> bool:
    """Whether every iteration of ``loop`` executes ``part``, one of its children."""
    if isinstance(loop, ast.For | ast.AsyncFor):
        return isinstance(part, ast.stmt) and part not in loop.orelse  # the body may have thousands of statements
    if isinstance(loop, ast.While):
        return part not in loop.orelse
    return isinstance(loop, _COMPREHENSIONS) and not isinstance(part, ast.comprehension)


@lru_cache(maxsize=256)  # the instructions of a loop share it
def _loop(node: Any) -> Loop:
    if isinstance(node, ast.While):
        return Loop(f"while {unparse(node.test)}", node.lineno, node.col_offset, ())
    head = node if isinstance(node, ast.For | ast.AsyncFor) else node.generators[0]
    label = f"for {unparse(head.target)} in {unparse(head.iter)}"
    body = node.body if isinstance(node, ast.For | ast.AsyncFor) else []
    assigned = {name for statement in body for name in _stored(statement)}
    targets = tuple([name for name in dict.fromkeys(_stored(head.target)) if name not in assigned])
    return Loop(label, node.lineno, node.col_offset, targets)


def _stored(tree: ast.AST) -> Iterator[str]:
    """The names that ``tree`` assigns to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def found_at(frame: FrameType) -> Found | None:
    """The node that ``frame`` is executing; None if it cannot be determined."""
    if _is_as_written(frame):
        return by_position(frame)
    found = by_position(frame) if find_spec("executing") is None else _by_bytecode(frame)
    if found is None or not _words_of(found) <= _words(frame.f_code) - _used_elsewhere(frame.f_code, found.node):
        return None
    return found


def _by_bytecode(frame: FrameType) -> Found | None:
    import executing

    found = executing.Source.executing(frame)
    if found.node is None:
        return by_position(frame) if in_marimo() else None
    return Found(found.node, next(iter(found.statements or ()), found.node), found.source.lines)


def _words_of(found: Found) -> set[str]:
    """The names and constants of the expression that was found."""
    node = getattr(found.node, "value", found.node) if isinstance(found.node, ast.stmt) else found.node
    return _words(compile(ast.Expression(node), "", "eval")) if isinstance(node, ast.expr) else set()


def _words(code: CodeType) -> set[str]:
    """The names and constants of code, including nested code."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    constants = [repr(one) for one in code.co_consts if one is not None and one not in inner]
    own = [*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars, *constants]
    words = {*own, *[word for one in inner for word in _words(one)]}
    return words - {".0"}  # a comprehension's argument in some versions


def _used_elsewhere(code: CodeType, node: Any) -> set[str]:
    """The local variables that no instruction on the lines of ``node`` uses. Since Python 3.12 those of a comprehension
    are among them."""
    lines = range(node.lineno, node.end_lineno + 1)
    here = [i.argval for i in dis.get_instructions(code) if i.positions and (i.positions.lineno or 0) in lines]
    used = [value if isinstance(value, tuple) else (value,) for value in here]  # some load two at once
    return {*code.co_varnames}.difference(*used)


_compared: dict[int, tuple[CodeType, bool]] = {}


def _is_as_written(frame: FrameType) -> bool:
    """Whether the source of a frame's code is known to match its file; checked once per code object."""
    code = frame.f_code
    if id(code) not in _compared:
        if len(_compared) >= MOST_CODE:
            _compared.clear()
        _compared[id(code)] = code, _compare(frame)
    return _compared[id(code)][1]


@collector_waits()  # a text of ten thousand lines has hundreds of thousands of nodes, all of which stay
def _compare(frame: FrameType) -> bool:
    """The same, which also reads the text."""
    is_the_text = bool(is_as_written(frame.f_code, frame.f_globals))
    if is_the_text:
        by_position(frame)
    return is_the_text


PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

OWN_FRAMES = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")
"""Code that runs in a frame of its own but does not read like a function (comprehensions: before Python 3.12)."""


@dataclass(frozen=True)
class CodePosition:
    """A position in the user's code. ``names`` are the assignment's targets, ``each`` those that the values which are
    computed there get one after the other, ``operands`` the texts of the operands, ``loops`` the loops around it,
    outermost first; ``head`` is the loop that takes its next element there.
    """

    file: str
    line: int
    source: str | None = None
    statement: str | None = None
    names: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    is_call: bool = False
    head: Loop | None = None

    def of_inner_step(self) -> CodePosition:
        """The position for an inner step: not written there, but computed by AutoLab's code, which is called there."""
        return replace(self, source=None, names=(), each=(), operands=())


class Locator:
    """Finds positions and caches them: a loop executes an instruction many times, a slider a function. ``fn`` is the
    recorded function."""

    def __init__(self, fn: Any = None) -> None:
        self._code = getattr(python_function(fn), "__code__", None)

    def place(self, frame: FrameType | None) -> CodePosition | None:
        """The position of the instruction that ``frame`` is executing."""
        return None if frame is None else _known(frame)

    def is_recorded(self, frame: FrameType) -> bool:
        """Whether ``frame`` runs the recorded function."""
        return frame.f_code is self._code

    def outer_line(
        self, frame: FrameType | None, users: FrameType | None, place: CodePosition | None, base: FrameType | None
    ) -> int | None:
        """The line that the recorded function has reached, found from ``frame``; the user's frame is at ``place``."""
        if users is not None and users.f_code is self._code and place is not None:
            return place.line
        while frame is not None and frame is not base and frame.f_code is not self._code:
            frame = frame.f_back
        return None if frame is None or frame is base else frame.f_lineno


def _locate(frame: FrameType) -> CodePosition:
    found = found_at(frame)
    line = found.node.lineno if found is not None else frame.f_lineno  # slow in long functions
    return placed(found, frame.f_code, line)


def placed(found: Found | None, code: CodeType, line: int) -> CodePosition:
    """The position of what was found at an instruction of ``code``, in that line."""
    file = file_label(code.co_filename)
    if found is None:
        return CodePosition(file, line)
    node, statement, lines = found.node, found.statement, found.lines
    alone = code.co_name in OWN_FRAMES
    head = loop_of_head(node, alone)
    return CodePosition(
        file=file,
        line=node.lineno,
        source=_expression(lines, node) if head is None else f"next of {unparse(_taken(node).iter)}",
        statement=segment(lines, statement).strip().partition("\n")[0] or None,
        names=_targets(statement, node) if head is None else _element(node),
        each=_targets_of_each(statement, node),
        operands=tuple([_text(operand) for operand in _operands(node)]),
        loops=loops_around(node, alone),
        is_call=isinstance(node, ast.Call),
        head=head,
    )


def _expression(lines: list[str], node: Any) -> str | None:
    """The expression as written; the sum ``h + x`` for ``h += x``, the call F(x, y) for ``F().apply((x, y))``."""
    if isinstance(node, ast.AugAssign):
        return unparse(ast.BinOp(node.target, node.op, node.value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "apply":
        made = node.func.value
        if isinstance(made, ast.Call) and not made.args and not made.keywords:
            return f"{unparse(made.func)}({', '.join([unparse(operand) for operand in _operands(node)])})"
    return segment(lines, node)


_known = PerInstruction(_locate)


def _text(node: ast.AST) -> str:
    """An expression as text; mostly a name or a number."""
    if isinstance(node, ast.Constant) and type(node.value) in (float, int):
        return repr(node.value)
    return node.id if isinstance(node, ast.Name) else unparse(node)


def _targets(statement: Any, node: ast.AST) -> tuple[str, ...]:
    """The names to which ``statement`` binds the value of ``node``, if it binds exactly that."""
    if isinstance(statement, ast.AugAssign) and statement is node:
        return (_text(statement.target),)
    target = next((target for target, value in _bindings(statement) if value is node), None)
    if target is None:
        return ()
    return tuple(map(_text, target.elts)) if isinstance(target, ast.Tuple | ast.List) else (_text(target),)


def _targets_of_each(statement: Any, node: ast.AST) -> tuple[str, ...]:
    """The names that take what a comprehension computes: ``q, k, v = [f(part) for part in parts]``."""
    for target, value in _bindings(statement):
        is_each = isinstance(value, ast.ListComp | ast.GeneratorExp) and value.elt is node and not value.generators[1:]
        if is_each and isinstance(target, ast.Tuple | ast.List) and all([isinstance(t, ast.Name) for t in target.elts]):
            return tuple(map(_text, target.elts))
    return ()


def _bindings(statement: Any) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The pairs of target and value of all bindings in a statement: ``a, b = x, y`` has two."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _pairs(target, statement.value)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield statement.target, statement.value
    elif isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            if item.optional_vars is not None:
                yield from _pairs(item.optional_vars, _entered(item.context_expr))
    for part in ast.walk(statement) if isinstance(statement, ast.AST) else ():
        if isinstance(part, ast.NamedExpr):
            yield part.target, part.value


def _entered(manager: ast.expr) -> ast.expr:
    """What a context manager returns on entry, as far as that is written: what `contextlib.nullcontext` is given."""
    if isinstance(manager, ast.Call) and unparse(manager.func).endswith("nullcontext") and len(manager.args) == 1:
        return manager.args[0]
    return manager


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Target and value, or those of their elements if both are written out; a starred target takes a list."""
    yield target, value
    if not (isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List)):
        return
    if any([isinstance(element, ast.Starred) for element in value.elts]):
        return
    starred = [i for i, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
    end = starred[0] if starred else len(target.elts)
    behind = len(target.elts) - end - 1
    for one, other in zip(target.elts[:end], value.elts, strict=False):
        yield from _pairs(one, other)
    if behind > 0:
        for one, other in zip(target.elts[-behind:], value.elts[-behind:], strict=True):
            yield from _pairs(one, other)


def _taken(loop: Any) -> Any:
    """The part of a loop or a comprehension with its target and its iterable."""
    return loop if isinstance(loop, ast.For | ast.AsyncFor) else loop.generators[0]


def _element(loop: Any) -> tuple[str, ...]:
    """The name that a loop gives its next element; none with enumerate() or zip(), where names get parts of it."""
    head = _taken(loop)
    is_whole = isinstance(head.target, ast.Name) and not isinstance(head.iter, ast.Call)
    return (unparse(head.target),) if is_whole else ()


def _operands(node: Any) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Call):
        if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple | ast.List):  # F().apply((x, y))
            return list(node.args[0].elts)
        if isinstance(node.func, ast.Attribute) and not node.args:  # x.sum()
            return [node.func.value]
        return list(node.args)
    return []


def python_function(fn: Any) -> Any:
    """The function behind a partial, a method, a wrapper, a link or another object that can be called."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    fn = inspect.unwrap(fn)
    fn = fn._written if isinstance(fn, Link) else fn
    if not inspect.isroutine(fn) and not isinstance(fn, type):
        fn = type(fn).__call__
    return inspect.unwrap(getattr(fn, "__func__", fn))


def source_of(function: Any) -> tuple[str | None, str | None, int | None]:
    """Source text, file and first line of a function; None if it was typed at a prompt or is built in."""
    try:
        code = getattr(inspect.unwrap(function), "__code__", None)
        text, filename, first = _read(function) if code is None else _read_once(code, code.co_filename)
        return text, file_label(filename), first
    except (OSError, TypeError, ValueError):
        return None, None, None


@functools.lru_cache(256)
def _read_once(code: CodeType, filename: str) -> tuple[str, str, int]:
    """The source of code, cached: a slider records the same function again and again. Code in two files may be equal,
    so the file name is part of the key."""
    return _read(code)


def _read(function: Any) -> tuple[str, str, int]:
    if isinstance(function, CodeType):  # otherwise `inspect` would search all modules for the file
        linecache.checkcache(function.co_filename)
        lines = block_of(function)
        if lines and is_as_written(function) is False and not in_marimo():
            raise OSError(f"{function.co_filename} is another now")
        if lines:
            return textwrap.dedent("".join(lines)), function.co_filename, function.co_firstlineno
    lines, first = inspect.getsourcelines(function)
    return textwrap.dedent("".join(lines)), inspect.getsourcefile(function) or "", first
