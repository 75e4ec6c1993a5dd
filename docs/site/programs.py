"""Cells of a notebook as programs of their own, which the playground opens."""

from __future__ import annotations

import ast
import base64
import builtins
import json
import re
import symtable
import zlib
from collections.abc import Sequence
from itertools import pairwise

CHECK = re.compile(r"^(\w+ = )?lesson\.check\(", re.MULTILINE)
"""An exercise."""
_APART = ("def ", "class ", "@", "import ", "from ")
_IMPORTS = (ast.Import, ast.ImportFrom)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef, *_IMPORTS)


def program(cells: Sequence[str], k: int) -> str:
    """Cell ``k``, behind those statements of the cells before it that make or change what it needs."""
    before = [(one, cell) for cell in cells[:k] for one in ast.parse(cell).body if not CHECK.match(ast.unparse(one))]
    modules = {name for one, _ in before if isinstance(one, _IMPORTS) for name in _made(one)}
    wanted: set[str] = set()
    for one in reversed(ast.parse(cells[k]).body):
        wanted = _needs(one, wanted)
    imports: list[str] = []
    others: list[str] = []
    for one, cell in reversed(before):
        made = _made(one) & wanted
        if isinstance(one, _IMPORTS):
            one.names = [alias for alias in one.names if (alias.asname or alias.name.partition(".")[0]) in made]
            imports = [ast.unparse(one), *imports] if made else imports
            wanted -= made
        elif made or (_changed(one) - modules) & wanted:
            others.insert(0, _text(one, cell))
            wanted = _needs(one, wanted)
    return _joined(["\n".join(imports)] * bool(imports) + others + [cells[k]])


def _joined(parts: Sequence[str]) -> str:
    """Statements below each other, with room around functions and classes."""
    text = parts[0]
    for above, part in pairwise(parts):
        is_apart = any([one.startswith(_APART) for one in (above, part)])
        text += ("\n\n\n" if is_apart else "\n") + part
    return text


def address(playground: str, text: str) -> str:
    """That of the ``playground`` with a program, as live/playground_link.js packs it."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    held = pack.compress(json.dumps({"program": text, "look": None}).encode()) + pack.flush()
    return f"{playground}#{base64.urlsafe_b64encode(held).decode().rstrip('=')}"


def _needs(one: ast.stmt, wanted: set[str]) -> set[str]:
    """What has to be there before a statement, so that all that is ``wanted`` is there behind it."""
    made = _made(one) if isinstance(one, _SIMPLE) else set()
    return (wanted - made) | (_read(_table(one)) - _given(one) - {*dir(builtins)})


def _given(one: ast.stmt) -> set[str]:
    """The names that a loop, a ``with`` or an ``except`` gives to what is in it."""
    targets = [node.target for node in ast.walk(one) if isinstance(node, ast.For)]
    targets += [node.optional_vars for node in ast.walk(one) if isinstance(node, ast.withitem) and node.optional_vars]
    found = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found | {node.name for node in ast.walk(one) if isinstance(node, ast.ExceptHandler) and node.name}


def _table(one: ast.stmt) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(one), "cell", "exec")


def _made(one: ast.stmt) -> set[str]:
    return {symbol.get_name() for symbol in _table(one).get_symbols() if symbol.is_assigned() or symbol.is_imported()}


def _read(table: symtable.SymbolTable) -> set[str]:
    """The names outside of functions that a statement reads, also within the functions that it makes."""
    is_top = table.get_type() == "module"
    own = {one.get_name() for one in table.get_symbols() if one.is_referenced() and (is_top or one.is_global())}
    return own.union(*[_read(inner) for inner in table.get_children()])


def _changed(one: ast.stmt) -> set[str]:
    """Names of what a statement may change: by a method that is called for no result, or by assigning to a part."""
    parts: list[ast.expr] = []
    for node in ast.walk(one):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            parts.append(node.value.func.value)
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            parts.append(node.value)
    called = {id(node.func) for part in parts for node in ast.walk(part) if isinstance(node, ast.Call)}
    nodes = [node for part in parts for node in ast.walk(part) if id(node) not in called]
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _text(one: ast.stmt, cell: str) -> str:
    """A statement as it is written, with its decorators."""
    first = min([one.lineno, *[found.lineno for found in getattr(one, "decorator_list", ())]])
    return "\n".join(cell.splitlines()[first - 1 : one.end_lineno])
