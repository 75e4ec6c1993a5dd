"""The positions of a jaxpr's equations in the user's code, and the calls, loops and branches around every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from types import CodeType
from typing import Any

from ...engine.source import in_code
from ...recording.drafts import Draft
from ...recording.locate import CodePosition, placed
from ...recording.model import Scope, ScopeKind
from ...recording.scopes import ScopeDraft, ScopeDrafts, is_users

_known: dict[tuple[int, int], tuple[CodeType, CodePosition]] = {}  # by id: code objects are slow to hash


@dataclass(frozen=True)
class UserFrame:
    """A call of the user's code that was on the stack when an equation was traced."""

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
    """The user's frames around an equation, from the recorded function ``fn`` inwards; empty without a traceback."""
    traceback: Any = getattr(equation.source_info, "traceback", None)
    if not hasattr(traceback, "raw_frames"):
        return ()
    codes, instructions = traceback.raw_frames()
    frames = [UserFrame(code, at) for code, at in zip(codes, instructions, strict=True) if is_users(code.co_filename)]
    outer = next((i for i in range(len(frames) - 1, -1, -1) if frames[i].code is fn), None)
    return tuple(frames[: None if outer is None else outer + 1][::-1])


def function_of(jaxpr: Any) -> tuple[str, bool]:
    """The name of the function that a jaxpr was traced from, and whether the user wrote it."""
    told = str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", ""))
    name, _, file = told.partition(" at ")
    return name, bool(file) and is_users(file)


@dataclass(frozen=True, eq=False)
class JaxprLevel:
    """A jaxpr inside another one: ``jit``, a branch of ``cond``, a pass of ``scan``; the outermost has no parent.

    ``frames`` are the user's frames around the equation that contains the jaxpr.
    """

    parent: JaxprLevel | None = None
    kind: ScopeKind = "link"
    label: str = ""
    frames: tuple[UserFrame, ...] = ()


@dataclass(frozen=True)
class EquationSite:
    """The origin of a step: its jaxpr, and the user's frames around it."""

    level: JaxprLevel
    frames: tuple[UserFrame, ...]

    @property
    def place(self) -> CodePosition | None:
        return self.frames[-1].place if self.frames else None

    def inside(self, label: str, kind: ScopeKind = "link") -> JaxprLevel:
        """The level of a jaxpr that is evaluated here."""
        return JaxprLevel(self.level, kind, label, self.frames)

    @property
    def path(self) -> tuple[Any, ...]:
        """The levels around a step, from the outside in, preceded by the calls of the user's functions."""
        inside, level = list[JaxprLevel](), self.level
        while level.parent is not None:
            inside.append(level)
            level = level.parent
        return (*(inside[-1] if inside else self).frames[:-1], *inside[::-1])


@dataclass(frozen=True)
class _OneExpression:
    """One expression in the user's code whose evaluation took several steps."""

    frames: tuple[UserFrame, ...]
    number: int


def placed_scopes(drafts: Sequence[Draft], sites: Mapping[int, EquationSite]) -> tuple[Scope, ...]:
    """Set the position, the names and the scope of every step. Returns the scopes."""
    found = ScopeDrafts()
    open_: list[tuple[Any, int]] = []
    called = [draft for draft in drafts if draft.id in sites]
    for number, (site, group) in enumerate(groupby(called, key=lambda draft: sites[draft.id])):
        members = list(group)
        several = len([draft for draft in members if draft.kind == "call" and not draft.is_inner]) > 1
        _enter(site.path + ((_OneExpression(site.frames, number),) if several else ()), open_, found)
        for draft in members:
            draft.scope = open_[-1][1] if open_ else None
            _place(draft, site, several)
    return found.settled(drafts)


def _place(draft: Draft, site: EquationSite, is_inner: bool) -> None:
    place = site.place
    draft.is_inner = draft.is_inner or is_inner or place is None
    draft.outer_line = site.frames[0].place.line if site.frames else None
    draft.place = place.of_inner_step() if draft.is_inner and place is not None else place
    if draft.kind == "call" and not draft.is_inner and place is not None and len(place.names) == 1:
        draft.name = place.names[0] if draft.value is not None else None


def _enter(path: Sequence[Any], open_: list[tuple[Any, int]], found: ScopeDrafts) -> None:
    """Leave the scopes that are not in the path, and enter those that are new."""
    pairs = zip(open_, path, strict=False)
    kept = len(list(takewhile(lambda pair: pair[0][0] == pair[1], pairs)))
    del open_[kept:]
    for key in path[kept:]:
        parent, (kind, label, place) = open_[-1][1] if open_ else None, _told(key)
        scope = found.add(ScopeDraft(parent, kind, label, place, is_call=kind in ("link", "function")))
        open_.append((key, scope))


def _told(key: Any) -> tuple[ScopeKind, str, CodePosition | None]:
    """The kind, the label and the position of a scope."""
    if isinstance(key, UserFrame):
        return "function", key.place.source or key.place.statement or "", key.place
    place = key.frames[-1].place if key.frames else None
    if isinstance(key, JaxprLevel):
        return key.kind, key.label, place
    return "link", place.source or place.statement or "" if place is not None else "", place
