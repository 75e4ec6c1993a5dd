"""The graphs: where everything stands, the numbers in them, and how much flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...recording.outline import Outline
from ..draw.escape import clean
from ..draw.messages import say
from ..live.protocol import not_understood
from .direction import DIRECTIONS, Direction
from .flow import MEASURES, flow
from .health import SIGNS, nan_path, sentences, signs_at
from .labels import results
from .questions import Reader, answers
from .readings import readings
from .remarks import proof
from .scene import scene

MOST_BOXES = 1000
"""A picture with more boxes is not drawn: it would be slow, and nobody could find anything in it."""

_NEVER = dict.fromkeys(("known", "first", "last", "sends"))

Open = frozenset[int]


@answers("scene", "page", int, (list, type(None)), str)
def picture(reader: Reader, order: int, open: list[int] | None, way: Direction) -> Any:
    """The picture of a graph in which some groups are open."""
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


@answers("numbers", "numbers", int, (list, type(None)), bool)
def numbers(reader: Reader, order: int, open: list[int] | None, own: bool) -> Any:
    """The values and gradients in a picture, when a walk knows them, and what is wrong."""
    graph = reader.graph(order)
    if graph is None or graph.outline.size(opened := _opened(graph.outline, open)) > MOST_BOXES:
        return None
    found = readings(graph, opened, scale=reader.scale, own=own)
    nodes, scale = found["nodes"], found["scale"]
    if order:
        return {"nodes": nodes, "scale": scale}
    told = [[SIGNS[sign], sentence] for sign, sentence in sentences(graph, reader.findings)]
    times = _times(reader, opened)
    return {
        "nodes": {box: {**node, **times.get(box, _NEVER)} for box, node in nodes.items()},
        "signs": _signs(reader, opened),
        "scale": scale,
        "walks": True,
        "count": len(reader.walk),
        "start": reader.walk.start,
        "told": told,
        "none": say("health_none"),
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


@answers("flow", "numbers", str, (list, type(None)))
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
