"""Where a step is in the user's code: its expression, statement and line, and the names that the statement assigns to
it."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import os
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any

from ..engine.source import Found, PerInstruction, block_of, file_label, in_marimo, is_as_written, segment, unparse
from ..links.link import Link
from .loops import Loop, loop_of_head, loops_around
from .positions import found_at

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
