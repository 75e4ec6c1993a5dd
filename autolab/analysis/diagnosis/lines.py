"""The lines of the user's code that are to blame where no step is."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from typing import Any

from ...engine.source import caller, file_label
from .evidence import Evidence
from .program_watch import TrainingEvent
from .report import CodeLine


def code_of(e: Evidence) -> Any:
    """The code of the function."""
    return getattr(inspect.unwrap(getattr(e.program.fn, "__func__", e.program.fn)), "__code__", None)


def line_above(e: Evidence, pattern: str) -> CodeLine:
    """The last line above the function that fits, where something was made that the function uses."""
    code = code_of(e)
    above = [] if code is None else linecache.getlines(code.co_filename)[: code.co_firstlineno - 1]
    found = [i for i, text in enumerate(above, 1) if re.search(pattern, text)]
    return CodeLine(found[-1], file_label(code.co_filename)) if found else CodeLine()


def line_near(e: Evidence, text: str) -> CodeLine:
    """The line of the function's file that holds a text, the nearest to its first."""
    code = code_of(e)
    lines = [] if code is None else linecache.getlines(code.co_filename)
    found = [i for i, line in enumerate(lines, 1) if text in line]
    if not found:
        return CodeLine()
    return CodeLine(min(found, key=lambda i: abs(i - code.co_firstlineno)), file_label(code.co_filename))


def line_in(e: Evidence, text: str) -> CodeLine:
    """The line of the function that holds a text; its first where none does."""
    first, file = first_line(e)
    lines = (e.recording.source or "").splitlines() if e.recording is not None else []
    at = next((i for i, line in enumerate(lines) if text in line), 0)
    return CodeLine(None if first is None else first + at, file)


def line_between(e: Evidence, first: TrainingEvent, last: TrainingEvent, pattern: str) -> CodeLine:
    """The last line between two events that fits, else that of the second."""
    code = code_of(e)
    if code is None or first.line is None or last.line is None or file_label(code.co_filename) != last.file:
        return CodeLine(last.line, last.file)
    between = enumerate(linecache.getlines(code.co_filename)[first.line : last.line - 1], first.line + 1)
    return CodeLine(max([i for i, text in between if re.search(pattern, text)], default=last.line), last.file)


def line_after(e: Evidence, line: int, pattern: str) -> int | None:
    """The first line of the function below a line that fits."""
    first, _ = first_line(e)
    lines = (e.recording.source or "").splitlines() if e.recording is not None else []
    numbered = enumerate(lines, first or 1)
    return next((number for number, text in numbered if number > line and re.search(pattern, text)), None)


def first_line(e: Evidence) -> CodeLine:
    """Where the function begins."""
    return CodeLine() if e.recording is None else CodeLine(e.recording.first_line, e.recording.file)


def line_assigning(e: Evidence, attribute: str) -> CodeLine:
    """The line of the function that assigns the attribute or name."""
    line, file = first_line(e)
    source = None if e.recording is None else e.recording.source
    if source is None or line is None:
        return CodeLine(line, file)
    for node in ast.walk(ast.parse(source)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(t, "attr", getattr(t, "id", None)) == attribute for t in targets):
            return CodeLine(line + node.lineno - 1, file)  # type: ignore[attr-defined]
    return CodeLine(line, file)


def assigned(value: Any) -> str:
    """What the user wrote for ``value`` in a line above, in the same function or in a cell before; "" if that is not
    found, or goes on in the next line."""
    frame = caller()
    if frame is None:
        return ""
    code, cells = frame.f_code, frame.f_globals.get("In")
    above = linecache.getlines(code.co_filename, frame.f_globals)[code.co_firstlineno - 1 : frame.f_lineno - 1]
    earlier = "\n".join(map(str, cells[:-1])).splitlines() if isinstance(cells, list) else []
    names = [name for name, held in frame.f_locals.items() if held is value]
    parts = [line.partition("  #")[0].partition(" = ") for line in (*earlier, *above)]
    text = next((text.strip() for name, _, text in reversed(parts) if name.strip() in names), "")
    return text if text.count("(") == text.count(")") and len(text) < 150 else ""


def throws_away(source: str, line: int) -> bool:
    """Whether nothing reads what the statement in a line computes: it has no name, or the name is given away before."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    around = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno <= line <= _end(node)]
    place = max(around, key=lambda node: node.lineno, default=None)
    functions = [node for node in around if isinstance(node, ast.FunctionDef)]
    if place is None or not functions or isinstance(place, ast.FunctionDef):
        return False
    if isinstance(place, ast.Expr):  # nobody else gets it, such as a list that it is appended to
        args = [*place.value.args, *place.value.keywords] if isinstance(place.value, ast.Call) else [place.value]
        return not any(isinstance(part, ast.Call) for arg in args for part in ast.walk(arg))
    names = {target.id for target in getattr(place, "targets", ()) if isinstance(target, ast.Name)}
    if not isinstance(place, ast.Assign) or len(names) != len(place.targets):
        return False
    return all(not _is_read(name, place, functions[-1], around) for name in names)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _is_read(name: str, place: ast.stmt, function: ast.FunctionDef, around: list[ast.stmt]) -> bool:
    """Whether a name is read after a statement, before it gets another value for sure."""
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
