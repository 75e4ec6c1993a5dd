"""What a report remembers of its function, and one direction looked at closely."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import weakref

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients
from autolab.gradcheck.checks.taylor import study

WRONG = node(lambda x, y: x * x * y, lambda g, x, y: (g * x * y, g * x * x))
DRAWS = np.random.default_rng(0)
X, Y = np.array([[0.5, -1.5, 2.0], [1.0, 3.0, -0.25]]), np.array([2.0, -1.0, 0.5])


def wrong(x, y):
    return WRONG(x, y + 0 * x)


def test_the_report_keeps_its_function_and_the_inputs_as_they_were():
    x = X.copy()
    report = check_gradients(wrong, x, Y)
    x[...] = 99
    looked = study(report._origin.checked, report.upstream, "x", (1, 1))
    assert looked.sweep.analytic == report["x"].analytic[1, 1]
    numeric = np.median(looked.sweep.numeric[8:20])
    assert numeric == pytest.approx(report["x"].numeric[1, 1], rel=1e-6)
    assert looked.taylor.order == pytest.approx(1, abs=0.05)


def test_a_direction_of_a_right_input_has_a_remainder_of_second_order():
    report = check_gradients(lambda x, y: np.exp(x) * y * y, X, Y)
    for name in ("x", "y"):
        looked = study(report._origin.checked, report.upstream, name, None, seed=3)
        assert looked.taylor.order == pytest.approx(2, abs=0.1)
        assert np.nanmin(looked.sweep.error) < 1e-8 * abs(looked.sweep.analytic)


def test_at_order_2_the_derivatives_of_the_gradient_are_studied():
    report = check_gradients(lambda x: x * x * x, np.array([1.5, -2.0]), order=2)
    looked = study(report._origin.checked, report.upstream, "x", (1,))
    assert looked.sweep.analytic == report["x"].analytic[1]
    assert looked.taylor.passed


def test_a_wrong_report_holds_a_sweep_of_its_worst_element():
    report = check_gradients(wrong, X, Y)
    item = report["x"]
    assert (report.sweep.input, report.sweep.index) == ("x", item.worst)
    assert report.sweep.analytic == item.analytic[item.worst]
    assert np.median(report.sweep.error) == pytest.approx(item.error[item.worst], rel=1e-3)
    assert check_gradients(lambda x: x * x, X).sweep is None


@pytest.mark.parametrize("level", [0, 1])
def test_a_report_that_holds_back_its_numbers_has_no_sweep(level):
    assert check_gradients(wrong, X, Y, reveal=level).sweep is None


def test_json_pickle_and_copies_hold_data_only():
    report = check_gradients(wrong, X, Y)
    assert "_origin" not in report.to_json() and "function at" not in json.dumps(report.to_json(), allow_nan=False)
    for twin in (pickle.loads(pickle.dumps(report)), copy.copy(report)):
        assert str(twin) == str(report) and twin._origin is None
    assert "_origin" not in repr(report)


@pytest.mark.parametrize(
    ("computed", "verdict"),
    [
        (lambda x: x * x, "right"),
        (node(lambda x: x * x, lambda g, x: (g, g)), "wrong"),
        (node(lambda x: x * x, lambda g, x: g.sum()), "wrong"),
        (node(lambda x: x * DRAWS.normal(), lambda g, x: g), "cannot tell"),
        (node(lambda x: x * x, lambda g, x: g * DRAWS.normal()), "wrong"),
    ],
    ids=["right", "two gradients", "one number", "random results", "random gradients"],
)
def test_the_function_is_freed_with_the_report(computed, verdict):
    def function(x):
        return computed(x)

    gone = weakref.ref(function)
    gc.disable()
    try:
        report = check_gradients(function, X)
        assert report.verdict == verdict
        del function
        assert gone() is not None
        del report
        assert gone() is None
    finally:
        gc.enable()
