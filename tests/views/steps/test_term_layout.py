"""Where the boxes of the orders' terms stand, and how factors stand beside each other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from autolab import functions as F
from autolab import record
from autolab.analysis.expressions import Expression, FunctionCall, Name, Product
from autolab.analysis.recorded_expressions import derivation
from autolab.views.steps.term_layout import HEIGHT, Writer
from autolab.views.steps.terms import OrderScene

FUNCTIONS = [
    lambda x: x**2 * F.sin(x),
    lambda x: x**3 + x * F.exp(x) + F.cos(x),
    lambda x: F.sin(x) + x,
    lambda x: F.exp(-(x**2)) * x,
    lambda x: 5 * F.tanh(x) - x**4 / 3,
]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("k", range(len(FUNCTIONS)))
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


def test_a_function_stands_apart_from_the_factor_before_it() -> None:
    x = Name("x", 0)
    for called in ("sign", "sin"):
        factors: tuple[Expression, ...] = (x, FunctionCall(called, (x,)))
        tree = Writer(lambda factor: 0).tree(Product(Fraction(1), factors))
        assert tree[2] == ["space"], called
