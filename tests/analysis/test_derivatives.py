"""Curves of derivatives, their breaks and kinks, values at a point, the growth of the graph: against closed forms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import functions as F
from autolab.analysis import Study
from autolab.analysis.ladder import Ladder
from autolab.authoring import Function


def breaks(fn, x=0.5, order=2, domain=(-2.0, 2.0)):
    return [(b.x, b.order, b.kind) for b in Study(fn, x, order, domain).data.curves.breaks]


def test_curves_and_values_are_those_of_the_closed_forms():
    data = Study(lambda x: np.sin(2 * x), 0.3, order=4, domain=(-3, 3)).data
    forms = [np.sin, np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t), np.sin]
    for order, form in enumerate(forms):
        np.testing.assert_allclose(data.curves.y[order], 2**order * form(2 * data.curves.x), rtol=1e-12, atol=1e-12)
        assert data.values[order] == pytest.approx(2**order * form(0.6), rel=1e-14)
    assert data.curves.x[0] == -3 and data.curves.x[-1] == 3 and data.curves.breaks == () == data.curves.kinks


def test_curves_go_to_order_ten_and_graphs_to_four():
    study = Study(lambda x: x**12, 0.7, order=10, domain=(-2, 2))
    curves = study.data.curves
    assert curves.together and curves.breaks == () == curves.kinks and study.most == 10
    for order in range(11):
        exact = math.perm(12, order) * curves.x ** (12 - order)
        np.testing.assert_allclose(curves.y[order], exact, rtol=1e-12, atol=1e-12 * np.abs(exact).max())
        assert study.data.values[order] == pytest.approx(math.perm(12, order) * 0.7 ** (12 - order), rel=1e-12)
    assert len(study.data.recording.higher) == 4 and len(study.data.formulas.orders) == 5
    assert study.choose(7).order == 7 and len(study.data.curves.y) == 8
    assert len(Study(lambda x: 3 * x, 1.0, order=10).data.formulas.orders) == 11  # the others are 0


def test_the_polynomial_of_a_polynomial_is_itself():
    study = Study(lambda x: 2 * x**3 - x + 5, 1.5, order=3)
    t = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(study.data.taylor(t), 2 * t**3 - t + 5, rtol=1e-12)
    np.testing.assert_allclose(study.data.taylor(t, 1), 10.25 + 12.5 * (t - 1.5), rtol=1e-12)
    moved = study.move(-1.0)
    assert moved.values == (4.0, 5.0, -12.0, 12.0) and moved is study.data
    assert study.choose(1).values == (4.0, 5.0) and len(study.data.curves.y) == 2


@each(
    ("fn", "found"),
    [
        (lambda x: 1 / x, [(0.0, 0, "pole")]),
        (lambda x: 1 / ((x - 0.3) * (x - 0.3)), [(0.3, 0, "pole")]),
        (lambda x: np.log(abs(x - 0.7)), [(0.7, 0, "pole")]),
        (lambda x: np.tan(x), [(-1.57079632679, 0, "pole"), (1.57079632679, 0, "pole")]),
        (np.floor, [(-1.0, 0, "jump"), (0.0, 0, "jump"), (1.0, 0, "jump"), (2.0, 0, "jump")]),
        (lambda x: np.sin(x) / x, [(0.0, 0, "hole")]),
        (lambda x: (np.exp(x) - 1) / x, [(0.0, 0, "hole")]),  # rounded differently on both sides
        (lambda x: x + 3e-5 * x / abs(x), [(0.0, 0, "jump")]),  # smaller than what the slope changes beside it
        (lambda x: x / np.sqrt(abs(x)), [(0.0, 0, "hole")]),  # steep on both sides
        (lambda x: np.sin(1 / x), [(0.0, 0, "hole")]),  # its sides end nowhere
        (lambda x: np.exp(1 / x), [(0.0, 0, "pole")]),  # overflows before 0, its derivatives even earlier
        (lambda x: np.exp(x**-2), [(0.0, 0, "pole")]),
        (lambda x: np.exp(500 * x), [(1.41956542579, 0, "overflow")]),  # finite everywhere but for floats
        (lambda x: np.cosh(600 * x), [(-1.18412643346, 0, "overflow"), (1.18412643346, 0, "overflow")]),
        (lambda x: x**x, [(0.0, 0, "edge")]),  # defined at -1 and -2, but at nothing beside them
        (lambda x: np.sqrt(x), [(0.0, 0, "edge")]),
        (lambda x: np.log(x), [(0.0, 0, "pole")]),
        (lambda x: abs(x - 0.1), [(0.1, 1, "jump")]),
        (lambda x: np.sign(x - 0.4) * (x - 0.4) ** 2, [(0.4, 2, "jump")]),
        (lambda x: np.tanh(500 * (x - 0.2)), []),
        (lambda x: np.exp(3 * x), []),
        (lambda x: np.sin(40 * x), []),
        (lambda x: x * 1e-200, []),
        (lambda x: 0 * x + 7, []),
    ],
)
def test_breaks_are_found_where_they_are_and_nowhere_else(fn, found):
    assert breaks(fn) == found


@pytest.mark.parametrize(
    ("fn", "highest"),
    [
        (lambda x: np.sin(x) / x, (1.0, 0.4362, 0.3334, 0.2382)),
        (lambda x: (1 - np.cos(x)) / x**2, (0.5, 0.1351, 0.0834, 0.0461)),
    ],
)
def test_beside_a_hole_no_derivative_is_drawn_that_is_all_rounding(fn, highest):
    y = Study(fn, 1.0, order=3).data.curves.y
    assert (np.nanmax(np.abs(y), axis=1) <= highest).all()


def test_a_slope_that_is_undefined_where_it_jumps_ends_on_neither_side():
    at = pytest.approx(math.pi / 2, abs=1e-7)
    assert breaks(lambda x: np.arcsin(np.sin(x)), domain=(0.0, 3.0)) == [(at, 1, "jump")]


@pytest.mark.parametrize(
    ("fn", "found"),
    [
        (lambda x: (x**2 - 1) / (x - 1), [(1.0, 0, "hole")]),
        (lambda x: (x**3 - 1) / (x - 1), [(1.0, 0, "hole")]),
        (lambda x: (1 - np.cos(x)) / x**2, [(0.0, 0, "hole")]),
        (lambda x: (np.sin(x) - x) / x**3, [(0.0, 0, "hole")]),
        (lambda x: x / abs(x), [(0.0, 0, "jump")]),
        (lambda x: x + 1e-3 * x / abs(x), [(0.0, 0, "jump")]),
    ],
)
def test_rounding_makes_no_jumps_and_no_kinks(fn, found):
    curves = Study(fn, 1.5, 4, (-4.0, 4.0)).data.curves
    assert [(b.x, b.order, b.kind) for b in curves.breaks] == found and curves.kinks == ()


@pytest.mark.parametrize("place", np.random.default_rng(0).uniform(-1.9, 1.9, 6).tolist())
def test_breaks_anywhere(place):
    x = pytest.approx(place, abs=1e-9)
    for fn, order, kind in [
        (lambda x: 1 / (x - place), 0, "pole"),
        (lambda x: (x - place) ** -2.0, 0, "pole"),
        (lambda x: F.relu(x - place), 1, "jump"),
        (lambda x: np.floor(x - place) + x * 0, 0, "jump"),
    ]:
        assert (x, order, kind) in breaks(fn, x=place + 0.05 if place < 1.9 else 0.0)


def test_no_curve_runs_across_a_break():
    curves = Study(lambda x: 1 / x, 1.0, order=1, domain=(-2, 2)).data.curves
    for y in curves.y:
        first, last = np.flatnonzero(np.isnan(y))[[0, -1]]
        assert -1e-9 < curves.x[first - 1] < 0 < curves.x[last + 1] < 1e-9
        assert abs(y[first - 1]) > 1e9 and abs(y[last + 1]) > 1e9  # followed until far outside every picture
    relu = Study(F.relu, 1.0, order=2).data.curves
    assert not np.isnan(relu.y[0]).any()  # f itself goes on at its kink
    for y in relu.y[1:]:
        assert np.ptp(relu.x[np.isnan(y)]) < 1e-9
        assert set(np.unique(y[relu.x < -1e-9])) == {0.0}
    assert relu.kinks == ((0.0, 0),)


def test_the_curve_reaches_the_end_of_where_it_is_defined():
    curves = Study(lambda x: np.sqrt(x - 0.123), 1.0, order=1, domain=(-1, 2)).data.curves
    first = np.flatnonzero(np.isfinite(curves.y[0]))[0]
    assert curves.x[first] == pytest.approx(0.123, abs=1e-9) and curves.y[0][first] == pytest.approx(0, abs=1e-5)


def test_where_a_function_is_undefined_so_are_its_derivatives():
    study = Study(np.log, 1.0, order=3, domain=(-1, 2))
    assert np.isnan(study.move(-0.5).values).all()  # the rule 1 / x would give numbers there
    assert np.isnan(study.data.curves.y[:, study.data.curves.x < 0]).all()


def test_every_array_of_points_is_tried():
    """A function may branch on an array beyond where it was tried first."""
    ladder = Ladder("f", lambda x: x * x if x.data.max() < 2 else x**3, 1)
    near, far = np.linspace(0.0, 1.0, 30), np.linspace(0.0, 3.0, 31)
    assert ladder.at(near)[1].tolist() == pytest.approx((2 * near).tolist())
    assert ladder.at(far)[1].tolist() == pytest.approx(np.where(far < 2, 2 * far, 3 * far**2).tolist())


@pytest.mark.parametrize("width", [0.2, 0.03, 0.005])
@pytest.mark.parametrize("place", [-1.3, 0.77, 1.9])
def test_a_narrow_strip_where_points_differ_together_is_found(place, width):
    def whole(x):
        return F.sin(x) + np.where(np.abs(x.data - place) < width, np.max(x.data), 0.0)

    def immense(x):
        return F.exp(x * 23) * (1 + np.where(np.abs(x.data - place) < width, x.size > 1, 0.0))

    xs = np.linspace(-2, 2, 601)
    for fn in (whole, immense):
        ladder = Ladder("f", fn, 1)
        np.testing.assert_allclose(ladder.at(xs), ladder._each(xs), rtol=1e-9, atol=1e-8)


def test_points_are_computed_together_only_where_that_is_right():
    assert Study(np.tanh, 0.5).data.curves.together
    assert not Study(lambda x: x * x.data.max(), 0.5).data.curves.together
    alone = Study(lambda x: x * x if x.data > 1 else 2 * x - 1, 0.5, order=2, domain=(-2, 2)).data.curves
    assert not alone.together and alone.kinks == ((1.0, 1),)  # the slope goes on, its own slope jumps
    inside = alone.x < 1
    np.testing.assert_allclose(alone.y[0][inside], 2 * alone.x[inside] - 1)


def test_where_the_function_raises_there_is_a_gap_and_a_reason():
    def fn(x):
        if x.data < 0:
            raise ArithmeticError("not here")
        return x * x

    data = Study(fn, 1.0, order=1, domain=(-1, 2)).data
    assert np.isnan(data.curves.y[0][data.curves.x < 0]).all() and data.curves.raised == "ArithmeticError: not here"
    assert breaks(fn, 1.0, 1) == [(0.0, 0, "edge")]
    with pytest.raises(ArithmeticError, match="not here"):
        Study(fn, -1.0)


def test_the_domain_is_that_of_the_functions_and_holds_the_point():
    assert Study(np.log, 1.0).data.domain == (0.1, 4.0)
    assert Study(np.log, 30.0).data.domain == (0.1, 40.0)
    assert Study(lambda x: x * x, 0.0).data.domain == (-4.0, 4.0)
    assert Study(lambda x: x * x, -70.0).data.domain == (-200.0, 200.0)


def test_growth_counts_steps_and_what_sharing_saves():
    data = Study(np.tanh, 0.5, order=3).data
    steps = [sum(s.kind == "call" and s.order == g.order for s in g.steps) for g in all_graphs(data.recording)]
    assert [g.steps for g in data.growth] == steps
    assert data.growth[0].unshared == 1 and data.growth[0].reused == 0
    shared = Study(lambda x: double(double(double(x))), 1.0, order=0).data.growth[0]
    assert (shared.steps, shared.unshared) == (3, 7)  # 1 + 2 + 4: what doubles is used twice


def double(x):
    return x + x


def all_graphs(recording):
    return recording, *recording.higher


def test_a_function_that_can_be_differentiated_once_has_no_higher_order():
    class Square(Function):
        def forward(self, inputs):
            return (inputs[0] ** 2,)

        def backward(self, inputs, grad_outputs):
            return (2 * inputs[0] * grad_outputs[0],)

    study = Study(lambda x: Square()(x), 3.0, order=1)
    assert study.most == 1 and study.data.values == (9.0, 6.0)
    with pytest.raises(RuntimeError):
        Study(lambda x: Square()(x), 3.0, order=2)


def test_it_is_plain_data():
    data = Study(lambda x: 1 / x, 1.0, order=2).data
    text = json.loads(json.dumps(data.to_json(), allow_nan=False))
    assert text["values"] == [1.0, -1.0, 2.0] and text["breaks"] == [{"x": 0.0, "order": 0, "kind": "pole"}]
    assert None in text["curves"]["y"][0]
    with pytest.raises(AttributeError):
        data.x = 2.0


def test_no_grad_and_the_caller_s_variable_do_not_matter():
    x = autolab.Variable(2.0)
    with autolab.no_grad():
        assert Study(lambda t: t**3, x, order=2).data.values == (8.0, 12.0, 12.0)
    assert x.grad is None


@pytest.mark.parametrize("x", [5e-324, -1e-320, 1e-310, -0.0, 1e300])
def test_a_point_may_be_very_small_or_large(x):
    study = Study(lambda t: t * 2.0, x)
    low, high = study.data.domain
    assert low <= x <= high and study.data.values[:2] == (2 * x, 2.0)
    if abs(x) < 1:
        autolab.explore(lambda t: t * 2.0, np.array([x]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Study(3, 1.0), "derivatives: fn is an int"),
        (lambda: Study(np.sin, "a"), "derivatives: x is 'a'"),
        (lambda: Study(np.sin, math.inf), "derivatives: x is inf"),
        (lambda: Study(np.sin, 1e308), r"x is 1e\+308, too large for curves around it; expected it with domain="),
        (lambda: Study(np.sin, [2.0, 1.0]), "expected one finite number"),
        (lambda: Study(np.sin, 1.0, 11), "derivatives: order is 11; expected a whole number from 0 to 10"),
        (lambda: Study(np.sin, 1.0, True), "order is True"),
        (lambda: Study(np.sin, 1.0, domain=(2, 1)), "expected two finite numbers, the lower one first"),
        (lambda: Study(np.sin, 1.0, domain=(2, 3)), "x is 1; expected a point of the domain, from 2 to 3"),
        (lambda: Study(lambda x: 3.0, 1.0), "returned a float; expected a Variable"),
        (lambda: Study(lambda x: F.stack(x, x), 1.0), r"returned shape \(2,\) for a number"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_without_a_point_it_is_the_middle_of_the_domain() -> None:
    assert Study(lambda x: x**2, None).data.x == 0.5
    assert Study(lambda x: x**2, None, domain=(-3.0, 1.0)).data.x == -1.0
