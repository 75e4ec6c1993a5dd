"""Mistakes of many families, planted in right functions: caught, and named; the right functions are never accused."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from helpers.each import each
from planted_counts import FRESH, accused, judge, totals
from planted_mistakes import FAMILIES, draw

from autolab import check_gradients


@each("family", FAMILIES)
def test_a_planted_mistake_is_caught_and_named(family):
    counts, report = judge(draw(family, 0))
    assert counts.very == 1, report
    assert accused(family, 0) == ""


@pytest.mark.full
def test_planted_mistakes_are_caught_and_named():
    found = list(totals(FAMILIES, FRESH).values())
    drawn = sum(counts.all for counts in found)
    assert drawn >= 400 and sum(counts.caught for counts in found) == drawn
    assert sum(counts.kind for counts in found) >= 0.99 * drawn
    assert sum(counts.very for counts in found) >= 0.95 * drawn


@pytest.mark.full
def test_the_right_functions_of_planted_mistakes_are_not_accused():
    assert [text for family in FAMILIES for seed in range(45) if (text := accused(family, seed))] == []


def test_formulas_use_the_names_of_the_inputs_and_are_held_back_below_level_4():
    rule = node(np.tanh, lambda g, a: g * (1 - np.tanh(a)))
    x = np.linspace(0.2, 1.4, 5)
    (finding,) = check_gradients(lambda speed: rule(speed), x).findings
    assert "Your rule computes g * (1 - y); measured is g * (1 - y * y)." in finding.hint
    (held,) = check_gradients(lambda speed: rule(speed), x, reveal=3).findings
    assert "right" not in held.evidence and "g * " not in str(held)
    power = node(lambda a: a**3, lambda g, a: 3 * g * a)
    (named,) = check_gradients(lambda speed: power(speed), x).findings
    assert "computes 3 * g * speed; measured is 3 * g * speed * speed." in named.hint


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("xyz", "Your rule computes g * x; measured is g * y."),
        ("gxy", "Your rule computes upstream * g; measured is upstream * x."),
        ("yxz", "Your rule computes g * y; measured is g * x."),
        (("out", "y", "g"), "Your rule computes upstream * out; measured is upstream * y."),
    ],
)
def test_formulas_keep_the_names_of_inputs_that_are_called_like_the_result_or_the_gradient(names, said):
    rule = node(lambda a, b, c: a * b + c, lambda g, a, b, c: (g * a, g * a, g))
    inputs = dict(zip(names, np.random.default_rng(0).uniform(0.5, 2, (3, 4)), strict=True))
    (finding,) = check_gradients(
        eval(f"lambda {', '.join(names)}: rule({', '.join(names)})", {"rule": rule}), **inputs
    ).findings
    assert said in finding.hint


@pytest.mark.parametrize(
    ("name", "term"), [("scores", "- y * sum(g * y)"), ("y", "- out * sum(g * out)"), ("g", "- y * sum(upstream * y)")]
)
def test_the_term_of_a_row_keeps_the_names_too(name, term):
    rule = node(softmax, lambda g, a: g * softmax(a))
    x = np.random.default_rng(0).normal(size=(3, 4))
    (finding,) = check_gradients(eval(f"lambda {name}: rule({name})", {"rule": rule}), x).findings
    assert f"The term is {term}." in finding.hint


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_no_formula_is_said_where_none_fits_to_rounding():
    odd = node(np.tanh, lambda g, x: g * (1 - np.tanh(x) * 1.00001))
    (finding,) = check_gradients(odd, np.linspace(0.2, 1.4, 5)).findings
    assert "written" not in finding.evidence


def test_half_precision_inside_does_not_pass_silently():
    x = np.random.default_rng(0).uniform(0.3, 2, 5)
    for dtype, forward, backward in (
        ("float16", lambda x: np.exp(x.astype(np.float16)).astype(float), lambda g, x: g * np.exp(x)),
        ("float16", np.exp, lambda g, x: g * np.exp(x.astype(np.float16))),
        ("float32", lambda x: np.exp(x.astype(np.float32)).astype(float), lambda g, x: g * np.exp(x)),
    ):
        report = check_gradients(node(forward, backward), x)
        (finding,) = [f for f in report.findings if f.kind == "low_precision"]
        assert finding.evidence["dtype"] == dtype
        assert report.passed == (dtype == "float32")


def test_stairs_and_rounding_are_not_taken_for_low_precision():
    for function in (np.floor, np.sign, lambda x: (x + 1e6) - 1e6, lambda x: np.cos(x) - 1):
        report = check_gradients(function, np.array([0.3, 1.7, -2.2, 0.01]))
        assert "low_precision" not in [f.kind for f in report.findings]
