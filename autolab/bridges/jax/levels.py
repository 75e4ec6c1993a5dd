"""Where the equations of a jaxpr stand in the user's code, and which calls, loops and branches every step is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import CodeType
from typing import Any

from ...engine.source import in_code
from ...recording.drafts import Draft
from ...recording.locate import CodePosition, placed
from ...recording.model import Scope, ScopeKind
from ...recording.scope_drafts import ScopeDrafts
from ...recording.scopes import is_users

_known: dict[tuple[int, int], tuple[CodeType, CodePosition]] = {}  # by identity: code is slow to hash


@dataclass(frozen=True)
class UserFrame:
    """A call of the user's code that was on the stack when an equation was made."""

    code: CodeType
    instruction: int

    @property
    def place(self) -> CodePosition:
        key, code = (id(self.code), self.instruction), self.code
        if key not in _known:
            line = next((line for first, last, line in code.co_lines() if first <= self.instruction < last), None)
            found = placed(in_code(code, self.instruction), code, line or code.co_firstlineno)
            _known[key] = code, found
        return _known[key][1]


def users_frames(equation: Any, fn: CodeType | None) -> tuple[UserFrame, ...]:
    """The user's frames around an equation, from the recorded function ``fn`` inwards; none where JAX keeps no
    traceback."""
    traceback: Any = getattr(equation.source_info, "traceback", None)
    if not hasattr(traceback, "raw_frames"):
        return ()
    codes, instructions = traceback.raw_frames()
    frames = [UserFrame(code, at) for code, at in zip(codes, instructions, strict=True) if is_users(code.co_filename)]
    outer = next((i for i in range(len(frames) - 1, -1, -1) if frames[i].code is fn), None)
    return tuple(frames[: None if outer is None else outer + 1][::-1])


def function_of(jaxpr: Any) -> tuple[str, bool]:
    """The name of the function whose jaxpr that is, and whether the user wrote it."""
    told = str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", ""))
    name, _, file = told.partition(" at ")
    return name, bool(file) and is_users(file)


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
    found = ScopeDrafts()
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
    return found.settled(drafts)


def _key(level: JaxprLevel) -> tuple[Any, ...]:
    return id(level.own), level.frames


def _place(draft: Draft, level: JaxprLevel, is_inner: bool) -> None:
    place = level.frames[-1].place if level.frames else None
    draft.is_inner = draft.is_inner or is_inner or place is None
    draft.outer_line = level.frames[0].place.line if level.frames else None
    draft.place = place.of_inner_step() if draft.is_inner and place is not None else place
    if draft.kind == "call" and not draft.is_inner and place is not None and len(place.names) == 1:
        draft.name = place.names[0] if draft.value is not None else None


def _enter(path: Sequence[Any], open_: list[tuple[Any, int]], found: ScopeDrafts) -> None:
    """Leave the scopes that are not in the path, enter those that are new."""
    kept = 0
    for (key, _), wanted in zip(open_, path, strict=False):
        if key is not wanted and key != wanted:
            break
        kept += 1
    del open_[kept:]
    for key in path[kept:]:
        parent = open_[-1][1] if open_ else None
        if isinstance(key, JaxprLevel):
            scope = found.new(parent, key.kind, key.label, key.place, is_call=key.kind == "link")
        else:
            is_expression = isinstance(key, _OneExpression)
            place = (key.frames[-1] if is_expression else key).place
            kind: ScopeKind = "link" if is_expression else "function"
            scope = found.new(parent, kind, place.source or place.statement or "", place, is_call=True)
        open_.append((key, scope))
