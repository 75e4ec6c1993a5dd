"""check_gradients and its report."""

from __future__ import annotations

import gc
import json
import pickle
import tracemalloc

import numpy as np
import pytest
from check_subjects import node
from helpers.each import each

import autolab
from autolab import FunctionNode, GradientReport, Parameter, Variable, check_gradients
from autolab import functions as F


class MulAdd(FunctionNode):
    def forward(self, inputs):
        x, y, z = inputs
        self.retain_inputs((0, 1))
        return (x * y + z,)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (gw,) = grad_outputs
        return gw * y, gw * x, gw


def muladd(x, y, z):
    (w,) = MulAdd().apply((x, y, z))
    return w


def test_muladd_of_numbers_is_right():
    report = check_gradients(muladd, 2.0, 3.0, z=4.0)
    assert isinstance(report, GradientReport)
    assert (report.function, report.verdict, report.passed, bool(report)) == ("muladd", "right", True, True)
    assert report.findings == ()
    assert [item.name for item in report.inputs] == ["x", "y", "z"]
    (g,) = report.upstream
    assert report["x"].analytic == pytest.approx(3 * g)
    assert report["y"].numeric == pytest.approx(2 * g)
    assert report["z"].worst == () and report["z"].measured == 1
    assert report["x"].error <= report["x"].tolerance < 1e-6
    assert 0 < report.evaluations <= 150 and report.seconds > 0
    report.raise_for_failure()


@pytest.mark.parametrize("shapes", [((3, 4), (3, 4), (3, 4)), ((5, 4, 3), (4, 1), (3,)), ((2,), (), (1,))])
def test_muladd_of_arrays_is_right(shapes):
    rng = np.random.default_rng(0)
    report = check_gradients(lambda x, y, z: x * y + z, *[rng.normal(size=shape) for shape in shapes])
    assert report.passed
    for item, shape in zip(report.inputs, shapes, strict=True):
        assert item.shape == item.analytic.shape == item.numeric.shape == item.error.shape == shape
        np.testing.assert_allclose(item.analytic, item.numeric, rtol=1e-7)


def test_nothing_of_the_caller_is_touched():
    array = np.array([1.0, 2.0, 3.0])
    x, y, p = Variable(array), Variable(2.0, name="mine"), Parameter(np.ones(3))
    (x * y).sum().backward()
    before = x.grad.data.copy()
    state = np.random.get_state()[1].copy()
    own = pickle.dumps(autolab.config.rng.bit_generator.state)
    assert check_gradients(lambda x, y: x * y * p, x, y).passed
    np.testing.assert_array_equal(array, [1, 2, 3])
    np.testing.assert_array_equal(x.grad.data, before)
    assert (y.name, y.creator, p.grad) == ("mine", None, None)
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    assert pickle.dumps(autolab.config.rng.bit_generator.state) == own


def test_a_check_can_be_repeated_and_its_random_numbers_chosen():
    first, again = (check_gradients(muladd, [2.0, 1.0], 3.0, 4.0) for _ in range(2))
    assert (first.upstream[0] == again.upstream[0]).all()
    other = check_gradients(muladd, [2.0, 1.0], 3.0, 4.0, rng=np.random.default_rng(5))
    assert (other.upstream[0] != first.upstream[0]).all()
    same = check_gradients(muladd, [2.0, 1.0], 3.0, 4.0, options={"rng": np.random.default_rng(5)})
    assert (same.upstream[0] == other.upstream[0]).all()


@pytest.mark.parametrize("way", [lambda x, y: x * y + x, lambda x, y: F.reshape(x * y + x, shape=(1, 1))])
def test_the_gradients_of_a_single_number_are_its_derivatives(way):
    report = check_gradients(way, x=2.0, y=-3.0)
    assert report.upstream == (1.0,) and (report["x"].analytic, report["y"].analytic) == (-2.0, 2.0)
    assert "x: right, −2 against −2 numerically" in str(report)
    twice = check_gradients(way, x=2.0, y=-3.0, order=2)
    assert twice.function.endswith(" with the upstream gradient 1.137")


@each(
    ("step", "height"),
    [
        (lambda a: np.where(a > 2, a**2, 0.0), 4),
        (lambda a: np.where(a > 2, a**2, 2.0) ** 2, 12),
        (np.floor, -1),
        (lambda a: np.sign(a - 2), 1),
    ],
)
@each("beside", [0, 1, 8])
def test_a_point_on_a_jump_is_called_that_whatever_is_beside_it(step, height, beside):
    report = check_gradients(lambda a: np.sum(step(a)) + beside * np.sum(a * a), np.array([0.5, 2.0, 3.5]))
    assert report.verdict == "cannot tell" and report["a"].verdict == "cannot tell"
    (finding,) = report.findings
    assert finding.evidence["index"] == [1] and finding.evidence["jump"] == pytest.approx(height, rel=1e-2)
    assert "jumps in a at [1]" in str(finding)


