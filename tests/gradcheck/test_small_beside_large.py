"""Elements of one array that are many powers of ten apart: a term left out, doubled or turned does not pass at any of
them where a result shows it, and a right rule is not called wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

Terms = Callable[[Any, Any], list[Any]]
FUNCTIONS: list[tuple[Callable[[Any, Any], Any], Terms, Terms]] = [
    (
        lambda x, y: np.tanh(x * y) + y,
        lambda x, y: [(1 - np.tanh(x * y) ** 2) * y],
        lambda x, y: [(1 - np.tanh(x * y) ** 2) * x, np.ones_like(y)],
    ),
    (
        lambda x, y: x * np.exp(-abs(y)) + y,
        lambda x, y: [np.exp(-abs(y))],
        lambda x, y: [-x * np.exp(-abs(y)) * np.sign(y), np.ones_like(y)],
    ),
    (
        lambda x, y: np.sqrt(x * x + y * y),
        lambda x, y: [x / np.sqrt(x * x + y * y)],
        lambda x, y: [y / np.sqrt(x * x + y * y)],
    ),
    (lambda x, y: np.log(abs(x)) + x * y, lambda x, y: [1 / x, y], lambda x, y: [x]),
    (lambda x, y: x * y * y + y, lambda x, y: [y * y], lambda x, y: [2 * x * y, np.ones_like(y)]),
]
"""A function of two arrays, and the terms of its two derivatives."""


def drawn(seed: int, is_wrong: bool) -> tuple[Any, Any, Any, bool]:
    """A node, its inputs, and whether one of its results shows what is wrong with a gradient."""
    rng = np.random.default_rng([seed, 77])
    forward, *rules = FUNCTIONS[rng.integers(len(FUNCTIONS))]
    size, wide = int(rng.integers(2, 5)), rng.choice([20.0, 40.0, 90.0])
    x, y = rng.normal(size=(2, size)) * 10.0 ** rng.uniform(-wide, wide, (2, size))
    if rng.random() < 0.6:  # a product of a usual size
        k = rng.integers(size)
        y[k] = rng.normal() / x[k]
    place, factor = int(rng.integers(2)), float(rng.choice([0.0, 2.0, -1.0]))
    which = int(rng.integers(len(rules[place](x, y))))

    def gradients(x: Any, y: Any, factor: float) -> list[Any]:
        terms = [rule(x, y) for rule in rules]
        terms[place][which] = terms[place][which] * factor
        return [sum(some) for some in terms]

    with np.errstate(all="ignore"):
        right, wrong = (gradients(x, y, f)[place] for f in (1.0, factor))
        off, moved = np.abs(right - wrong), np.abs((x, y)[place])
        shows = off > 1e-2 * np.maximum(np.abs(right), np.abs(wrong))
        shows &= (off * moved > 1e-4 * np.abs(forward(x, y))) & np.isfinite(off * moved) & (off * moved > 0)
    backward = lambda g, x, y: tuple([g * d for d in gradients(x, y, factor if is_wrong else 1.0)])  # noqa: E731
    return node(forward, backward), x, y, bool(shows.any())


@pytest.mark.parametrize("count", [15, pytest.param(1_000, marks=pytest.mark.full)])
def test_what_a_result_shows_does_not_pass(count: int) -> None:
    found = Counter()
    for seed in range(count):
        function, x, y, shows = drawn(seed, True)
        if shows:
            found[check_gradients(function, x, y).verdict] += 1
    assert found["right"] <= count * 0.01 and found["wrong"] > 0.85 * found.total(), found


@pytest.mark.parametrize("count", [12, pytest.param(1_000, marks=pytest.mark.full)])
def test_a_right_rule_is_not_called_wrong(count: int) -> None:
    cases = [drawn(seed, False) for seed in range(count)]
    assert [seed for seed, (f, x, y, _) in enumerate(cases) if check_gradients(f, x, y).verdict == "wrong"] == []


@pytest.mark.parametrize("seed", [214, 390])
def test_a_right_rule_that_was_called_wrong_is_not(seed: int) -> None:
    """Where the last digits of a result hide the moves, that was taken for the slope far away."""
    function, x, y, _ = drawn(seed, False)
    assert check_gradients(function, x, y).verdict != "wrong"


def test_a_huge_result_beside_it_excuses_nothing() -> None:
    """A gradient was called zero up to the rounding of a result that does not depend on it."""
    x, y = np.array([-2e29, 2e27]), np.array([-3.3e-31, -4e25])
    rule = lambda g, x, y: (2 * g * y, g * x)  # noqa: E731
    assert check_gradients(node(lambda x, y: x * y, rule), x, y).verdict == "wrong"
