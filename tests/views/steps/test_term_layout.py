"""Where the boxes of the orders' terms stand, and how factors stand beside each other."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import functions as F
from autolab import record
from autolab.analysis.expressions import Expression, FunctionCall, Name, Number, Product
from autolab.analysis.recorded_expressions import derivation
from autolab.views.draw.typeset import plain
from autolab.views.steps.term_layout import HEIGHT, Writer
from autolab.views.steps.terms import OrderScene

FUNCTIONS = [
    lambda x: x**2 * F.sin(x),
    lambda x: x**3 + x * F.exp(x) + F.cos(x),
    lambda x: F.sin(x) + x,
    lambda x: F.exp(-(x**2)) * x,
    lambda x: 5 * F.tanh(x) - x**4 / 3,
]


@each("order", [1, 2, 3])
@each("k", range(len(FUNCTIONS)))
def test_no_box_lies_over_another_and_lines_go_down(k: int, order: int) -> None:
    fn: Any = FUNCTIONS[k]
    scene = OrderScene(derivation(record(fn, x=1.5, options={"order": order})), "y")
    assert len(scene.panels) == order + 1
    for panel in scene.panels:
        boxes = [(box["x"], box["y"], box["w"]) for box in panel["boxes"]]
        for i, (x, y, w) in enumerate(boxes):
            assert not [1 for x2, y2, w2 in boxes[:i] if abs(y - y2) < HEIGHT and x < x2 + w2 and x2 < x + w]
        rows = {box["key"]: box["y"] for box in panel["boxes"]}
        assert all(rows[edge["from"]] < rows[edge["to"]] for edge in panel["edges"])


def small(x: Any, y: Any) -> Any:
    h = x * y
    out = h + x
    return out


def attention(q: Any, k: Any, v: Any) -> Any:
    s = q @ k.T
    A = F.softmax(s, axis=1)
    out = A @ v
    return out


def points_of(path: str) -> list[np.ndarray]:
    """Points along a path of curves and of lines straight down."""
    points: list[np.ndarray] = []
    for kind, text in re.findall(r"([MCV])([^MCV]*)", path):
        numbers = [float(one) for one in text.split()]
        at = points[-1] if points else np.zeros(2)
        ends = np.array([at[0], numbers[0]] if kind == "V" else numbers).reshape(-1, 2)
        corners = [ends[0]] * 4 if kind == "M" else [at, at, ends[0], ends[0]] if kind == "V" else [at, *ends]
        for t in np.linspace(0, 1, 101):
            weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
            points.append(weights @ np.array(corners))
    return points


@pytest.mark.parametrize(
    ("fn", "inputs"),
    [(small, {"x": 2.0, "y": 3.0}), (attention, {name: np.eye(3)[:, :2] for name in "qkv"})],
    ids=["beside it", "wide"],
)
def test_a_line_past_a_row_does_not_run_behind_the_box_there(fn: Any, inputs: dict[str, Any]) -> None:
    panel = OrderScene(derivation(record(fn, **inputs, options={"order": 1})), "out").panels[0]
    rows = {box["key"]: box["y"] for box in panel["boxes"]}
    long = [edge for edge in panel["edges"] if rows[edge["to"]] - rows[edge["from"]] > 2 * HEIGHT]
    assert len(long) == 1, "that of x to the sum, past h; that of v to out, past A"
    points = points_of(long[0]["path"])
    assert points[-1][1] - points[0][1] > 2 * HEIGHT
    for x, y in points:
        assert not [
            box for box in panel["boxes"] if box["x"] < x < box["x"] + box["w"] and box["y"] < y < box["y"] + HEIGHT - 1
        ]


def test_a_difference_that_is_a_factor_stands_in_parentheses() -> None:
    weights = lambda s: F.softmax(s, axis=0) * np.array([1.0, 5.0, 2.0])  # noqa: E731
    found = derivation(record(weights, np.array([1.0, 2.0, 0.0]), options={"order": 1}))
    slope = OrderScene(found, "y").panels[1]["formula"]["text"]
    mean = "Σ_axis=0, keepdims=True(constants · softmax_axis=0(s))"
    assert slope.endswith(f" = softmax_axis=0(s) (constants − ({mean}))")


def test_a_function_stands_apart_from_the_factor_before_it() -> None:
    x = Name("x", 0)
    for called in ("sign", "sin"):
        factors: tuple[Expression, ...] = (x, FunctionCall(called, (x,)))
        tree = Writer(lambda factor: 0).tree(Product(Fraction(1), factors))
        assert tree[2] == ["space"], called


def test_names_of_several_letters_do_not_run_into_others() -> None:
    x, up = Name("x", 0), Name("up", 1)
    writer = Writer(lambda factor: [x, up].index(factor))
    assert plain(writer.tree(Product(Fraction(1), (x, up)))) == "x · up"
    assert plain(writer.tree(Product(Fraction(3), (up,)))) == "3 up"


def test_an_array_of_equal_numbers_is_not_written_as_a_number() -> None:
    x, w = np.ones((2, 4)), np.ones((4, 4))
    for fn, written in ((lambda x, w: F.sum(x @ w), "ones (w^⊤)"), (lambda x, w: F.mean(x @ w.T), "(ones/8) w")):
        slope = derivation(record(fn, x=x, w=w, options={"order": 1})).orders[1]
        assert plain(Writer(lambda factor: 0).tree(slope)) == written
    product = FunctionCall("mul", (Number(Fraction(1)), Name("x", 0)))  # elementwise: a number is one
    assert plain(Writer(lambda factor: 0).tree(product)) == "1 · x"


class Counting(Writer):
    """Counts the expressions that it writes."""

    count = 0

    def tree(self, expression: Expression) -> Any:
        self.count += 1
        return super().tree(expression)


def test_each_part_of_a_nested_expression_is_written_once() -> None:
    """A part that was written twice at each of a dozen levels kept a cell busy for minutes."""
    nested: Expression = Name("x", 0)
    for k in range(4):
        inner = FunctionCall("add", (FunctionCall("mul", (nested, Number(Fraction(k + 2)))), Name("x", 0)))
        nested = Product(Fraction(1, 2), (FunctionCall("square", (FunctionCall("sin", (inner,)),)),))
    writer = Counting(lambda factor: 0)
    writer.tree(nested)
    assert writer.count < 4 * 10
