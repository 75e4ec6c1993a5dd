"""Where the boxes and lines of a graph of terms stand: factors in columns, everything else in the middle of its row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..analysis.expressions import Expression
from .typeset import Tree

HEIGHT, GAP, DROP = 58.0, 10.0, 40.0
_PADDING, _CHARACTER, _LEAST = 22.0, 9.2, 78.0  # the least width has room for a number of eight characters
_WIDEST = 1200.0
_MOST_COLUMNS = 7  # of more factors, those that a graph does not use leave no gap


@dataclass
class Box:
    key: str
    tree: Tree
    shows: Expression
    sources: list[str]
    row: int
    factor: bool = False
    term: bool = False
    x: float = 0.0
    y: float = 0.0
    said: str = ""
    of: list[str] = field(default_factory=list)

    @property
    def width(self) -> float:
        """Of its formula; the number below it may change without moving anything."""
        return max(_LEAST, width_of(self.tree) + _PADDING)


def width_of(tree: Tree) -> float:
    """About how many pixels a formula takes."""
    kind, *parts = tree
    match kind:
        case "row":
            return sum([width_of(part) for part in parts])
        case "frac":
            return max(width_of(part) for part in parts) + 4.0
        case "power" | "sub":
            return width_of(parts[0]) + 0.72 * width_of(parts[1]) + 1.0
        case "root":
            return width_of(parts[0]) + 14.0
        case "mark":
            return width_of(parts[1])
        case "space":
            return 3.0
        case "op":
            return 6.0 if parts[0] in "()|" else 17.0 if parts[0] in "=+−·/" else 3.0
    return _CHARACTER * len(parts[0])


def place(boxes: dict[str, Box], columns: list[str]) -> tuple[float, float]:
    """Put every box in its place; width and height of the whole."""
    in_columns = [key for key in columns if key in boxes or len(columns) <= _MOST_COLUMNS]
    left = 0.0
    for key in in_columns:
        if key in boxes:
            boxes[key].x = left
        left += (boxes[key].width if key in boxes else _LEAST) + GAP
    rows: dict[int, list[Box]] = {}
    for box in boxes.values():
        rows.setdefault(box.row, []).append(box)
    for box in boxes.values():
        if box.factor and box.sources and box.key not in in_columns:
            box.x, left = left, left + box.width + GAP
    taken = [box for box in boxes.values() if box.factor and box.sources]
    low = min([box.x for box in taken], default=0.0)
    high = max([box.x + box.width for box in taken], default=0.0)
    free = [[box for box in level if box not in taken] for level in rows.values()]
    spans = [sum([box.width + GAP for box in level]) - GAP for level in free if level]
    middle = max((low + high) / 2, max(spans, default=0.0) / 2)
    for level in free:
        level.sort(key=lambda box: _barycenter(box, boxes))
        x = middle - (sum([box.width + GAP for box in level]) - GAP) / 2
        for box in level:
            box.x, x = x, x + box.width + GAP
    for box in boxes.values():
        box.y = box.row * (HEIGHT + DROP)
    last = max(boxes.values(), key=lambda box: box.y)
    width = max(box.x + box.width for box in boxes.values())
    return (width, last.y + HEIGHT) if width <= _WIDEST else _stack(boxes)


def _stack(boxes: dict[str, Box]) -> tuple[float, float]:
    """Of a graph that is too wide only the inputs, the terms in rows below each other, and the result."""
    for key in [key for key, box in boxes.items() if box.factor and box.sources]:
        del boxes[key]
    x, level = 0.0, 0
    for box in [box for box in boxes.values() if box.term]:
        if x and x + box.width > _WIDEST:
            x, level = 0.0, level + 1
        box.x, box.y = x, (HEIGHT + DROP) + level * (HEIGHT + GAP)
        x += box.width + GAP
    width = max([box.x + box.width for box in boxes.values() if box.term])
    given = [box for box in boxes.values() if not box.term and box.key != "y"]
    for k, box in enumerate(given):
        box.x, box.y = k * (box.width + GAP) + (width - len(given) * (box.width + GAP) + GAP) / 2, 0.0
    last = (HEIGHT + DROP) * 2 + level * (HEIGHT + GAP)
    if "y" in boxes:
        boxes["y"].x, boxes["y"].y = (width - boxes["y"].width) / 2, last
    for box in boxes.values():
        box.sources = []  # lines would cross the boxes
    return width, max([box.y for box in boxes.values()]) + HEIGHT


def _barycenter(box: Box, boxes: dict[str, Box]) -> float:
    places = [boxes[key].x + boxes[key].width / 2 for key in box.sources]
    return sum(places) / len(places) if places else 0.0


def edges(boxes: dict[str, Box]) -> Iterator[dict[str, Any]]:
    """Lines from the lower edge of a box to the upper edge of the one that uses it, side by side at both."""
    users: dict[str, list[Box]] = {}
    for box in sorted(boxes.values(), key=lambda box: box.x):
        for source in box.sources:
            users.setdefault(source, []).append(box)
    for box in boxes.values():
        sources = sorted(box.sources, key=lambda key: boxes[key].x)
        for k, key in enumerate(sources):
            above, others = boxes[key], users[key]
            spread = min(14.0, above.width / (len(others) + 1))
            x1 = above.x + above.width / 2 + (others.index(box) - (len(others) - 1) / 2) * spread
            x2, y1, y2 = box.x + box.width * (k + 1) / (len(sources) + 1), above.y + HEIGHT, box.y - 8
            bend = (y1 + y2) / 2 if box.row == above.row + 1 else y2 - DROP / 2
            path = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {bend:.1f} {x2:.1f} {bend:.1f} {x2:.1f} {y2:.1f}"
            yield {"from": key, "to": box.key, "path": path, "x": round(x2, 1), "y": y2}