def test_a_backward_that_ignores_the_upstream_gradient_of_a_single_number_is_found():
    report = check_gradients(node(lambda x: x * x, lambda g, x: 2 * x), 3.0)
    assert report.verdict == "wrong" and report.findings[0].kind == "upstream_ignored"


def test_options_make_room_for_an_input_called_rng():
    def scaled(x, rng):
        return x * rng

    report = check_gradients(scaled, x=2.0, rng=3.0, options={"rng": np.random.default_rng(1)})
    assert [item.name for item in report.inputs] == ["x", "rng"]
    with pytest.raises(TypeError, match="unknown options 'eps'"):
        check_gradients(scaled, 2.0, 3.0, options={"eps": 1})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: check_gradients(3, 1.0), "check_gradients: fn is an int"),
        (lambda: check_gradients(muladd, 1.0), "muladd"),
        (lambda: check_gradients(lambda x: x, np.arange(3)), "no floating-point input"),
        (lambda: check_gradients(lambda x: x, Variable(1.0, requires_grad=False)), "no floating-point input"),
        (lambda: check_gradients(lambda x: "text", 1.0), "returned a str; expected a Variable"),
        (lambda: check_gradients(lambda x: None, 1.0), "returned None"),
        (lambda: check_gradients(lambda x: np.arange(3), 1.0), "no floating-point values"),
        (lambda: check_gradients(lambda x: (), 1.0), "no floating-point values"),
    ],
)
def test_what_cannot_be_checked_is_refused_with_a_sentence(call, sentence):
    with pytest.raises(TypeError, match=sentence) as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_integers_and_constants_are_passed_on_and_not_checked():
    index = np.array([0, 2, 2])
    pick = node(lambda x: x[index], lambda g, x: np.bincount(index, g, x.size), name="pick")
    mask = Variable(np.array([1.0, 0.0, 1.0]), requires_grad=False)
    report = check_gradients(lambda x, i, m: pick(x) * m, np.array([1.0, 2.0, 3.0]), index, mask)
    assert report.passed
    assert [item.name for item in report.inputs] == ["x"]
    assert [finding.message for finding in report.findings] == [
        "m requires no gradient, so its gradient was not checked."
    ]
    params = [Variable(np.ones(2)) - 0.5 * np.ones(2), Variable(np.ones(2), requires_grad=False)]
    report = check_gradients(
        lambda ps, x: ps[0] * ps[1] * x, [p.data + Variable(0.0, requires_grad=False) for p in params], np.ones(2)
    )
    assert report.passed and "ps[0] and ps[1] require no gradient, so their gradients were not checked." in str(report)


def test_unused_inputs_are_right():
    report = check_gradients(lambda x, y: x * 2, np.ones(2), np.ones(3))
    assert report.passed
    assert report["y"].analytic is None
    np.testing.assert_array_equal(report["y"].numeric, 0)


def test_an_input_without_elements_is_no_evidence():
    report = check_gradients(lambda x: x * 2, np.ones((0, 3)))
    assert report.verdict == "cannot tell"
    assert [finding.kind for finding in report.findings] == ["cannot_verify"]
    assert check_gradients(lambda x, y: F.sum(x) + y, np.ones(0), 1.0).passed


@pytest.mark.parametrize("fn", [lambda x: x * x, lambda x: x + np.inf])
def test_results_none_of_which_is_finite_are_no_evidence(fn):
    with np.errstate(over="ignore"):
        report = check_gradients(fn, 1e200)
    assert report.verdict == "cannot tell"
    assert [finding.message for finding in report.findings] == ["There is no finite element to compare."]


def test_float32_is_compared_in_float64_and_the_report_says_so():
    report = check_gradients(lambda x: np.exp(x), np.linspace(-1, 1, 4).astype(np.float32))
    assert report.passed
    assert report["x"].dtype == "float32"
    assert [finding.kind for finding in report.findings] == ["low_precision"]
    np.testing.assert_allclose(report["x"].analytic, report["x"].numeric, rtol=1e-9)


def test_a_function_that_takes_only_float32_is_compared_in_float32():
    def strict(x):
        assert x.dtype == np.float32
        return x * x

    report = check_gradients(strict, np.linspace(-1, 1, 4).astype(np.float32))
    assert report.verdict != "wrong"
    assert "does not run in float64" in str(report)
    twice = node(lambda x: x * x, lambda g, x: g * x)
    assert check_gradients(lambda x: twice(x) if x.dtype == np.float32 else 1 / 0, np.float32(3)).verdict == "wrong"


def test_a_gradient_that_float32_cannot_hold_is_no_error():
    steep = node(lambda x: np.exp(x), lambda g, x: g * np.exp(x))
    report = check_gradients(lambda x: steep(x * 60.0) * 1e-30, np.float32(1.5))
    assert report.passed
    assert any("limit of float32" in finding.message for finding in report.findings)


