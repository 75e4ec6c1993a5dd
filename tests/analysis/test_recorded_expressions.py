"""Derivatives as simplified expressions: every rewriting gives what the steps give, at random and at hostile points."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.analysis.expressions import (
    ONE,
    ZERO,
    Expression,
    FunctionCall,
    Name,
    Number,
    Power,
    Product,
    Rules,
    Sum,
    evaluate,
    is_total,
    number,
    terms_of,
)
from autolab.analysis.recorded_expressions import Derivation, NotReadableError, derivation, origins

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin, "cos": np.cos, "exp": np.exp, "tanh": np.tanh, "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
    "sign": np.sign, "_both_zero": lambda a, b: np.float64(a == 0 and b == 0), "_zero": lambda a: np.float64(a == 0),
}  # fmt: skip
HOSTILE = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]


def at(expression: Expression, inputs: dict[str, float]) -> Any:
    """The value of an expression where its inputs are others than those that were recorded."""

    def known(leaf: Expression) -> Any:
        if isinstance(leaf, FunctionCall):
            return FUNCTIONS[leaf.function](*[at(argument, inputs) for argument in leaf.arguments])
        assert isinstance(leaf, Name)
        return np.float64(inputs[leaf.text]) if leaf.definition is None else at(leaf.definition, inputs)

    with np.errstate(all="ignore"):
        return evaluate(expression, known)


def read(fn: Callable[..., Any], inputs: dict[str, float], order: int = 0) -> tuple[Derivation, list[Any]]:
    """The expressions of the orders, and what was computed."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        recording = autolab.record(fn, **inputs, options={"order": order})
    graphs = [recording, *recording.higher]
    values = [next(step.value for step in graph.steps if step.id == graph.outputs[0]) for graph in graphs]
    return derivation(recording), [None if value is None else value.values for value in values]


def same(expression: Expression, inputs: dict[str, float], computed: Any) -> bool:
    """Equal up to the rounding of the terms; NaN and infinities at the same places, each with its sign."""
    found = at(expression, inputs)
    if np.isnan(computed) or np.isinf(computed):
        return bool(np.array_equal(found, computed, equal_nan=True))
    size = sum([abs(at(term, inputs)) for term in terms_of(expression)])
    return bool(np.isfinite(found) and abs(found - computed) <= 1e-9 * (size + abs(computed)))


# ------------------------------------------------------------------ random programs
def program(seed: int, smooth: bool) -> Callable[..., Variable]:
    """A function of ``x`` and ``y`` that a seed determines: sums, products, powers and calls of each other."""
    unary = [F.sin, F.cos, F.tanh, lambda v: -v, lambda v: v**2, lambda v: v**3, lambda v: v**1, lambda v: 2 * v]
    unary += [] if smooth else [lambda v: v**0, lambda v: 1 / v, lambda v: v**-2, lambda v: v + 0, lambda v: v - 0, abs]
    binary = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a * b]
    binary += [] if smooth else [lambda a, b: a / b, lambda a, b: 0 * a + b, lambda a, b: a - (b + 0)]

    def fn(x: Variable, y: Variable) -> Variable:
        choose = random.Random(seed)
        values = [x, y, x * 1]
        for _ in range(choose.randint(2, 5)):
            if choose.random() < 0.5:
                values.append(choose.choice(unary)(choose.choice(values)))
            else:
                values.append(choose.choice(binary)(choose.choice(values), choose.choice(values[-2:])))
        return values[-1] + 0 * values[-2] if choose.random() < 0.2 else values[-1] * 1

    return fn


def points(seed: int, hostile: bool) -> Iterator[dict[str, float]]:
    chance = random.Random(seed)
    values = HOSTILE if hostile else [0.0, -0.0, 1.0, -1.0]
    for _ in range(12):
        yield {name: chance.choice([*values, chance.uniform(-3, 3), chance.uniform(-3, 3)]) for name in "xy"}


@each("seed", range(100))
def test_what_is_simplified_for_any_value_holds_for_any_value(seed: int) -> None:
    """Read where a value is NaN, so that only rules are used that hold everywhere; then looked at everywhere."""
    fn = program(seed, smooth=False)
    try:
        found, _ = read(fn, {"x": math.nan, "y": math.nan})
    except NotReadableError:
        pytest.skip("too long")
    for point in points(seed, hostile=True):
        for expression, computed in zip(found.orders, read_values(fn, point, 0), strict=True):
            assert same(expression, point, computed), (point, expression, computed)


@each("seed", range(60))
def test_derivatives_hold_at_every_finite_point(seed: int) -> None:
    fn = program(seed, smooth=True)
    try:
        found, _ = read(fn, {"x": 0.3, "y": -1.7}, order=2)
    except NotReadableError:
        pytest.skip("too long")
    for point in points(seed, hostile=False):
        for expression, computed in zip(found.orders, read_values(fn, point, len(found.orders) - 1), strict=False):
            assert same(expression, point, computed), (point, expression, computed)


