"""Functions with steps, dropout, ties, rounding noise or a gradient of 0 are not accused, and what is right is called
so; wrong gradients of the same functions still do not pass."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from helpers.each import each
from right_families import FAMILIES, draw_right

from autolab import Variable, check_gradients, using_config
from autolab import functions as F

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

OPEN = {"dropout": 1.0, "two magnitudes": 0.4, "saturated": 0.2}
"""The share of a family about which nothing need be said: random results, and digits that are lost."""


def verdicts(family, seeds):
    found = []
    for seed in seeds:
        np.random.seed(seed)  # what dropout draws
        function, inputs = draw_right(family, seed)
        found.append(check_gradients(function, *inputs).verdict)
    return found


@each("family", FAMILIES)
@each("count", [3, pytest.param(1_000, marks=pytest.mark.full)])
def test_no_right_function_of_these_families_is_called_wrong(family, count):
    found = verdicts(family, range(count))
    assert [seed for seed, verdict in enumerate(found) if verdict == "wrong"] == []
    assert found.count("cannot tell") <= max(2, count * 0.03) + count * OPEN.get(family, 0.0)


SEEN = {
    "steps": (1, 4, 7),
    "straight beside steps": (1, 16),
    "dropout": (3, 15, 31),
    "ties": (0, 2, 157),
    "equal elements": (44, 115),
    "saturated": (50, 88, 96),
    "far out": (28, 30, 46),
    "two magnitudes": (265, 504, 659, 792),
}
"""Draws that were called wrong once."""


@pytest.mark.parametrize("family", SEEN)
def test_no_right_function_is_called_wrong_where_one_was(family):
    assert "wrong" not in verdicts(family, SEEN[family])


@pytest.mark.parametrize("factor", [1.0, 0.0, 2.0, -1.0])
def test_a_small_element_beside_a_large_one_excuses_no_wrong_rule(factor):
    """Its slope is measured by moves of its own magnitude; those of the others lead where the function is flat."""

    def rule(g, x, y):
        slope = g * (1 - np.tanh(x * y) ** 2)
        return slope * y, factor * slope * x + g

    wrong = node(lambda x, y: np.tanh(x * y) + y, rule)
    report = check_gradients(wrong, [2.7e9, 3.4e74], [6.8e-10, 2.2e38])
    assert report.verdict == ("right" if factor == 1 else "wrong"), report


def test_a_function_with_steps_has_the_gradient_0():
    x = np.random.default_rng(0).uniform(0, 1, 20)
    assert check_gradients(F.floor, [100.5]).passed
    assert check_gradients(lambda x: F.floor(x * 255) / 255, x).passed
    assert check_gradients(node(lambda a: np.floor(a * 255) / 255, lambda g, a: 0 * g), x).passed


@pytest.mark.parametrize("levels", [1, 8, 100, 1000])
def test_at_the_edge_of_a_step_that_is_meant_there_is_no_slope(levels):
    x = np.array([0.3, 1.0, -2.0])
    for function in (lambda x: F.floor(x * levels), lambda x: x + F.ceil(x * levels) / levels):
        report = check_gradients(function, x)
        assert report.verdict == "cannot tell" and "jumps in x at [" in str(report), report

    def forgets_x(x):
        return F.floor(x * levels) + Variable(x.array, requires_grad=False) + 0 * x

    assert check_gradients(forgets_x, x).verdict == "wrong"


def test_what_is_rounded_on_purpose_is_not_said_to_be_computed_in_float16():
    for digits in (2, 3):
        report = check_gradients(lambda x: F.round(x * 10**digits) / 10**digits, [0.3, 1.27, -2.141])  # noqa: B023
        assert report.verdict != "wrong" and "float16" not in str(report), report


def test_randomness_is_not_called_a_mistake_of_backward():
    for seed in range(60):
        with using_config("rng", np.random.default_rng(seed)):
            report = check_gradients(lambda x: F.dropout(x * x, 0.5), [0.0 if seed % 2 else 1.5])
        assert report.verdict != "wrong", report


def normalized(x, w, b):
    return np.tanh(F.batch_norm(x @ w + b, np.ones(3), np.zeros(3)))


def attention(x, bq, bk):
    return F.softmax((x + bq) @ F.transpose(x * 2.0 + bk), axis=-1) @ x


@pytest.mark.parametrize(("function", "shapes"), [(normalized, [(5, 2), (2, 3), 3]), (attention, [(4, 3), 3, 3])])
def test_a_gradient_that_is_0_up_to_rounding_is_right_and_said_to_be_0(function, shapes):
    for seed in range(4):
        report = check_gradients(
            function, *[np.random.default_rng([seed, k]).normal(size=s) for k, s in enumerate(shapes)]
        )
        assert report.passed, report
        assert "is zero up to rounding" in str(report) and all(len(f.message) <= 300 for f in report.findings)


def beside(weight, gradient):
    """A sum that depends on its second input by ``weight``, with another gradient."""
    rules = lambda g, a, b: (g / np.cosh(a) ** 2, np.sum(g * gradient) * np.ones_like(b))  # noqa: E731
    return node(lambda a, b: np.tanh(a) + weight * np.sum(b), rules)


@pytest.mark.parametrize("weight", [1.0, 1e-3, 1e-6, -1e-8, 1e-10])
def test_a_forgotten_dependency_is_no_zero_up_to_rounding(weight):
    for seed in range(4):
        a, b = np.random.default_rng(seed).normal(size=(2, 4)) * 3
        assert check_gradients(beside(weight, weight), a, b).verdict != "wrong"
        assert not check_gradients(beside(weight, 0.0), a, b).passed
        assert not check_gradients(beside(0.0, weight), a, b).passed


def biased(leftover):
    """A bias that is taken out again, with a gradient that is not 0."""
    centred = lambda a, b: (a + b) - np.mean(a + b)  # noqa: E731
    return node(centred, lambda g, a, b: (g - np.mean(g), np.full_like(b, leftover * np.sum(g))))


@pytest.mark.parametrize(
    ("leftover", "passes"), [(0.0, True), (1e-17, True), (1e-10, False), (1e-4, False), (1, False)]
)
def test_a_gradient_that_should_be_0_and_is_not_does_not_pass(leftover, passes):
    a, b = np.random.default_rng(1).normal(size=4), np.random.default_rng(2).normal(size=1)
    assert check_gradients(biased(leftover), a, b).passed == passes


def coarse(a):
    return np.sin(a.astype(np.float32)).astype(float)


def test_the_rounding_of_a_lower_precision_is_no_step_that_is_meant():
    x = np.random.default_rng(0).uniform(0.3, 2, 5)
    forgotten = {
        "all": node(coarse, lambda g, a: 0 * g),
        "a term": node(lambda a: a + coarse(a), lambda g, a: g),
    }
    assert {name: check_gradients(f, x).verdict for name, f in forgotten.items()} == dict.fromkeys(forgotten, "wrong")


def median(pick):
    """The median of three, whose gradient goes to the element at that place of their order, times 1 or more."""
    place, times = pick

    def backward(g, a):
        d = np.zeros_like(a)
        d[np.argsort(a, kind="stable")[place]] = times * g
        return d

    return node(lambda a: np.asarray(np.median(a)), backward)


def test_ties_excuse_no_wrong_rule():
    tied = np.array([0.7, 0.7, 0.7])
    assert check_gradients(median((1, 1.0)), tied).passed
    assert check_gradients(median((1, 2.0)), tied).verdict == "wrong"
    assert check_gradients(median((1, -1.0)), tied).verdict == "wrong"
    assert check_gradients(median((0, 1.0)), tied).verdict == "wrong"
