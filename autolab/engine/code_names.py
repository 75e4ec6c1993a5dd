"""The names that code uses, according to its bytecode, and what they stand for around a function."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from types import CellType, CodeType, FunctionType
from typing import Any

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
