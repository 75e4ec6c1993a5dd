"""Right functions are never called wrong where floating-point numbers give out; wrong rules still are, where they can
be."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from check_subjects import node
from hostile_draws import HOSTILE, ORDINARY, PLANTED, draw

from autolab import check_gradients
from autolab import functions as F
from autolab.gradcheck import GradientCheckError, check_backward, check_double_backward, gradcheck, taylor_test

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def verdict_of(seed, hostile=HOSTILE):
    drawn = draw(seed, hostile)
    return check_gradients(drawn.function, *drawn.inputs).verdict


def planted(seed):
    """Whether a wrong rule at a draw changes the gradient, the verdict about it, and about the right one."""
    drawn = draw(seed)
    right = check_gradients(drawn.function, *drawn.inputs)
    wrong = check_gradients(drawn.planted(list(PLANTED)[seed % len(PLANTED)]), *drawn.inputs)
    first, second = (report.inputs[0].analytic for report in (right, wrong))
    with np.errstate(all="ignore"):
        told = first is not None and second is not None and (np.abs(first - second) > 1e-3 * np.abs(first)).any()
    return bool(told), wrong.verdict, right.verdict


def found(seeds):
    """Of the planted rules that change a gradient which is called right, the share that is called wrong."""
    tally = Counter(wrong for told, wrong, right in map(planted, seeds) if told and right == "right")
    return tally["wrong"] / tally.total()


def test_no_right_function_is_called_wrong_by_hostile_inputs():
    assert [seed for seed in range(16) if verdict_of(seed) == "wrong"] == []


SEEN = (910, 2058, 8142, 10965, 14256, 19870, 21525)
"""Draws that were called wrong once: digits lost to underflow, noise taken for what is not linear, inputs known to
their last digit, a point just before a stair."""


def test_no_right_function_is_called_wrong_where_one_was():
    assert [seed for seed in SEEN if verdict_of(seed) == "wrong"] == []


@pytest.mark.full
def test_no_right_function_of_20_000_is_called_wrong_by_hostile_inputs():
    assert [seed for seed in range(16, 20_016) if verdict_of(seed) == "wrong"] == []


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.full)])
def test_the_taylor_test_and_the_second_order_call_no_right_function_wrong(count):
    drawn = [draw(seed) for seed in range(count)]
    assert not [str(d) for d in drawn if ": wrong" in str(taylor_test(d.function, *d.inputs))]
    twice = [d for d in drawn if not d.opaque][: count // 3]  # a node of NumPy's functions has one derivative
    assert not [str(d) for d in twice if check_gradients(d.function, *d.inputs, order=2).verdict == "wrong"]


def blamed(check, seed, hostile=HOSTILE, wrong=None):
    """Whether one of the checks with a given step calls a draw wrong."""
    drawn, rng = draw(seed, hostile), np.random.default_rng(seed)
    function = drawn.function if wrong is None else drawn.planted(wrong)
    like = lambda arrays: tuple([rng.normal(size=a.shape).astype(a.dtype) for a in arrays])  # noqa: E731
    ys = drawn.function(*drawn.inputs)
    upstream = like(ys if isinstance(ys, tuple) else (ys,))
    try:
        check(function, tuple(drawn.inputs), upstream, like(drawn.inputs))
    except GradientCheckError as error:
        return str(error).split("\n")[0].endswith(": wrong")
    except (ValueError, RuntimeError) as error:
        assert "is lost in the rounding" in str(error) or "only once" in str(error), error
    return False


GIVEN_STEPS = {
    "check_backward": lambda f, xs, gs, ggs: check_backward(f, xs, gs),
    "check_double_backward": check_double_backward,
    "gradcheck": lambda f, xs, gs, ggs: gradcheck(f, tuple([x.astype(np.float64) for x in xs])),
}


@pytest.mark.parametrize("name", GIVEN_STEPS)
@pytest.mark.parametrize("count", [16, pytest.param(2_000, marks=pytest.mark.full)])
def test_checks_with_a_given_step_call_no_right_function_wrong(name, count):
    check, twice = GIVEN_STEPS[name], name == "check_double_backward"  # a node of NumPy's functions has one derivative
    for hostile, some in ((HOSTILE, count), (ORDINARY, count // 4)):
        seeds = [seed for seed in range(some) if not (twice and draw(seed, hostile).opaque)]
        assert [seed for seed in seeds if blamed(check, seed, hostile)] == []


@pytest.mark.parametrize("name", ["check_backward", "gradcheck"])
def test_checks_with_a_given_step_find_wrong_rules(name):
    found = [blamed(GIVEN_STEPS[name], seed, ORDINARY, list(PLANTED)[seed % len(PLANTED)]) for seed in range(60)]
    assert sum(found) >= 45  # a wrong rule may give the right gradient


def test_no_formula_is_sought_where_products_leave_the_range_of_floats():
    """The least squares of infinite numbers raised LinAlgError at this draw."""
    drawn = draw(1443)
    wrong = check_gradients(drawn.planted(list(PLANTED)[1443 % len(PLANTED)]), *drawn.inputs)
    assert drawn.name == "product of three" and wrong.verdict in ("wrong", "cannot tell")


def test_wrong_rules_are_found_at_hostile_inputs():
    assert found(range(24)) >= 0.85


@pytest.mark.full
def test_most_of_2_000_wrong_rules_are_found_at_hostile_inputs():
    assert found(range(2_000)) >= 0.9


def test_at_ordinary_inputs_nothing_is_left_open():
    assert Counter(verdict_of(seed, ORDINARY) for seed in range(12)) == {"right": 12}


@pytest.mark.full
def test_at_1_000_ordinary_draws_nothing_is_left_open():
    assert Counter(verdict_of(seed, ORDINARY) for seed in range(1_000))["right"] >= 995


HIDDEN = {
    "log(1 + exp(-x))": (lambda x: np.log(1 + np.exp(-x)), 40.0, "it jumps by 2.22e-16"),
    "log(1 - sigmoid)": (lambda x: np.log(1 - F.sigmoid(x)), 35.72518, "it jumps by 0.693"),
    "x * x": (lambda x: x * x, 1e-170, "underflows: it stays 0 until x has moved by"),
    "scaled x * x": (lambda x: 1e100 * (x * x), 1e-170, "it jumps by"),
    "gelu by erf": (lambda x: 0.5 * x * (1 + F.erf(x / np.sqrt(2.0))), -8.0, "besides its steady moves it jumps by"),
    "1 - erf": (lambda x: 1 - F.erf(x), 15.0, "it jumps by 1.11e-16"),
    "exp": (lambda x: np.exp(x), 1e-30, "it jumps by 1.11e-16"),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -800.0, "There is an overflow in float64"),
    "root of a square": (lambda x: np.sqrt(x * x), 1e-200, "There is an underflow in float64"),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_hides_a_slope_is_named(name):
    function, x, words = HIDDEN[name]
    report = check_gradients(function, x=x)
    assert report.verdict == "cannot tell", report
    assert words in str(report) and all(len(finding.message) <= 300 for finding in report.findings)
    report.raise_for_failure()


JUMPS = {
    "one threshold": (lambda x: np.where(x > 0.4, x, 0.0), lambda g, x: g, 0.3),
    "a jump elsewhere": (lambda x: x + 1e6 * (x < 0), lambda g, x: -g, 1.0),
    "a corner": (lambda x: np.maximum(x, 0), lambda g, x: g, -1e-20),
    "a pole": (lambda x: 1 / x, lambda g, x: g / x**2, 0.7),
    "poles": (np.tan, lambda g, x: -g / np.cos(x) ** 2, 0.7),
    "a distant threshold": (lambda x: np.where(x > 100, x, 0.0), lambda g, x: g, 1.0),
    "nothing at all": (lambda x: 0 * x, lambda g, x: g, 1e-200),
    "a tiny function": (lambda x: 1e-200 * np.tanh(x), lambda g, x: -1e-200 * g / np.cosh(x) ** 2, 0.5),
    "saturated, but far too steep": (lambda x: np.log(1 + np.exp(-x)), lambda g, x: -0.5 * g, 40.0),
    "underflowing, but far too steep": (lambda x: x * x, lambda g, x: g, 1e-170),
    "a pole as far away as the input is large": (
        lambda x: 1 / x + np.exp(1 / x),
        lambda g, x: -g / (x * x),
        np.array([-1.22, 1.57]),
    ),
}


@pytest.mark.parametrize("name", JUMPS)
def test_what_is_no_staircase_excuses_nothing(name):
    forward, backward, x = JUMPS[name]
    assert check_gradients(node(forward, backward), x).verdict == "wrong"


def test_subnormal_inputs_move_by_what_they_are_moved():
    assert check_gradients(np.tanh, np.array([1e-318, -5e-324, 3e-310])).verdict == "right"


def test_noise_beside_zero_is_no_share_of_the_result():
    """Equal elements are normalized to nearly 0, and moves of all of them at once show rounding only."""
    drawn = draw(800)
    assert drawn.name == "normalized" and verdict_of(800) != "wrong"


def test_a_large_input_that_hides_its_slope_is_not_called_wrong():
    assert check_gradients(lambda x: np.log(1 + np.exp(-x)), np.full(400, 40.0)).verdict == "cannot tell"
    assert check_gradients(lambda x: F.sum(x * x), np.full(400, 1e-170)).verdict == "cannot tell"
