"""Which node of the source an instruction belongs to.

Python keeps the position of every instruction, and the node that spans exactly that is the one. Where the text was
changed since, or the code is another than that of the text, the package `executing` finds it by the bytecode, a hundred
times as slowly; a machine with NumPy and CuPy alone has no `executing`. What neither can see, such as another number in
a file that was edited and not imported again, shows in the names and constants.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from types import CodeType, FrameType

from ..engine.source import MOST_CODE, Found, by_position, in_marimo, is_as_written


def found_at(frame: FrameType) -> Found | None:
    """What ``frame`` is at; None where that cannot be told."""
    if _is_as_written(frame):
        return by_position(frame)
    found = by_position(frame) if find_spec("executing") is None else _by_bytecode(frame)
    return found if found is not None and _words_of(found) <= _words(frame.f_code) else None


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
    """The names and constants of code and of what is written inside it."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    constants = [repr(one) for one in code.co_consts if one is not None and one not in inner]
    own = [*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars, *constants]
    words = {*own, *[word for one in inner for word in _words(one)]}
    return words - {".0"}  # which a comprehension has in some versions


_known: dict[int, tuple[CodeType, bool]] = {}


def _is_as_written(frame: FrameType) -> bool:
    """Whether the text of a frame's code is known to be that of its file; asked once for each code."""
    code = frame.f_code
    if id(code) not in _known:
        if len(_known) >= MOST_CODE:
            _known.clear()
        _known[id(code)] = code, bool(is_as_written(code, frame.f_globals))
    return _known[id(code)][1]
