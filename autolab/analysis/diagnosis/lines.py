"""The lines of the user's code that are to blame when no step is; what statements assign, and what reads it."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from ...engine.source import caller, file_label, lines_of
from ...recording.scopes import is_users
from .evidence import Evidence
from .program_watch import TrainingEvent
from .report import CodeLine


def code_of(e: Evidence) -> Any:
    """The code of the function."""
    return getattr(inspect.unwrap(getattr(e.program.fn, "__func__", e.program.fn)), "__code__", None)


def _in_file(e: Evidence, pattern: str) -> list[int]:
    """The lines of the function's file that match."""
    code = code_of(e)
    lines = [] if code is None else lines_of(code)
    return [number for number, text in enumerate(lines, 1) if re.search(pattern, text)]


def _in_function(e: Evidence, pattern: str) -> list[int]:
    """The lines of the function that match."""
    source = None if e.recording is None else e.recording.source
    numbered = enumerate((source or "").splitlines(), first_line(e).line or 1)
    return [number for number, text in numbered if re.search(pattern, text)]


def first_line(e: Evidence) -> CodeLine:
    """The first line of the function."""
    return CodeLine() if e.recording is None else CodeLine(e.recording.first_line, e.recording.file)


def line_above(e: Evidence, pattern: str) -> CodeLine | None:
    """The last matching line above the function, where something that the function uses was created."""
    code = code_of(e)
    found = [number for number in _in_file(e, pattern) if number < code.co_firstlineno]
    return CodeLine(found[-1], file_label(code.co_filename)) if found else None


def line_near(e: Evidence, text: str) -> CodeLine | None:
    """The line of the function's file that contains a text, the nearest one to the function's first line."""
    code, found = code_of(e), _in_file(e, re.escape(text))
    nearest = min(found, key=lambda number: abs(number - code.co_firstlineno), default=None)
    return None if nearest is None else CodeLine(nearest, file_label(code.co_filename))


def line_between(e: Evidence, first: TrainingEvent, last: TrainingEvent, pattern: str) -> CodeLine:
    """The last matching line between two events, else the line of the second."""
    code, found = code_of(e), list[int]()
    if code is not None and first.line and last.line and file_label(code.co_filename) == last.file:
        found = [number for number in _in_file(e, pattern) if first.line < number < last.line]
    return CodeLine(found[-1] if found else last.line, last.file)


def line_in(e: Evidence, text: str, above: str) -> CodeLine:
    """The line of the function that contains a text, else the last one above it that matches, else its first line."""
    first, found = first_line(e), _in_function(e, re.escape(text))
    return first._replace(line=found[0]) if first.line and found else line_above(e, above) or first


def line_after(e: Evidence, line: int, pattern: str) -> int | None:
    """The first matching line of the function below a line."""
    return next((number for number in _in_function(e, pattern) if number > line), None)


def line_assigning(e: Evidence, attribute: str) -> CodeLine:
    """The line of the function that assigns the attribute or name, else its first line."""
    first, source = first_line(e), "" if e.recording is None else e.recording.source or ""
    for node in ast.walk(ast.parse(source)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if first.line and any(getattr(t, "attr", getattr(t, "id", None)) == attribute for t in targets):
            return first._replace(line=first.line + node.lineno - 1)  # type: ignore[attr-defined]
    return first


def assigned(value: Any) -> str:
    """The source of ``value`` in a line above, in the same function or an earlier cell; "" if that is not found, or
    continues on the next line."""
    frame = caller()
    if frame is None:
        return ""
    code, cells = frame.f_code, frame.f_globals.get("In")
    above = lines_of(code, frame.f_globals)[code.co_firstlineno - 1 : frame.f_lineno - 1]
    earlier = "\n".join(map(str, cells[:-1])).splitlines() if isinstance(cells, list) else []
    names = [name for name, held in frame.f_locals.items() if held is value]
    parts = [line.partition("  #")[0].partition(" = ") for line in (*earlier, *above)]
    text = next((text.strip() for name, _, text in reversed(parts) if name.strip() in names), "")
    return text if text.count("(") == text.count(")") and len(text) < 150 else ""


# ---------------------------------------------------------------------- statements
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
