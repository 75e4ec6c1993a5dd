"""The picture of a recording as plain data: the position of everything. Both the static SVG and the live view draw
exactly this.

A box has a heading of `HEADER` pixels (name and expression, with the operation's sign on the right) and below it two
columns, the value on the left and the gradient on the right: a caption of `CAPTION` pixels that says which is which,
then the number or, for an array, a strip of coloured cells with a line of text below. A small array has its numbers in
the cells, a strip as large as they need, and its shape in the caption instead of the line below.

A closed group of steps is a box as well, with a line of `FOOTER` pixels for the number of its steps, unless it is a
line of code; an open one is a frame around its boxes with a label at the upper left.

In a plan, the boxes beside blocks are small: below the heading they have a line of words and two bars.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from math import ceil, inf
from operator import attrgetter
from typing import Any, Literal

from ...recording.model import LEAVES, Operand, Recording, Step
from ...recording.outline import Group, Outline
from ...recording.step_text import numbered_name
from ..draw import clean, plural, say
from ..draw.arrays import rows_of
from ..draw.names import columns, expression, label, shorten, shorten_call, symbol, title
from ..draw.numbers import short_count
from ..live.columns import FEWEST
from .compound import Arranged, OpenGroup, SceneEdge, arrange
from .labels import devices, group_count, group_heading, group_name, group_text, parameters_in, plan_name, transfers
from .layout.boxes import Direction, direction_of
from .listing import describe_program

CHARACTER = 9.7  # width of a character of a 16 px fixed-width font
PADDING = 12.0
HEADER = 32.0
CAPTION = 16.0
NUMBER = 30.0
BOTTOM = 8.0
STRIP_WIDTH, STRIP_HEIGHT = 96.0, 48.0
COLUMN_GAP = 16.0
NUMBER_WIDTH, NUMBER_GAP = 76.0, 8.0
_NUMBERED_SIDE, _NUMBERED_CELLS = 6, 30
"""An array with at most this many rows, columns and elements has numbers in its cells."""
_NUMBER_CELL = 38.0
_NUMBER_LINES = {1: 24.0, 2: 20.0}  # heights of few rows; of more, they are as high as the text needs
_NUMBER_LINE = 16.0
_SMALL = 700.0, 560.0  # width and height of a picture that fits beside the source on any laptop
_SCREEN = 998.0, 540.0  # what 1366 x 768 pixels leave for the picture
_ENOUGH = 1.15  # room for sentences below it, where something is wrong
_READABLE = 10 / 14, 10.05 / 12  # the smallest zoom without numbers in cells, and with them, as in zoom.js
_TALLEST = 600.0, 460.0  # heights from which it goes on in a further column
_MOST_AREA = 2e6  # a larger picture fits on no screen, however it is turned
_SIZES = ("w", "h", "numbered", "strip_width", "strip_height")
TOGGLE = 26.0  # the sign in front of a group's heading that opens or closes it
FOOTER = 20.0
PLANNED = 48.0  # height of a box in a plan
TAB_CHARACTER = 8.5  # width of a character of a frame's label, 14 px
TAB_PADDING = 8.0
FRAME_CORNER = 12.0
_SMALL_CHARACTER = 7.2  # width of a character, 14 px
_TEXT_LIMIT = 34
_TAB_LIMIT = 44
_SHORT = 20  # columns; in a plan, a longer expression is replaced by its name
_PLAN_WIDTH = 96.0
_NAME_LIMIT = 16

Way = Literal["down", "right"]


def scene(
    recording: Recording,
    expanded: Collection[int] | None = None,
    outline: Outline | None = None,
    direction: Direction = "auto",
) -> dict[str, Any]:
    """The laid-out picture. It depends only on the structure of the program, not on its numbers.

    Parameters
    ----------
    recording
        The recording to draw.
    expanded
        The ids of its open groups; by default, as many groups are open as still leave the picture easy to read.
    outline
        An outline to use instead of the recording's own.
    direction
        Whether the graph runs ``"down"`` or to the ``"right"``; ``"auto"`` decides by its shape, as `direction_of`
        says.

    Returns
    -------
    dict
        ``nodes`` are the boxes, ``frames`` the open groups, ``edges`` the lines, and ``direction`` where they run.
        ``better`` are the positions and sizes that a page takes where it has room for them, which here it cannot
        know, and ``instead`` those that it takes where it has not even room for the picture as it is. Two recordings
        have the same ``key`` if and only if their pictures differ at most in the numbers.

    Raises
    ------
    ValueError
        If there is no such direction.
    """
    way = direction_of(recording, direction)
    outline = recording.outline if outline is None else outline
    expanded = outline.at_first() if expanded is None else expanded
    items = outline.shown(expanded)
    outputs = set(recording.outputs) if recording.has_returned else set()
    places, crossing = devices(recording), transfers(recording, outline.holders(expanded))
    edges = [edge for edge, _ in lines(recording, outline, expanded)]

    def boxes(numbered: bool) -> list[dict[str, Any]]:
        """The boxes, with or without numbers in the cells of small arrays."""
        return [
            _group_node(i, outputs, outline, numbered)
            if isinstance(i, Group)
            else _step_node(i, outputs, outline, numbered)
            for i in items
        ]

    def arranged(nodes: list[dict[str, Any]], way: Way = way, tallest: float = inf) -> _Arrangement:
        sizes, right = {node["id"]: (node["w"], node["h"]) for node in nodes}, way == "right"
        placed = arrange(outline, expanded, sizes, edges, lambda g: _tab_width(g, outline), right, tallest)
        return _Arrangement(way, nodes, placed)

    plain = boxes(numbered=False)
    found = [usual := arranged(plain)]
    if len(usual.nodes) < FEWEST and any([node["cells"] for node in usual.nodes]):  # of more, the page has only shades
        with_numbers = boxes(numbered=True)
        if any([node["numbered"] for node in with_numbers]):
            found.insert(0, arranged(with_numbers))
            if _has_room(found[0].placed, usual.placed):
                usual = found[0]
                found = found if _may_be_cut_off(usual.placed) else [usual]
    is_free = direction == "auto" and way == "down" and not (outline.is_plan or recording.order)
    if is_free and _may_be_cut_off(found[-1].placed):
        found.append(arranged(found[-1].nodes, "right"))
    if direction == "auto" and way == "down" and not recording.order and max([one.room for one in found]) < _ENOUGH:
        kinds = [nodes for nodes in ([plain] if usual.nodes is plain else [usual.nodes, plain]) if _may_be_whole(nodes)]
        snakes = [arranged(nodes, tallest=tallest) for nodes in kinds for tallest in _TALLEST]
        best = max(snakes, key=attrgetter("room"), default=usual)
        found += [best] if best is not usual and best.room >= 1 else []
    _mark_orders(usual.nodes, recording, outline)
    is_long = len(usual.nodes) >= FEWEST  # then all have the same fields, so that they are sent as columns
    for node in usual.nodes:
        node["x"], node["y"] = usual.placed.corners[node["id"]]
        node["parent"] = outline.parents.get(node["id"])
        device = places.get(node["id"] if node["group"] is None else node["group"]["last"])
        for field, value in (("plate", _plate(node, recording)), ("device", device)):
            if value is not None or is_long:
                node[field] = value
    at = found.index(usual)
    picture = {
        "title": title(recording),
        "description": describe_program(recording) + ("" if recording.moved is None else f" {say('graph_moves')}"),
        "direction": way,
        "width": usual.placed.width,
        "height": usual.placed.height,
        "nodes": usual.nodes,
        "frames": [_frame(frame, outline) for frame in usual.placed.frames],
        "edges": [
            {"from": edge.source, "to": edge.target, "path": path, "transfer": crossing.get((edge.source, edge.target))}
            for edge, path in zip(edges, usual.placed.paths, strict=True)
        ],
        "better": [one.instead_of(usual) for one in found[:at]],
        "instead": [one.instead_of(usual) for one in found[at + 1 :]],
    }
    return {"key": _key(picture), **picture}


def _may_be_whole(nodes: list[dict[str, Any]]) -> bool:
    """Whether the boxes alone leave room on a laptop's screen, while they can be read; otherwise no layout helps."""
    least = _READABLE[any([node["numbered"] for node in nodes])]
    return sum([node["w"] * node["h"] for node in nodes]) * least**2 <= _SCREEN[0] * _SCREEN[1]


