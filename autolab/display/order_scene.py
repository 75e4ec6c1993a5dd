"""A function and its derivatives term by term: for each order its formula, and below it the graph of its terms.

From top to bottom stand the inputs, the factors, the terms and the result. A factor has the same place in the graphs of
all orders. Everything is plain data; the page draws boxes with MathML where this says, and lines between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..analysis.derivations import Derivation, origins
from ..analysis.expressions import Expression, Name, Number, Power, Product, split, terms_of
from ..recording.arrays import snapshot
from .expression_tree import Writer, in_order
from .messages import say
from .readings import text_of
from .typeset import Tree, derivative, formula, name, number, plain, row

HEIGHT, GAP, DROP = 58.0, 10.0, 40.0
_PADDING, _CHARACTER, _LEAST = 22.0, 9.2, 78.0  # the least width has room for a number of eight characters
_MOST_TERMS = 10
_WIDEST = 1200.0
_MOST_COLUMNS = 7  # of more factors, those that a graph does not use leave no gap


@dataclass
class _Box:
    key: str
    tree: Tree
    value: str
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


def order_scene(found: Derivation, y: str) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """All orders as plain data.

    Returns
    -------
    panels : list of dict
        For each order its ``formula``, and the ``boxes`` and ``edges`` of its graph with its ``width`` and ``height``.
        A box has a ``key``, which is the same for equal factors in all orders; a term knows those ``of`` the order
        below that it came from, by their keys.
    values : list of dict
        For each order the number in each box, by its key. Nothing else changes with the inputs.
    """
    scene = _Scene(found, y)
    pairs = [scene.panel(order) for order in range(len(found.orders))]
    return [panel for panel, _ in pairs], [values for _, values in pairs]


class _Scene:
    def __init__(self, found: Derivation, y: str) -> None:
        self.found, self.y = found, y
        self.keys: dict[Expression, str] = {}
        self.columns = self._columns()
        self.writer = Writer(self._rank, [known.text for known in (*found.inputs, *found.names)])

    # ------------------------------------------------------------------ factors
    def _columns(self) -> list[Expression]:
        """Everything that has a column of its own: the user's names and the factors, as they first come up."""
        used = {one for order in self.found.orders for one in _names_in(order)}
        columns: dict[Expression, None] = dict.fromkeys([one for one in self.found.names if one in used])
        for order in self.found.orders:
            for term in terms_of(order):
                columns |= dict.fromkeys([factor for factor in split(term)[1] if not _is_power_of_input(factor)])
        return list(columns)

    def _rank(self, factor: Expression) -> int:
        """Inputs and their powers stand first in a product, then the others as in their columns."""
        if factor in self.columns:
            return 1 + len(self.found.inputs) + self.columns.index(factor)
        base = factor.base if isinstance(factor, Power) else factor
        return next((k for k, one in enumerate(self.found.inputs) if one == base), len(self.found.inputs))

    def _key(self, expression: Expression) -> str:
        """The same for equal expressions, in all orders."""
        return self.keys.setdefault(expression, f"e{len(self.keys)}")

    def _value(self, expression: Expression) -> str:
        return text_of(snapshot(np.asarray(self.found.value(expression))))

    # ------------------------------------------------------------------ one order
    def panel(self, order: int) -> tuple[dict[str, Any], dict[str, str]]:
        """The formula and the graph of an order, and the numbers in it."""
        expression = self.found.orders[order]
        boxes = self._boxes(order, expression)
        width, height = _place(boxes, [self._key(column) for column in self.columns])
        head = self._head(order)
        panel = {
            "order": order,
            "formula": formula(["wrap", row(head, "="), *self._marked(order, expression)]),
            "width": round(width, 1),
            "height": height,
            "boxes": [_data(box) for box in boxes.values()],
            "edges": list(_edges(boxes)),
        }
        return panel, {box.key: box.value for box in boxes.values()}

    def _head(self, order: int) -> Tree:
        return derivative(name(self.y), self.writer.tree(self.found.wrt), order, "d") if order else name(self.y)

    def _marked(self, order: int, expression: Expression) -> Iterator[Tree]:
        """The terms with their signs; of many only the first."""
        terms = in_order(expression)
        for k, (term, tree) in enumerate(zip(terms, self.writer.pieces(expression), strict=True)):
            if k == _MOST_TERMS:
                yield row("+", "…", ["text", say("order_terms", count=len(terms))])
                return
            yield ["mark", self._term_key(order, term), tree]

    def _term_key(self, order: int, term: Expression) -> str:
        return f"t{order}.{self._key(term)}"

    def _boxes(self, order: int, expression: Expression) -> dict[str, _Box]:
        boxes: dict[str, _Box] = {}
        terms = in_order(expression)
        given = dict(zip(terms_of(expression), origins(self.found, order), strict=True)) if order else {}
        for term in terms[:_MOST_TERMS]:
            self._term(boxes, order, term, given.get(term, []))
        primes = row(name(self.y), ["text", "′" * order]) if order else name(self.y)
        symbol = primes if order < 4 else ["power", name(self.y), row("(", number(str(order)), ")")]
        made = [box for box in boxes.values() if box.term]
        if len(terms) == 1:
            made[0].tree = row(symbol, "=", made[0].tree)
        else:
            sources, last = [box.key for box in made], 1 + max([box.row for box in made])
            boxes["y"] = _Box("y", symbol, self._value(expression), sources, last)
        return boxes

    def _term(self, boxes: dict[str, _Box], order: int, term: Expression, of: list[tuple[int, Expression]]) -> None:
        coefficient, factors = split(term)
        plain_ones = [factor for factor in factors if _is_power_of_input(factor)]
        others = [factor for factor in factors if factor not in plain_ones]
        parts = list(others)
        if plain_ones and others:  # -2x beside sin x is a factor of its own
            parts.append(Product(coefficient, tuple(plain_ones)))
        if len(parts) > 1 or (parts and isinstance(parts[0], Name)):
            sources = [self._factor(boxes, part) for part in parts]
        else:
            sources = self._inputs(boxes, term)
        key = self._term_key(order, term)
        level = 1 + max([boxes[source].row for source in sources], default=0)
        box = boxes[key] = _Box(key, self.writer.signed(term, True), self._value(term), sources, level, term=True)
        below = terms_of(self.found.orders[order - 1]) if order else ()
        box.of = list(dict.fromkeys([self._term_key(order - 1, below[k]) for k, _ in of]))
        box.said = self._said(term, order, of)

    def _factor(self, boxes: dict[str, _Box], factor: Expression) -> str:
        key = self._key(factor)
        if key not in boxes:
            inner = factor.definition if isinstance(factor, Name) else None
            made_of = inner if isinstance(factor, Name) else factor
            sources = [] if made_of is None else self._inputs(boxes, made_of)
            tree = self.writer.tree(factor)
            level = 1 + max([boxes[source].row for source in sources], default=-1)
            shown = tree if inner is None else row(tree, "=", self.writer.tree(inner))
            boxes[key] = _Box(key, shown, self._value(factor), sources, level, factor=True)
        return key

    def _inputs(self, boxes: dict[str, _Box], expression: Expression) -> list[str]:
        """The boxes of the names in an expression."""
        return [self._factor(boxes, one) for one in dict.fromkeys(_names_in(expression, deep=False))]

    # ------------------------------------------------------------------ words
    def _said(self, term: Expression, order: int, of: list[tuple[int, Expression]]) -> str:
        """What a term came from."""
        text = plain(self.writer.signed(term, True))
        if not order or not of:
            return ""
        below = terms_of(self.found.orders[order - 1])
        parts = [self._one_origin(below[k], factor) for k, factor in of]
        key = "order_from" if len(parts) == 1 else "order_gathers"
        return say(key, term=text, count=len(parts), parts="; ".join(parts))

    def _one_origin(self, term: Expression, factor: Expression) -> str:
        words = {"term": plain(self.writer.signed(term, True)), "factor": plain(self.writer.tree(factor))}
        return say("order_origin" if term != factor and split(term)[1] != (factor,) else "order_origin_whole", **words)


