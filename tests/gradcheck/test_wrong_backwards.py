"""Every wrong backward is caught, and the finding names an acceptable cause and the failing input."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node
from edited_rules import EDITS, SUBJECTS, edited, every_edit
from helpers.each import each
from more_wrong_backwards import MORE
from wrong_backwards import CULPRITS, inputs_of

from autolab import check_gradients

DRAWS = 1
ALL = {**CULPRITS, **MORE}
SLICE = 6
"""Of the mechanical edits so many parts; a run takes one, the full run all."""


def failures(report):
    return [finding for finding in report.findings if not finding.innocent]


def check(name, seed):
    culprit = ALL[name]
    return culprit, check_gradients(culprit.function, *inputs_of(culprit, np.random.default_rng([seed, 1])))


@each("name", ALL)
def test_a_wrong_backward_is_caught_and_its_cause_named(name):
    for seed in range(DRAWS):
        culprit, report = check(name, seed)
        first = failures(report)[0]
        assert report.verdict == "wrong", str(report)
        assert first.kind in culprit.kinds, str(report)
        assert first.input in (None, f"inputs[{culprit.failing}]"), str(report)
        assert len(first.message) <= 300


@pytest.mark.full
@each("name", ALL)
def test_many_draws_of_a_wrong_backward_are_caught(name):
    for seed in range(100):
        assert check(name, seed + DRAWS)[1].verdict == "wrong"


def test_the_wrong_backwards_are_many_of_every_kind():
    assert len(ALL) >= 100 and len({name.split(":")[0].split(",")[0] for name in ALL}) >= 20
    named = [kind for culprit in ALL.values() for kind in culprit.kinds[:1]]
    for kind in ("wrong_sign", "wrong_factor", "swapped_inputs", "rearranged", "wrong_shape", "unreduced_broadcast"):
        assert named.count(kind) >= 3, kind
    for kind in ("missing_dependency", "local_error", "upstream_ignored", "missing_term", "wrong_function", "inplace"):
        assert named.count(kind) >= 3, kind


def judge_edits(cases, seeds):
    """Counts over mechanical edits: all, caught, of an acceptable kind, the failing input named; and evaluations."""
    counts, evaluations = np.zeros(4, int), []
    for seed in seeds:
        for subject, edit, i in cases:
            case = edited(subject, edit, i, seed)
            if case is None:
                continue
            report = check_gradients(case.function, *case.inputs)
            first = next(iter(failures(report)), None)
            innocent = first is None or report.verdict != "wrong"
            failing = not innocent and (case.both or first.input in (None, f"inputs[{i}]"))
            counts += [1, not innocent, not innocent and first.kind in case.kinds, failing]
            evaluations.append(report.evaluations)
    return counts, evaluations


def test_edited_rules_are_caught_and_their_causes_named():
    counts, evaluations = judge_edits(list(every_edit())[::SLICE], [0])
    assert counts[0] >= 100
    assert counts[1] == counts[0]
    assert counts[2] >= 0.98 * counts[0] and counts[3] >= 0.99 * counts[0]
    assert np.median(evaluations) <= 500


@pytest.mark.full
def test_every_edited_rule_is_caught_and_its_cause_named():
    counts, evaluations = judge_edits(list(every_edit()), range(1, 6))
    assert len(SUBJECTS) >= 30 and len(EDITS) >= 15 and counts[0] >= 3000
    assert counts[1] == counts[0]
    assert counts[2] >= 0.98 * counts[0] and counts[3] >= 0.99 * counts[0]
    assert np.median(evaluations) <= 500


def test_a_wrong_gradient_takes_few_evaluations():
    assert np.median([check(name, 7)[1].evaluations for name in list(ALL)[::9]]) <= 500


def test_a_wrong_backward_fails_only_the_wrong_input():
    for name in ("muladd, sign of x", "muladd, z twice", "broadcast: one row for the sum"):
        culprit, report = check(name, 0)
        verdicts = [item.verdict for item in report.inputs]
        assert verdicts == ["wrong" if i == culprit.failing else "right" for i in range(len(verdicts))]


def test_findings_carry_the_numbers_of_their_sentence():
    _, report = check("muladd, z twice", 0)
    (finding,) = failures(report)
    evidence = finding.evidence
    assert evidence["factor"] == 2.0
    assert evidence["analytic"] == pytest.approx(2 * evidence["numeric"])
    assert f"{evidence['analytic']:.4g}" in finding.message
    item = report["inputs[2]"]
    assert item.analytic[tuple(evidence["index"])] == evidence["analytic"]
    assert item.worst == tuple(evidence["index"])


def test_swapped_gradients_are_one_finding():
    _, report = check("muladd, x and y swapped", 0)
    (finding,) = failures(report)
    assert (finding.input, finding.evidence["other"]) == ("inputs[0]", "inputs[1]")
    assert [item.verdict for item in report.inputs] == ["wrong", "wrong", "right"]


def test_a_right_gradient_like_one_of_the_swapped_ones_is_not_among_them():
    swapped = node(lambda x, y, z: x * x + y + z, lambda g, x, y, z: (g, g, g * 2 * x))
    report = check_gradients(swapped, *np.random.default_rng(0).uniform(0.5, 2, (3, 4)))
    (finding,) = failures(report)
    assert (finding.kind, finding.input, finding.evidence["other"]) == ("swapped_inputs", "inputs[0]", "inputs[2]")
    assert [item.verdict for item in report.inputs] == ["wrong", "right", "wrong"]


def test_where_a_gradient_is_wrong_is_said_if_a_sign_tells():
    _, report = check("relu without the mask", 0)
    assert "those with inputs[0] < 0" in failures(report)[0].message


def test_a_mistake_that_the_given_point_hides_is_found_nearby():
    squared_twice = node(lambda x: x * x, lambda g, x: g * x * x)
    report = check_gradients(squared_twice, 2.0)  # x * x is 2 * x here, and nowhere near
    assert report.verdict == "wrong"
    assert "nearby" in failures(report)[0].message


def test_swapped_gradients_of_equal_inputs_are_found_nearby():
    swapped = node(lambda x, y: x * y, lambda g, x, y: (g * x, g * y))
    report = check_gradients(swapped, 1.5, 1.5)
    assert [finding.kind for finding in failures(report)] == ["swapped_inputs"]


def test_one_number_alone_is_no_evidence_for_a_factor_or_a_sign():
    """Without a second point, one ratio of 2 could be anything."""

    def here_only(x):
        if not 2 / 1.015 < x < 2 * 1.015:
            raise ValueError("only near 2")
        return x * x

    for wrong in (lambda g, x: g * 4 * x, lambda g, x: -g * 2 * x):
        report = check_gradients(node(here_only, wrong), 2.0)
        assert [finding.kind for finding in failures(report)] == ["wrong_function"]


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
    measured = report["inputs[0]"].measured
    assert measured < 100
    assert f"1 of the {measured} elements that were measured" in report.findings[0].message
    assert report.evaluations < 1000


def test_a_gradient_rounded_to_float32_is_wrong_and_named():
    rounded = node(lambda x: x * 3.3, lambda g, x: (g * 3.3).astype(np.float32).astype(float))
    report = check_gradients(rounded, np.linspace(0.1, 1.4, 5))
    (finding,) = report.findings
    assert report.verdict == "wrong" and (finding.kind, finding.evidence["dtype"]) == ("low_precision", "float32")


def test_a_threshold_is_told_from_both_sides():
    x = np.array([-2.0, -1.4, -0.6, -0.4, 0.1, 0.3, 0.5, 0.8, 1.3, 1.9])
    report = check_gradients(node(lambda x: np.clip(x, -1, 1), lambda g, x: g), x)
    assert "those with |inputs[0]| of 1.3 or more (right up to 0.8)" in failures(report)[0].message
    below = check_gradients(node(lambda x: np.where(x > 0.4, x, 0), lambda g, x: g), x[4:].repeat(2))
    assert "those with inputs[0] of 0.3 or less (right from 0.5 on)" in failures(below)[0].message


def test_a_threshold_that_may_be_chance_is_not_told():
    """The smaller one of each pair is not the greatest; here these are also the smallest of all."""
    pooled = node(lambda x: x.reshape(3, 2).max(axis=1), lambda g, x: np.repeat(g, 2))
    report = check_gradients(pooled, np.array([-1.6, -0.5, -1.1, -0.4, -1.3, 0.2]))
    (finding,) = failures(report)
    assert finding.message.startswith(
        "The gradient of inputs[0] is wrong at 3 of 6 elements, those where it should be 0;"
    )
