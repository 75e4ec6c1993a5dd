"""The numeric core: slopes, the bounds of their errors, kinks and noise, on plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.each import each

from autolab.gradcheck.measuring.gauge import Gauge
from autolab.gradcheck.measuring.numeric_slopes import KINK, NOISY, SMOOTH, UNKNOWN
from autolab.gradcheck.measuring.point import Point, step_scale
from autolab.gradcheck.measuring.sweep import estimate_noise


class Counted:
    """A function of one array that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, arrays):
        self.calls += 1
        with np.errstate(all="ignore"):
            return np.asarray(self.function(arrays[0]), float).ravel()


def measure(function, x, weights=None):
    x = np.asarray(x, float)
    counted = Counted(function)
    point = Point(counted, [x])
    noise = estimate_noise(point, [point.moving(0, np.arange(x.size))])
    gauge = Gauge(point, np.ones(point.values.size) if weights is None else weights, noise)
    before = counted.calls
    slopes = gauge.slopes([point.moving(0, i) for i in range(x.size)])
    return slopes, point.scales[0], counted.calls - before


SMOOTH_ONES = {
    "exp": (np.exp, np.exp, (-5, 5)),
    "log": (np.log, lambda x: 1 / x, (1e-3, 1e3)),
    "sin": (np.sin, np.cos, (-100, 100)),
    "power": (lambda x: x**3.5, lambda x: 3.5 * x**2.5, (1e-3, 1e3)),
    "offset": (lambda x: 1e6 + x**2, lambda x: 2 * x, (-3, 3)),
    "cancellation": (lambda x: (1 + x) - 1, np.ones_like, (1e-6, 1)),
    "steep": (lambda x: np.tanh(1e3 * (x - 1)), lambda x: 1e3 / np.cosh(1e3 * (x - 1)) ** 2, (0.99, 1.01)),
    "float32": (lambda x: (x * x).astype(np.float32), lambda x: 2 * x, (0.1, 3)),
}


@pytest.mark.parametrize("name", SMOOTH_ONES)
def test_errors_are_bounded_by_ten_times_their_estimate(name):
    function, derivative, (low, high) = SMOOTH_ONES[name]
    for seed in range(20):
        x = np.random.default_rng(seed).uniform(low, high, 5)
        slopes, scale, _ = measure(function, x)
        error = np.abs(slopes.value / scale - derivative(x))
        rounding = 1e-14 * np.abs(derivative(x))
        assert np.all(error <= 10 * slopes.error / scale + rounding), f"seed {seed}"


def test_smooth_slopes_are_known_to_nine_digits_after_14_evaluations_each():
    slopes, scale, calls = measure(np.exp, [0.5, 1.0, 2.0])
    np.testing.assert_allclose(slopes.value / scale, np.exp([0.5, 1.0, 2.0]), rtol=1e-10)
    assert slopes.settled().all()
    assert calls <= 14 * 3 - 2 * 3


def test_extrapolation_removes_the_curvature():
    """The finest plain difference is wrong in the eighth digit here."""
    slopes, scale, calls = measure(lambda x: np.sin(100 * x), [1.0, 1.7])
    np.testing.assert_allclose(slopes.value / scale, 100 * np.cos([100.0, 170.0]), rtol=1e-10)
    assert calls == 24


def test_weights_are_the_upstream_gradient():
    weights = np.array([2.0, -1.0, 0.5])
    slopes, scale, _ = measure(lambda x: np.array([x[0], x[0] * x[1], x[1] ** 2]), [3.0, 5.0], weights)
    np.testing.assert_allclose(slopes.value / scale, [2 - 5.0, -3 + 5.0], rtol=1e-10)


