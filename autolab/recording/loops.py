"""The loops around an instruction, read from the source: which statement repeats, and what distinguishes its
iterations."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..engine.source import unparse

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