def read_values(fn: Callable[..., Any], point: dict[str, float], order: int) -> list[Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        recording = autolab.record(fn, **point, options={"order": order})
    graphs = [recording, *recording.higher]
    return [next(s.value.values for s in g.steps if s.id == g.outputs[0] and s.value is not None) for g in graphs]


# ------------------------------------------------------------------ rules, one by one
X, Y = Name("x", 0), Name("y", 1)
TWO, MINUS = Number(2 * ONE.value), Number(-ONE.value)
POLE = Power(X, MINUS)


def test_neutral_factors_and_terms_go_and_zero_times_a_value_stays() -> None:
    rules = Rules()
    assert rules.product([ONE, X, ONE]) == rules.power(X, ONE) == rules.sum([X, ZERO]) == X
    assert rules.product([MINUS, rules.product([MINUS, X])]) == X
    assert rules.power(X, ZERO) == ONE  # also of NaN
    assert rules.sum([TWO, MINUS]) == ONE and rules.product([TWO, TWO, X]) == rules.product([rules.power(TWO, TWO), X])
    assert rules.product([ZERO, X]) != ZERO != rules.sum([X, rules.product([MINUS, X])])
    finite = Rules(finite=True)
    assert finite.product([ZERO, X]) == finite.sum([X, finite.product([MINUS, X])]) == ZERO
    assert finite.product([ZERO, POLE]) != ZERO and finite.sum([POLE, finite.product([MINUS, POLE])]) != ZERO


def test_a_power_below_the_line_is_not_taken_against_one_above() -> None:
    rules = Rules(finite=True)
    assert rules.product([X, POLE]) != ONE and rules.product([X, X]) == Power(X, TWO)
    assert rules.product([POLE, POLE]) == Power(X, Number(-TWO.value))
    half = Number(ONE.value / 2)
    assert rules.product([Power(X, half), Power(X, half)]) != X


def test_a_sum_is_multiplied_out_only_where_every_factor_is_finite() -> None:
    inner = Rules().sum([X, Y])
    assert isinstance(Rules().product([X, inner]), Product) and isinstance(Rules().product([TWO, inner]), Sum)
    assert isinstance(Rules(finite=True).product([X, inner]), Sum)
    assert isinstance(Rules(finite=True).product([POLE, inner]), Product)
    assert isinstance(Rules(finite=True, kept={inner}).product([X, inner]), Product)  # somebody wrote it so


def test_the_sign_of_a_zero_stays_where_it_shows() -> None:
    found, (computed,) = read(lambda x: 1 / (x + 0), {"x": 2.0})
    assert at(found.orders[0], {"x": -0.0}) == math.inf  # -0.0 + 0 is 0.0
    assert read_values(lambda x: 1 / (x + 0), {"x": -0.0}, 0)[0] == math.inf and computed == 0.5
    found, _ = read(lambda x: 1 / (x - 0), {"x": 2.0})
    assert found.orders[0] == POLE and at(POLE, {"x": -0.0}) == -math.inf


def test_what_no_rule_may_touch_is_no_number() -> None:
    assert [number(value) for value in (math.nan, math.inf, -0.0)] == [None] * 3
    assert number(0.1) == Number(ONE.value / 10)


# ------------------------------------------------------------------ recordings
def test_names_of_the_user_stand_for_what_they_name_wherever_it_comes_out_again() -> None:
    def fn(x: Variable) -> Variable:
        s = F.sin(x)
        y = s * s * F.cos(x)
        return y

    found, _ = read(fn, {"x": 0.3}, order=2)
    (name,) = found.names
    assert name.text == "s" and name.definition == FunctionCall("sin", (Name("x", 0),))
    assert not any(part == name.definition for order in found.orders for term in terms_of(order) for part in term.parts)


def test_a_term_comes_from_those_whose_derivative_has_its_factors() -> None:
    def fn(x: Variable) -> Variable:
        y = x**3 + F.sin(x) * 2.0
        return y

    found, _ = read(fn, {"x": 0.3}, order=2)
    assert [[k for k, _ in one] for one in origins(found, 1)] == [[0], [1]]
    for order in (1, 2):
        assert len(origins(found, order)) == len(terms_of(found.orders[order]))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: (x, x * 2.0),  # two results
        lambda x: F.maximum(x, Variable(np.ones((500, 500)))).sum(),  # more than a recording keeps whole
    ],
)
def test_what_cannot_be_read_is_refused(fn: Any) -> None:
    with pytest.raises(NotReadableError):
        derivation(autolab.record(fn, 2.0))


def test_ones_of_more_elements_are_no_neutral_factor() -> None:
    recording = autolab.record(lambda x: x * Variable(np.ones(3)), 2.0)
    assert isinstance(derivation(recording).orders[0], FunctionCall)


def test_masks_are_not_taken_for_numbers() -> None:
    """The slope of a kink is one number here and another one there."""
    found, values = read(lambda x: abs(x) * x, {"x": 2.0}, order=2)
    for expression, computed in zip(found.orders, values, strict=True):
        assert same_here(found, expression, computed)
    assert not is_total(POLE) and is_total(found.orders[0])


def same_here(found: Derivation, expression: Expression, computed: Any) -> bool:
    return bool(np.allclose(found.value(expression), computed))
