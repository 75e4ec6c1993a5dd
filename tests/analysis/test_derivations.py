"""Derivatives as simplified expressions: every rewriting gives what the steps give, at random and at hostile points."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.analysis.derivations import Derivation, NotReadableError, derivation, origins
from autolab.analysis.expressions import (
    ONE,
    ZERO,
    Call,
    Expression,
    Name,
    Number,
    Power,
    Rules,
    evaluate,
    is_total,
    number,
    terms_of,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin, "cos": np.cos, "exp": np.exp, "tanh": np.tanh, "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
    "sign": np.sign, "_both_zero": lambda a, b: np.float64(a == 0 and b == 0), "_zero": lambda a: np.float64(a == 0),
}  # fmt: skip
HOSTILE = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]


def at(expression: Expression, inputs: dict[str, float]) -> Any:
    """The value of an expression where its inputs are others than those that were recorded."""

    def known(leaf: Expression) -> Any:
        if isinstance(leaf, Call):
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


@pytest.mark.parametrize("seed", range(150))
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


@pytest.mark.parametrize("seed", range(80))
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
