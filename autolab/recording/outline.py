"""The outline of a recording: its steps as a tree of scopes, so that any part of it can be shown as one box.

With more than `ALL_OPEN` steps an outline is a plan: blocks are shown before numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .model import Scope, ScopeKind, Step

ALL_OPEN = 40
"""Up to so many boxes every scope is open at first; with more, the outline is a plan."""

PARTLY_OPEN = 30
"""In a plan with few boxes, scopes are opened as long as there are no more than so many."""

PASSES_OPEN = 12
"""With more boxes, of a loop that hands a value on only the first pass is open at first: all are drawn side by side."""

_TOO_FEW = 6  # boxes, which say too little
_FEW_CELLS = 72  # as many as a box has at most: each of them is one element


GroupKind = ScopeKind | Literal["run", "statement", "stack"]


@dataclass(frozen=True, eq=False)
class Group:
    """Steps that can be shown as one box. ``id`` is negative, so that it is no step's id.

    ``items`` are its steps and inner groups in order, ``last`` the highest id of a step in it. ``results`` are the ids
    of the steps in it that something outside uses, or that are outputs, in order.
    """

    id: int
    kind: GroupKind
    scope: Scope | None
    items: tuple[Item, ...]
    results: tuple[int, ...]
    last: int

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps in it, also those in inner groups."""
        return tuple([s for item in self.items for s in (item.steps if isinstance(item, Group) else (item,))])

    @cached_property
    def result(self) -> Step | None:
        """The step whose value and gradient the box shows: the last of those that something outside uses."""
        return next((s for s in reversed(self.steps) if s.id == self.results[-1]), None) if self.results else None

    @property
    def only(self) -> Group | None:
        """The group that is all that it holds: opening it alone would show another closed box and nothing else."""
        return self.items[0] if len(self.items) == 1 and isinstance(self.items[0], Group) else None

    @property
    def is_repeated(self) -> bool:
        """Whether its items are the same thing again and again."""
        return self.kind in ("loop", "stack")


Item = Step | Group


@dataclass(frozen=True, eq=False)
class Outline:
    """All groups of a recording. ``items`` are those of the whole, ``parents`` the group that each step or group is
    directly in. ``is_plan``: there are so many steps that blocks are shown before numbers.
    """

    items: tuple[Item, ...]
    groups: dict[int, Group]
    parents: dict[int, int]
    is_plan: bool = False

    def is_planned(self, item: Item) -> bool:
        """Whether a step or group stands among blocks in a plan: it is drawn small there, without its numbers. Single
        numbers and small inputs are not, as one drags them.
        """
        value = item.value if isinstance(item, Step) else None
        few = _FEW_CELLS if value is not None and item.kind == "input" and value.dtype.startswith("float") else 1
        return (value is None or value.size > few) and self.parents.get(item.id) in self.levels_of_blocks

    @cached_property
    def levels_of_blocks(self) -> frozenset[int | None]:
        """The groups in which blocks stand, and None where they are in none; empty but in a plan."""
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
        """What is drawn as a box where the groups ``expanded`` are open, in order."""
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
        """How many boxes are drawn."""
        open_ = [group for group in expanded if group in self.groups]
        seen = [group for group in open_ if all([outer in expanded for outer in self.around(group)])]
        return len(self.items) + sum([len(self.groups[group].items) - 1 for group in seen])

    def at_first(self) -> frozenset[int]:
        """The groups that are open before anyone has chosen.

        Up to `ALL_OPEN` boxes these are all but statements; with more than `PASSES_OPEN`, of a loop that hands a
        value on, the first pass only. In a plan none are; only where that leaves too few boxes, level by level from the
        outside. What repeats stays closed there.
        """
        return self._at_first

    @cached_property
    def _at_first(self) -> frozenset[int]:
        if not self.is_plan:
            every = frozenset([group.id for group in self.groups.values() if group.kind != "statement"])
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
        """Of loops that hand a value on, all passes but the first, which shows what they do."""
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
    """The groups that hold others, but for what repeats."""
    groups = [item for item in items if isinstance(item, Group) and item.scope is not None and not item.is_repeated]
    return [group for group in groups if any([isinstance(inner, Group) for inner in group.items])]