@dataclass(frozen=True)
class _Arrangement:
    """One of the ways to draw the same boxes: they, and the positions of everything."""

    way: Way
    nodes: list[dict[str, Any]]
    placed: Arranged

    @property
    def room(self) -> float:
        """How much larger than barely readable it is on a laptop's screen, beside the source, when it is whole."""
        least = _READABLE[any([node["numbered"] for node in self.nodes])]
        return min(_SCREEN[0] / self.placed.width, _SCREEN[1] / self.placed.height) / least

    def instead_of(self, usual: _Arrangement) -> dict[str, Any]:
        """What is different in a scene that is drawn this way: for each box and frame, by field."""
        corners = [self.placed.corners[node["id"]] for node in self.nodes]
        fields = {name: [node[name] for node in self.nodes] for name in _SIZES}
        before = {name: [node[name] for node in usual.nodes] for name in _SIZES}
        return {
            "direction": self.way,
            "width": self.placed.width,
            "height": self.placed.height,
            "nodes": {
                "x": [x for x, _ in corners],
                "y": [y for _, y in corners],
                **{name: values for name, values in fields.items() if values != before[name]},
            },
            "frames": {name: [getattr(frame, name) for frame in self.placed.frames] for name in "xywh"},
            "edges": {"path": self.placed.paths},
        }


