"""Which node of the syntax tree an instruction belongs to.

Python keeps the position of every instruction, and the node with exactly that span is the right one. If the source has
changed since, or does not match the code, the package `executing` finds the node by the bytecode, which takes a hundred
times as long; a machine with just NumPy and CuPy has no `executing`. Changes that neither notices, such as another
number in a file that was edited but not imported again, are found by comparing names and constants.
"""

from __future__ import annotations

import ast
import dis
from importlib.util import find_spec
from types import CodeType, FrameType
from typing import Any

from ..engine.source import MOST_CODE, Found, by_position, in_marimo, is_as_written
from ..shared.collector import collector_waits


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


_known: dict[int, tuple[CodeType, bool]] = {}


def _is_as_written(frame: FrameType) -> bool:
    """Whether the source of a frame's code is known to match its file; checked once per code object."""
    code = frame.f_code
    if id(code) not in _known:
        if len(_known) >= MOST_CODE:
            _known.clear()
        _known[id(code)] = code, _read(frame)
    return _known[id(code)][1]


@collector_waits()  # a text of ten thousand lines has hundreds of thousands of nodes, all of which stay
def _read(frame: FrameType) -> bool:
    """The same, which also reads the text."""
    is_the_text = bool(is_as_written(frame.f_code, frame.f_globals))
    if is_the_text:
        by_position(frame)
    return is_the_text
