"""What a saved page of a recording holds, so that it steps, folds and searches without a kernel.

The pictures are those of some states of its groups (folds.py). All else that a page shows depends on one step or one
box, and is held once; static/book.js puts it together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..display.flow import MEASURES, flow
from ..display.frames import frame
from ..display.groups import results
from ..display.health import findings, signs_at
from ..display.listing import listing
from ..display.nan_path import nan_path, path_in_boxes
from ..display.search import search_words
from ..display.sheet import MAX_CELLS
from ..display.walk import Walk
from ..recording.model import Recording
from .folds import Open, fold_words, folds, state_key, states
from .picture import answered


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
        "words": fold_words(),
        **_walk(recording, min(amount.cells, MAX_CELLS), view.plan["saved"]),
    }


# ---------------------------------------------------------------------------------------------------- groups
def _graph(view: Any, graph: Recording, most: int) -> dict[str, Any]:
    now = view._open_groups(graph)
    held = states(graph.outline, now, most)
    own = [step.id for step in graph.steps if step.order == graph.order]
    found = {**folds(graph, now, held), "own": own}
    return found if graph.order else found | _of_function(graph, held)


def _of_function(graph: Recording, held: list[Open]) -> dict[str, Any]:
    """What only the graph of the function itself has: signs, the walk's times, colours, the path of the first NaN."""
    outline, walk, wrong, path = graph.outline, Walk(graph), findings(graph), nan_path(graph)
    signs: dict[str, list[str]] = {}
    plan: dict[str, Any] = {}
    flows, paths = {}, {}
    for state in held:
        key = state_key(state)
        boxes = outline.holders(state)
        paths[key] = {} if path is None else path_in_boxes(path, boxes)
        signs |= signs_at(wrong, boxes)
        plan |= walk.plan(boxes, results(graph, state))["nodes"]
        flows[key] = {by: flow(graph, by, state) for by in MEASURES}
    return {"signs": signs, "plan": plan, "flows": flows, "paths": paths}


def _details(recording: Recording, graphs: list[dict[str, Any]], cells: int) -> dict[str, Any]:
    """All that is to be told about each box that one of the pictures shows; lines lead from step to step there."""
    found: dict[str, Any] = {}
    for graph, held in zip((recording, *recording.higher), graphs, strict=True):
        walk, alone = Walk(graph), {step.id: step.id for step in graph.steps}
        own = {str(i) for i in (*held["own"], *graph.outline.groups)}
        for box in held["readings"]:
            if box in own:
                facts, buffers = answered(graph, walk, int(box), alone, cells)
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
