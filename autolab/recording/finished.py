"""Assembles the results of a run, forward and backward, into a recording."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

from ..engine.source import definition_of, is_as_written
from .departures import Departures
from .drafts import Draft
from .locate import CodePosition, python_function, source_of
from .model import LEAVES, Recording, Scope
from .raised import Raised
from .step import enclosing
from .step_text import expression_of, in_short

# Which lines of a recorded function were not executed, as far as the recording proves it. A line that made a step was
# executed. If one branch of an ``if`` was executed, the other one was not, and neither was anything after a branch
# that ends in ``return`` or ``raise``, or after the line that raised. Inside a loop another iteration may have taken
# the other branch, so nothing is claimed there, nor for a function that calls itself or is decorated. All other lines
# are undecided.

_LEAVES = (ast.Return, ast.Raise)


@lru_cache(maxsize=64)  # a live view calls it at every move
def unexecuted_lines(
    source: str | None, definition: ast.AST | None, reached: frozenset[int], raised: int | None
) -> tuple[int, ...]:
    """The lines that cannot have been executed.

    Parameters
    ----------
    source : str
        The source of the function; None if it is not known.
    definition : ast.AST
        Its syntax tree, with the lines of the file.
    reached : frozenset of int
        The lines of the function that made steps.
    raised : int
        The line from which an exception left the function.

    Examples
    --------
    >>> source = "def f(x):\\n    if x > 0:\\n        return x * 2\\n    return -x"
    >>> [tree] = ast.parse(source).body
    >>> [unexecuted_lines(source, tree, frozenset([line]), None) for line in (3, 4)]
    [(4,), (3,)]
    """
    if source is None or not isinstance(definition, ast.FunctionDef) or not _runs_once(definition, source):
        return ()
    seen = {*reached, *([] if raised is None else [raised])}
    found = _UnreachedLines(seen, raised)
    found.block(definition.body)
    if found.lines & seen:  # the function was called a second time from elsewhere
        return ()
    return tuple(sorted(found.lines))


def _runs_once(function: ast.FunctionDef, source: str) -> bool:
    """Whether a function is neither decorated, recursive nor a generator."""
    if function.decorator_list:
        return False
    if len(re.findall(rf"\b{function.name}\b", source)) == 1 and "yield" not in source:
        return True  # the usual case; visiting all nodes takes long in a function of ten thousand lines
    for node in ast.walk(function):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if name == function.name or isinstance(node, ast.Yield | ast.YieldFrom):
            return False
    return True


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


# Inner steps: those computed by the code of AutoLab's own links and of other libraries' modules. They have no
# expression in the user's code, so one is made from their operands. The result of a call has the name that the user
# gave it, or else is named like the call: ``ln1(x)``.

_LONG = 12  # an unnamed operand with a longer expression gets a name: mul_3 = x * w, then relu(mul_3)
_LONG_CALL = 18


def describe_inner_steps(drafts: Sequence[Draft], scopes: Sequence[Scope], outputs: Collection[int]) -> None:
    """Give the inner steps names and expressions, once all uses of their values are known."""
    if not any([draft.is_inner for draft in drafts]):
        return
    found = _results(drafts, scopes, outputs)
    _name_results(drafts, scopes, found)
    fallback = _called_as(drafts, scopes, found)
    for draft in drafts:
        if draft.is_inner and draft.kind == "call":
            draft.place = replace(
                draft.place or CodePosition("", 0), source=expression_of(draft, drafts, _LONG, fallback)
            )


def name_each(drafts: Sequence[Draft]) -> None:
    """Name steps that the same place made one after the other, one for each target of its statement, such as the parts
    of ``q, k, v = F.split(x, 3)``."""
    made: dict[tuple[tuple[str, ...], int, str | None], list[Draft]] = {}
    for draft in drafts:
        place = draft.place
        if place is None or draft.kind != "call" or draft.value is None or draft.is_inner:
            continue
        names = place.names if place.is_call and draft.function == "getitem" and len(place.names) > 1 else place.each
        if names and all(map(str.isidentifier, names)):
            made.setdefault((names, id(place), draft.function), []).append(draft)
    for (names, *_), series in made.items():
        for k, draft in enumerate(series if len(series) % len(names) == 0 else ()):
            draft.name = draft.name or names[k % len(names)]


def _results(drafts: Sequence[Draft], scopes: Sequence[Scope], outputs: Collection[int]) -> dict[int, list[int]]:
    """For each call of a link, module or function, innermost first, the steps in it that are used outside."""
    found: dict[int, dict[int, None]] = {}
    for step, user in _uses(drafts, outputs):
        if drafts[step].kind not in LEAVES:
            for scope in _left(drafts[step].scope, user, scopes):
                found.setdefault(scope, {})[step] = None
    calls = [scope for scope in sorted(found, reverse=True) if scopes[scope].kind in ("link", "function")]
    return {scope: sorted(found[scope]) for scope in calls}


def _name_results(drafts: Sequence[Draft], scopes: Sequence[Scope], found: Mapping[int, list[int]]) -> None:
    """Name the results of calls: in ``h = net(x)``, the last result of the call is ``h``; without a name it is
    ``net(x)``."""
    links = [scope for scope in found if scopes[scope].kind == "link"]
    given = {scope: (scopes[scope].name or "").split(", ") for scope in links}
    labels = {scope: scopes[scope].label for scope in found}
    written = {scope: [in_short(label.rpartition("  # ")[0] or label, _LONG_CALL)] for scope, label in labels.items()}
    for names in (given, written):
        for scope, words in names.items():
            for name, step in zip(words, found[scope][-len(words) :], strict=False):
                if name and drafts[step].is_inner and drafts[step].name is None:
                    drafts[step].name = name


def _called_as(drafts: Sequence[Draft], scopes: Sequence[Scope], found: Mapping[int, list[int]]) -> dict[int, str]:
    """A name for the result of each call, in case it needs one: the caller's, or ``l0(x)`` for a link ``l0`` that is
    not called in the user's code."""
    names: dict[int, str] = {}
    for scope, results in found.items():
        link, is_marked, _ = scopes[scope].label.partition(": ")
        given = [use.step for use in drafts[results[-1]].uses if use.step is not None]
        if name := scopes[scope].name:
            names[results[-1]] = name.rpartition(", ")[2]
        elif is_marked and given:
            link = f"[{link}]" if link.isdigit() else link
            names.setdefault(results[-1], f"{link}({drafts[given[0]].name or '…'})")
    return names


