"""Which call, loop and block every step belongs to, found from the stack at the time of the step.

The stack is compared with that of the previous step. Frames are visited only down to the first known one, so a step in
a loop examines one frame, however deep the recursion.

Iterations of a loop are distinguished by the values of its targets or, failing that, by the instruction: it jumped
back, or the same one called again.

The scopes of a recording in progress.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..engine.configuration import Mark
from ..engine.modes import modes
from .arrays import maker
from .drafts import Draft
from .locate import OWN_FRAMES, PACKAGE, CodePosition, Locator, Loop
from .model import LEAVES, Scope, ScopeKind
from .step import innermost_around

_scope = maker(Scope)


@dataclass(slots=True)
class ScopeDraft:
    """A scope of a recording in progress."""

    parent: int | None
    kind: ScopeKind
    label: str
    place: CodePosition | None = None
    line: int | None = None
    is_call: bool = False
    block: str | None = None
    steps: list[int] = field(default_factory=list)

    def scope(self, identity: int) -> Scope:
        place = self.place or CodePosition(file="", line=0)
        name = ", ".join(place.names) if self.is_call else ""  # the name of the result
        line = place.line if self.line is None else self.line
        return _scope(
            id=identity,
            parent=self.parent,
            kind=self.kind,
            label=self.label,
            name=name or None,
            file=place.file or None,
            line=line or None,
            steps=tuple(self.steps),
            block=self.block,
        )


class ScopeDrafts(list[ScopeDraft]):
    """All scopes of a recording in progress; the id of each is its index."""

    def add(self, scope: ScopeDraft) -> int:
        """Add a scope and return its id."""
        self.append(scope)
        return len(self) - 1

    def settled(self, drafts: Sequence[Draft]) -> tuple[Scope, ...]:
        """All scopes with the steps of ``drafts`` in them; each leaf is put into the innermost scope around all its
        uses."""
        self._place_leaves(drafts)
        for draft in drafts:
            if draft.scope is not None:
                self[draft.scope].steps.append(draft.id)
        return tuple([draft.scope(i) for i, draft in enumerate(self)])

    def _place_leaves(self, drafts: Sequence[Draft]) -> None:
        used: set[int] = set()
        leaves: dict[int | None, Draft] = {draft.id: draft for draft in drafts if draft.kind in LEAVES[1:]}
        for draft in drafts if leaves else ():
            for use in draft.uses:
                if (leaf := leaves.get(use.step)) is not None:
                    leaf.scope = innermost_around(self, leaf.scope, draft.scope) if leaf.id in used else draft.scope
                    used.add(leaf.id)


_NOT_THE_USERS = (*{sysconfig.get_path(key) + os.sep for key in ("stdlib", "purelib", "platlib")}, PACKAGE, "<frozen ")
_PROGRAMS = (f"{PACKAGE}links{os.sep}", f"{PACKAGE}transforms{os.sep}")  # one call of code in these makes many steps
_PROGRAM = 2
_ACCUMULATORS = ("sum(", "math.prod(", "prod(", "functools.reduce(", "reduce(")  # one call of these makes many steps


@dataclass(slots=True)
class _OpenBlock:
    """A loop or a block that a frame is in; ``inner`` is the scope of the block, or of the loop's current iteration.

    ``at_head``: the iteration has begun by taking an element, but the loop's targets still have their previous values.
    """

    what: Loop | Mark
    outer: int
    inner: int
    values: tuple[Any, ...] = ()
    number: int = 1
    at_head: bool = False

    def is_same_round(self, loop: Loop, variables: Mapping[str, Any]) -> bool:
        """Whether the targets of the loop still have the same values."""
        return all([variables.get(name) is then for name, then in zip(loop.targets, self.values, strict=True)])


@dataclass
class _FrameLevel:
    """An active frame of the run: how far it has come, and which loops and blocks are open in it."""

    frame: FrameType
    scope: int | None
    is_users: bool
    place: CodePosition | None = None
    instruction: int = -1
    callee: FrameType | None = None
    open: list[_OpenBlock] = field(default_factory=list)

    @property
    def innermost(self) -> int | None:
        return self.open[-1].inner if self.open else self.scope


class StepSite(NamedTuple):
    """Where a step is computed: its ``place`` in the user's code, if it has one.

    ``is_inner`` is whether AutoLab's own links computed it there. ``outer_line`` is the line that the recorded function
    itself has reached, whether the step is in its own code or in a function that it called.
    """

    place: CodePosition | None
    is_inner: bool
    outer_line: int | None
    scope: int | None


class ScopeTracker:
    """Follows a run of the function that the frame ``base`` calls; `close` releases all frames."""

    def __init__(self, base: FrameType, locator: Locator) -> None:
        self._base: FrameType | None = base
        self._locator = locator
        self._levels: list[_FrameLevel] = []
        self._depths: dict[int, int] = {}  # the level of a frame, by its identity
        self._drafts = ScopeDrafts()

    def now(self) -> int | None:
        """The scope of the instruction that is being executed; None directly in the recorded function."""
        return self._scope_from(sys._getframe(1))

    def _scope_from(self, inside: FrameType) -> int | None:
        path, known = self._path(inside)
        if known + 1 < len(self._levels):
            for level in self._levels[known + 1 :]:
                del self._depths[id(level.frame)]
            del self._levels[known + 1 :]
        for frame, callee in reversed(path):
            is_known = self._levels and self._levels[-1].frame is frame
            self._advance(self._levels[-1] if is_known else self._entered(frame), callee)
        return self._levels[-1].innermost if self._levels else None

    def here(self) -> StepSite:
        """Where in the run the current event is; called from a hook."""
        inside = sys._getframe(3)  # skip the hook and its caller
        frame: FrameType | None = inside
        callee: FrameType | None = None
        is_inner = False
        while frame is not None and frame is not self._base and (whose := _whose(frame.f_code.co_filename)):
            is_inner = is_inner or whose == _PROGRAM
            callee, frame = frame, frame.f_back
        level = self._levels[-1] if self._levels else None
        if level is not None and level.frame is frame and not modes().marks:  # still in the same frame, the usual case
            self._advance(level, callee)
            scope = level.open[-1].inner if level.open else level.scope
        else:
            scope = self._scope_from(inside)
            level = self._levels[-1] if self._levels else None
        users = None if frame is self._base else frame
        is_placed = level is not None and level.frame is users and level.is_users
        place = level.place if is_placed else self._locator.place(users)  # type: ignore[union-attr]
        line = self._locator.outer_line(inside, users, place, self._base)
        return StepSite(place.of_inner_step() if is_inner and place else place, is_inner, line, scope)

    def call(self, function: str, site: StepSite) -> int:
        """A new scope at the current instruction for the steps of one call, labelled as the call is written."""
        written = site.place.source if site.place is not None else None
        return self._drafts.add(ScopeDraft(site.scope, "link", written or function, site.place, is_call=True))

    def close(self) -> None:
        """Release all frames and everything that they keep alive."""
        self._base = None
        self._levels.clear()

    # ------------------------------------------------------------------ frames
    def _path(self, frame: FrameType | None) -> tuple[list[tuple[FrameType, FrameType | None]], int]:
        """The frames to enter, innermost first, each with the one that it calls; and the last known level.

        The path includes that level's frame, which has moved on.
        """
        marks = modes().marks
        marked = {id(mark.frame) for mark in marks} if marks else ()
        path: list[tuple[FrameType, FrameType | None]] = []
        callee: FrameType | None = None
        while frame is not None and frame is not self._base:
            depth = self._depths.get(id(frame))
            if depth is not None:
                return [*path, (frame, callee)], depth
            if is_users(frame.f_code.co_filename) or id(frame) in marked:
                path.append((frame, callee))
            callee, frame = frame, frame.f_back
        return path, -1

    def _entered(self, frame: FrameType) -> _FrameLevel:
        """A new level. Its frame is a scope if it runs a user's function that another user's function called."""
        caller = self._levels[-1] if self._levels else None
        scope = caller.innermost if caller is not None else None
        users = is_users(frame.f_code.co_filename)
        if users and caller is not None and caller.is_users and frame.f_code.co_name not in OWN_FRAMES:
            place, name = caller.place, f"{frame.f_code.co_name}()"
            called = place.source or name if place is not None and place.is_call else name
            scope = self._drafts.add(ScopeDraft(scope, "function", called, place, is_call=True))
        level = _FrameLevel(frame, scope, users)
        self._depths[id(frame)] = len(self._levels)
        self._levels.append(level)
        return level

    # ------------------------------------------------------------------ loops and blocks of one frame
    def _advance(self, level: _FrameLevel, callee: FrameType | None) -> None:
        """Leave the loops and blocks that the frame is no longer in, count iterations, and enter new ones."""
        if level.is_users:
            level.place = self._locator.place(level.frame)
        constructs = _constructs(level)
        if constructs or level.open:
            self._turn(level, constructs, callee)
        level.instruction, level.callee = level.frame.f_lasti, callee

    def _turn(self, level: _FrameLevel, constructs: Sequence[Loop | Mark], callee: FrameType | None) -> None:
        variables: Mapping[str, Any] = {}
        kept, restarted, innermost = 0, None, None
        for i, (open_, construct) in enumerate(zip(level.open, constructs, strict=False)):
            what = open_.what
            if what is not construct and what != construct:
                break
            kept = i + 1
            if isinstance(what, Loop):
                variables = variables or level.frame.f_locals
                if open_.at_head:
                    self._learn(open_, level.place, variables)
                if restarted is None and not open_.is_same_round(what, variables):
                    restarted = i
                innermost = i, what
        if restarted is None and innermost is not None and _is_repeated(level, innermost[1], callee):
            restarted = innermost[0]
        if restarted is not None:
            kept = restarted + 1
            level.open[restarted] = self._next_round(level.open[restarted], level.place, variables)
        del level.open[kept:]
        for construct in constructs[kept:]:
            level.open.append(self._opened(level, construct, variables or level.frame.f_locals))

    def _opened(self, level: _FrameLevel, construct: Loop | Mark, variables: Mapping[str, Any]) -> _OpenBlock:
        if isinstance(construct, Mark):
            scope = self._block(level, construct)
            return _OpenBlock(construct, scope, scope)
        draft = ScopeDraft(level.innermost, "loop", construct.label, level.place, construct.line)
        loop = self._drafts.add(draft)
        return self._next_round(_OpenBlock(construct, loop, loop, number=0), level.place, variables)

    def _learn(self, open_: _OpenBlock, place: CodePosition | None, variables: Mapping[str, Any]) -> None:
        """Note the values of a loop's targets in its current iteration, once it is past the head."""
        loop = open_.what
        if not isinstance(loop, Loop) or (place is not None and place.head == loop):
            return
        open_.at_head, open_.values = False, loop.values(variables)
        self._drafts[open_.inner].label = loop.round_label(open_.values, open_.number)

    def _block(self, level: _FrameLevel, mark: Mark) -> int:
        """A scope for a block in the user's code, or for a link, which is labelled as its call is written there, if it
        is."""
        scope = ScopeDraft(level.innermost, "link", mark.label, level.place, mark.line, block=mark.label)
        if level.place is None:
            scope.place, scope.line = self._levels[-2].place if len(self._levels) > 1 else None, None
            if scope.place is not None and scope.place.is_call:
                written = _without_self(scope.place.source or "", self._levels[-2].frame.f_code)
                scope.label, scope.is_call = f"{written}  # {mark.label.rpartition(': ')[2]}", True
        return self._drafts.add(scope)

    def _next_round(self, was: _OpenBlock, place: CodePosition | None, variables: Mapping[str, Any]) -> _OpenBlock:
        loop = was.what
        assert isinstance(loop, Loop)
        values, number, head = loop.values(variables), was.number + 1, self._drafts[was.outer]
        label = loop.round_label(values, number)
        scope = self._drafts.add(ScopeDraft(was.outer, "pass", label, head.place, head.line))
        return _OpenBlock(loop, was.outer, scope, values, number, place is not None and place.head == loop)

    # ------------------------------------------------------------------ the result
    def scopes(self, drafts: Sequence[Draft]) -> tuple[Scope, ...]:
        """All scopes, with the steps in them."""
        return self._drafts.settled(drafts)


