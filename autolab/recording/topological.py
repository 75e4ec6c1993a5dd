"""Topological order of the items of a scope: every value comes before the steps that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heapify, heappop, heappush

from .model import Step

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
