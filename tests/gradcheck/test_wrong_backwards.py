"""Every wrong backward is caught, and the finding names an acceptable cause and the guilty input."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from wrong_backwards import CULPRITS, inputs_of

from autolab import check_gradients

DRAWS = 2


def accusations(report):
    return [finding for finding in report.findings if not finding.innocent]


def check(name, seed):
    culprit = CULPRITS[name]
    return culprit, check_gradients(culprit.function, *inputs_of(culprit, np.random.default_rng([seed, 1])))


@pytest.mark.parametrize("name", CULPRITS)
def test_a_wrong_backward_is_caught_and_its_cause_named(name):
    for seed in range(DRAWS):
        culprit, report = check(name, seed)
        first = accusations(report)[0]
        assert report.verdict == "wrong", str(report)
        assert first.kind in culprit.kinds, str(report)
        assert first.input in (None, f"inputs[{culprit.guilty}]"), str(report)
        assert len(first.message) <= 300


@pytest.mark.full
@pytest.mark.parametrize("name", CULPRITS)
def test_many_draws_of_a_wrong_backward_are_caught(name):
    for seed in range(100):
        assert check(name, seed + DRAWS)[1].verdict == "wrong"


def test_a_wrong_backward_accuses_only_the_guilty_input():
    for name in ("muladd, sign of x", "muladd, z twice", "broadcast: one row for the sum"):
        culprit, report = check(name, 0)
        verdicts = [item.verdict for item in report.inputs]
        assert verdicts == ["wrong" if i == culprit.guilty else "right" for i in range(len(verdicts))]


def test_findings_carry_the_numbers_of_their_sentence():
    _, report = check("muladd, z twice", 0)
    (finding,) = accusations(report)
    evidence = finding.evidence
    assert evidence["factor"] == 2.0
    assert evidence["analytic"] == pytest.approx(2 * evidence["numeric"])
    assert f"{evidence['analytic']:.6g}" in finding.message
    item = report["inputs[2]"]
    assert item.analytic[tuple(evidence["index"])] == evidence["analytic"]
    assert item.worst == tuple(evidence["index"])


def test_swapped_gradients_are_one_finding():
    _, report = check("muladd, x and y swapped", 0)
    (finding,) = accusations(report)
    assert (finding.input, finding.evidence["other"]) == ("inputs[0]", "inputs[1]")
    assert [item.verdict for item in report.inputs] == ["wrong", "wrong", "right"]


def test_where_a_gradient_is_wrong_is_said_if_a_sign_tells():
    _, report = check("relu without the mask", 0)
    assert "those with inputs[0] < 0" in accusations(report)[0].message


def test_a_mistake_that_the_given_point_hides_is_found_nearby():
    squared_twice = node(lambda x: x * x, lambda g, x: g * x * x)
    report = check_gradients(squared_twice, 2.0)  # x * x is 2 * x here, and nowhere near
    assert report.verdict == "wrong"
    assert "nearby" in accusations(report)[0].message


def test_swapped_gradients_of_equal_inputs_are_found_nearby():
    swapped = node(lambda x, y: x * y, lambda g, x, y: (g * x, g * y))
    report = check_gradients(swapped, 1.5, 1.5)
    assert [finding.kind for finding in accusations(report)] == ["swapped_inputs"]


def test_one_number_alone_is_no_evidence_for_a_factor_or_a_sign():
    """Without a second point, one ratio of 2 could be anything."""

    def here_only(x):
        if not 2 / 1.015 < x < 2 * 1.015:
            raise ValueError("only near 2")
        return x * x

    for wrong in (lambda g, x: g * 4 * x, lambda g, x: -g * 2 * x):
        report = check_gradients(node(here_only, wrong), 2.0)
        assert [finding.kind for finding in accusations(report)] == ["wrong_function"]


def test_one_wrong_weight_of_many_is_found():
    """262,144 weights, one of them wrong: random directions see it, bisection finds it."""
    rng = np.random.default_rng(3)
    w = rng.normal(size=(512, 512))

    def backward(g, w):
        gradient = g * 2 * w
        gradient[100, 200] *= 1.01
        return gradient

    report = check_gradients(node(lambda w: (w * w).sum(), backward), w)
    assert report.verdict == "wrong"
    assert report["inputs[0]"].worst == (100, 200)
    assert report["inputs[0]"].measured < 100
    assert report.evaluations < 2000


def test_a_gradient_rounded_to_float32_is_excused():
    rounded = node(lambda x: x * 3.3, lambda g, x: (g * 3.3).astype(np.float32).astype(float))
    report = check_gradients(rounded, np.linspace(0.1, 1.4, 5))
    assert report.verdict == "right"
    assert [finding.kind for finding in report.findings] == ["low_precision"]
