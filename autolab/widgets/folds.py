"""What a saved page holds of the groups of a graph, so that they open and close without a kernel.

Layouts are made here, in Python, and nowhere else. So a page holds the pictures of those states of the groups that are
reached first, and for every group at least the one in which it alone is open beside what is around it.
static/folds.js turns from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..display.groups import result
from ..display.messages import say
from ..display.readings import readings
from ..display.scene import scene
from ..recording.model import Recording
from ..recording.outline import Outline
from .folding import only_children

MOST_BOXES_HELD = 1000
"""So many boxes the pictures of one graph have together, at most."""

MOST_BOXES_IN_ONE = 300
"""A picture with more is held only if it is what the view shows."""

Open = frozenset[int]


def folds(graph: Recording, now: Open, held: list[Open]) -> dict[str, Any]:
    """The groups of a graph, and its pictures and numbers in the states that are held; ``now`` is the first shown."""
    outline = graph.outline
    numbers: dict[str, Any] = {}
    for state in held:
        numbers |= readings(graph, state)["nodes"]
    return {
        "now": sorted(now),
        "parents": {str(child): parent for child, parent in outline.parents.items()},
        "groups": {str(group): _group(outline, group) for group in outline.groups},
        "readings": numbers,
        "pictures": {state_key(state): scene(graph, state) for state in held},
    }


def fold_words() -> dict[str, str]:
    """What the page says where it does not hold a picture."""
    return {"none": say("page_no_picture"), "others": say("page_others_closed")}


def state_key(state: Open) -> str:
    """The groups that are open, as the page looks them up."""
    return ",".join(map(str, sorted(state)))


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


def _group(outline: Outline, identity: int) -> dict[str, Any]:
    group = outline.groups[identity]
    shown = result(group)
    return {
        "alone": sorted(_alone(outline, identity)),
        "run": group.kind == "run",
        "step": None if shown is None else shown.id,
    }
