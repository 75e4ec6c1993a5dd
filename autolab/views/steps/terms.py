"""A function and its derivatives term by term: for each order its formula, and below it the graph of its terms.

From top to bottom are the inputs, the factors, the terms and the result. A factor has the same place in the graphs of
all orders. Everything is plain data; the page draws boxes with MathML at these places, and lines between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...analysis.expressions import Expression, Name, Number, Power, Product, split, terms_of
from ...analysis.recorded_expressions import Derivation, origins
from ...recording.arrays import snapshot
from ..draw import say
from ..draw.arrays import text_of
from ..draw.typeset import Tree, derivative, formula, name, number, plain, row
from .term_layout import Box, Writer, edges, in_order, place

_MOST_TERMS = 10


class OrderScene:
    """The formulas and graphs of all orders, as plain data.

    Parameters
    ----------
    found : Derivation
    y : str
        The name of what is differentiated.

    Attributes
    ----------
    panels : list of dict
        For each order, its ``formula``, and the ``boxes`` and ``edges`` of its graph with its ``width`` and ``height``.
        A box has a ``key``, which is the same for equal factors in all orders; the ``of`` of a term are the keys of the
        terms of the order below that it came from.
    """

    def __init__(self, found: Derivation, y: str) -> None:
        self.found, self.y = found, y
        self.keys: dict[Expression, str] = {}
        self.columns = self._columns()
        self.writer = Writer(self._rank, [known.text for known in (*found.inputs, *found.names)])

        self._shown: list[dict[str, Expression]] = []
        self.panels = [self._panel(order) for order in range(len(found.orders))]

    def fits(self, found: Derivation, y: str) -> bool:
        """Whether another derivation differs at most in its numbers."""
        before = self.found
        return (self.y, before.orders, before.wrt, before.names) == (y, found.orders, found.wrt, found.names)

    def values(self, found: Derivation) -> list[dict[str, str]]:
        """For each order the number in each box, by key."""
        return [{key: _text(found, one) for key, one in shown.items()} for shown in self._shown]

    # ------------------------------------------------------------------ factors
    def _columns(self) -> list[Expression]:
        """Everything that has a column of its own: the user's names and the factors, in order of first appearance."""
        used = {one for order in self.found.orders for one in _names_in(order)}
        columns: dict[Expression, None] = dict.fromkeys([one for one in self.found.names if one in used])
        for order in self.found.orders:
            for term in terms_of(order):
                columns |= dict.fromkeys([factor for factor in split(term)[1] if not _is_power_of_input(factor)])
        return list(columns)

    def _rank(self, factor: Expression) -> int:
        """The rank of a factor in a product: inputs and their powers first, then the others in the order of columns."""
        if factor in self.columns:
            return 1 + len(self.found.inputs) + self.columns.index(factor)
        base = factor.base if isinstance(factor, Power) else factor
        return next((k for k, one in enumerate(self.found.inputs) if one == base), len(self.found.inputs))

    def _key(self, expression: Expression) -> str:
        """A key that is the same for equal expressions in all orders."""
        return self.keys.setdefault(expression, f"e{len(self.keys)}")

    # ------------------------------------------------------------------ one order
    def _panel(self, order: int) -> dict[str, Any]:
        """The formula and the graph of an order."""
        expression = self.found.orders[order]
        boxes = self._boxes(order, expression)
        width, height = place(boxes, [self._key(column) for column in self.columns])
        head = self._head(order)
        self._shown.append({box.key: box.shows for box in boxes.values()})
        return {
            "order": order,
            "formula": formula(["wrap", row(head, "="), *self._marked(order, expression)]),
            "width": round(width, 1),
            "height": height,
            "boxes": [_data(box) for box in boxes.values()],
            "edges": list(edges(boxes)),
        }

    def _head(self, order: int) -> Tree:
        return derivative(name(self.y), self.writer.tree(self.found.wrt), order, "d") if order else name(self.y)

    def _marked(self, order: int, expression: Expression) -> Iterator[Tree]:
        """The terms with their signs; only the first of many."""
        terms = in_order(expression)
        for k, (term, tree) in enumerate(zip(terms, self.writer.pieces(expression), strict=True)):
            if k == _MOST_TERMS:
                yield row("+", "…", ["text", say("terms", count=len(terms))])
                return
            yield ["mark", self._term_key(order, term), tree]

    def _term_key(self, order: int, term: Expression) -> str:
        return f"t{order}.{self._key(term)}"

    def _boxes(self, order: int, expression: Expression) -> dict[str, Box]:
        boxes: dict[str, Box] = {}
        terms = in_order(expression)
        given = dict(zip(terms_of(expression), origins(self.found, order), strict=True)) if order else {}
        for term in terms[:_MOST_TERMS]:
            self._term(boxes, order, term, given.get(term, []), len(terms) == 1)
        level = max([box.row for box in boxes.values() if box.term])
        for box in boxes.values():
            box.row = level if box.term else box.row  # terms are in one row, below all factors
        primes = row(name(self.y), ["text", "′" * order]) if order else name(self.y)
        symbol = primes if order < 4 else ["power", name(self.y), row("(", number(str(order)), ")")]
        made = [box for box in boxes.values() if box.term]
        if len(terms) == 1:
            made[0].tree = row(symbol, "=", made[0].tree)
        else:
            sources, last = [box.key for box in made], 1 + max([box.row for box in made])
            boxes["y"] = Box("y", symbol, expression, sources, last)
        return boxes

    def _term(
        self, boxes: dict[str, Box], order: int, term: Expression, of: list[tuple[int, Expression]], is_all: bool
    ) -> None:
        coefficient, factors = split(term)
        plain_ones = [factor for factor in factors if _is_power_of_input(factor)]
        others = [factor for factor in factors if factor not in plain_ones]
        parts = list(others)
        if plain_ones and others:  # -2x next to sin x is a factor of its own
            parts.append(Product(coefficient, tuple(plain_ones)))
        if len(parts) > 1 or (parts and (isinstance(parts[0], Name) or not is_all)):
            sources = [self._factor(boxes, part) for part in parts]
        else:
            sources = self._inputs(boxes, term)
        key = self._term_key(order, term)
        level = 1 + max([boxes[source].row for source in sources], default=0)
        box = boxes[key] = Box(key, self.writer.signed(term, True), term, sources, level, term=True)
        below = terms_of(self.found.orders[order - 1]) if order else ()
        box.of = list(dict.fromkeys([self._term_key(order - 1, below[k]) for k, _ in of]))
        box.said = self._said(term, order, of)

    def _factor(self, boxes: dict[str, Box], factor: Expression) -> str:
        key = self._key(factor)
        if key not in boxes:
            inner = factor.definition if isinstance(factor, Name) else None
            made_of = inner if isinstance(factor, Name) else factor
            sources = [] if made_of is None else self._inputs(boxes, made_of)
            tree = self.writer.tree(factor)
            level = 1 + max([boxes[source].row for source in sources], default=-1)
            shown = tree if inner is None else row(tree, "=", self.writer.tree(inner))
            boxes[key] = Box(key, shown, factor, sources, level, factor=True)
        return key

    def _inputs(self, boxes: dict[str, Box], expression: Expression) -> list[str]:
        """The boxes of the names in an expression."""
        return [self._factor(boxes, one) for one in dict.fromkeys(_names_in(expression, deep=False))]

    # ------------------------------------------------------------------ words
    def _said(self, term: Expression, order: int, of: list[tuple[int, Expression]]) -> str:
        """A sentence about where a term came from."""
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


def _text(found: Derivation, expression: Expression) -> str:
    return text_of(snapshot(np.asarray(found.value(expression))))


def _is_power_of_input(factor: Expression) -> bool:
    """Whether a factor is an input or a constant, or a positive power of one."""
    if isinstance(factor, Power):
        above = isinstance(factor.exponent, Number) and factor.exponent.value > 0
        return above and _is_power_of_input(factor.base) and not isinstance(factor.base, Power)
    return isinstance(factor, Name) and factor.definition is None


def _names_in(expression: Expression, deep: bool = True) -> Iterator[Name]:
    """The names in an expression; with ``deep``, also those in their definitions, innermost first."""
    if isinstance(expression, Name):
        if deep and expression.definition is not None:
            yield from _names_in(expression.definition)
        yield expression
    for part in expression.parts:
        yield from _names_in(part, deep)


def _data(box: Box) -> dict[str, Any]:
    return {
        "key": box.key,
        "x": round(box.x, 1),
        "y": box.y,
        "w": round(box.width, 1),
        "formula": formula(box.tree),
        "of": box.of,
        "said": box.said,
    }
