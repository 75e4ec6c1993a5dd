"""How the outline of a recording is made: its scopes as groups, and groups of its own where there are none.

Where many steps follow each other without a scope to part them, the outline makes its own groups: both ends stay, the
stretch between them becomes a ``run``, and a long run holds shorter ones. So whatever is opened, only few boxes appear.
In a function of more than a few steps, those of one line of code, such as ``a = x @ W + b``, are a ``statement``.

In a plan, blocks that repeat are a ``stack``, and a group that holds nothing but one other is not told apart from it.
"""

from __future__ import annotations

from itertools import groupby
from math import ceil
from typing import Literal

from .model import LEAVES, Recording, Scope, Step
from .outline import ALL_OPEN, Group, GroupKind, Item, Outline
from .stacks import Repeats
from .step import enclosing
from .topological import topological

FEW = 12
"""Up to so many steps every one is shown by itself; in a larger function, those of one statement are a group."""

MOST = 300
"""A function's steps are all shown, and no run is made of them, up to this number."""

_AT_EACH_END = 60
_ROUNDS, _ROUNDS_AT_EACH_END = 60, 12
_APART = 1 << 24  # between the ids of the groups of two orders
_RUN, _PARTS = 40, 20  # a run of more than so many is parted


def outline(recording: Recording, most: int = MOST) -> Outline:
    """The tree of a recording; with more than ``most`` items beside each other, runs are made of them.

    Ids of groups depend on the program's structure alone: that of a scope comes from the scope's.
    """
    return _Builder(recording, most).outline()


class _Builder:
    def __init__(self, recording: Recording, most: int) -> None:
        self._scopes, self._outputs, self._most = recording.scopes, set(recording.outputs), most
        self._apart = recording.order * _APART
        self._steps = recording.by_id
        self._is_plan = len(self._steps) > ALL_OPEN
        self._repeats = Repeats()
        self._around = self._scopes_of_inputs(recording)
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
            items = self._stacked(self._by_statement(self._items(inner.get(scope.id, []))))
            if items:
                limits = (_ROUNDS, _ROUNDS_AT_EACH_END) if scope.kind == "loop" else (self._most, _AT_EACH_END)
                self._group(self._id(scope.id), scope.kind, scope, self._with_runs(items, *limits))
        items = self._stacked(self._by_statement(self._unwrapped(self._items(inner[None]))))
        return Outline(
            tuple(self._with_runs(items, self._most, _AT_EACH_END)), self._groups, self._parents, self._is_plan
        )

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
            keyed.setdefault(self._around[leaf], []).append((place, 0, leaf))
        ordered = {scope: [identity for *_, identity in sorted(found)] for scope, found in keyed.items()}
        return topological(ordered, self._steps.values(), self._way, self._steps) if self._apart else ordered

    def _way(self, step: Step) -> list[int]:
        """The groups around a step, the outermost first, and its own id."""
        return [step.id, *map(self._id, enclosing(self._scopes, step.scope))][::-1]

    def _places_of_leaves(self, lasts: dict[int, int]) -> dict[int, int]:
        """The place of each leaf in its scope: inputs in front, others before the item that uses them first."""
        places = {
            s.id: -1 if s.kind == "input" and self._around[s.id] is None else s.id
            for s in self._steps.values()
            if s.kind in LEAVES
        }
        used: set[int] = set()
        for step in self._steps.values():
            for operand in step.operands:
                leaf = operand.step
                if leaf in places and leaf not in used and places[leaf] >= 0:
                    used.add(leaf)
                    places[leaf] = self._item_around(step, self._around[leaf], lasts)
        return places

    def _item_around(self, step: Step, scope: int | None, lasts: dict[int, int]) -> int:
        """The last call of the item of ``scope`` that holds ``step``."""
        place, at = step.id, step.scope
        while at != scope and at is not None:
            place, at = lasts[at], self._scopes[at].parent
        return place

    def _items(self, identities: list[int]) -> list[Item]:
        return [self._steps[i] if i >= 0 else self._groups[i] for i in identities]

    def _scopes_of_inputs(self, recording: Recording) -> dict[int, int | None]:
        """The scope of every leaf. In a plan with many inputs, each of those that came in a list or dict is in the
        innermost one around all its uses: so come the parameters of a model that is a function.
        """
        around = {step.id: step.scope for step in self._steps.values() if step.kind in LEAVES}
        if not self._is_plan or len(recording.inputs) <= FEW:
            return around
        ways: dict[int, list[int]] = {}
        for step in self._steps.values():
            for use in step.operands:
                given = None if use.step is None else self._steps[use.step]
                if given is not None and given.kind == "input" and "[" in (given.name or ""):
                    way = self._way(step)[:-1]
                    ways[given.id] = _in_common(ways.get(given.id, way), way)
        return around | {leaf: ~way[-1] - self._apart if way else None for leaf, way in ways.items()}

    # ------------------------------------------------------------------ groups
    def _own_group(self, kind: Literal["run", "statement", "stack"], items: list[Item]) -> Group:
        """A group that is no scope."""
        self._made += 1
        return self._group(self._id(len(self._scopes) + self._made - 1), kind, None, items)

    def _stacked(self, items: list[Item]) -> list[Item]:
        """In a plan, blocks that repeat as one group."""
        if not self._is_plan:
            return items
        found: list[Item] = []
        rest = iter(items)
        for period, times in self._repeats.stretches(items):
            units = [[next(rest) for _ in range(period)] for _ in range(times)]
            if times == 1:
                found += units[0]
            else:
                inner = [unit[0] if period == 1 else self._own_group("run", unit) for unit in units]
                found.append(self._own_group("stack", [*inner]))
        return found

    def _group(self, identity: int, kind: GroupKind, scope: Scope | None, items: list[Item]) -> Group:
        if self._is_plan and kind not in ("run", "stack") and len(items) == 1 and isinstance(items[0], Group):
            kind, scope, items = self._merged(kind, scope, items[0])
        ends = [step for item in items for step in (item.results if isinstance(item, Group) else (item.id,))]
        last = max(item.last if isinstance(item, Group) else item.id for item in items)
        results = tuple([i for i in ends if self._last_use.get(i, -1) > last])
        group = self._groups[identity] = Group(identity, kind, scope, tuple(items), results, last)
        for item in items:
            self._parents[item.id] = identity
        return group

    def _unwrapped(self, items: list[Item]) -> list[Item]:
        """What a link holds that is the function itself: in a plan no frame is drawn around the whole."""
        groups = [item for item in items if isinstance(item, Group)]
        inputs = [item for item in items if item.kind == "input"]
        if not self._is_plan or len(groups) != 1 or len(inputs) + 1 != len(items) or groups[0].is_repeated:
            return items
        (whole,) = groups
        del self._groups[whole.id]
        for item in whole.items:
            del self._parents[item.id]
        return [*inputs, *whole.items]

    def _merged(self, kind: GroupKind, scope: Scope | None, inner: Group) -> tuple[GroupKind, Scope | None, list[Item]]:
        """A group that holds nothing but another one as one with it: a pass of a loop is the block that it calls."""
        if kind == "loop" or (inner.is_repeated and kind == "pass"):
            return kind, scope, [inner]
        del self._groups[inner.id]
        is_pass = kind == "pass"
        return (
            kind if is_pass or not inner.is_repeated else inner.kind,
            inner.scope if is_pass and inner.scope is not None else scope,
            [*inner.items],
        )

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


def _in_common(a: list[int], b: list[int]) -> list[int]:
    """How two ways from the outside inwards begin alike."""
    return [one for one, other in zip(a, b, strict=False) if one == other]


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
