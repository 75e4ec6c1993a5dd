"""Where the boxes of the orders' terms stand, and how factors stand beside each other."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
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


def test_a_line_past_a_row_does_not_run_behind_the_box_there() -> None:
    def small(x: Any, y: Any) -> Any:
        h = x * y
        out = h + x
        return out

    panel = OrderScene(derivation(record(small, x=2.0, y=3.0, options={"order": 1})), "out").panels[0]
    rows = {box["key"]: box["y"] for box in panel["boxes"]}
    long = [edge for edge in panel["edges"] if rows[edge["to"]] - rows[edge["from"]] > 2 * HEIGHT]
    assert len(long) == 1, "that of x to the sum, past h"
    ends = [float(number) for number in re.findall(r"[\d.]+", long[0]["path"])]
    for t in np.linspace(0, 1, 101):
        weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
        x, y = weights @ ends[0::2], weights @ ends[1::2]
        assert not [
            box for box in panel["boxes"] if box["x"] < x < box["x"] + box["w"] and box["y"] < y < box["y"] + HEIGHT
        ]


def test_a_function_stands_apart_from_the_factor_before_it() -> None:
    x = Name("x", 0)
    for called in ("sign", "sin"):
        factors: tuple[Expression, ...] = (x, FunctionCall(called, (x,)))
        tree = Writer(lambda factor: 0).tree(Product(Fraction(1), factors))
        assert tree[2] == ["space"], called
