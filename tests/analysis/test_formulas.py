"""Formulas that hold on a whole domain, and their derivations: every line is compared with the engine's gradient."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.analysis import Curves, Study
from autolab.analysis.expressions import SLOPE, FunctionCall, RuleLine
from autolab.analysis.formulas import MOST_LINES, Formulas, read_formulas
from autolab.analysis.ladder import Ladder
from autolab.engine.primitive import Primitive
from autolab.engine.undisturbed import quietly

Function = Callable[[Variable], Variable]


def read(fn: Function, domain: tuple[float, float], order: int = 4) -> Formulas:
    """The formulas of a function, with as few samples as are enough to refuse a wrong one."""
    x = np.linspace(*domain, 41)
    ladder = Ladder("test", fn, order)
    at = domain[0] + 0.7 * (domain[1] - domain[0])
    curves = Curves(x, ladder.at(x), (), (), True, None)
    with quietly():
        return read_formulas(lambda: autolab.record(fn, at, options={"order": order}), curves)


def wrong_lines(found: Formulas, x: np.ndarray) -> list[tuple[int, RuleLine]]:
    """The lines of all derivations whose result is not the gradient of what stands on their left."""
    wrong = []
    for order in range(1, len(found.orders)):
        for line in found.derivation(order) or []:
            slope, result = found.value(FunctionCall(SLOPE, (line.of,)), x), found.value(line.result, x)
            slack = 1e-9 * (1 + np.nanmax(np.abs(slope), initial=0.0))
            if not (np.isclose(result, slope, rtol=1e-7, atol=slack) | ~np.isfinite(slope)).all():
                wrong.append((order, line))
    return wrong


# ------------------------------------------------------------------ all elementwise functions
ELEMENTWISE = {
    name: function
    for name in dir(F)
    if isinstance(primitive := getattr(function := getattr(F, name), "function", None), Primitive)
    and primitive.elementwise
    and len(primitive.inputs) == 1
    and name != "cast"
}
NO_FORMULA = {"hardsigmoid", "hardtanh", "leaky_relu", "relu", "relu6"}
"""Their derivative is a number on each branch."""


@each("name", ELEMENTWISE)
def test_every_line_of_every_elementwise_function_is_the_derivative(name: str) -> None:
    fn = ELEMENTWISE[name]
    domain = fn.function.domain or (-2.0, 2.0)
    order = 2 if name in ("hardswish", "celu") else 4  # their slopes have branches, or none, from there on
    found = read(fn, domain, order)
    assert (len(found.orders) > 1) == (name not in NO_FORMULA)
    x = np.random.default_rng(0).uniform(*domain, 40)
    assert wrong_lines(found, x) == []
    for line in [found.derivation(k) for k in range(1, len(found.orders))]:
        assert line is not None and 1 <= len(line) <= MOST_LINES


# ------------------------------------------------------------------ random compositions
UNARY: list[Callable[[Any], Any]] = [
    F.sin, F.cos, F.tanh, F.exp, F.sigmoid, F.softplus, F.arctan, F.square, F.gelu, F.silu, F.erf,
    lambda v: -v, lambda v: v**3, lambda v: 2 * v, lambda v: v + 1, lambda v: 1 / (v * v + 1),
    lambda v: F.log(v * v + 2), lambda v: F.sqrt(v * v + 1),
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a * b, lambda a, b: a / (b * b + 1),
    F.hypot, F.logaddexp,
]  # fmt: skip


def composition(seed: int) -> Function:
    """A smooth function that a seed determines: sums, products, quotients and calls of each other."""

    def fn(x: Variable) -> Variable:
        choose = random.Random(seed)
        values = [x, 0.5 * x]
        for _ in range(choose.randint(1, 4)):
            if choose.random() < 0.6:
                values.append(choose.choice(UNARY)(choose.choice(values)))
            else:
                values.append(choose.choice(BINARY)(choose.choice(values), choose.choice(values[-2:])))
        return values[-1] * 1.0

    return fn


@each("tens", [0, *[pytest.param(i, marks=pytest.mark.full) for i in range(1, 20)]])
def test_every_line_of_random_compositions_is_the_derivative(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        found = read(composition(seed), (-1.5, 1.5))
        x = np.random.default_rng(seed).uniform(-1.5, 1.5, 7)
        assert len(found.orders) > 1, seed
        assert wrong_lines(found, x) == [], seed
        exact = Ladder("test", composition(seed), len(found.orders) - 1).at(x)
        for formula, values in zip(found.orders, exact, strict=True):  # the last line: what is put together
            np.testing.assert_allclose(
                found.value(formula, x) + 0 * x, values, rtol=1e-6, atol=1e-7 * (1 + abs(values).max())
            )


def test_the_rules_are_told_from_the_outside_to_the_inside() -> None:
    def program(x: Variable) -> Variable:
        u = 1.5 * x
        return np.tanh(u) * x**2

    found = read(program, (-2.0, 2.0), 2)
    assert [line.rule for line in found.derivation(1) or []] == ["product", "chain", "factor", "power"]
    assert [line.rule for line in read(np.tanh, (-2.0, 2.0), 2).derivation(2) or []] == ["sum", "power_chain", "known"]


# ------------------------------------------------------------------ which formulas there are
def test_a_formula_of_one_branch_is_no_formula_of_the_function() -> None:
    assert len(Study(F.relu, 1.0, 1).data.formulas.orders) == 1
    assert Study(lambda x: x * x if x.data > 0 else -x * x, 1.0, 1).data.formulas.orders == ()
    assert len(Study(lambda x: x * x, 1.0, 1).data.formulas.orders) == 5


def test_a_function_that_only_the_user_knows_has_none() -> None:
    class Twice(autolab.FunctionNode):
        def forward(self, inputs: Any) -> Any:
            return (2 * inputs[0],)

        def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
            return (2 * grad_outputs[0],)

    assert Study(lambda x: Twice().apply((x,))[0], 1.0, 1).data.formulas.orders == ()


def test_guards_against_overflow_are_left_out_where_they_never_act() -> None:
    calls: list[str] = []

    def names(expression: Any) -> None:
        if isinstance(expression, FunctionCall):
            calls.append(expression.function)
        for part in expression.parts:
            names(part)

    found = Study(lambda x: x**x, 1.0, 2, (0.5, 2.0)).data.formulas
    for order in found.orders:
        names(order)
    assert found.tidied and "log" in calls and not {"_zero", "_both_zero"} & set(calls)


def test_what_is_computed_is_not_simplified() -> None:
    found = Study(np.tanh, 0.5, 1).data.formulas
    slope = found.computed[1]
    assert isinstance(slope, FunctionCall) and slope.function == "sub" and slope != found.orders[1]
    assert float(found.value(slope, 0.3)) == pytest.approx(1 - np.tanh(0.3) ** 2)
