"""How the outline of a recording is built: its scopes become groups, and further groups are made where there are none.

Where many steps follow one another without scopes, the outline makes its own groups: both ends stay, everything between
them becomes a ``run``, and a long run contains shorter ones. So whatever is opened, only a few boxes appear. In a
function of more than a few steps, those of one line of code, such as ``a = x @ W + b``, form a ``statement``.

In a plan, repeated blocks form a ``stack``, and a group that contains only one other group is merged with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Literal

from .model import LEAVES, Recording, Scope, Step
from .outline import ALL_OPEN, LINKS_OPEN, Group, GroupKind, Item, Outline
from .step import enclosing

if TYPE_CHECKING:
    from .outline import Group, Item

# Topological order of the items of a scope: every value comes before the steps that use it.

Items = dict[int | None, list[int]]


def topological(
    items: Items, steps: Iterable[Step], way: Callable[[Step], list[int]], by_id: Mapping[int, Step]
) -> Items:
    """The items of each group in topological order; ties keep the given order.

    The steps of a function come one call after the other, but those of a backward pass do not: a gradient is summed
    while the rules of several calls run. Items in a cycle come last.

    Parameters
    ----------
    items : dict
        For each group (None: no group), the ids of the steps and groups directly in it.
    steps
        All steps.
    way : callable
        Returns the ids of the groups around a step, outermost first, followed by its own id.
    by_id : mapping
        The steps by id.
    """
    waiting: dict[int, set[int]] = {item: set() for inside in items.values() for item in inside}
    users: dict[int, list[int]] = {item: [] for item in waiting}
    for step in steps:
        target = way(step)
        for operand in step.operands:
            if operand.step is None:
                continue
            pairs = zip(way(by_id[operand.step]), target, strict=False)
            source, user = next(pair for pair in pairs if pair[0] != pair[1])
            if source not in waiting[user]:
                waiting[user].add(source)
                users[source].append(user)
    return {group: _sorted(inside, waiting, users) for group, inside in items.items()}


def _sorted(inside: list[int], waiting: Mapping[int, set[int]], users: Mapping[int, list[int]]) -> list[int]:
    places = {item: place for place, item in enumerate(inside)}
    missing = {item: len(waiting[item]) for item in inside}
    ready = [places[item] for item in inside if not missing[item]]
    heapify(ready)
    found: list[int] = []
    while ready:
        item = inside[heappop(ready)]
        found.append(item)
        for user in users[item]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, places[user])
    return found + [item for item in inside if missing[item]]


# Repeated blocks among the items of an outline: those of one class, with the same structure inside.

FEWEST = 3
"""The minimum number of repetitions in a stack."""

_LONGEST = 4  # the longest repeated unit: such as a layer, its normalization and an activation
_NUMBER = re.compile(r"\d+")


class Repeats:
    """Finds repeated units. Each structure is compared only once, however often it occurs."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._known: dict[int, int] = {}

    def stretches(self, items: list[Item]) -> Iterator[tuple[int, int]]:
        """Divide the items: pairs of a period and its number of repetitions; ``(1, 1)`` for a single item."""
        looks = [(self._structure(item), _shape(item)) for item in items]
        at = 0
        while at < len(items):
            found = [(period, _times(looks, at, period)) for period in range(1, _LONGEST + 1)]
            period, times = max(found, key=lambda pair: pair[0] * pair[1] if pair[1] >= FEWEST else 0)
            if times < FEWEST:
                period, times = 1, 1
            if any([_is_block(item) for item in items[at : at + period]]):
                yield period, times
            else:
                yield from [(1, 1)] * (period * times)
            at += period * times

    def _structure(self, item: Item) -> int:
        """A number that is the same for equal structures."""
        if item.id in self._known:
            return self._known[item.id]
        key: object
        if isinstance(item, Step):
            key = (item.kind, item.function)
        else:
            key = (item.kind, _class(item), *[self._structure(inner) for inner in item.items])
        return self._known.setdefault(item.id, self._numbers.setdefault(key, len(self._numbers)))


def _is_block(item: Item) -> bool:
    """Whether it is a call of a link, a module or a user's function."""
    return not isinstance(item, Step) and item.scope is not None and item.kind in ("link", "function")


def _class(group: Group) -> str | None:
    """The class of a block, ignoring the numbers in its name: ``blocks.0`` and ``blocks.1`` are alike, ``q`` and ``k``
    are not."""
    scope = group.scope
    return None if scope is None else _NUMBER.sub("", scope.block or scope.label.partition("(")[0])


