"""Which lines of a recorded function were not executed, as far as the recording proves it.

A line that made a step was executed. If one branch of an ``if`` was executed, the other one was not, and neither was
anything after a branch that ends in ``return`` or ``raise``, or after the line that raised. Inside a loop another
iteration may have taken the other branch, so nothing is claimed there, nor for a function that calls itself or is
decorated. All other lines are undecided.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from functools import lru_cache

_LEAVES = (ast.Return, ast.Raise)


@lru_cache(maxsize=64)  # a live view calls it at every move
def unexecuted_lines(
    source: str | None, first: int | None, reached: frozenset[int], raised: int | None
) -> tuple[int, ...]:
    """The lines that cannot have been executed.

    Parameters
    ----------
    source : str
        The source of the function; None, like ``first``, if it is not known.
    first : int
        The number of its first line.
    reached : frozenset of int
        The lines of the function that made steps.
    raised : int
        The line from which an exception left the function.

    Examples
    --------
    >>> source = "def f(x):\\n    if x > 0:\\n        return x * 2\\n    return -x"
    >>> unexecuted_lines(source, 1, frozenset([3]), None), unexecuted_lines(source, 1, frozenset([4]), None)
    ((4,), (3,))
    """
    function = None if source is None or first is None else _function(source)
    if function is None or first is None:
        return ()
    seen = {line - first + 1 for line in (*reached, *([] if raised is None else [raised]))}
    found = _UnreachedLines(seen, None if raised is None else raised - first + 1)
    found.block(function.body)
    if found.lines & seen:  # the function was called a second time from elsewhere
        return ()
    return tuple([line + first - 1 for line in sorted(found.lines)])


def _function(source: str) -> ast.FunctionDef | None:
    """The syntax tree of a function that is neither decorated, recursive nor a generator; None for any other."""
    try:
        body = ast.parse(textwrap.dedent(source)).body
    except (SyntaxError, ValueError):
        return None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].decorator_list:
        return None
    function = body[0]
    if source.count(function.name) == 1 and "yield" not in source:
        return function  # the usual case; visiting all nodes takes long in a function of ten thousand lines
    for node in ast.walk(function):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if name == function.name or isinstance(node, ast.Yield | ast.YieldFrom):
            return None
    return function


class _UnreachedLines:
    """Goes through a function's statements that are executed at most once."""

    def __init__(self, seen: set[int], raised: int | None) -> None:
        self._seen, self._raised = seen, raised
        self.lines: set[int] = set()

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Visit consecutive statements."""
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.If):
                self._branches(statement, statements[i + 1 :])
            elif isinstance(statement, ast.With | ast.Try):
                self._inside(statement)
            if self._ends(statement):
                return self._add(statements[i + 1 :])

    def _inside(self, statement: ast.With | ast.Try) -> None:
        self.block(statement.body)
        if isinstance(statement, ast.Try) and self._holds(self._raised, statement.body):
            self._add(statement.orelse)

    def _branches(self, statement: ast.If, behind: Sequence[ast.stmt]) -> None:
        for taken, other in ((statement.body, statement.orelse), (statement.orelse, statement.body)):
            left = bool(other) and isinstance(other[-1], _LEAVES) and self._any(behind)
            if self._any(taken) or left:
                self._add(other)
                return self.block(taken)

    def _ends(self, statement: ast.stmt) -> bool:
        """Whether nothing after a statement can have been executed."""
        if self._holds(self._raised, [statement]) or isinstance(statement, _LEAVES):
            return True
        if not isinstance(statement, ast.If):
            return False
        taken = [branch for branch in (statement.body, statement.orelse) if self._any(branch)]
        return bool(taken) and any([self._ends(inner) for inner in taken[0]])

    def _any(self, statements: Sequence[ast.stmt]) -> bool:
        return any([line in self._seen for statement in statements for line in _span(statement)])

    def _holds(self, line: int | None, statements: Sequence[ast.stmt]) -> bool:
        return line is not None and any([line in _span(statement) for statement in statements])

    def _add(self, statements: Sequence[ast.stmt]) -> None:
        if statements:
            self.lines.update(range(statements[0].lineno, _span(statements[-1]).stop))


def _span(statement: ast.stmt) -> range:
    """The lines of a statement."""
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
