"""Fused functions, opened: their composites agree with them, and their steps stand in their place."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
import pytest
from helpers.cases import Case
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row

import autolab
from autolab import functions as F
from autolab.views.graph.listing import remarks
from autolab.views.steps.static import to_text

FUSED = [row for row in ROWS if getattr(getattr(row.function, "function", None), "composite", None)]
CASES = [pytest.param(row, case, id=f"{row.name}-{case.label}") for row in FUSED for case in row.cases]


def test_the_fused_functions_have_composites() -> None:
    names = {"muladd", "expadd", "linear", "softmax_cross_entropy", "softmax", "log_softmax", "layer_norm", "var"}
    assert names <= {row.name for row in FUSED}


@each(("row", "case"), CASES)
def test_a_composite_has_the_value_and_the_gradients_of_its_function(row: Row, case: Case) -> None:
    inputs = case.make(np.random.default_rng(zlib.crc32(case.label.encode())), np.float64)
    if any(a.size == 0 for a in inputs):
        return
    names = [f"x{i}" for i in range(len(inputs))]
    scope: dict[str, Any] = {"call": case.call, "f": row.function}
    exec(f"def program({', '.join(names)}):\n    return call(f, {', '.join(names)})", scope)
    upstream = np.random.default_rng(0).normal(size=np.shape(case.call(row.function, *inputs)))
    recording = autolab.record(scope["program"], *inputs, options={"open": row.name, "upstream": upstream})
    assert recording.openable == (row.name,) and recording.openings
    for opening in recording.openings:
        assert opening.agrees, opening
        assert len(opening.gradients) == len({name for name, _, _ in opening.gradients}) > 0
    assert sum(step.function == row.name for step in recording.steps) == 0


def layer(x: Any, W: Any, b: Any) -> Any:
    h = F.linear(x, W, b)
    loss = F.sum(h * h)
    return loss


def recorded(**options: Any) -> Any:
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(4, 3)), rng.normal(size=(2, 3)), np.zeros(2)
    return autolab.record(layer, *inputs, options=options)


def test_the_steps_stand_in_place_of_the_fused_one() -> None:
    closed, opened = recorded(), recorded(open=["linear"])
    assert [step.function for step in closed.steps[3:]] == ["linear", "mul", "sum"]
    assert [step.function for step in opened.steps[3:]] == ["transpose", "matmul", "add", "mul", "sum"]
    assert opened["h"].source == "(x @ transpose(W)) + b" and opened["h"].line == closed["h"].line
    (scope,) = opened.scopes
    assert (scope.name, scope.label) == ("h", "F.linear(x, W, b)")
    assert {step.outer_line for step in opened.steps[3:6]} == {closed["h"].outer_line}
    assert set(scope.steps) == {step.id for step in opened.steps[3:6]}
    (opening,) = opened.openings
    assert (opening.step, opening.scope) == (opened["h"].id, scope.id)
    np.testing.assert_allclose(opened["h"].grad.values, closed["h"].grad.values)
    for name in ("x", "W", "b"):
        np.testing.assert_allclose(opened[name].grad.values, closed[name].grad.values, rtol=1e-12)
    sent = {o.step for step in opened.steps for o in step.operands if o.contribution is not None}
    assert {opened[name].id for name in ("x", "W", "b", "h")} <= sent


def test_the_proof_is_told_with_its_numbers() -> None:
    (sentence,) = remarks(recorded(open="linear"))
    line = recorded()["h"].line
    agree = "linear and its steps agree. The values differ by at most 0"
    assert sentence.startswith(f"h = F.linear(x, W, b), line {line}: {agree}")
    assert all(f"({name})" in sentence for name in "xwb")
    assert sentence in to_text(recorded(open="linear"))
    assert (
        json.loads(json.dumps(recorded(open="linear").to_json(), allow_nan=False))["openings"][0]["function"]
        == "linear"
    )
    assert remarks(recorded()) == [] and recorded().openable == ("linear",) and recorded().openings == ()


def test_a_wrong_rule_or_composite_is_found() -> None:
    @autolab.primitive(x=lambda g, x: g * 2.001 * x)
    def almost_square(xp: Any, x: Any) -> Any:
        return x * x

    @almost_square.composite
    def _parts(x: Any) -> Any:
        return x * x

    (opening,) = autolab.record(lambda x: almost_square(x), 3.0, options={"open": "almost_square"}).openings
    assert opening.value == 0 and not opening.agrees
    assert opening.gradients[0][:2] == ("x", pytest.approx(0.003))

    @autolab.primitive(x=lambda g, x: 3 * g * x * x)
    def cube(xp: Any, x: Any) -> Any:
        return x**3

    cube.composite(lambda x: x * x * x * 1.5)
    recording = autolab.record(lambda x: cube(x), 2.0, options={"open": "cube"})
    assert recording.openings[0].value == 4 and "do not agree" in remarks(recording)[0]


def test_two_uses_and_shared_inputs_open_each() -> None:
    def fn(x: Any) -> Any:
        a = F.muladd(x, x, x)
        b = F.muladd(a, x, 2.0)
        return b

    closed, opened = (autolab.record(fn, 1.5, options={"open": names}) for names in ((), ("muladd", "expadd")))
    assert len(opened.openings) == 2 and all(opening.agrees for opening in opened.openings)
    assert float(opened["x"].grad.values) == pytest.approx(float(closed["x"].grad.values))
    written = ["F.muladd(x, x, x)", "F.muladd(a, x, 2.0)"]
    assert [scope.label for scope in opened.scopes] == written
    for name, call, sentence in zip("ab", written, remarks(opened), strict=True):
        assert sentence.startswith(f"{name} = {call}, line ")


def _inner(x: Any) -> Any:
    return F.muladd(x, x, 1.0)


def test_uses_that_read_alike_are_told_apart() -> None:
    def fn(x: Any) -> Any:
        for _ in range(2):
            x = F.muladd(x, x, 1.0)
        return x + _inner(x) + F.muladd(x, x, 1.0)

    told = [text.partition(":")[0] for text in remarks(autolab.record(fn, 1.5, options={"open": "muladd"}))]
    assert len(told) == len(set(told)) == 4
    assert (told[0][-6:], told[1][-6:], told[2][-9:]) == ("pass 1", "pass 2", "_inner(x)")


def test_the_program_may_be_differentiated_further() -> None:
    recording = autolab.record(lambda x: F.muladd(x, x, 1.0), 3.0, options={"open": "muladd", "order": 2})
    assert recording.openings[0].agrees and len(recording.higher) == 2


def test_an_option_that_is_no_name_is_an_error() -> None:
    with pytest.raises(TypeError, match="record: option 'open' is 3; expected names of fused functions"):
        recorded(open=3)
