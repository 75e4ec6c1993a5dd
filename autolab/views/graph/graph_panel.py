"""The graphs: what they show, their outlines and source, the positions of everything, their numbers, and how much
flows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from ...recording.model import Recording
from ...recording.orders import MAX_ORDER
from ...recording.outline import Item, Outline
from ..draw import clean, say
from ..draw.names import label
from ..live.protocol import not_understood
from .flow import MEASURES, flow
from .health import nan_path, sentences
from .labels import results, search_words
from .layout.boxes import DIRECTIONS, Direction
from .listing import listing, proof, remarks, stretches
from .questions import Reader, answers
from .readings import SIGNS, readings, signs_at
from .scene import scene
from .sizes import Bars

MOST_BOXES = 1000
"""A picture with more boxes is not drawn: it would be slow, and nobody could find their way in it."""

_NEVER = dict.fromkeys(("known", "first", "last", "sends"))

Open = frozenset[int]


@answers("scene", "page", order=int, open=(list, type(None)), way=str)
def picture(reader: Reader, order: int, open: list[int] | None, way: Direction) -> Any:
    """The picture of a graph with the given groups open."""
    graph = reader.graph(order)
    if way not in DIRECTIONS:
        raise not_understood(["scene", order, open, way])
    if graph is None:
        return None
    opened = _opened(graph.outline, open)
    count = graph.outline.size(opened)
    if count > MOST_BOXES:
        return {"refused": say("too_many_boxes", count=count, most=MOST_BOXES)}
    return scene(graph, opened, direction=way)


@answers("numbers", "numbers", order=int, open=(list, type(None)), own=bool)
def numbers(reader: Reader, order: int, open: list[int] | None, own: bool) -> Any:
    """The values and gradients in a picture, when each becomes known in the walk, and what is wrong."""
    graph = reader.graph(order)
    if graph is None or graph.outline.size(opened := _opened(graph.outline, open)) > MOST_BOXES:
        return None
    bars = reader.once(f"bars {order}", lambda: Bars.of(graph)) if graph.outline.is_plan else None
    found = readings(graph, opened, scales=reader.scales, own=own, bars=bars)
    nodes, legend = found["nodes"], {"scale": found["scale"], "bars": found["bars"]}
    if order:
        return {"nodes": nodes, **legend}
    told = [[SIGNS[sign], sentence] for sign, sentence in sentences(graph, reader.findings)]
    times = _times(reader, opened)
    return {
        "nodes": {box: {**node, **times.get(box, _NEVER)} for box, node in nodes.items()},
        "signs": _signs(reader, opened),
        **legend,
        "walks": True,
        "count": len(reader.walk),
        "start": reader.walk.start,
        "moving": reader.walk.moved.legend if reader.walk.moved else "",
        "told": told,
        "nan": any(finding.sign == "nan" for finding in reader.findings),
        "proofs": [
            {"text": clean(proof(graph, opening), limit=1000), "agrees": opening.agrees} for opening in graph.openings
        ],
    }


def _signs(reader: Reader, opened: Open) -> Mapping[str, list[str]]:
    return signs_at(reader.findings, reader.recording.outline.holders(opened)) if reader.findings else {}


def _times(reader: Reader, opened: Open) -> dict[str, dict[str, int | None]]:
    outline = reader.recording.outline
    return reader.walk.times(outline.holders(opened), results(reader.recording, opened))


@answers("flow", "numbers", measure=str, open=(list, type(None)))
def colours(reader: Reader, measure: str, open: list[int] | None) -> Any:
    """How much flows through each box and line."""
    if measure not in MEASURES:
        raise not_understood(["flow", measure])
    opened = _opened(reader.recording.outline, open)
    return None if reader.recording.outline.size(opened) > MOST_BOXES else flow(reader.recording, measure, opened)


@answers("path", "numbers")
def path(reader: Reader) -> dict[str, Any] | None:
    """The path of the first NaN."""
    return nan_path(reader.recording)


def _opened(outline: Outline, open: Sequence[int] | None) -> Open:
    return outline.at_first() if open is None else frozenset(outline.groups.keys() & set(open))


_WORDS = (
    *("not_yet", "absent", "follow", "walk_rest", "walk_rest_forward", "walk_rest_moving", "walk_rule"),
    *("page_others_closed", "what_if", "what_if_each", "what_if_undo", "orders_point", "orders_rest"),
)


def _cell(slot: str) -> str:
    """The words for a cell that the pointer is at, which the page fills in."""
    return say(f"cell_{slot}", cell="{cell}", number="{number}")


@answers("program", "page")
def program(reader: Reader) -> dict[str, Any]:
    """What the graphs show, their outlines, what can be chosen, and the source."""
    recording = reader.recording
    inputs = [step for step in recording.steps if step.kind == "input" and step.status != "integer"]
    return {
        "graphs": [{**_head(graph), **_outline(graph)} for graph in reader.graphs],
        "inputs": [{"name": step.name, "label": label(step)} for step in inputs if step.name is not None],
        "most": MAX_ORDER,
        "order": len(recording.higher),
        "wrt": recording.wrt,
        "note": clean(remarks(recording)[-1]) if "orders_end" in recording.notes else "",
        "listing": listing(recording, reader.alone),
        "fused": _fused(recording),
        "measures": [[by, say(f"flow_{by}")] for by in MEASURES],
        "words": {key: say(key) for key in _WORDS} | {f"cell_{slot}": _cell(slot) for slot in ("value", "gradient")},
        "ways": {"": say("take"), **{suffix: say(f"take_{suffix}") for suffix in ("png", "svg", "pdf", "html")}},
    }


@answers("search", "page")
def search(reader: Reader) -> dict[int, list[Any]]:
    """The words by which steps are found."""
    return search_words(reader.recording)


def _head(graph: Recording) -> dict[str, Any]:
    """The heading of a graph: the name of its result, and the number of steps of its own order."""
    names = [label(step) for step in graph.steps if step.id in graph.outputs]
    own = [step for step in graph.steps if step.order == graph.order and step.kind == "call"]
    return {"name": ", ".join(names), "count": len(own)}


def _outline(graph: Recording) -> dict[str, Any]:
    """The tree of a graph, in which a page finds the box of a step.

    ``first`` are the groups that are open initially. A group is ``[id, the group around it, whether it is a run, the
    step that its box shows, its only group if it contains nothing else]``. ``steps`` are ranges of steps in the same
    group, ``[first, last, group]``; for the graph of a derivative, ``own`` are the ranges of its own steps.
    """
    outline = graph.outline
    groups = [
        [group.id, outline.parents.get(group.id), group.kind == "run", _id(group.result), _id(group.only)]
        for group in outline.groups.values()
    ]
    inside = [(step.id, outline.parents.get(step.id)) for step in graph.steps]
    own = [(step.id, None) for step in graph.steps if step.order == graph.order]
    found = {"first": sorted(outline.at_first()), "groups": groups, "steps": stretches(inside)}
    return {**found, "own": stretches(own)} if graph.order else found


def _id(item: Item | None) -> int | None:
    return None if item is None else item.id


def _fused(recording: Recording) -> list[dict[str, Any]]:
    """The functions of the run that can be shown as separate steps, and which of them are."""
    opened: Set[str] = {opening.function for opening in recording.openings}
    return [
        {"name": name, "open": name in opened, "text": say(_turn(name in opened), function=clean(name, 40))}
        for name in recording.openable
    ]


def _turn(is_open: bool) -> str:
    return "close_fused" if is_open else "open_fused"
