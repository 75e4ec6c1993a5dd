"""What a saved page of a recording holds, so that it steps, folds and searches without a kernel.

Layouts are made here, in Python, and nowhere else. So a page holds the pictures of those states of its groups that are
reached first, and for every group at least the one in which it alone is open beside what is around it. All else that a
page shows depends on one step or one box, and is held once; static/book.js puts it together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..display.detail import detail
from ..display.flow import MEASURES, flow
from ..display.frames import frame
from ..display.groups import result, results
from ..display.health import findings, signs_at
from ..display.listing import listing
from ..display.messages import say
from ..display.nan_path import nan_path, path_in_boxes
from ..display.readings import readings
from ..display.scene import scene
from ..display.search import search_words
from ..display.sheet import MAX_CELLS
from ..display.walk import Walk
from ..recording.model import Recording
from ..recording.outline import Outline
from .folding import only_children

MOST_BOXES_HELD = 1000
"""So many boxes the pictures of one graph have together, at most."""

MOST_BOXES_IN_ONE = 300
"""A picture with more is held only if it is what the view shows."""

Open = frozenset[int]


@dataclass(frozen=True)
class Amount:
    """How much a page holds: ``cells`` rows and columns of an array, ``pictures`` of each graph."""

    cells: int
    pictures: int


AMOUNTS = [Amount(256, 32), Amount(64, 32), Amount(32, 12), Amount(16, 3)]
"""Ever smaller, so that one of them fits."""


def book(view: Any, recording: Recording, amount: Amount) -> dict[str, Any]:
    """Everything that a page needs to answer its messages, as plain data; ``view`` has the parts of the live view."""
    graphs = [_graph(view, graph, amount.pictures) for graph in (recording, *recording.higher)]
    path = nan_path(recording)
    return {
        "graphs": graphs,
        "details": _details(recording, graphs, amount.cells),
        "born": None if path is None else path["born"],
        "outputs": list(recording.outputs),
        "lines": listing(recording, {step.id: step.id for step in recording.steps}).get("at", {}),
        "search": search_words(recording),
        "words": {"none": say("page_no_picture"), "others": say("page_others_closed")},
        **_walk(recording, min(amount.cells, MAX_CELLS), view.plan["saved"]),
    }


# ---------------------------------------------------------------------------------------------------- groups
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
    yield from (_alone(outline, group) for group in outline.groups)
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


def _graph(view: Any, graph: Recording, most: int) -> dict[str, Any]:
    outline = graph.outline
    now = view._open_groups(graph)
    held = states(outline, now, most)
    shown = [(",".join(map(str, sorted(state))), state) for state in held]
    numbers: dict[str, Any] = {}
    for state in held:
        numbers |= readings(graph, state)["nodes"]
    found: dict[str, Any] = {
        "now": sorted(now),
        "parents": {str(child): parent for child, parent in outline.parents.items()},
        "groups": {str(group): _group(outline, group) for group in outline.groups},
        "own": [step.id for step in graph.steps if step.order == graph.order],
        "readings": numbers,
        "pictures": {key: scene(graph, state) for key, state in shown},
    }
    if graph.order:
        return found
    return found | _of_function(graph, shown)


def _of_function(graph: Recording, shown: list[tuple[str, Open]]) -> dict[str, Any]:
    """What only the graph of the function itself has: signs, the walk's times, colours, the path of the first NaN."""
    outline, walk, wrong, path = graph.outline, Walk(graph), findings(graph), nan_path(graph)
    signs: dict[str, list[str]] = {}
    plan: dict[str, Any] = {}
    flows, paths = {}, {}
    for key, state in shown:
        boxes = outline.holders(state)
        paths[key] = {} if path is None else path_in_boxes(path, boxes)
        signs |= signs_at(wrong, boxes)
        plan |= walk.plan(boxes, results(graph, state))["nodes"]
        flows[key] = {by: flow(graph, by, state) for by in MEASURES}
    return {"signs": signs, "plan": plan, "flows": flows, "paths": paths}


def _group(outline: Outline, identity: int) -> dict[str, Any]:
    group = outline.groups[identity]
    shown = result(group)
    return {
        "alone": sorted(_alone(outline, identity)),
        "run": group.kind == "run",
        "step": None if shown is None else shown.id,
    }


def _details(recording: Recording, graphs: list[dict[str, Any]], cells: int) -> dict[str, Any]:
    """All that is to be told about each box that one of the pictures shows."""
    found: dict[str, Any] = {}
    for graph, held in zip((recording, *recording.higher), graphs, strict=True):
        own = {str(i) for i in (*held["own"], *graph.outline.groups)}
        for box in held["readings"]:
            if box in own:
                facts, buffers = detail(graph, int(box), cells)
                found[box] = {"detail": facts, "detail_buffers": buffers}
    return found


# ---------------------------------------------------------------------------------------------------- the walk
def _walk(recording: Recording, cells: int, is_held: bool) -> dict[str, Any]:
    """Every moment with each step as a box of its own, and the two moments that are about each step."""
    if not is_held:
        return {"frames": [], "moments": {}}
    walk = Walk(recording)
    alone = {step.id: step.id for step in recording.steps}
    told = [frame(walk, k, alone, None, cells) for k in range(len(walk))]
    moments = {str(step): [walk.find(step, 0), walk.find(step, walk.start)] for step in alone}
    return {"frames": [{"frame": data, "frame_buffers": buffers} for data, buffers in told], "moments": moments}