def structure(recording: Recording) -> tuple[Any, ...]:
    """Everything about a recording except its numbers: if two are equal, so are their scenes."""
    steps = [
        (
            (step.id, step.kind, step.function, step.name, step.source, step.statement, step.attributes),
            (step.order, step.of, step.scope, None if step.value is None else step.value.shape, step.replaced),
            [(operand.parameter, operand.step, operand.constant) for operand in step.operands],
        )
        for step in recording.steps
    ]
    ends = recording.function, recording.inputs, recording.outputs, recording.order, len(recording.higher)
    raised = None if recording.raised is None else (recording.raised.type, recording.raised.phase)
    others = recording.scopes, recording.openings, recording.moved is None
    return ends, raised, steps, devices(recording), *others


def _plate(node: dict[str, Any], recording: Recording) -> str | None:
    """The word at the upper edge of a box whose value was not computed."""
    if node["kind"] not in LEAVES or node["plan"] is not None:
        return None
    return say(f"plate_{'input' if node['id'] in recording.inputs else node['kind']}")


def _mark_orders(nodes: list[dict[str, Any]], recording: Recording, outline: Outline) -> None:
    """If there are graphs of several orders, note the order of each step or group, and the step whose rule made it."""
    if not (recording.order or recording.higher):
        return
    by_id = recording.by_id
    for node in nodes:
        step = by_id.get(node["id"])
        node["order"], node["of"] = (None, None) if step is None else (step.order, step.of)
        if node["group"]:
            node["order"] = max([step.order for step in outline.groups[node["id"]].steps])


def _key(picture: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(picture).encode(), digest_size=12).hexdigest()


def lines(recording: Recording, outline: Outline, expanded: Collection[int]) -> list[tuple[SceneEdge, list[Operand]]]:
    """A line per operand, with that operand; between a closed group and another box, one line for all of them."""
    found: list[tuple[SceneEdge, list[Operand]]] = []
    shared: dict[SceneEdge, list[Operand]] = {}
    holders = outline.holders(expanded)
    for step in recording.steps:
        target = holders[step.id]
        for operand in step.operands:
            if operand.step is None or holders[operand.step] == target:
                continue
            edge = SceneEdge(holders[operand.step], target)
            if edge in shared:
                shared[edge].append(operand)
                continue
            found.append((edge, [operand]))
            if edge.source < 0 or edge.target < 0:
                shared[edge] = found[-1][1]
    return found


