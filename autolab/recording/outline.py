"""The outline of a recording: its steps as a tree of scopes, so that any part of it can be shown as one box.

With more than `ALL_OPEN` steps, or `LINKS_OPEN` in several links, an outline is a plan: blocks are shown before
numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .model import LEAVES, Scope, ScopeKind, Step

ALL_OPEN = 40
"""Up to this many boxes, every scope is open at first; with more, the outline is a plan."""

LINKS_OPEN = 20
"""The same where the steps are those of several links, which can be shown as blocks."""

FEW_OPEN = 6
"""With more boxes, a link of a single call is closed at first: its parameters would take more space than the net."""

PARTLY_OPEN = 30
"""In a plan with too few boxes, scopes are opened as long as there are no more boxes than this."""

PASSES_OPEN = 12
"""With more boxes, only the first pass of a loop that passes on a value is open at first; all are side by side."""

_TOO_FEW = 6  # fewer boxes say too little
_FEW_CELLS = 72  # the maximum in a box that shows every element as a cell of its own


GroupKind = ScopeKind | Literal["run", "statement", "stack"]


@dataclass(frozen=True, eq=False)
class Group:
    """Steps that can be shown as one box. ``id`` is negative, unlike the ids of steps.

    ``items`` are its steps and inner groups in order, ``last`` is the highest id of a step in it. ``results`` are the
    ids of its steps that are outputs or are used outside, in order.
    """

    id: int
    kind: GroupKind
    scope: Scope | None
    items: tuple[Item, ...]
    results: tuple[int, ...]
    last: int

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps in it, including those in inner groups."""
        return tuple([s for item in self.items for s in (item.steps if isinstance(item, Group) else (item,))])

    @cached_property
    def result(self) -> Step | None:
        """The step whose value and gradient the box shows: the last one that is used outside."""
        return next((s for s in reversed(self.steps) if s.id == self.results[-1]), None) if self.results else None

    @property
    def only(self) -> Group | None:
        """Its only item, if that is a group: opening it would show just another closed box."""
        return self.items[0] if len(self.items) == 1 and isinstance(self.items[0], Group) else None

    @property
    def is_single_call(self) -> bool:
        """Whether it is a link with one call, beside its parameters."""
        calls = [item for item in self.items if isinstance(item, Group) or item.kind not in LEAVES]
        return self.kind == "link" and len(calls) == 1 and not isinstance(calls[0], Group)

    @property
    def is_repeated(self) -> bool:
        """Whether its items are repetitions of the same thing."""
        return self.kind in ("loop", "stack")


Item = Step | Group


@dataclass(frozen=True, eq=False)
class Outline:
    """All groups of a recording. ``items`` are the outermost ones, ``parents`` maps each step or group to the group
    directly around it. ``is_plan`` is whether there are so many steps that blocks are shown before numbers.
    """

    items: tuple[Item, ...]
    groups: dict[int, Group]
    parents: dict[int, int]
    is_plan: bool = False

    def is_planned(self, item: Item) -> bool:
        """Whether a step or group is among blocks in a plan, where it is drawn small and without its numbers. Single
        numbers and small inputs are not, since they can be dragged.
        """
        value = item.value if isinstance(item, Step) else None
        few = _FEW_CELLS if value is not None and item.kind == "input" and value.dtype.startswith("float") else 1
        return (value is None or value.size > few) and self.parents.get(item.id) in self.levels_of_blocks

    @cached_property
    def levels_of_blocks(self) -> frozenset[int | None]:
        """The groups that contain blocks directly, and None for blocks in no group; empty unless this is a plan."""
        if not self.is_plan:
            return frozenset()
        blocks = [group.id for group in self.groups.values() if group.kind not in ("run", "statement")]
        return frozenset([self.parents.get(identity) for identity in blocks])

    def around(self, identity: int) -> list[int]:
        """The ids of the groups around a step or group, the outermost first."""
        found: list[int] = []
        parent = self.parents.get(identity)
        while parent is not None:
            found.append(parent)
            parent = self.parents.get(parent)
        return found[::-1]

    def shown(self, expanded: Collection[int]) -> list[Item]:
        """The steps and groups that are drawn as boxes when the groups ``expanded`` are open, in order."""
        return list(_shown(self.items, expanded))

    def holder(self, identity: int, expanded: Collection[int]) -> int:
        """The id of the box in which a step or group is drawn: its own, or that of the outermost closed group."""
        return next((group for group in self.around(identity) if group not in expanded), identity)

    def holders(self, expanded: Collection[int]) -> dict[int, int]:
        """The box of every step, by the steps' ids."""
        found: dict[int, int] = {}
        for item in _shown(self.items, expanded):
            for step in item.steps if isinstance(item, Group) else (item,):
                found[step.id] = item.id
        return found

    def size(self, expanded: Collection[int]) -> int:
        """The number of boxes that are drawn."""
        open_ = [group for group in expanded if group in self.groups]
        seen = [group for group in open_ if all([outer in expanded for outer in self.around(group)])]
        return len(self.items) + sum([len(self.groups[group].items) - 1 for group in seen])

    def at_first(self) -> frozenset[int]:
        """The groups that are open at first.

        Up to `ALL_OPEN` boxes, all except statements; with more than `FEW_OPEN`, no links of a single call; with more
        than `PASSES_OPEN`, only the first pass of a loop that passes a value on. In a plan none are open, unless that
        leaves too few boxes: then groups are opened level by level from the outside, except repeated ones.
        """
        return self._at_first

    @cached_property
    def _at_first(self) -> frozenset[int]:
        if not self.is_plan:
            every = frozenset([group.id for group in self.groups.values() if group.kind != "statement"])
            if self.size(every) > FEW_OPEN:
                every -= {group.id for group in self.groups.values() if group.is_single_call}
            return every - self._later_passes() if self.size(every) > PASSES_OPEN else every
        expanded: set[int] = set()
        count, level = len(self.items), _to_open(self.items)
        while level:
            group = level.pop(0)
            more = len(group.items) - 1
            if count < _TOO_FEW and count + more <= PARTLY_OPEN:
                count += more
                expanded.add(group.id)
                level += _to_open(group.items)
        return frozenset(expanded)

    def _later_passes(self) -> set[int]:
        """All passes but the first of every loop that passes a value on; the first one shows what the loop does."""
        found: set[int] = set()
        for loop in [group for group in self.groups.values() if group.kind == "loop"]:
            first, *later = [item for item in loop.items if isinstance(item, Group)] or [loop]
            before = {step.id for step in first.steps}
            if any([operand.step in before for group in later for step in group.steps for operand in step.operands]):
                found |= {group.id for group in later}
        return found


def _shown(items: Iterable[Item], expanded: Collection[int]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Group) and item.id in expanded:
            yield from _shown(item.items, expanded)
        else:
            yield item


def _to_open(items: Iterable[Item]) -> list[Group]:
    """The groups that contain other groups, except repeated ones."""
    groups = [item for item in items if isinstance(item, Group) and item.scope is not None and not item.is_repeated]
    return [group for group in groups if any([isinstance(inner, Group) for inner in group.items])]
