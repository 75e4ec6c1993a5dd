"""The picture of a recording as plain data: what stands where. Both the static SVG and the live view draw exactly
this.

A box has a heading line of `HEADER` pixels (name and expression, the operation's sign on the right) and below it two
columns, the value on the left and the gradient on the right: a line of `CAPTION` pixels that says which is which,
then the number, or for an array a strip of coloured cells with a line of text below.
"""

from __future__ import annotations

import hashlib
import json
from math import ceil
from typing import Any

from ..recording.model import LEAVES, Recording, Step
from .detail import detail
from .layout import layout
from .readings import readings
from .steps import MAX_DRAWN, Run, columns, drawn, expression, label, shorten, symbol, title
from .text import describe_program

__all__ = ["detail", "readings", "scene"]

CHARACTER = 9.7  # width of one character of a 16 px fixed-width font
PADDING = 12.0
HEADER = 36.0
CAPTION = 16.0
NUMBER = 26.0
STRIP_WIDTH, STRIP_HEIGHT = 96.0, 48.0
COLUMN_GAP = 16.0
MARGIN = 16.0
_TEXT_LIMIT = 34
_NAME_LIMIT = 16


def scene(recording: Recording, most: int = MAX_DRAWN) -> dict[str, Any]:
    """The laid-out picture; it depends only on the program's structure, not on its numbers.

    With more than ``most`` steps only both ends are drawn, and boxes that stand for the steps between them.
    Two recordings have the same ``key`` if and only if their pictures differ at most in the numbers.
    """
    items = drawn(recording, most)
    nodes = [_run_node(item) if isinstance(item, Run) else _step_node(item, recording) for item in items]
    edges = _edges(items)
    placed = layout(tuple((node["w"], node["h"]) for node in nodes), tuple(edges), margin=MARGIN)
    for node, (x, y) in zip(nodes, placed.corners, strict=True):
        node["x"], node["y"] = x, y
    picture = {
        "title": title(recording),
        "description": describe_program(recording),
        "width": placed.width,
        "height": placed.height,
        "nodes": nodes,
        "edges": [
            {"from": items[a].id, "to": items[b].id, "path": path}
            for (a, b), path in zip(edges, placed.paths, strict=True)
        ],
    }
    return {"key": _key(picture), **picture}


def _key(picture: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(picture).encode(), digest_size=12).hexdigest()


def _edges(items: list[Step | Run]) -> list[tuple[int, int]]:
    """Pairs of positions in ``items``; into and out of a run, one edge per pair."""
    place = {step.id: i for i, item in enumerate(items) for step in (item.steps if isinstance(item, Run) else (item,))}
    edges: list[tuple[int, int]] = []
    for target, item in enumerate(items):
        steps = item.steps if isinstance(item, Run) else (item,)
        sources = [place[o.step] for step in steps for o in step.operands if o.step is not None]
        if isinstance(item, Run) or any(isinstance(items[source], Run) for source in sources):
            sources = [source for source in dict.fromkeys(sources) if source != target]
        edges += [(source, target) for source in sources]
    return edges


def _step_node(step: Step, recording: Recording) -> dict[str, Any]:
    name = None if step.name is None else shorten(label(step), _NAME_LIMIT)
    used = columns(name) + 3 if name else 0
    text = name if step.kind in LEAVES and name else shorten(expression(step), max(8, _TEXT_LIMIT - used))
    sign = symbol(step)
    cells = step.value is not None and step.value.size > 1
    body = 2 * STRIP_WIDTH + COLUMN_GAP if step.value is not None else 0.0
    heading_width = CHARACTER * (columns(text) + (used if text != name else 0) + (columns(sign) + 2 if sign else 0))
    number = STRIP_HEIGHT + CAPTION if cells else NUMBER
    height = HEADER if step.value is None else HEADER + CAPTION + number + PADDING
    return {
        "id": step.id,
        "kind": step.kind,
        "output": step.id in recording.outputs,
        "x": 0.0,
        "y": 0.0,
        "w": 2.0 * ceil(PADDING + max(heading_width, body) / 2),
        "h": height,
        "name": name,
        "text": text,
        "function": step.function,
        "symbol": sign,
        "cells": cells,
    }


def _run_node(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "kind": "run",
        "output": False,
        "x": 0.0,
        "y": 0.0,
        "w": 2.0 * ceil(PADDING + CHARACTER * columns(run.text) / 2),
        "h": HEADER + 4,
        "name": None,
        "text": run.text,
        "function": None,
        "symbol": "",
        "cells": False,
    }
