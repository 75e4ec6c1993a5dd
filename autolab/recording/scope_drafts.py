"""The scopes of a recording in progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .drafts import Draft
from .kept_array import maker
from .locate import CodePosition
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
