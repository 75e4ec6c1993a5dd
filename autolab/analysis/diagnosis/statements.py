"""What the user's statements assign, and whether anything reads it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from ...engine.source import file_label
from ...recording.scopes import is_users
from .report import CodeLine


def assignment(owner: Any, attribute: str) -> CodeLine | None:
    """File and line where an object's class assigns one of its attributes."""
    for cls in type(owner).__mro__:
        try:
            (lines, first), name = inspect.getsourcelines(cls), inspect.getsourcefile(cls) or ""
            tree = ast.parse(textwrap.dedent("".join(lines)))
        except (OSError, TypeError, SyntaxError):
            continue
        for node in ast.walk(tree) if is_users(name) else ():
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) and attribute in set(_assigned(node)):
                return CodeLine(first + node.lineno - 1, file_label(name))
    return None


def _assigned(node: ast.Assign | ast.AnnAssign | ast.Expr) -> Iterator[str]:
    """The attributes that a statement assigns, including through `setattr` or `add_module`."""
    if isinstance(node, ast.Expr):
        texts = node.value.args if isinstance(node.value, ast.Call) else []
        yield from [text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)]
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        yield from [part.attr for part in ast.walk(target) if isinstance(part, ast.Attribute)]


def throws_away(source: str, line: int) -> bool:
    """Whether nothing reads the result of the statement in a line: it has no name, or the name is reassigned first."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    around = [
        node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    place = max(around, key=lambda node: node.lineno, default=None)
    functions = [node for node in around if isinstance(node, ast.FunctionDef)]
    if place is None or not functions or isinstance(place, ast.FunctionDef):
        return False
    if isinstance(place, ast.Expr):  # unless another call gets the result, such as append
        args = [*place.value.args, *place.value.keywords] if isinstance(place.value, ast.Call) else [place.value]
        return not any(isinstance(part, ast.Call) for arg in args for part in ast.walk(arg))
    names = {target.id for target in getattr(place, "targets", ()) if isinstance(target, ast.Name)}
    if not isinstance(place, ast.Assign) or len(names) != len(place.targets):
        return False
    return all(not _is_read(name, place, functions[-1], around) for name in names)


def _is_read(name: str, place: ast.stmt, function: ast.FunctionDef, around: list[ast.stmt]) -> bool:
    """Whether a name is read after a statement and before it is certainly reassigned."""
    inside = [node for node in around if node is not function and function.lineno < node.lineno]
    for node in sorted(inside, key=lambda node: -node.lineno):
        outer = max([o for o in [function, *inside] if o.lineno < node.lineno], key=lambda o: o.lineno)
        blocks = [getattr(outer, part, []) for part in ("body", "orelse", "finalbody")]
        block = next((b for b in blocks if node in b), [])
        is_round = isinstance(outer, ast.For | ast.While)
        later = block[block.index(node) + 1 :] if block else []
        for other in [*later, *(block[: block.index(node)] if is_round else []), *([place] if is_round else [])]:
            if any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(other)):
                return True
            targets = other.targets if isinstance(other, ast.Assign) else []
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return False
    return False
