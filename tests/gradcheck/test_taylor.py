"""The Taylor-remainder test, plain slopes of one number, and second order in check_gradients."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients
from autolab import functions as F
from autolab.gradcheck import numerical_diff, step_sweep, taylor_test

RIGHT = {
    "exp": (np.exp, (-2, 2)),
    "cube": (lambda x: x**3, (0.5, 2)),
    "softmax": (lambda x: np.exp(x) / F.sum(np.exp(x)), (-2, 2)),
    "several": (lambda x: (np.sin(x), x * x), (-2, 2)),
    "offset": (lambda x: 1e6 + np.cos(x), (-2, 2)),
    "sharp": (lambda x: np.tanh(50 * x), (-0.05, 0.05)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_remainder_of_a_right_gradient_is_of_second_order(name):
    function, (low, high) = RIGHT[name]
    for seed in range(10):
        report = taylor_test(function, np.random.default_rng(seed).uniform(low, high, (3, 2)))
        assert report.order >= 1.9, f"seed {seed}: {report}"
        assert report and "right" in str(report)


@pytest.mark.parametrize("factor", [-1.0, 0.5, 1.01])
def test_the_remainder_of_a_wrong_gradient_is_of_first_order(factor):
    wrong = node(np.exp, lambda g, x: factor * g * np.exp(x))
    for seed in range(10):
        report = taylor_test(wrong, np.random.default_rng(seed).uniform(-1, 1, 4))
        assert report.order == pytest.approx(1.0, abs=0.1), f"seed {seed}"
        assert not report.passed and "wrong" in str(report)


def test_a_linear_function_has_no_remainder():
    report = taylor_test(lambda x, y: x * 3.0 + y, np.ones(3), 2.0)
    assert report.order == np.inf and report.passed
    assert "linear" in str(report)


def test_a_cubic_remainder_is_of_third_order():
    assert taylor_test(lambda x: x**3 + x, np.zeros(2)).order == pytest.approx(3.0, abs=0.05)


def test_noise_is_no_verdict():
    report = taylor_test(lambda x: 1e16 + x * x, np.ones(2))
    assert np.isnan(report.order) or report.order == np.inf
    rounded = node(lambda x: np.round(np.sin(x), 3), lambda g, x: g * np.cos(x))
    assert "wrong" not in str(taylor_test(rounded, np.array([0.3, 0.9])))


def test_the_numbers_are_those_of_the_function():
    report = taylor_test(lambda x: x * x, np.array([1.0]))
    ratio = report.remainder / report.steps**2
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-3)
    assert np.all(np.diff(report.steps) < 0) and report.change.shape == report.steps.shape


def test_options_make_room_for_an_input_called_rng():
    assert taylor_test(lambda x, rng: x * rng, np.ones(2), rng=3.0, options={"rng": np.random.default_rng(1)}).passed
    with pytest.raises(TypeError, match="taylor_test: unknown options 'eps'"):
        taylor_test(np.exp, 1.0, options={"eps": 1})
    with pytest.raises(TypeError, match=r"taylor_test: .* got no floating-point input"):
        taylor_test(lambda i: i, np.arange(3))


# ---------------------------------------------------------------------- the error over the step
@pytest.mark.parametrize("where", [{}, {"index": (1, 0)}, {"wrt": "y"}])
def test_the_error_falls_with_the_square_of_the_step_and_rises_with_rounding(where):
    x, y = np.array([[0.5, 1.0], [1.5, 0.7]]), np.array([0.3, 2.0])
    sweep = step_sweep(lambda x, y: np.exp(x) * np.sin(y), x=x, y=y, **where)
    np.testing.assert_allclose(sweep.orders[2:8], 2, atol=0.1)
    fine = sweep.error[-8:] / sweep.rounding[-8:]
    assert 1e-3 < np.median(fine) < 10 and np.median(sweep.orders[-12:]) < 0
    assert 5 < sweep.best < 30
    assert sweep.numeric[sweep.best] == pytest.approx(sweep.analytic, rel=1e-8)


def test_the_error_of_a_wrong_gradient_stays():
    half = node(np.exp, lambda g, x: g * np.exp(x) / 2)
    sweep = step_sweep(half, np.array([0.5, 1.0]), index=1)
    np.testing.assert_allclose(sweep.orders[8:20], 0, atol=1e-3)
    assert sweep.error[20] == pytest.approx(abs(sweep.analytic), rel=1e-4)


def test_a_sweep_is_in_the_units_of_the_element():
    sweep = step_sweep(lambda x: x**2, np.array([3.0, 1000.0]), index=1, options={"rng": np.random.default_rng(0)})
    g = check_gradients(lambda x: x**2, np.array([3.0, 1000.0]), rng=np.random.default_rng(0)).upstream[0]
    assert sweep.analytic == pytest.approx(2000 * g[1])
    assert sweep.steps[0] == 256.0  # half of the power of two below 1000


def test_what_a_sweep_cannot_move_is_named():
    with pytest.raises(ValueError, match="step_sweep: wrt is 'z'; the inputs with a gradient are x, y"):
        step_sweep(lambda x, y: x * y, 1.0, 2.0, wrt="z")
    with pytest.raises(IndexError, match=r"step_sweep: index is 3; the input has shape \(2,\)"):
        step_sweep(np.exp, np.ones(2), index=3)
    assert step_sweep(lambda x, wrt: x * wrt, 1.0, wrt=2.0, options={"wrt": "wrt"}).input == "wrt"


# ---------------------------------------------------------------------- numerical_diff
@pytest.mark.source("DZ-49")
def test_a_numeric_derivative_costs_two_calls_and_half_of_the_digits():
    calls = []

    def f(x):
        calls.append(1)
        return np.exp(x**2)

    slope = float(numerical_diff(f, 0.5))
    exact = np.exp(0.25)
    assert len(calls) == 2
    assert 1e-15 < abs(slope - exact) < 1e-8
    assert abs(float(numerical_diff(f, 0.5, eps=1e-4)) - exact) < 1e-7
    assert abs(float(numerical_diff(f, 0.5, eps=1e-13)) - exact) > 1e-5  # too fine: digits cancel


@pytest.mark.source("DZ-49")
def test_numeric_derivatives_of_arrays_element_by_element():
    x = np.array([[0.1, 1.0], [3.0, -30.0]])
    np.testing.assert_allclose(numerical_diff(np.sin, x), np.cos(x), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(numerical_diff(np.sin, x[:1].astype(np.float32)), np.cos(x[:1]), rtol=1e-3)
    with pytest.raises(TypeError, match="numerical_diff: x holds int64"):
        numerical_diff(np.sin, np.arange(3))


# ---------------------------------------------------------------------- order=2
def test_second_order_is_checked_by_the_same_report():
    report = check_gradients(lambda x, y: np.sin(x) * y, np.array([0.3, 1.0]), 2.0, order=2)
    assert report.passed and report.function == "gradient of <lambda> with a random upstream gradient"
    assert [item.name for item in report.inputs] == ["x", "y"]
    assert check_gradients(np.tanh, 0.3, order=3).passed


def test_a_gradient_that_is_wrong_in_the_second_order_only():
    from test_check_backward import detached_square

    assert check_gradients(detached_square, np.array([1.0, 2.0])).passed
    report = check_gradients(detached_square, np.array([1.0, 2.0]), order=2)
    (finding,) = report.findings
    assert (report.verdict, finding.kind, finding.input) == ("wrong", "left_graph", "x")


def test_orders_and_options_are_checked():
    for order in (0, 1.5, True):
        with pytest.raises(ValueError, match="check_gradients: order is"):
            check_gradients(np.tanh, 0.3, order=order)
    report = check_gradients(lambda x, order: x**order, 2.0, order=3.0, options={"order": 2})
    assert [item.name for item in report.inputs] == ["x", "order"]


def test_where_rounding_hides_the_slope_the_taylor_test_cannot_tell():
    for function, x in (
        (lambda x: 1 - F.erf(x), 15.0),
        (lambda x: np.log(1 + np.exp(-x)), 40.0),
        (lambda x: 1e100 * (x * x), 1e-170),
    ):
        report = taylor_test(function, x)
        assert not report.passed and ": wrong" not in str(report)
    assert report.hidden and "cannot tell" in str(report)
    wrong = taylor_test(node(np.tanh, lambda g, x: g), 40.0)
    assert not wrong.hidden and ": wrong" in str(wrong)
