"""What depends on the program alone: what the graphs are of, their outlines, the source, the words of the view."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from ...recording.model import Recording
from ...recording.orders import MAX_ORDER
from ...recording.outline import Group
from ..draw.escape import clean
from ..draw.messages import say
from ..draw.names import label, order_head
from .flow import MEASURES
from .labels import result, search_words
from .listing import listing
from .questions import Reader, answers
from .remarks import remarks

_WORDS = (
    *("not_yet", "absent", "follow", "walk_rest", "walk_rest_forward", "walk_rule"),
    *("page_others_closed", "what_if", "what_if_each", "what_if_undo", "orders_point", "orders_rest"),
)


@answers("program", "page")
def program(reader: Reader) -> dict[str, Any]:
    """What the graphs are of, their outlines, what can be chosen, and the source."""
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
        "words": {key: say(key) for key in _WORDS},
        "ways": {"": say("take"), **{suffix: say(f"take_{suffix}") for suffix in ("png", "svg", "pdf", "html")}},
    }


@answers("search", "page")
def search(reader: Reader) -> dict[int, list[Any]]:
    """The words in which the steps are found."""
    return search_words(reader.recording)


def _head(graph: Recording) -> dict[str, Any]:
    name, count = order_head(graph)
    return {"name": name, "count": count}


def _outline(graph: Recording) -> dict[str, Any]:
    """The tree of a graph, with which a page finds the box of a step.

    ``first`` are the groups that are open at first. A group is ``[id, the group around it, whether it is a run, the
    step that its box shows, its only group if it holds nothing else]``. ``steps`` are stretches of steps in the same
    group, ``[first, last, group]``; of the graph of a derivative, ``own`` are the stretches of its own steps.
    """
    outline = graph.outline
    groups = [
        [group.id, outline.parents.get(group.id), group.kind == "run", _result(group), _only(group)]
        for group in outline.groups.values()
    ]
    inside = [(step.id, outline.parents.get(step.id)) for step in graph.steps]
    own = [(step.id, None) for step in graph.steps if step.order == graph.order]
    found = {"first": sorted(outline.at_first()), "groups": groups, "steps": _stretches(inside)}
    return {**found, "own": _stretches(own)} if graph.order else found


def _result(group: Group) -> int | None:
    shown = result(group)
    return None if shown is None else shown.id


def _only(group: Group) -> int | None:
    """The group that is all that a group holds: opening it alone would show another closed box and nothing else."""
    return group.items[0].id if len(group.items) == 1 and isinstance(group.items[0], Group) else None


def _stretches(pairs: Sequence[tuple[int, int | None]]) -> list[list[int | None]]:
    """Numbers that follow each other and have the same partner, as their first and last.

    Examples
    --------
    >>> _stretches([(0, None), (1, None), (2, -1), (4, -1)])
    [[0, 1, None], [2, 2, -1], [4, 4, -1]]
    """
    found: list[list[Any]] = []
    for number, partner in pairs:
        if found and found[-1][1] == number - 1 and found[-1][2] == partner:
            found[-1][1] = number
        else:
            found.append([number, number, partner])
    return found


def _fused(recording: Recording) -> list[dict[str, Any]]:
    """The functions of the run that can be shown as their steps, and which of them are."""
    opened: Set[str] = {opening.function for opening in recording.openings}
    return [
        {"name": name, "open": name in opened, "text": say(_turn(name in opened), function=clean(name, 40))}
        for name in recording.openable
    ]


def _turn(is_open: bool) -> str:
    return "close_fused" if is_open else "open_fused"
