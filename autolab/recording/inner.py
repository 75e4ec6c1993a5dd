"""Inner steps: those that the code of AutoLab's own links makes, and of other libraries' modules. Nobody wrote them
down, so their operands say what they are; and what a call returned has the name that the user gave it, or else is
called as the call was written: ``ln1(x)``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from .drafts import Draft
from .locate import CodePosition
from .model import LEAVES, Scope
from .step import enclosing
from .step_text import expression_of, in_short

_LONG = 12  # an operand without a name whose expression is longer is given one: mul_3 = x * w, then relu(mul_3)
_LONG_CALL = 18


def describe_inner_steps(drafts: Sequence[Draft], scopes: Sequence[Scope], outputs: Collection[int]) -> None:
    """Give the inner steps their names and expressions, when all uses of their values are known."""
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


def _results(drafts: Sequence[Draft], scopes: Sequence[Scope], outputs: Collection[int]) -> dict[int, list[int]]:
    """For each call of a link, module or function, the innermost first, the steps in it that something outside uses."""
    found: dict[int, dict[int, None]] = {}
    for step, user in _uses(drafts, outputs):
        if drafts[step].kind not in LEAVES:
            for scope in _left(drafts[step].scope, user, scopes):
                found.setdefault(scope, {})[step] = None
    calls = [scope for scope in sorted(found, reverse=True) if scopes[scope].kind in ("link", "function")]
    return {scope: sorted(found[scope]) for scope in calls}


def _name_results(drafts: Sequence[Draft], scopes: Sequence[Scope], found: Mapping[int, list[int]]) -> None:
    """``h`` of ``h = net(x)`` is the result of the call, the last if there are several; without a name it is
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
    """A name for the result of each call, in case that it needs one: what the caller names it, or ``l0(x)`` for that of
    a link ``l0`` whose call nobody wrote down."""
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
    """Each use of a step, with the scope that uses it; the caller of the whole uses the outputs."""
    for draft in drafts:
        yield from [(use.step, draft.scope) for use in draft.uses if use.step is not None]
    yield from [(step, None) for step in outputs]


def _left(scope: int | None, user: int | None, scopes: Sequence[Scope]) -> Iterator[int]:
    """The scopes that a value leaves on its way to a user."""
    around = set(enclosing(scopes, user))
    return takewhile(lambda one: one not in around, enclosing(scopes, scope))
