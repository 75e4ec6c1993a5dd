"""The layout of the terms of a derivative: expressions as formulas, and their graphs with factors in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...analysis.expressions import Expression, FunctionCall, Name, Number, Power, Product, Sum, split, terms_of
from ...shared.numerals import MINUS
from ..draw.numbers import number as number_text
from ..draw.typeset import TIMES, Tree, function, group, name, number, plain, row

HEIGHT, GAP, DROP = 58.0, 10.0, 40.0
_PADDING, _CHARACTER, _LEAST = 22.0, 9.2, 78.0  # the minimum width has space for a number of eight characters
_WIDEST = 1200.0
_MOST_COLUMNS = 7  # with more factors, those that a graph does not use leave no gap


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
        """The width of its formula; the number below it may change without moving anything."""
        return max(_LEAST, width_of(self.tree) + _PADDING)


def width_of(tree: Tree) -> float:
    """The approximate width of a formula in pixels."""
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
    """Place every box; return the width and height of the whole."""
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
    width, low = max([box.x + box.width for box in boxes.values()]), max([box.y for box in boxes.values()])
    return (width, low + HEIGHT) if width <= _WIDEST else _stack(boxes)


def _stack(boxes: dict[str, Box]) -> tuple[float, float]:
    """A graph that is too wide: only the inputs, the terms in rows one below the other, and the result."""
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
            path = f"M{x1:.1f} {y1:.1f}"
            if between := [one for one in boxes.values() if above.row < one.row < box.row]:
                lane = _lane(x1, x2, between)
                path += f"{_bend(x1, lane, y1, y1 + DROP)}V{box.y - DROP:.1f}"
                x1, y1 = lane, box.y - DROP
            yield {"from": key, "to": box.key, "path": path + _bend(x1, x2, y1, y2), "x": round(x2, 1), "y": y2}


def _lane(x1: float, x2: float, boxes: Sequence[Box]) -> float:
    """The position at which a line from ``x1`` to ``x2`` passes the boxes between them."""
    sides = [side for one in boxes for side in (one.x - GAP / 2, one.x + one.width + GAP / 2)]
    free = [x for x in (x1, x2, *sides) if not any(one.x <= x <= one.x + one.width for one in boxes)]
    return min(free, key=lambda x: abs(x - x1) + abs(x - x2))


def _bend(x1: float, x2: float, y1: float, y2: float) -> str:
    middle = (y1 + y2) / 2
    return f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"


_BARE = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "arctan", "arcsin", "arccos")
_INFIX: dict[str, Tree | str] = {"add": "+", "sub": MINUS, "mul": "·", "div": "/", "matmul": ["space"]}
_RAISED: dict[str, Tree] = {"square": ["num", "2"], "transpose": ["op", "⊤"]}
_OF_ARRAYS = ("matmul", "einsum", "tensordot")
"""Functions in which a number represents an array of equal numbers."""

_SMALLEST_PARTS = 1000

Rank = Callable[[Expression], int]


def coefficient_tree(value: Fraction) -> Tree:
    """A number, as a fraction if it is one of small integers."""
    if value.denominator == 1 or value.denominator > _SMALLEST_PARTS:
        return number(number_text(float(value)))
    sign = [MINUS] if value < 0 else []
    return row(*sign, ["frac", ["num", str(abs(value.numerator))], ["num", str(value.denominator)]])


def is_below(factor: Expression) -> bool:
    """Whether a factor belongs in a denominator."""
    return isinstance(factor, Power) and isinstance(factor.exponent, Number) and factor.exponent.value < 0


def in_order(expression: Expression) -> list[Expression]:
    """The terms of a sum in writing order: a positive one first."""
    terms = list(terms_of(expression))
    first = next((k for k, term in enumerate(terms) if split(term)[0] > 0), 0)
    return [terms.pop(first), *terms]


class Writer:
    """Writes expressions; ``rank`` returns the position of a factor in a product, the same in every term."""

    def __init__(self, rank: Rank, taken: Sequence[str] = ()) -> None:
        self._rank = rank
        self._has_e = "e" not in taken  # otherwise e would be the user's own value

    def tree(self, expression: Expression) -> Tree:
        """The formula of an expression."""
        match expression:
            case Number(value):
                return coefficient_tree(value)
            case Name(text):
                return name(text)
            case Sum():
                return row(*[part for piece in self.pieces(expression) for part in piece[1:]])
            case FunctionCall(called, arguments):
                return self._call(called, arguments, expression.attributes)
        return self._product(expression)

    def pieces(self, expression: Expression) -> list[Tree]:
        """The terms of a sum, each with its sign."""
        return [self.signed(term, k == 0) for k, term in enumerate(in_order(expression))]

    def signed(self, term: Expression, first: bool) -> Tree:
        """A term with its sign in front; the first one without a plus."""
        coefficient, factors = split(term)
        sign = MINUS if coefficient < 0 else "" if first else "+"
        size = Number(abs(coefficient)) if not factors else Product(abs(coefficient), factors)
        return row(*([sign] if sign else []), *([] if first else [["space"]]), self.tree(size))

    # ------------------------------------------------------------------ products
    def _product(self, expression: Expression) -> Tree:
        coefficient, factors = split(expression)
        under = [factor for factor in factors if isinstance(factor, Power) and is_below(factor)]
        above: list[Expression] = []
        below: list[Tree] = []
        for factor in sorted(factors, key=self._rank):
            if factor in under:
                assert isinstance(factor, Power) and isinstance(factor.exponent, Number)
                is_alone = len(under) == 1 and coefficient.denominator == 1 and factor.exponent.value == -1
                base, exponent = factor.base, Number(-factor.exponent.value)
                below.append(self.tree(base) if is_alone else self._power(base, exponent))
            else:
                above.append(factor)
        is_decimal = coefficient.denominator > _SMALLEST_PARTS
        over, under_it = (coefficient, 1) if is_decimal else (coefficient.numerator, coefficient.denominator)
        is_fraction = bool(below) or under_it > 1
        is_alone = len(above) == 1 and over == 1 and (is_fraction or isinstance(factors[0], FunctionCall))
        write = self.tree if is_alone else self._factor
        line = self._line(Fraction(over), [write(factor) for factor in above])
        return ["frac", line, self._line(Fraction(under_it), below)] if is_fraction else line

    def _line(self, coefficient: Fraction, factors: list[Tree]) -> Tree:
        """A number and factors next to each other."""
        if not factors:
            return coefficient_tree(coefficient)
        if coefficient == -1:
            return row(MINUS, _beside(factors))
        return _beside(factors if coefficient == 1 else [coefficient_tree(coefficient), *factors])

    def _factor(self, factor: Expression) -> Tree:
        match factor:
            case Power(base, exponent):
                return self._power(base, exponent)
            case Sum() | FunctionCall("add" | "sub"):
                return group(self.tree(factor))
        return self.tree(factor)

    def _power(self, base: Expression, exponent: Expression) -> Tree:
        if exponent == Number(Fraction(1)):
            return self._factor(base)
        if exponent == Number(Fraction(1, 2)):
            return ["root", self.tree(base)]
        above = self.tree(exponent)
        match base:
            case FunctionCall(called, (argument,)) if called in _BARE and self._is_short(argument):
                head = function(called, [self.tree(argument)], simple=True)
                return row(["power", head[1], above], *head[2:])
        return ["power", _grouped(base, self.tree(base)), above]

    # ------------------------------------------------------------------ functions
    def _call(self, called: str, arguments: tuple[Expression, ...], attributes: tuple[tuple[str, str], ...]) -> Tree:
        if called in _OF_ARRAYS:
            arguments = tuple([_of_ones(one) if isinstance(one, Number) else one for one in arguments])
        trees = [self.tree(argument) for argument in arguments]
        alone = [_grouped(*pair) for pair in zip(arguments, trees, strict=True)]
        match called, trees:
            case "exp", [one] if self._has_e:
                return ["power", ["name", "e"], one]
            case "sqrt", [one]:
                return ["root", one]
            case "abs", [one]:
                return row("|", one, "|")
            case "neg", [_]:
                return row(MINUS, alone[0])
            case "pow", [_, exponent]:
                return ["power", alone[0], exponent]
            case "′", [one]:  # the derivative of a part
                return row(alone[0], ["text", "′"])
            case "square" | "transpose", [_] if not attributes:
                return ["power", alone[0], _RAISED[called]]
        if called in _INFIX and len(trees) == 2:
            return row(alone[0], _INFIX[called], alone[1])
        shown = function(called, trees, called in _BARE and all(map(self._is_short, arguments)))
        if not attributes:
            return shown
        marks = ", ".join([f"{key}={value}" for key, value in attributes])
        return row(["sub", shown[1], ["text", marks]], *shown[2:])

    def _is_short(self, argument: Expression) -> bool:
        """Whether an argument needs no parentheses: ``sin 2x``."""
        coefficient, factors = split(argument)
        return coefficient > 0 and len(factors) == 1 and isinstance(factors[0], Name) and coefficient.denominator == 1


def _grouped(expression: Expression, tree: Tree) -> Tree:
    """The formula of an expression in parentheses, which a name or a number does not need."""
    return tree if isinstance(expression, Name | Number) else group(tree)


def _of_ones(each: Number) -> Expression:
    """An array whose elements are all the same number."""
    ones = Name("ones", -1)
    return ones if each.value == 1 else Product(each.value, (ones,))


def _beside(trees: Sequence[Tree]) -> Tree:
    """Factors next to each other, with a dot where they could be misread."""
    parts: list[Tree | str] = []
    for k, tree in enumerate(trees):
        if k:
            before, here = plain(trees[k - 1]), plain(tree)
            names, long = [before.isidentifier(), here.isidentifier()], [len(before) > 1, len(here) > 1]
            words = (all(names) and any(long)) or (any(names) and all(long))  # w·up, as wup would be another name
            dot = " " in before or here[:1].isdigit() or words or _is_function(trees[k - 1])
            is_apart = _is_function(tree) or tree[2:3] == [["op", "("]]  # x sign(x)
            parts.append("·" if dot else ["space"] if is_apart else TIMES)
        parts.append(tree)
    return row(*parts)


def _is_function(tree: Tree) -> bool:
    """Whether what follows could be mistaken for its argument, or is an exponential, which is kept apart."""
    return (tree[0] == "row" and any(part[0] == "space" for part in tree[1:])) or tree[1:2] == [["name", "e"]]
