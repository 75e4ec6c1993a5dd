"""Inner steps: those computed by the code of AutoLab's own links and of other libraries' modules. They have no
expression in the user's code, so one is made from their operands. The result of a call has the name that the user gave
it, or else is named like the call: ``ln1(x)``.
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
