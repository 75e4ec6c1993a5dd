"""A correct function is never accused, whatever its inputs and however much it misleads finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import CORRECT, MISLEADING, draw_inputs
from helpers.each import each

from autolab import check_gradients
from autolab import functions as F

HONESTLY_UNDECIDED = {
    "offset beyond digits",
    "floor at its step",
    "sign at 0",
    "cube root at 0",
    "square root at 0",
    "one result infinite",
    "raises outside",
}
"""There is no slope to be found here, and to say "right" would be a guess."""


def check_correct(seed):
    rng = np.random.default_rng([seed, 11])
    name = list(CORRECT)[rng.integers(len(CORRECT))]
    function, count, domain = CORRECT[name]
    inputs = draw_inputs(rng, count, domain)
    return name, inputs, check_gradients(function, *inputs, rng=rng)


def check_misleading(name, seed):
    function, (low, high) = MISLEADING[name]
    return check_gradients(function, np.random.default_rng([seed, 7]).uniform(low, high, 3))


def test_correct_functions_are_not_accused():
    verdicts, evaluations = [], []
    for seed in range(100):
        name, inputs, report = check_correct(seed)
        assert report.verdict != "wrong", f"seed {seed}, {name}: {report}"
        if all(x.size and x.all() for x in inputs):
            verdicts.append(report.verdict)
            evaluations.append(report.evaluations)
    assert verdicts.count("right") >= 0.97 * len(verdicts)
    assert np.median(evaluations) <= 250


@pytest.mark.full
def test_no_correct_function_of_10_000_is_accused():
    accused = [seed for seed in range(100, 10_100) if check_correct(seed)[2].verdict == "wrong"]
    assert accused == []


@each("name", MISLEADING)
def test_misleading_functions_are_not_accused(name):
    verdicts = [check_misleading(name, seed).verdict for seed in range(4)]
    assert "wrong" not in verdicts
    if name in HONESTLY_UNDECIDED:
        assert set(verdicts) == {"cannot tell"}
    else:
        assert "right" in verdicts


CONSTANT = {
    "sum of a softmax": lambda x: F.sum(F.softmax(x, axis=0)),
    "sine and cosine": lambda x: F.sum(F.sin(x) ** 2 + F.cos(x) ** 2),
    "sum of a batch": lambda x: F.sum(F.batch_norm(x, np.ones(3), np.zeros(3))),
    "length of a direction": lambda x: F.sum((x / F.norm(x)) ** 2),
}
"""Their gradients are 0, but for what rounding leaves of the terms; that is linear in nothing."""


@each("name", CONSTANT)
@each(("rows", "scale", "draws"), [(4, 1.0, 12), (100, 1.0, 2), (4, 1000.0, 4)])
def test_what_rounding_leaves_of_a_gradient_of_0_is_not_accused(name, rows, scale, draws):
    for seed in range(draws):
        x = np.random.default_rng([seed, 13]).normal(size=(rows, 3)) * scale
        report = check_gradients(CONSTANT[name], x)
        assert report.verdict != "wrong", f"seed {seed}: {report}"


@pytest.mark.full
@each("name", MISLEADING)
def test_no_draw_of_a_misleading_function_is_accused(name):
    assert [seed for seed in range(4, 300) if check_misleading(name, seed).verdict == "wrong"] == []


@pytest.mark.parametrize("name", sorted(HONESTLY_UNDECIDED))
def test_what_cannot_be_told_says_why_and_fails_nothing(name):
    report = check_misleading(name, 0)
    assert not report.passed
    assert {finding.kind for finding in report.findings} <= {"cannot_verify", "kink"}
    report.raise_for_failure()


def test_kinks_are_named_and_their_gradients_accepted():
    for name in ("abs at 0", "relu at 0"):
        report = check_misleading(name, 0)
        assert report.verdict == "right"
        (finding,) = report.findings
        assert finding.kind == "kink" and "lies between" in finding.message
    assert 0.0 in (finding.evidence["low"], finding.evidence["high"])
    assert finding.evidence["high"] - finding.evidence["low"] == pytest.approx(abs(report.upstream[0][0]))


def test_a_gradient_outside_the_slopes_of_a_kink_is_wrong():
    from check_subjects import node

    outside = node(np.abs, lambda g, x: g * np.where(x == 0, 5.0, np.sign(x)))
    report = check_gradients(outside, np.array([0.0, 1.0, -2.0]))
    assert report.verdict == "wrong"
    assert "lies outside" in str(report)


def test_a_nearby_point_outside_of_the_domain_accuses_nobody():
    """A tiny element beside larger ones is moved across 0, where the logarithm is not defined."""
    for seed in range(20):
        x = np.random.default_rng(seed).uniform(0.5, 3, 5)
        x[2] = 1e-9
        assert check_gradients(np.log, x, rng=np.random.default_rng(seed)).verdict == "right"