def _is_power_of_input(factor: Expression) -> bool:
    """Whether a factor is an input or a constant, or a power of one, above the line."""
    if isinstance(factor, Power):
        above = isinstance(factor.exponent, Number) and factor.exponent.value > 0
        return above and _is_power_of_input(factor.base) and not isinstance(factor.base, Power)
    return isinstance(factor, Name) and factor.definition is None


def _names_in(expression: Expression, deep: bool = True) -> Iterator[Name]:
    """The names in an expression; ``deep`` also those in their definitions, innermost first."""
    if isinstance(expression, Name):
        if deep and expression.definition is not None:
            yield from _names_in(expression.definition)
        yield expression
    for part in expression.parts:
        yield from _names_in(part, deep)


# ---------------------------------------------------------------------------------------------------- places
def _place(boxes: dict[str, _Box], columns: list[str]) -> tuple[float, float]:
    """Put every box in its place; width and height of the whole."""
    in_columns = [key for key in columns if key in boxes or len(columns) <= _MOST_COLUMNS]
    left = 0.0
    for key in in_columns:
        if key in boxes:
            boxes[key].x = left
        left += (boxes[key].width if key in boxes else _LEAST) + GAP
    rows: dict[int, list[_Box]] = {}
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


def _stack(boxes: dict[str, _Box]) -> tuple[float, float]:
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


def _barycenter(box: _Box, boxes: dict[str, _Box]) -> float:
    places = [boxes[key].x + boxes[key].width / 2 for key in box.sources]
    return sum(places) / len(places) if places else 0.0


def _edges(boxes: dict[str, _Box]) -> Iterator[dict[str, Any]]:
    """Lines from the lower edge of a box to the upper edge of the one that uses it, side by side at both."""
    users: dict[str, list[_Box]] = {}
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


def _data(box: _Box) -> dict[str, Any]:
    return {
        "key": box.key,
        "x": round(box.x, 1),
        "y": box.y,
        "w": round(box.width, 1),
        "formula": formula(box.tree),
        "of": box.of,
        "said": box.said,
    }
