"""Which groups of a graph are open in the pictures that a saved page holds."""

from __future__ import annotations

from collections.abc import Iterator

from ..recording.outline import Group, Outline

MOST_BOXES_HELD = 1000
"""So many boxes the pictures of one graph have together, at most."""

MOST_BOXES_IN_ONE = 300
"""A picture with more is held only if it is what the view shows."""

Open = frozenset[int]


def states(outline: Outline, now: Open, most: int) -> list[Open]:
    """Which groups are open in the pictures that are held: those that are reached first come first."""
    everything = frozenset(group.id for group in outline.groups.values() if group.kind != "run")
    found: dict[Open, None] = {}
    boxes = 0
    for state in _wished(outline, now, everything):
        count = outline.size(state)
        if state in found or (found and count > MOST_BOXES_IN_ONE):
            continue
        boxes += count
        if found and (boxes > MOST_BOXES_HELD or len(found) == most):
            break
        found[state] = None
    return list(found)


def _wished(outline: Outline, now: Open, everything: Open) -> Iterator[Open]:
    yield from (now, frozenset(), everything)
    waiting, seen = [now], {now}
    yield from (_alone(outline, group) for group in sorted(outline.groups, key=lambda g: len(outline.around(g))))
    while waiting:
        state = waiting.pop(0)
        for group in outline.groups:
            inside = {other for other in state if other == group or group in outline.around(other)}
            next_state = state - inside if group in state else state | _alone(outline, group)
            if next_state not in seen:
                seen.add(next_state)
                waiting.append(next_state)
                yield next_state


def _alone(outline: Outline, group: int) -> Open:
    """A group open with what is around it, and with what it holds if that is one group alone."""
    return frozenset([group, *outline.around(group), *only_children(outline.groups[group])])


def only_children(group: Group) -> Iterator[int]:
    """The groups that are all that a group holds: opening it alone would show another closed box and nothing else."""
    while len(group.items) == 1 and isinstance(group.items[0], Group):
        group = group.items[0]
        yield group.id