def _uses(drafts: Sequence[Draft], outputs: Collection[int]) -> Iterator[tuple[int, int | None]]:
    """Each use of a step, with the scope that uses it; the outputs are used outside all scopes."""
    for draft in drafts:
        yield from [(use.step, draft.scope) for use in draft.uses if use.step is not None]
    yield from [(step, None) for step in outputs]


def _left(scope: int | None, user: int | None, scopes: Sequence[Scope]) -> Iterator[int]:
    """The scopes that a value leaves on its way to the scope that uses it."""
    around = set(enclosing(scopes, user))
    return takewhile(lambda one: one not in around, enclosing(scopes, scope))


_LAYERS = tuple([f"{__name__.partition('.')[0]}.{part}." for part in ("links", "compat")])
"""Modules whose code is not shown next to a net."""


def finished(
    drafts: Sequence[Draft],
    ends: Sequence[int] | None,
    scopes: tuple[Scope, ...],
    departures: Departures,
    ids: Mapping[Any, int],
    written: Any,
    raised: Raised | None,
    is_called_once: bool,
    **told: Any,
) -> Recording:
    """The run as plain data; a run that ended with ``raised`` has only the steps before it.

    ``ends`` are the outputs; None if the function did not return, in which case the unused values are the outputs.
    ``ids`` maps the keys of departed values to steps. ``written`` is the function that the user wrote;
    ``is_called_once`` is False if a wrapper may call it any number of times. ``told`` holds the other fields.
    """
    outputs = _unused(drafts) if ends is None else tuple(ends)
    name_each(drafts)
    describe_inner_steps(drafts, scopes, outputs)
    steps = tuple([draft.step("not_reached" if raised is None else "ended") for draft in drafts])
    source, file, first = source_of(None if str(getattr(written, "__module__", "")).startswith(_LAYERS) else written)
    lines = frozenset([step.outer_line for step in steps if step.outer_line is not None])
    last = None if raised is None else raised.outer_line
    code = getattr(python_function(written), "__code__", None)
    definition = None if source is None or code is None else definition_of(code)
    if source is None and code is not None and is_as_written(code) is False:
        told["notes"] = (*told.get("notes", ()), "source_changed")
    return Recording(
        outputs=outputs,
        steps=steps,
        source=source,
        file=file,
        first_line=first,
        scopes=scopes,
        departures=departures.settled(ids, steps),
        raised=raised,
        unreached=unexecuted_lines(source, definition, lines, last) if is_called_once else (),
        **told,
    )


def _unused(drafts: Sequence[Draft]) -> tuple[int, ...]:
    """The values that nothing uses."""
    used = {use.step for draft in drafts for use in draft.uses}
    return tuple([draft.id for draft in drafts if draft.kind not in LEAVES and draft.id not in used])