def _shape(item: Item) -> tuple[int, ...] | None:
    """The shape of its value."""
    step = item if isinstance(item, Step) else item.steps[-1]
    return None if step.value is None else step.value.shape


def _times(looks: Sequence[object], at: int, period: int) -> int:
    """How often the unit that begins there repeats."""
    times = 1
    first = looks[at : at + period]
    while looks[at + times * period : at + (times + 1) * period] == first:
        times += 1
    return times if len(first) == period else 1


FEW = 12
"""Up to this many steps, each is shown separately; in a larger function, those of one statement form a group."""

MOST = 300
"""Up to this many steps of a function, all are shown and no runs are made."""

_AT_EACH_END = 60
_ROUNDS, _ROUNDS_AT_EACH_END = 60, 12
_APART = 1 << 24  # the distance between the group ids of two orders
_RUN, _PARTS = 40, 20  # a longer run is divided into shorter ones


def outline(recording: Recording, most: int = MOST) -> Outline:
    """The outline of a recording; more than ``most`` items in a row are divided into runs.

    Ids of groups depend only on the structure of the program: that of a scope is computed from the scope's id.
    """
    return _Builder(recording, most).outline()


class _Builder:
    def __init__(self, recording: Recording, most: int) -> None:
        self._scopes, self._outputs, self._most = recording.scopes, set(recording.outputs), most
        self._apart = recording.order * _APART
        self._steps = recording.by_id
        links = [scope for scope in self._scopes if scope.kind == "link"]
        self._is_plan = len(self._steps) > (LINKS_OPEN if len(links) > 1 else ALL_OPEN)
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
        """The id of a group; the graphs of a function and of its derivatives share no ids."""
        return ~(number + self._apart)

    # ------------------------------------------------------------------ order
    def _ordered(self) -> dict[int | None, list[int]]:
        """The ids of everything directly in each scope (None: in no scope), operands before their users."""
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
        """The place of each leaf in its scope: inputs come first, other leaves before the first item that uses them."""
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
        """The last call of the item of ``scope`` that contains ``step``."""
        place, at = step.id, step.scope
        while at != scope and at is not None:
            place, at = lasts[at], self._scopes[at].parent
        return place

    def _items(self, identities: list[int]) -> list[Item]:
        return [self._steps[i] if i >= 0 else self._groups[i] for i in identities]

    def _scopes_of_inputs(self, recording: Recording) -> dict[int, int | None]:
        """The scope of every leaf. In a plan with many inputs, an input from a list or dict is placed in the innermost
        scope around all its uses: such are the parameters of a model written as a function.
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
        """A group that is not a scope."""
        self._made += 1
        return self._group(self._id(len(self._scopes) + self._made - 1), kind, None, items)

    def _stacked(self, items: list[Item]) -> list[Item]:
        """Collect repeated blocks into stacks, in a plan."""
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
        """The items of a link that is the whole function: in a plan, no frame is drawn around everything."""
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
        """Merge a group with the only group that it contains, such as a pass of a loop with the block that it calls."""
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
        """Group consecutive calls of one statement if only the statement's value is used elsewhere."""
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
        """Keep both ends and the outputs, and put everything between them into runs."""
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
        """One group for many items; a long one contains shorter runs."""
        if len(items) < 2:
            return items
        if len(items) > _RUN:
            size = ceil(len(items) / _PARTS)
            items = [run for start in range(0, len(items), size) for run in self._run(items[start : start + size])]
        return [self._own_group("run", items)]


def _statement(item: Item) -> tuple[tuple[str | None, int | None, str] | None, int | None]:
    """The position of a call's statement; None for anything else."""
    if isinstance(item, Group) or item.kind in LEAVES or item.statement is None:
        return None, item.id
    return (item.file, item.line, item.statement), None


def _in_common(a: list[int], b: list[int]) -> list[int]:
    """The common beginning of two paths from the outside in."""
    return [one for one, other in zip(a, b, strict=False) if one == other]


def _leaves_in_front(items: list[Item]) -> list[Item]:
    """Move the leaves that a statement uses in front of all its calls."""
    found: list[Item] = []
    waiting: list[Item] = []  # leaves whose user comes later
    begin, here = 0, None  # where the calls of the current statement begin, and which statement it is
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