@each(
    ("function", "x", "kind"),
    [
        (np.abs, 0.0, KINK),
        (lambda x: np.maximum(x, 0), 0.0, KINK),
        (lambda x: 3 + np.abs(x - 1), 1.0, KINK),
        (np.abs, 1e-9, SMOOTH),
        (lambda x: np.abs(x - 1), 1 + 1e-5, SMOOTH),
        (lambda x: np.abs(x) * x, 0.0, SMOOTH),
        (np.floor, 1.0, UNKNOWN),
        (np.floor, 1.5, SMOOTH),
        (np.sign, 0.0, UNKNOWN),
        (np.cbrt, 0.0, UNKNOWN),
        (np.sqrt, 0.0, UNKNOWN),
        (lambda x: np.sqrt(np.abs(x)), 0.0, UNKNOWN),
        (lambda x: 1e16 + x, 0.7, NOISY),
    ],
)
def test_what_the_function_is_like(function, x, kind):
    slopes, _, _ = measure(function, [x])
    assert slopes.kind.tolist() == [kind]


def test_the_slopes_on_both_sides_of_a_kink():
    slopes, scale, _ = measure(lambda x: np.where(x < 0, 2 * x, 5 * x) + x**2, [0.0])
    np.testing.assert_allclose([slopes.low[0] / scale[0], slopes.high[0] / scale[0]], [2, 5], atol=1e-3)


def test_a_kink_of_one_result_widens_by_its_own_weight():
    slopes, scale, _ = measure(lambda x: np.array([np.abs(x[0]), 3 * x[0]]), [0.0], np.array([0.5, 2.0]))
    np.testing.assert_allclose([slopes.low[0] / scale[0], slopes.high[0] / scale[0]], [5.5, 6.5], atol=1e-6)


def test_coarse_steps_that_miss_the_function_do_not_count():
    """Far from the peak all coarse differences agree on 0; the finest know better."""
    x = 1.0 + 1e-4
    slopes, scale, _ = measure(lambda x: np.exp(-1e8 * (x - 1) ** 2), [x])
    np.testing.assert_allclose(slopes.value / scale, -2e4 * np.exp(-1.0), rtol=1e-5)


@pytest.mark.parametrize("level", [1e-12, 1e-7, 1e-3])
def test_noise_is_estimated(level):
    def noisy(x):
        return np.sin(x) + level * np.sin(1e15 * x)  # the last digits of x decide: as good as random

    estimates = []
    for seed in range(30):
        x = np.random.default_rng(seed).uniform(0.5, 1, 4)
        point = Point(Counted(noisy), [x])
        estimates.extend(estimate_noise(point, [point.moving(0, np.arange(4))]).level)
    assert level / 4 < np.median(estimates) / np.sqrt(0.5) < 4 * level
    assert np.min(estimates) > level / 20


def test_rounding_inside_is_noise_though_fine_grids_do_not_show_it():
    x = np.array([1.2345, 0.777])
    point = Point(Counted(lambda x: np.round(x * x, 6)), [x])
    level = estimate_noise(point, [point.moving(0, np.arange(2))]).level
    assert np.all(level > 1e-7) and np.all(level < 1e-5)


def test_a_kink_at_the_point_is_no_noise():
    point = Point(Counted(lambda x: 1 + np.abs(x)), [np.array([0.0])])
    assert estimate_noise(point, [point.moving(0, np.arange(1))]).level[0] < 1e-12


def test_steps_are_powers_of_two_and_zeros_move_like_their_neighbours():
    scale = step_scale(np.array([0.0, 3.0, -0.7, 1e-9, np.nan]))
    np.testing.assert_array_equal(np.frexp(scale)[0], 0.5)
    assert scale[1] == 2.0 and scale[2] == 0.5
    assert scale[0] == step_scale(np.array([0.7]))[0]
    assert 1e-9 < scale[3] < 1e-6
    assert step_scale(np.zeros(2)).tolist() == [1.0, 1.0]
    assert step_scale(np.ones((0, 2))).shape == (0,)


def test_a_function_that_raises_elsewhere_is_unknown_there():
    def half(x):
        if x[0] < 1:
            raise ValueError("outside")
        return x**2

    slopes, _, _ = measure(half, [1.0])
    assert slopes.kind.tolist() == [UNKNOWN]