def _without_self(call: str, code: CodeType) -> str:
    """``ln1(x)`` for ``self.ln1(x)`` in a method."""
    owner = code.co_qualname.rpartition(".")[0]
    is_method = owner and not owner.endswith("<locals>") and code.co_argcount
    return re.sub(rf"\b{code.co_varnames[0]}\.", "", call) if is_method else call


def _constructs(level: _FrameLevel) -> Sequence[Loop | Mark]:
    """The loops and blocks around the current instruction of a frame, outermost first."""
    loops = level.place.loops if level.place is not None else ()
    if not modes().marks:
        return loops
    marks = [mark for mark in modes().marks if mark.frame is level.frame]
    return sorted([*loops, *marks], key=lambda construct: construct.line) if marks else loops


def _is_repeated(level: _FrameLevel, loop: Loop, callee: FrameType | None) -> bool:
    """Whether the instruction shows that a loop whose targets have not changed has begun another iteration."""
    moved = level.frame.f_lasti - level.instruction
    if moved:
        return moved < 0
    is_head = level.place is not None and level.place.head == loop
    return (not loop.targets or is_head) and _is_called_anew(level, callee)


def _is_called_anew(level: _FrameLevel, callee: FrameType | None) -> bool:
    """Whether the instruction is being executed again, rather than still: one execution may call more than once."""
    written = level.place.source if level.place is not None else None
    return callee is not level.callee and not (written or "").startswith(_ACCUMULATORS)


@cache
def is_users(file: str) -> bool:
    """Whether a file is the user's own, rather than part of Python, an installed package or AutoLab."""
    return not file.startswith(_NOT_THE_USERS)


@cache
def _whose(file: str) -> int:
    """0 for a file that is not AutoLab's, 1 for one that is, `_PROGRAM` for one in which a call makes many steps."""
    return _PROGRAM if file.startswith(_PROGRAMS) else int(file.startswith(PACKAGE))
