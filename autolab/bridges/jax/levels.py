"""Which calls, loops and branches every step of a jaxpr belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from ...recording.drafts import Draft
from ...recording.locate import CodePosition
from ...recording.model import LEAVES, Scope, ScopeKind
from .locate import UserFrame, users_frames


@dataclass(frozen=True, eq=False)
class JaxprLevel:
    """A jaxpr inside another one: ``jit``, a branch of ``cond``, a round of ``scan``; the outermost has no parent.

    ``frames`` are the user's, where the equation stands that a step came from.
    """

    parent: JaxprLevel | None
    kind: ScopeKind = "link"
    label: str = ""
    place: CodePosition | None = None
    frames: tuple[UserFrame, ...] = ()
    of: JaxprLevel | None = None

    def at(self, equation: Any, fn: Any) -> JaxprLevel:
        """The same with the place of one of its equations."""
        return replace(self, frames=users_frames(equation, fn), of=self.of or self)

    @property
    def own(self) -> JaxprLevel:
        return self.of or self

    @property
    def path(self) -> tuple[Any, ...]:
        """The levels around a step, the outermost first, and at the outermost one the calls of the user's functions."""
        if self.own.parent is None:
            return self.frames[:-1]
        found: list[JaxprLevel] = []
        level: JaxprLevel | None = self.own
        while level is not None and level.parent is not None:
            found.append(level)
            level = level.parent
        return (*found[-1].frames[:-1], *found[::-1])


@dataclass(frozen=True)
class _OneExpression:
    """One expression of the user's whose evaluation took several steps."""

    frames: tuple[UserFrame, ...]
    number: int


def placed_scopes(drafts: Sequence[Draft], levels: Mapping[int, JaxprLevel]) -> tuple[Scope, ...]:
    """Give every step its place, its names and its scope; the scopes."""
    found: list[Scope] = []
    steps: dict[int, list[int]] = {}
    open_: list[tuple[Any, int]] = []
    called = [draft for draft in drafts if draft.id in levels]
    for number, (_, group) in enumerate(groupby(called, key=lambda draft: _key(levels[draft.id]))):
        members = list(group)
        calls = [draft for draft in members if draft.kind == "call" and not draft.is_inner]
        for draft in members:
            level = levels[draft.id]
            path = level.path + ((_OneExpression(level.frames, number),) if len(calls) > 1 else ())
            _enter(path, open_, found)
            draft.scope = open_[-1][1] if open_ else None
            _place(draft, level, len(calls) > 1)
    _place_leaves(drafts, found)
    for draft in drafts:
        if draft.scope is not None:
            steps.setdefault(draft.scope, []).append(draft.id)
    return tuple([replace(scope, steps=tuple(steps.get(scope.id, ()))) for scope in found])


def _key(level: JaxprLevel) -> tuple[Any, ...]:
    return id(level.own), level.frames


def _place(draft: Draft, level: JaxprLevel, is_inner: bool) -> None:
    place = level.frames[-1].place if level.frames else None
    draft.is_inner = draft.is_inner or is_inner or place is None
    draft.outer_line = level.frames[0].place.line if level.frames else None
    draft.place = place.of_inner_step() if draft.is_inner and place is not None else place
    if draft.kind == "call" and not draft.is_inner and place is not None and len(place.names) == 1:
        draft.name = place.names[0] if draft.value is not None else None


def _enter(path: Sequence[Any], open_: list[tuple[Any, int]], found: list[Scope]) -> None:
    """Leave the scopes that are not in the path, enter those that are new."""
    kept = 0
    for (key, _), wanted in zip(open_, path, strict=False):
        if key is not wanted and key != wanted:
            break
        kept += 1
    del open_[kept:]
    for key in path[kept:]:
        parent = open_[-1][1] if open_ else None
        open_.append((key, len(found)))
        found.append(_scope(len(found), parent, key))


def _scope(identity: int, parent: int | None, key: Any) -> Scope:
    if isinstance(key, JaxprLevel):
        return _scope_at(identity, parent, key.kind, key.label, key.place, key.kind == "link")
    place = (key.frames[-1] if isinstance(key, _OneExpression) else key).place
    kind: ScopeKind = "link" if isinstance(key, _OneExpression) else "function"
    return _scope_at(identity, parent, kind, place.source or place.statement or "", place, True)


def _scope_at(
    identity: int, parent: int | None, kind: ScopeKind, label: str, place: CodePosition | None, is_call: bool
) -> Scope:
    name = ", ".join(place.names) if place is not None and is_call else ""
    file, line = (place.file, place.line) if place is not None else (None, None)
    return Scope(identity, parent, kind, label, name or None, file, line, ())


def _place_leaves(drafts: Sequence[Draft], scopes: Sequence[Scope]) -> None:
    """Constants stand in the innermost scope around all their uses."""
    used: set[int] = set()
    for draft in drafts:
        for use in draft.uses:
            if use.step is None or drafts[use.step].kind not in LEAVES[1:]:
                continue
            leaf = drafts[use.step]
            leaf.scope = _common(leaf.scope, draft.scope, scopes) if leaf.id in used else draft.scope
            used.add(leaf.id)


def _common(a: int | None, b: int | None, scopes: Sequence[Scope]) -> int | None:
    around = set()
    while a is not None:
        around.add(a)
        a = scopes[a].parent
    while b is not None and b not in around:
        b = scopes[b].parent
    return b
