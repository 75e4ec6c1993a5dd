"""The outline of a recording: its steps as a tree of scopes, so that any part of it can be shown as one box.

Where many steps follow each other without a scope to part them, the outline makes its own groups: both ends stay, the
stretch between them becomes a ``run``, and a long run holds shorter ones. So whatever is opened, only few boxes appear.
In a function of more than a few steps, those of one line of code, such as ``a = x @ W + b``, are a ``statement``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import ceil
from typing import Literal

from .model import LEAVES, Recording, Scope, ScopeKind, Step
from .topological import topological

FEW = 12
"""Up to so many steps every one is shown by itself; in a larger function, those of one statement are a group."""

MOST = 300
"""A function's steps are all shown, and no run is made of them, up to this number."""

ALL_OPEN = 60
"""Up to so many boxes every scope is open at first."""

PARTLY_OPEN = 30
"""Otherwise scopes are opened until so many boxes are there."""

_AT_EACH_END = 60
_ROUNDS, _ROUNDS_AT_EACH_END = 60, 12
_APART = 1 << 24  # between the ids of the groups of two orders
_RUN, _PARTS = 40, 20  # a run of more than so many is parted


GroupKind = ScopeKind | Literal["run", "statement"]


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


Item = Step | Group


@dataclass(frozen=True, eq=False)
class Outline:
    """All groups of a recording. ``items`` are those of the whole, ``parents`` the group that each step or group is
    directly in.
    """

    items: tuple[Item, ...]
    groups: dict[int, Group]
    parents: dict[int, int]

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
        return sum(1 for _ in _shown(self.items, expanded))

    def at_first(self) -> frozenset[int]:
        """The groups that are open before anyone has chosen: all but statements, if there are no more than `ALL_OPEN`
        boxes with everything open, else level by level from the outside, until `PARTLY_OPEN` are there. Runs stay
        closed too, and so do the loops that have some: their passes are too many to be told apart.
        """
        return self._at_first

    @cached_property
    def _at_first(self) -> frozenset[int]:
        if self.size(self.groups) <= ALL_OPEN:
            return frozenset([group.id for group in self.groups.values() if group.kind != "statement"])
        expanded: set[int] = set()
        count, level = len(self.items), [*_batches(self.items)]
        while level:
            batch = level.pop(0)
            more = sum([len(group.items) - 1 for group in batch])
            if count + more <= PARTLY_OPEN:
                count += more
                expanded |= {group.id for group in batch}
                level += _inner_batches(batch)
        return frozenset(expanded)


def _shown(items: Iterable[Item], expanded: Collection[int]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Group) and item.id in expanded:
            yield from _shown(item.items, expanded)
        else:
            yield item


def _batches(items: Iterable[Item]) -> list[list[Group]]:
    """The groups that are opened together: the rounds of a loop all or none."""
    groups = [item for item in items if isinstance(item, Group) and item.scope is not None and not _is_long_loop(item)]
    rounds = [group for group in groups if group.kind == "pass"]
    return [*([group] for group in groups if group.kind != "pass"), *([rounds] if rounds else [])]


def _is_long_loop(group: Group) -> bool:
    return group.kind == "loop" and any([isinstance(item, Group) and item.kind == "run" for item in group.items])


def _inner_batches(batch: list[Group]) -> list[list[Group]]:
    """The same inside of groups that were opened together; what several rounds hold is opened in all or in none."""
    batches = [inner for group in batch for inner in _batches(group.items)]
    together = [group for inner in batches for group in inner]
    return batches if len(batch) == 1 else [together] if together else []


def outline(recording: Recording, most: int = MOST) -> Outline:
    """The tree of a recording; with more than ``most`` items beside each other, runs are made of them.

    Ids of groups depend on the program's structure alone: that of a scope comes from the scope's.
    """
    return _Builder(recording, most).outline()


