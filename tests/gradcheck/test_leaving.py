"""A check says where the missing part of a gradient left the graph, and accuses no line that did not matter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import check_gradients
from autolab import functions as F

seen: list[Any] = []


@autolab.primitive(x=lambda g, x: g * x)
def half(xp, x):
    return x * x


def by_math(x):
    return x * math.sin(x)


def alone(x):
    return math.sin(x)


def by_data(x, w):
    h = F.tanh(x * w)
    seen.append(h.data)
    return h * np.exp(h.data).sum() + w


def by_no_grad(x, w):
    with autolab.no_grad():
        scale = (x * x).sum()
    return w * scale + x


def by_change(x, w):
    h = x + 1
    h.data[0] = 5.0
    return (h * 3).sum() + w.sum()


def in_a_loop(x):
    total = x
    for _ in range(3):
        total = total * float(x)
    return total


LEFT = (
    (by_math, (2.0,), "x", "math.sin(x)", "left"),
    (alone, (2.0,), "x", "math.sin(x)", "left"),
    (by_data, ([0.3, 0.7], [1.1, -0.4]), "x", "h.data", "left"),
    (by_no_grad, ([0.3, 0.7], [1.1, -0.4]), "x", "x * x", "no_grad"),
    (by_change, ([0.3, 0.7], [1.1, -0.4]), "x", "h.data[0] = 5.0", "changed"),
    (in_a_loop, (1.5,), "x", "float(x)", "left"),
)


@pytest.mark.parametrize(
    ("fn", "args", "name", "source", "how"), LEFT, ids=lambda value: getattr(value, "__name__", "")
)
def test_the_line_is_named(fn: Any, args: Any, name: str, source: str, how: str) -> None:
    report = check_gradients(fn, *args)
    found = next(finding for finding in report.findings if finding.input == name)
    assert report.verdict == "wrong" and found.kind == "left_graph"
    assert found.evidence["whole"] and [place["source"] for place in found.evidence["places"]] == [source]
    line = found.evidence["places"][0]["line"]
    assert fn.__code__.co_firstlineno < line <= fn.__code__.co_firstlineno + 4
    assert found.message.startswith(f"Line {line}: `{source}` ") and found.evidence["places"][0]["how"] == how
    assert found.hint and "backward" not in found.hint and found.message in str(report)
    autolab.record(fn, *args) if fn is not alone else None


def test_right_inputs_are_not_accused() -> None:
    report = check_gradients(by_data, [0.3, 0.7], [1.1, -0.4])
    assert report["x"].verdict == "wrong"
    report = check_gradients(by_no_grad, [0.3, 0.7], [1.1, -0.4])
    assert report["w"].verdict == "right"


def printed(x):
    y = half(x)
    print(float(y))
    return y


def logged(x):
    y = half(x)
    seen.append(y.item())
    return y


def branched(x):
    return half(x) if float(x) > 0 else x


def rounded(x):
    return half(x) * int(x)


@pytest.mark.parametrize("fn", [printed, logged, branched, rounded])
def test_a_number_that_does_not_matter_is_not_blamed(fn: Any, capsys: pytest.CaptureFixture[str]) -> None:
    report = check_gradients(fn, 2.5)
    assert [finding.kind for finding in report.findings] == ["wrong_factor"]


@pytest.mark.parametrize("fn", [lambda x: F.sin(x) * int(x), lambda x: (seen.append(float(x)), x * x)[1]])
def test_right_functions_stay_right(fn: Any) -> None:
    report = check_gradients(fn, 2.5)
    assert report.verdict == "right" and report.findings == ()


def both(x):
    return half(x) * float(x)


def test_where_more_is_wrong_that_is_said() -> None:
    (found,) = check_gradients(both, 2.5).findings
    assert found.kind == "left_graph" and not found.evidence["whole"]
    assert found.message.endswith("That is not its only mistake.")


def of_two_in_a_loop(x, y):
    total = 0
    for k in (1.0, 3.0):
        v = x * k
        with autolab.no_grad():
            m = v * y
        total = total + m * x
    return total


def test_what_two_values_give_in_a_loop_is_held_turn_by_turn() -> None:
    found = check_gradients(of_two_in_a_loop, [1.3, -0.7], [0.4, 2.1]).findings
    assert [finding.evidence["whole"] for finding in found] == [True, True]


def two(x):
    s = math.sin(x)
    return x * s + math.cos(x)


def test_several_places() -> None:
    (found,) = check_gradients(two, 2.5).findings
    assert [place["source"] for place in found.evidence["places"]] == ["math.sin(x)", "math.cos(x)"]
    assert found.evidence["whole"] and found.message.count("left the graph") == 2


def test_second_order() -> None:
    class Square(autolab.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            return (grad_outputs[0] * 2.0 * x.data,)

    assert check_gradients(lambda x: Square().apply((x,))[0], 2.5).verdict == "right"
    (found,) = check_gradients(lambda x: Square().apply((x,))[0], 2.5, order=2).findings[:1]
    assert found.kind == "left_graph" and found.evidence["places"][0]["source"] == "x.data"


def test_exercises_hold_it_back() -> None:
    assert check_gradients(by_math, 2.0, reveal=2).findings == ()
    assert check_gradients(by_math, 2.0, reveal=3).findings[0].hint == ""