def _step_node(step: Step, outputs: Collection[int], outline: Outline, numbered: bool) -> dict[str, Any]:
    name = None if step.name is None else shorten(label(step), _NAME_LIMIT)
    text = label(step) if step.kind in LEAVES and name else expression(step)
    sign = "" if f"{step.function}(" in text else symbol(step)  # the call shows it
    node = _node(step.id, step.kind, name, text, sign, step, numbered)
    found = {**node, "output": step.id in outputs, "group": None}
    return _planned(found, *_short_heading(step), words="", shown=step) if outline.is_planned(step) else found


def _group_node(group: Group, outputs: Collection[int], outline: Outline, numbered: bool) -> dict[str, Any]:
    name = group_name(group)
    kind = "run" if group.kind == "run" else "scope"
    node = _node(group.id, kind, name and shorten(name, _NAME_LIMIT), group_text(group), "", group.result, numbered)
    calls = [step.id for step in group.steps if step.kind not in LEAVES]
    count = "" if group.kind == "statement" else group_count(group)  # the text shows its content
    result = None if group.result is None else group.result.id
    facts = {"kind": group.kind, "count": count, "first": calls[0], "last": calls[-1], "result": result}
    node["h"] += FOOTER if count else 0.0
    found = {**node, "output": any(i in outputs for i in group.results), "group": facts}
    if not outline.is_planned(group):
        return found
    name, words = plan_name(group, outline)
    learned = parameters_in(group.steps)
    inside = f"{short_count(learned)} parameters" if learned else "" if words else plural(len(group.steps), "step")
    words = ", ".join([word for word in (words, inside) if word])
    times = f"× {len(group.items)}" if group.kind == "stack" else f"× {group_count(group).split(' ')[0]}"
    if group.kind == "statement":
        return _planned(found, *_short_heading(group.steps[-1]), words="", shown=group.result)
    return _planned(found, name, name, times if group.is_repeated else "", words, group.result)


def _short_heading(step: Step) -> tuple[str | None, str, str]:
    """The name, text and sign of a step in a plan: a long expression is replaced by its name, or by its function."""
    if step.name not in (None, numbered_name(step)):
        return label(step), label(step), "" if step.kind in LEAVES else symbol(step)
    text = expression(step)
    if columns(text) <= _SHORT or step.function is None:
        return None, text, "" if symbol(step) in text else symbol(step)
    return None, f"{clean(step.function)}(…)", ""


def _planned(
    node: dict[str, Any], name: str | None, text: str, sign: str, words: str, shown: Step | None
) -> dict[str, Any]:
    """A box of a plan, with these words after the kind of its value."""
    text = shorten(text, _TEXT_LIMIT)
    told = ("" if shown is None or shown.value is None else str(shown.value.shape)) + (f" · {words}" if words else "")
    heading = CHARACTER * (columns(text) + (columns(sign) + 2 if sign else 0)) + (TOGGLE if node["group"] else 0.0)
    width = 2.0 * ceil(PADDING + max(heading, _SMALL_CHARACTER * columns(told), _PLAN_WIDTH) / 2)
    head = {"name": None if name is None else text, "text": text, "symbol": sign}
    return {**node, **head, "cells": False, "numbered": False, "plan": words, "w": width, "h": PLANNED}