class _Builder:
    def __init__(self, recording: Recording, most: int) -> None:
        self._scopes, self._outputs, self._most = recording.scopes, set(recording.outputs), most
        self._apart = recording.order * _APART
        self._steps = {step.id: step for step in recording.steps}
        self._last_use = dict.fromkeys(recording.outputs, len(recording.steps))
        for step in recording.steps:
            for operand in step.operands:
                if operand.step is not None:
                    self._last_use[operand.step] = max(step.id, self._last_use.get(operand.step, -1))
        self._groups: dict[int, Group] = {}
        self._parents: dict[int, int] = {}
        self._made = 0

    def outline(self) -> Outline:
        inner = self._ordered()
        for scope in reversed(self._scopes):  # inner ones come after outer ones
            items = self._by_statement(self._items(inner.get(scope.id, [])))
            if items:
                limits = (_ROUNDS, _ROUNDS_AT_EACH_END) if scope.kind == "loop" else (self._most, _AT_EACH_END)
                self._group(self._id(scope.id), scope.kind, scope, self._with_runs(items, *limits))
        items = self._with_runs(self._by_statement(self._items(inner[None])), self._most, _AT_EACH_END)
        return Outline(tuple(items), self._groups, self._parents)

    def _id(self, number: int) -> int:
        """The id of a group; the graphs of a function and of its derivatives have none in common."""
        return ~(number + self._apart)

    # ------------------------------------------------------------------ order
    def _ordered(self) -> dict[int | None, list[int]]:
        """The ids of what is directly in each scope (None: in none), so that operands come before their users."""
        lasts: dict[int, int] = {}  # the last call in each scope
        keyed: dict[int | None, list[tuple[int, int, int]]] = {None: []}
        for step in reversed(self._steps.values()):
            if step.kind in LEAVES:
                continue
            keyed.setdefault(step.scope, []).append((step.id, 1, step.id))
            scope = step.scope
            while scope is not None and scope not in lasts:
                lasts[scope] = step.id
                keyed.setdefault(self._scopes[scope].parent, []).append((step.id, 1, self._id(scope)))
                scope = self._scopes[scope].parent
        for leaf, place in self._places_of_leaves(lasts).items():
            keyed.setdefault(self._steps[leaf].scope, []).append((place, 0, leaf))
        ordered = {scope: [identity for *_, identity in sorted(found)] for scope, found in keyed.items()}
        return topological(ordered, self._steps.values(), self._way, self._steps) if self._apart else ordered

    def _way(self, step: Step) -> list[int]:
        """The groups around a step, the outermost first, and its own id."""
        way, scope = [step.id], step.scope
        while scope is not None:
            way.append(self._id(scope))
            scope = self._scopes[scope].parent
        return way[::-1]

    def _places_of_leaves(self, lasts: dict[int, int]) -> dict[int, int]:
        """The place of each leaf in its scope: inputs in front, others before the item that uses them first."""
        places = {s.id: -1 if s.kind == "input" else s.id for s in self._steps.values() if s.kind in LEAVES}
        used: set[int] = set()
        for step in self._steps.values():
            for operand in step.operands:
                leaf = operand.step
                if leaf in places and leaf not in used and places[leaf] >= 0:
                    used.add(leaf)
                    places[leaf] = self._item_around(step, self._steps[leaf].scope, lasts)
        return places

    def _item_around(self, step: Step, scope: int | None, lasts: dict[int, int]) -> int:
        """The last call of the item of ``scope`` that holds ``step``."""
        place, at = step.id, step.scope
        while at != scope and at is not None:
            place, at = lasts[at], self._scopes[at].parent
        return place

    def _items(self, identities: list[int]) -> list[Item]:
        return [self._steps[i] if i >= 0 else self._groups[i] for i in identities]

    # ------------------------------------------------------------------ groups
    def _own_group(self, kind: Literal["run", "statement"], items: list[Item]) -> Group:
        """A group that is no scope."""
        self._made += 1
        return self._group(self._id(len(self._scopes) + self._made - 1), kind, None, items)

    def _group(self, identity: int, kind: GroupKind, scope: Scope | None, items: list[Item]) -> Group:
        ends = [step for item in items for step in (item.results if isinstance(item, Group) else (item.id,))]
        last = max(item.last if isinstance(item, Group) else item.id for item in items)
        results = tuple([i for i in ends if self._last_use.get(i, -1) > last])
        group = self._groups[identity] = Group(identity, kind, scope, tuple(items), results, last)
        for item in items:
            self._parents[item.id] = identity
        return group

    def _by_statement(self, items: list[Item]) -> list[Item]:
        """The calls of one statement that follow each other as one group, if its value is all that is used of them."""
        if self._apart or len(self._steps) <= FEW:
            return items
        found: list[Item] = []
        for (place, _), stretch in groupby(_leaves_in_front(items), key=_statement):
            several = list(stretch)
            ends = [item.id for item in several if self._last_use.get(item.id, -1) > several[-1].id]
            is_one = place is not None and 1 < len(several) < len(items) and ends == [several[-1].id]
            found += [self._own_group("statement", several)] if is_one else several
        return found

    def _with_runs(self, items: list[Item], most: int, at_each_end: int) -> list[Item]:
        """Both ends, the outputs, and runs of what is between them."""
        if len(items) <= most:
            return items
        found: list[Item] = []
        hidden: list[Item] = []
        outputs = self._outputs if len(self._outputs) <= _AT_EACH_END else ()
        for place, item in enumerate(items):
            if place < at_each_end or place >= len(items) - at_each_end or item.id in outputs:
                found += [*self._run(hidden), item]
                hidden = []
            else:
                hidden.append(item)
        return found + self._run(hidden)

    def _run(self, items: list[Item]) -> list[Item]:
        """One group for many items; it holds shorter runs if it is long."""
        if len(items) < 2:
            return items
        if len(items) > _RUN:
            size = ceil(len(items) / _PARTS)
            items = [run for start in range(0, len(items), size) for run in self._run(items[start : start + size])]
        return [self._own_group("run", items)]


def _statement(item: Item) -> tuple[tuple[str | None, int | None, str] | None, int | None]:
    """The position of a call's statement; everything else is by itself."""
    if isinstance(item, Group) or item.kind in LEAVES or item.statement is None:
        return None, item.id
    return (item.file, item.line, item.statement), None


def _leaves_in_front(items: list[Item]) -> list[Item]:
    """What a statement uses comes before all of its calls, not between them."""
    found: list[Item] = []
    waiting: list[Item] = []  # leaves whose user is still to come
    begin, here = 0, None  # where the calls of the present statement begin, and which it is
    for item in items:
        if isinstance(item, Step) and item.kind in LEAVES:
            waiting.append(item)
            continue
        statement = _statement(item)[0]
        if statement is None or statement != here:
            begin, here = len(found), statement
        found[begin:begin] = waiting
        begin += len(waiting)
        waiting = []
        found.append(item)
    return found + waiting