def test_functions_that_differentiate_inside_are_checked():
    def slope(x):
        return autolab.grad(x**3, x, create_graph=True)

    assert check_gradients(slope, 2.0).passed


def test_large_inputs_are_probed():
    rng = np.random.default_rng(0)
    report = check_gradients(lambda x, w: np.tanh(x @ w), rng.normal(size=(5, 40)), rng.normal(size=(40, 30)))
    assert report.passed
    assert report["x"].measured == 200 and report["w"].measured < 100
    assert np.isnan(report["w"].numeric).sum() == 1200 - report["w"].measured
    assert report.evaluations < 6000


# ---------------------------------------------------------------------- the report
def wrong_report():
    spoiled = node(lambda x, y: x * y, lambda g, x, y: (-g * y, (g * x).sum()))
    return check_gradients(lambda x, y: spoiled(x, y), np.array([[1.0, 2.0], [3.0, 4.0]]), 2.0)


def test_the_text_can_be_read_aloud():
    lines = str(wrong_report()).splitlines()
    assert lines[0] == "check_gradients(<lambda>): wrong"
    assert lines[1].startswith("  x: wrong, ") and "numerically at [" in lines[1]
    assert lines[2].startswith("  y: right, ")
    assert lines[3].startswith("The gradient of x has the wrong sign: ")
    assert lines[4].endswith(" ms; the gradients are for a random upstream gradient")


def test_a_wrong_report_fails_a_test_with_its_text():
    report = wrong_report()
    assert not report.passed and not report
    with pytest.raises(AssertionError) as caught:
        report.raise_for_failure()
    assert str(caught.value) == str(report)


def test_the_report_is_plain_data():
    report = check_gradients(lambda x: np.log(x), np.array([0.0, 1.0]))
    data = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert data["verdict"] == report.verdict == "cannot tell"
    assert data["inputs"][0]["name"] == "x"
    assert data["inputs"][0]["numeric"][0] == "NaN"
    assert data["findings"][0]["evidence"]["index"] == [0]
    assert set(data) >= {"function", "passed", "upstream", "evaluations", "seconds"}


def test_an_unknown_input_is_an_error_that_names_the_others():
    with pytest.raises(KeyError, match="the names are x, y"):
        wrong_report()["z"]


def test_names_are_data():
    hostile = "<img src=x onerror=alert(1)>\n{0}\u202e"

    def function(**inputs):
        (x,) = inputs.values()
        return x * 2 if x.requires_grad else x

    function.__name__ = hostile
    report = check_gradients(function, **{hostile: 1.0})
    text = str(report)
    assert "\u202e" not in text and len(text.splitlines()) == 3
    assert report[hostile].verdict == "right"


def test_the_sentences_of_wrong_numbers_show_where_they_differ():
    barely = node(np.sin, lambda g, x: g * np.cos(x) * (1 + 1e-7))
    (finding,) = check_gradients(barely, np.array([0.3, 0.5, 0.9])).findings
    stated = finding.message.split("worst is ")[1].split(" at ")[0].split(" instead of ")
    assert stated[0] != stated[1]


ARRAYS = {
    "a number": (lambda x: F.sum(F.sin(x) * x), np.float64, 24),
    "a result per element": (lambda x: F.sin(x) * x, np.float64, 44),
    "a part": (lambda x: F.sum(x[:10] ** 2), np.float64, 24),
    "float32, checked in float64": (lambda x: F.sum(F.sin(x) * x), np.float32, 48),
    "a wrong gradient": (lambda x: F.sum(F.sin(x) * x.data), np.float64, 40),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_what_a_check_of_a_large_input_holds_is_bounded(kind):
    """At its peak, in arrays of the input's size; and what the report keeps: the input, and four arrays about it."""
    fn, dtype, most = ARRAYS[kind]
    x = np.random.default_rng(0).normal(size=30_000).astype(dtype)
    check_gradients(fn, x[:300])
    tracemalloc.start()
    try:
        report = check_gradients(fn, x)
        kept, peak = [size / x.nbytes for size in tracemalloc.get_traced_memory()]
    finally:
        tracemalloc.stop()
    assert report.verdict == ("wrong" if kind == "a wrong gradient" else "right")
    assert peak <= most and kept <= 7 * 8 / x.itemsize


def test_the_garbage_collector_does_not_visit_the_graphs_of_a_check() -> None:
    """Of ten thousand steps, it made the check take 1.6 times as long."""
    seen, before = set[int](), gc.get_threshold()

    def function(x):
        seen.add(gc.get_threshold()[0])
        return x * x

    check_gradients(function, 2.0)
    assert min(seen) > before[0] and gc.get_threshold() == before
