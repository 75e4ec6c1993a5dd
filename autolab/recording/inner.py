"""Inner steps: those that the code of AutoLab's own links makes. Nobody wrote them down, so their operands say what
they are; and only what a call returned has the name that the user gave it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from .drafts import Draft
from .locate import CodePosition
from .model import LEAVES, Scope
from .step_text import expression_of

_LONG = 12  # an operand without a name whose expression is longer is given one: v3 = linear(x, W, b), then relu(v3)


def describe_inner_steps(drafts: Sequence[Draft], scopes: Sequence[Scope], outputs: Collection[int]) -> None:
    """Give the inner steps their names and expressions, when all uses of their values are known."""
    _name_results(drafts, scopes, outputs)
    for draft in drafts:
        if draft.is_inner and draft.kind == "call":
            draft.place = replace(draft.place or CodePosition("", 0), source=expression_of(draft, drafts, _LONG))


def _name_results(drafts: Sequence[Draft], scopes: Sequence[Scope], outputs: Collection[int]) -> None:
    """``h`` of ``h = net(x)`` is the step in the call that something outside uses, the last if there are several."""
    found: dict[int, dict[int, None]] = {}
    for step, user in _uses(drafts, outputs):
        if drafts[step].kind not in LEAVES:
            for scope in _left(drafts[step].scope, user, scopes):
                found.setdefault(scope, {})[step] = None
    for scope in sorted(found, reverse=True):  # the innermost call's name first
        names, results = (scopes[scope].name or "").split(", "), sorted(found[scope])
        for name, step in zip(names, results[-len(names) :], strict=False):
            if name and scopes[scope].kind == "link" and drafts[step].is_inner and drafts[step].name is None:
                drafts[step].name = name


def _uses(drafts: Sequence[Draft], outputs: Collection[int]) -> Iterator[tuple[int, int | None]]:
    """Each use of a step, with the scope that uses it; the caller of the whole uses the outputs."""
    for draft in drafts:
        yield from [(use.step, draft.scope) for use in draft.uses if use.step is not None]
    yield from [(step, None) for step in outputs]


def _left(scope: int | None, user: int | None, scopes: Sequence[Scope]) -> Iterator[int]:
    """The scopes that a value leaves on its way to a user."""
    around = set()
    while user is not None:
        around.add(user)
        user = scopes[user].parent
    while scope is not None and scope not in around:
        yield scope
        scope = scopes[scope].parent