def _node(
    identity: int, kind: str, name: str | None, text: str, sign: str, shown: Step | None, numbered: bool
) -> dict[str, Any]:
    """A box whose two columns show a step; if ``numbered``, with the numbers of a small array in its cells."""
    is_group = identity < 0
    used = columns(name) + 3 if name else 0
    text = name if name and name == shorten(text, _NAME_LIMIT) else shorten_call(text, max(8, _TEXT_LIMIT - used))
    value = None if shown is None else shown.grad if shown.value is None else shown.value  # whichever is known
    cells = value is not None and value.size != 1
    numbered = numbered and value is not None and cells and _is_numbered(value.shape)
    strip = _numbered_size(value.shape) if value is not None and numbered else (STRIP_WIDTH, STRIP_HEIGHT)
    column, gap = (strip[0], COLUMN_GAP) if cells else (NUMBER_WIDTH, NUMBER_GAP)
    body = 2 * column + gap if value is not None else 0.0
    heading_width = CHARACTER * (columns(text) + (used if text != name else 0) + (columns(sign) + 2 if sign else 0))
    number = strip[1] + (0.0 if numbered else CAPTION) if cells else NUMBER
    height = HEADER if value is None else HEADER + CAPTION + number + BOTTOM
    return {
        "id": identity,
        "kind": kind,
        "x": 0.0,
        "y": 0.0,
        "w": 2.0 * ceil(PADDING + max(heading_width + (TOGGLE if is_group else 0.0), body) / 2),
        "h": height,
        "name": name,
        "text": text,
        "symbol": sign,
        "cells": cells,
        "shape": None if value is None else [*value.shape],
        "numbered": numbered,
        "strip_width": strip[0],
        "strip_height": strip[1],
        "plan": None,
    }


def _has_room(numbered: Arranged, plain: Arranged) -> bool:
    """Whether numbers in cells leave a picture about as large as it is without them, or small."""
    pairs = (numbered.width, plain.width, _SMALL[0]), (numbered.height, plain.height, _SMALL[1])
    return all([with_numbers <= max(1.1 * without, small) for with_numbers, without, small in pairs])


def _may_be_cut_off(placed: Arranged) -> bool:
    """Whether a page may need another picture: this one is not small, and not so large that no other can help."""
    return (placed.width > _SMALL[0] or placed.height > _SMALL[1]) and placed.width * placed.height < _MOST_AREA


def _is_numbered(shape: tuple[int, ...]) -> bool:
    """Whether the numbers of an array are written in its cells."""
    rows, across = rows_of(shape)
    return max(rows, across) <= _NUMBERED_SIDE and 0 < rows * across <= _NUMBERED_CELLS


def _numbered_size(shape: tuple[int, ...]) -> tuple[float, float]:
    """Width and height of cells with numbers, in pixels; no narrower than other strips, so that captions fit."""
    rows, across = rows_of(shape)
    return max(STRIP_WIDTH, across * _NUMBER_CELL), rows * _NUMBER_LINES.get(rows, _NUMBER_LINE)


def second_column(node: dict[str, Any]) -> float:
    """The horizontal offset of the gradient in a box."""
    column, gap = (node["strip_width"], COLUMN_GAP) if node["cells"] else (NUMBER_WIDTH, NUMBER_GAP)
    return float(max(PADDING + column + gap, (node["w"] + gap) / 2))


def _tab(group: Group, outline: Outline) -> str:
    if not outline.is_planned(group):
        return shorten(group_heading(group), _TAB_LIMIT)
    return shorten(": ".join(dict.fromkeys([word for word in plan_name(group, outline) if word])), _TAB_LIMIT)


def _tab_width(group: Group, outline: Outline) -> float:
    """The minimum width of a frame: that of its label."""
    return 2.0 * ceil((TAB_CHARACTER * columns(_tab(group, outline)) + TOGGLE + 2 * TAB_PADDING + 2 * FRAME_CORNER) / 2)


def _frame(frame: OpenGroup, outline: Outline) -> dict[str, Any]:
    group = frame.group
    return {
        "id": group.id,
        "parent": outline.parents.get(group.id),
        "kind": group.kind,
        "text": _tab(group, outline),
        "name": plan_name(group, outline)[0] if outline.is_plan else "",
        "count": group_count(group),
        "depth": frame.depth,
        "x": frame.x,
        "y": frame.y,
        "w": frame.w,
        "h": frame.h,
    }
