"""Gradients that are right in float64, for random upstream gradients and without ``create_graph``: wrong otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from helpers.each import each
from hostile_draws import HOSTILE, ORDINARY, draw

from autolab import Variable, check_gradients, primitive
from autolab import functions as F

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

MISTAKES = {
    "sign": (lambda g: -g, "wrong_sign"),
    "zero": (lambda g: 0 * g, "missing_dependency"),
    "NaN": (lambda g: g * np.nan, "wrong_function"),
    "twice": (lambda g: 2 * g, "wrong_function"),
}
FORWARDS = {
    "sin": (np.sin, np.cos),
    "exp": (np.exp, np.exp),
    "tanh": (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "log": (np.log, lambda x: 1 / x),
}
POINTS = np.linspace(0.31, 1.4, 6)


def blamed(report):
    return [finding for finding in report.findings if not finding.innocent]


# ---------------------------------------------------------------------- only in the dtype that was given
@each("mistake", MISTAKES)
@each("name", FORWARDS)
@each("dtype", [np.float32, np.float16])
def test_a_gradient_that_is_wrong_in_the_given_dtype_alone_is_wrong(name, mistake, dtype):
    (forward, slope), (spoiled, kind) = FORWARDS[name], MISTAKES[mistake]
    rule = node(forward, lambda g, x: (spoiled(g) if x.dtype == dtype else g) * slope(x))
    assert check_gradients(rule, POINTS).passed
    report = check_gradients(rule, POINTS.astype(dtype))
    (finding,) = blamed(report)
    assert report.verdict == "wrong" and finding.kind == kind and finding.message.startswith(f"In {dtype.__name__} ")
    assert "limit of" not in str(report) and len(finding.message) <= 300
    with pytest.raises(AssertionError):
        report.raise_for_failure()


LIMITED = {
    "overflow": lambda x: np.log(1 + np.exp(x * 60.0)),
    "overflow of the gradient": lambda x: 1e100 * x * x,
    "saturation": lambda x: 1 - np.tanh(x * 9.0),
    "logarithm of a rest": lambda x: np.log(1 - F.sigmoid(x * 12.0)),
    "cancellation": lambda x: (x * 1e4 + 1.0) ** 2 - (x * 1e4) ** 2,
    "a fast wave": lambda x: np.sin(x * 1e5),
    "an edge between two roundings": lambda x: F.relu(x - 0.7),
    "underflow": lambda x: np.exp(-(x**2) * 200.0),
    "a sharp softmax": lambda x: F.softmax(x * x[::-1] * 40.0, axis=0),
    "rounding of a mean": lambda x: F.layer_norm(x * 0.0 + 0.7, np.ones(6), np.zeros(6)) + x,
}


@each("name", LIMITED)
@each("dtype", [np.float32, np.float16])
def test_what_a_dtype_cannot_hold_is_no_mistake(name, dtype):
    for shift in np.linspace(0, 0.5, 6):
        report = check_gradients(LIMITED[name], (POINTS + shift).astype(dtype))
        assert report.verdict != "wrong", report
        assert check_gradients(LIMITED[name], np.full(6, 0.7 + shift, dtype)).verdict != "wrong"


def coarse(seed, hostile):
    drawn = draw(seed, hostile)
    inputs = [x.astype((np.float32, np.float16)[seed % 2]) for x in drawn.inputs]
    return check_gradients(drawn.function, *inputs).verdict


@pytest.mark.parametrize("count", [10, pytest.param(5_000, marks=pytest.mark.full)])
def test_no_right_function_is_called_wrong_in_a_coarse_dtype(count):
    assert [s for s in range(count) if coarse(s, HOSTILE) == "wrong" or coarse(s, ORDINARY) == "wrong"] == []


# ---------------------------------------------------------------------- only under create_graph
def two_rules(mistake):
    def rule(g, x):
        return (MISTAKES[mistake][0](g) if isinstance(g, Variable) else g) * np.cos(x)

    @primitive(x=rule)
    def wave(xp, x):
        return xp.sin(x)

    return lambda x: wave(x) + x


@each("order", [1, 2, 3])
@each("mistake", MISTAKES)
def test_a_gradient_that_is_wrong_under_create_graph_alone_is_wrong(mistake, order):
    report = check_gradients(two_rules(mistake), POINTS, order=order)
    assert report.verdict == "wrong"
    assert "With create_graph=True the gradient of x" in blamed(report)[0].message


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_right_gradient_is_right_under_create_graph(order):
    assert check_gradients(lambda x, w: np.tanh(x * w) * F.softmax(x, axis=0), POINTS, POINTS[::-1], order=order).passed


# ---------------------------------------------------------------------- only for some upstream gradients
UPSTREAMS = {
    "ones": (lambda g: np.where((g == 1).all(), 2, 1) * g, "for an upstream gradient of ones"),
    "all alike": (lambda g: g * (1 + (np.ptp(g) == 0)), "for an upstream gradient of ones"),
    "positive": (lambda g: g * (2 if (g > 0).all() else 1), "is not linear in the upstream gradient"),
    "large": (lambda g: np.clip(g, -5, 5), "for 1024 times an upstream gradient"),
    "negative": (np.abs, "for minus the sum of two upstream gradients"),
}


@pytest.mark.parametrize("name", UPSTREAMS)
def test_a_gradient_that_is_wrong_for_some_upstream_gradients_is_wrong(name):
    spoiled, said = UPSTREAMS[name]
    report = check_gradients(node(np.sin, lambda g, x: spoiled(g) * np.cos(x)), POINTS)
    (finding,) = blamed(report)
    assert report.verdict == "wrong" and said in finding.message and len(finding.message) <= 300


def test_a_loss_whose_gradient_is_wrong_for_one_is_wrong():
    mean = node(lambda x: np.mean(x * x), lambda g, x: g * 2 * x / (1 if g == 1 else x.size))
    assert check_gradients(mean, POINTS).verdict == "wrong"


# ---------------------------------------------------------------------- float32 inside
INSIDE = {
    "result": lambda g, x: (g * np.cos(x)).astype(np.float32),
    "input": lambda g, x: g * np.cos(x.astype(np.float32)),
    "slope": lambda g, x: g * np.cos(x).astype(np.float32),
    "everything": lambda g, x: g.astype(np.float32) * np.cos(x.astype(np.float32)),
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_float64_rule_that_computes_in_less_is_wrong(name, dtype):
    def rule(g, x):
        return INSIDE[name](g, x).astype(float)

    def half(g, x):
        return g * INSIDE[name](np.ones(6), x.astype(np.float16)).astype(np.float16).astype(float)

    report = check_gradients(node(np.sin, half if dtype == "float16" else rule), POINTS)
    (finding,) = blamed(report)
    assert report.verdict == "wrong" and finding.kind == "low_precision" and finding.evidence["dtype"] == dtype
    assert f"computed in {dtype} on its way" in finding.message
    with pytest.raises(AssertionError):
        report.raise_for_failure()


def test_another_mistake_in_a_coarse_gradient_is_named_too():
    wrong = check_gradients(node(np.sin, lambda g, x: (-g * np.cos(x)).astype(np.float32).astype(float)), POINTS)
    assert wrong.verdict == "wrong" and "low_precision" not in [finding.kind for finding in blamed(wrong)]
