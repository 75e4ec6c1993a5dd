"""The check lens in a browser: what it shows is compared with the report's arrays and with differences of its own."""

from __future__ import annotations

import copy
import gc
import importlib
import itertools
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import autolab
from autolab import FunctionNode, check_gradients
from autolab.gradcheck.checks.direction_study import study
from autolab.views.check.lens import Lens
from autolab.views.draw.colors import paint
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number as shown

from ..graph.test_page_look import DARK, MISPLACED
from ..live.test_page_link import flush
from ..looking import told, turn_lens
from .conftest import Open

pytestmark = pytest.mark.browser
PIXELS = "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
KINDS = ("analytic", "numeric", "error")


class MulAdd(FunctionNode):
    """The gradient of x has the wrong sign."""

    def forward(self, inputs):
        x, y, z = inputs
        self.retain_inputs((0, 1))
        return (x * y + z,)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (g,) = grad_outputs
        return -g * y, g * x, g


class Forgets(FunctionNode):
    """Gives no gradient for y."""

    def forward(self, inputs):
        x, y = inputs
        self.retain_inputs((1,))
        return (x * y,)

    def backward(self, target_input_indexes, grad_outputs):
        (y,) = self.get_retained_inputs()
        return grad_outputs[0] * y, None


def muladd(x, y, z):
    h = MulAdd().apply((x, y, z))[0]
    w = np.tanh(h)
    return w


_draw = np.random.default_rng(1)
INPUTS = [_draw.uniform(-1.5, 1.5, (3, 4)) for _ in range(3)]


def trio(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def readout(page: Page, where: str = ".al-chosen") -> dict[str, str]:
    """The numbers of a read-out by their kinds."""
    pairs = page.locator(f"{where} [data-kind]").evaluate_all(
        "all => all.map(e => [e.dataset.kind, e.lastElementChild.textContent])"
    )
    return dict(pairs)


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def assert_reads(page: Page, item: Any, place: tuple[int, ...]) -> None:
    """The read-out is that of an element."""
    read = readout(page)
    assert page.locator(".al-chosen .al-title").text_content() == f"{item.name}{list(place)}"
    for kind in KINDS:
        assert number(read[kind]) == pytest.approx(getattr(item, kind)[place], rel=1e-2 if kind == "error" else 1e-5)
    assert number(read["tolerance"]) == pytest.approx(item.tolerance[place], rel=1e-2)


def own_difference(report: Any, name: str, place: tuple[int, ...], h: float) -> float:
    """The central difference of the true function, weighted with the report's upstream gradient."""
    x, y, z = (np.array(a) for a in INPUTS)
    arrays = {"x": x, "y": y, "z": z}

    def value(t: float) -> float:
        moved = {key: a.copy() for key, a in arrays.items()}
        moved[name][place] += t
        return float(np.sum(report.upstream[0] * np.tanh(moved["x"] * moved["y"] + moved["z"])))

    return (value(h) - value(-h)) / (2 * h)


# ---------------------------------------------------------------------- what is wrong, on which input, where to look
def test_a_wrong_gradient_is_told_at_a_glance(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    open_lens(report)
    verdict = page.locator(".al-verdict")
    expect(verdict).to_contain_text("Wrong")
    expect(verdict).to_contain_text(report.findings[0].message)
    expect(verdict).to_contain_text(report.findings[0].hint)
    shown = {name: trio(page, name).get_attribute("data-verdict") for name in ("x", "y", "z")}
    assert shown == {"x": "wrong", "y": "right", "z": "right"}
    assert_reads(page, report["x"], report["x"].worst)  # the worst element is chosen at first
    expect(page.locator(".al-judgement")).to_have_class("al-judgement al-apart")
    code = page.locator(".al-backwards .al-source-line").all_text_contents()
    assert any("return -g * y, g * x, g" in line for line in code)
    first = MulAdd.backward.__code__.co_firstlineno
    assert code[0].startswith(str(first))
    now = page.locator(".al-source-line.al-now").text_content() or ""
    assert "h = MulAdd().apply((x, y, z))[0]" in now
    expect(page.locator(".al-suspect")).to_have_count(1)
    expect(page.locator(".al-suspect.al-selected")).to_contain_text("MulAdd")


def test_the_graph_shows_the_gradients_of_the_check(open_lens: Open, page: Page) -> None:
    wire = open_lens(check_gradients(muladd, *INPUTS))
    for _ in range(2):
        lens = wire.widget
        scenery = told(lens, "scenery")
        for item, box in zip(lens.report.inputs, scenery["inputs"], strict=True):
            np.testing.assert_allclose(scenery["readings"]["nodes"][str(box)]["grad_cells"], item.analytic)
        count = len(wire.received)
        page.locator(f".al-node[data-id='{scenery['suspects'][0]}']").click()  # no input, so nothing to choose
        wire.settle()
        assert len(wire.received) == count
        page.get_by_role("button", name=say("lens_again")).click()
        wire.settle()


CASES = (
    "muladd, x and y swapped",
    "muladd, y transposed, square",
    "cube, power not lowered",
    "softmax, diagonal only",
    "muladd, g ignored in x",
)


@pytest.mark.parametrize("name", CASES)
def test_known_mistakes_are_told_on_the_failing_input(
    open_lens: Open, page: Page, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "gradcheck"))
    culprit = importlib.import_module("wrong_backwards").CULPRITS[name]
    rng = np.random.default_rng(5)
    report = check_gradients(culprit.function, *[rng.uniform(*culprit.domain, shape) for shape in culprit.shapes])
    open_lens(report)
    item = report.inputs[culprit.failing]
    expect(page.locator(".al-verdict")).to_contain_text(report.findings[0].message)
    assert trio(page, item.name).get_attribute("data-verdict") == "wrong"
    assert_reads(page, item, item.worst)
    expect(page.locator(".al-sentence").first).to_contain_text("the two stay about")
    expect(page.locator(".al-sentence").nth(1)).to_contain_text("to the power 1")


def test_every_cell_of_every_heatmap_is_that_of_its_array(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    open_lens(report)
    for item in report.inputs:
        shared = max(np.abs(item.analytic).max(), np.abs(item.numeric).max())
        most = np.inf if item.verdict == "right" else max(item.error.max(), item.tolerance.max())  # no colour, if right
        scales = {"analytic": shared, "numeric": shared, "error": most}
        frames = trio(page, item.name).locator(".al-frame")
        for k, kind in enumerate(KINDS):
            values = getattr(item, kind)
            texts = frames.nth(k).locator(".al-numbers span").all_text_contents()
            np.testing.assert_allclose([number(t) for t in texts], values.ravel(), rtol=5e-3, atol=1e-300)
            pixels = np.array(frames.nth(k).locator("canvas").evaluate(PIXELS)).reshape(*values.shape, 4)
            wanted = paint(values / scales[kind]).astype(int)
            assert np.abs(pixels[..., :3] - wanted).max() <= 6, (item.name, kind)


def test_the_worst_element_of_each_input_is_marked(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    open_lens(report)
    for item in report.inputs:
        styles = (
            trio(page, item.name).locator(".al-worst").evaluate_all("all => all.map(e => [e.style.top, e.style.left])")
        )
        row, column = item.worst
        assert len(styles) == 3
        for top, left in styles:
            assert (float(top[:-1]), float(left[:-1])) == pytest.approx((100 * row / 3, 100 * column / 4), abs=0.01)


# ---------------------------------------------------------------------- one selection
def test_a_click_and_the_arrow_keys_choose_in_all_three(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    numeric = trio(page, "y").locator("canvas.al-canvas").nth(1)
    box = numeric.bounding_box()
    numeric.click(position={"x": box["width"] * 2.5 / 4, "y": box["height"] * 0.5 / 3})
    wire.settle()
    assert_reads(page, report["y"], (0, 2))
    for key, place in (
        ("ArrowDown", (1, 2)),
        ("ArrowLeft", (1, 1)),
        ("ArrowUp", (0, 1)),
        ("ArrowUp", (0, 1)),
        ("ArrowRight", (0, 2)),
    ):
        numeric.press(key)
        wire.settle()
        assert_reads(page, report["y"], place)
        marks = (
            trio(page, "y")
            .locator(".al-mark")
            .evaluate_all("all => all.map(e => [e.hidden, e.style.top, e.style.left])")
        )
        assert len(marks) == 3
        for hidden, top, left in marks:
            assert not hidden
            assert (float(top[:-1]), float(left[:-1])) == pytest.approx((100 * place[0] / 3, 25 * place[1]), abs=0.01)
    for keys in (("ArrowUp", "ArrowLeft", "ArrowLeft"), ("ArrowDown", "ArrowDown", *["ArrowRight"] * 3)):
        for key in keys:  # into a corner
            numeric.press(key)
            wire.settle()
        count = len(wire.received)
        for key in ("ArrowUp", "ArrowLeft") if "ArrowUp" in keys else ("ArrowDown", "ArrowRight"):
            numeric.press(key)  # there is nothing beyond
            wire.settle()
        assert len(wire.received) == count
    assert trio(page, "x").locator(".al-mark:visible").count() == 0
    page.get_by_role("button", name=say("lens_show")).click()
    wire.settle()
    assert_reads(page, report["x"], report["x"].worst)


def test_fast_hands_are_ahead_of_the_kernel(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    canvas = trio(page, "z").locator("canvas.al-canvas").first
    canvas.click(position={"x": 2, "y": 2})
    for _ in range(3):
        canvas.press("ArrowRight")
    flush(wire)
    wire.step()
    assert trio(page, "z").locator(".al-mark").first.evaluate("e => e.style.left") == "75%"
    wire.settle()
    assert_reads(page, report["z"], (0, 3))
    assert len(wire.received) <= 3  # of the moves that wait only the latest is sent


# ---------------------------------------------------------------------- the step
def test_the_numeric_derivative_at_each_step_is_the_functions_own(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    slider = page.get_by_role("slider", name=say("lens_step"))
    last = int(slider.get_attribute("max"))
    place = report["x"].worst
    for k in (last, last - 3, last - 10):
        slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", str(k))
        wire.settle()
        h = number((page.locator(".al-lens-step .al-where").text_content() or "").removeprefix("h = "))
        read = readout(page, ".al-lens-step")
        assert number(read["numeric"]) == pytest.approx(own_difference(report, "x", place, h), rel=2e-3)
        assert number(read["analytic"]) == pytest.approx(report["x"].analytic[place], rel=1e-5)
    assert wire.widget.look["at_step"] == last - 10
    for k in (3, 7):
        slider.fill(str(k))
    flush(wire)
    wire.step()
    assert slider.input_value() == "7"  # the hand is ahead
    wire.settle()
    slider.blur()
    turn_lens(wire.widget, at_step=10**6)  # as another view of another check
    wire.settle()
    assert slider.input_value() == str(last)


def drawn(page: Page, chart: int, line: int) -> np.ndarray:
    """The points of a line as it stands on the page, in pixels."""
    path = page.locator(".al-lens-curve").nth(chart).locator(f".al-chart-picture .al-chart-line[data-line='{line}']")
    text = path.get_attribute("d") or ""
    return np.array([[float(v) for v in step.split()] for step in text.replace("L", "M").split("M")[1:]])


def test_the_error_over_the_step_and_the_remainder_are_drawn_as_measured(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    open_lens(report)
    item = report["x"]
    points = drawn(page, 0, 0)
    box = page.locator(".al-lens-curve .al-chart-axis").last  # the frame of the axes is drawn last
    assert box.count()
    assert len(points) == 47 and np.ptp(points[8:30, 1]) < 1.5  # a wrong gradient: flat over all these steps
    expect(page.locator(".al-sentence").first).to_contain_text(f"{item.error[item.worst]:.3g}")
    remainder = drawn(page, 1, 0)
    slopes = np.diff(remainder[:, 1]) / np.diff(remainder[:, 0])
    second = drawn(page, 1, 1)
    twice = (second[-1, 1] - second[0, 1]) / (second[-1, 0] - second[0, 0])
    assert slopes[4:].mean() == pytest.approx(twice / 2, rel=0.05)  # half the slope of the line with slope 2
    expect(page.locator(".al-sentence").nth(1)).to_contain_text("to the power 1")


def test_a_right_gradient_has_slope_two(page: Page, open_lens: Open) -> None:
    report = check_gradients(lambda x: np.exp(x) * x, np.array([0.5, -1.25, 2.0]))
    open_lens(report)
    expect(page.locator(".al-verdict")).to_contain_text("Right")
    remainder, second = drawn(page, 1, 0), drawn(page, 1, 1)
    slope = np.polyfit(*remainder[:10].T, 1)[0]
    assert slope == pytest.approx((second[-1, 1] - second[0, 1]) / (second[-1, 0] - second[0, 0]), rel=0.05)
    error = drawn(page, 0, 0)
    assert np.ptp(error[:, 1]) > 60  # falls and rises again
    expect(page.locator(".al-sentence").first).to_contain_text("agree")


def test_a_random_direction_by_its_seed(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    slider = page.get_by_role("slider", name=say("lens_directions"))
    expect(slider).to_be_hidden()
    page.get_by_role("radio", name=say("lens_all")).check()
    wire.settle()
    slider.focus()
    for key, seed in (("Home", 1), ("ArrowRight", 2), ("ArrowUp", 3), ("End", 8), ("ArrowRight", 8), ("ArrowLeft", 7)):
        page.keyboard.press(key)  # the focus stays where it is while Python measures
        wire.settle()
        expect(page.locator(".al-lens-curves .al-title")).to_contain_text(f"random direction {seed}")
        expect(slider).to_have_attribute("aria-valuetext", str(seed))
        expect(page.locator(".al-lens-curves output")).to_have_text(str(seed))
        read = readout(page, ".al-lens-step")
        slope = study(report._origin.checked, report.upstream, "x", None, seed).sweep.analytic
        assert number(read["analytic"]) == pytest.approx(slope, rel=1e-5)
        assert number(read["numeric"]) == pytest.approx(-slope, rel=1e-3)  # the wrong sign, also along a direction
    page.get_by_role("radio", name=say("lens_one")).check()
    wire.settle()
    expect(slider).to_be_hidden()
    page.get_by_role("radio", name=say("lens_all")).check()
    wire.settle()
    expect(page.locator(".al-lens-curves .al-title")).to_contain_text("random direction 7")  # as it was left


# ---------------------------------------------------------------------- checking again
def test_another_draw_is_another_check_and_all_numbers_follow(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS, rng=np.random.default_rng(77))
    wire = open_lens(report)
    for seed in (0, 1):
        page.get_by_role("button", name=say("lens_again")).click()
        wire.settle()
        expected = check_gradients(muladd, *INPUTS, rng=np.random.default_rng(seed))
        expect(page.locator(".al-header")).to_contain_text(say("lens_draw", seed=seed))
        assert_reads(page, expected["x"], expected["x"].worst)
        np.testing.assert_array_equal(wire.widget.report["y"].analytic, expected["y"].analytic)
        texts = trio(page, "y").locator(".al-frame").first.locator(".al-numbers span").all_text_contents()
        np.testing.assert_allclose([number(t) for t in texts], expected["y"].analytic.ravel(), rtol=5e-3)


def test_second_order_in_the_same_lens(page: Page, open_lens: Open) -> None:
    def cubic(x, y):
        return x * x * x * y

    inputs = [np.array([0.5, -1.5, 2.0]), np.array([1.0, 0.25, -0.75])]
    wire = open_lens(check_gradients(cubic, *inputs))
    page.get_by_role("radio", name="Order 2").check()
    wire.settle()
    expected = check_gradients(cubic, *inputs, order=2)
    expect(page.locator(".al-function")).to_have_text("check_gradients(gradient of cubic)")
    assert_reads(page, expected["x"], expected["x"].worst)
    assert readout(page, ".al-lens-step")["analytic"] == readout(page)["analytic"]
    page.get_by_role("radio", name="Order 1").check()
    wire.settle()
    expect(page.locator(".al-function")).to_have_text("check_gradients(cubic)")


def test_what_cannot_be_differentiated_again_says_so_and_keeps_the_check(page: Page, open_lens: Open) -> None:
    from autolab.authoring import Function

    class Square(Function):
        def forward(self, x):
            return (x[0] ** 2,)

        def backward(self, x, gy):
            return (2 * x[0] * gy[0],)

    report = check_gradients(lambda x: Square()(x), np.array([1.0, 2.0]))
    wire = open_lens(report)
    page.get_by_role("radio", name="Order 2").check()
    wire.settle()
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.get_by_role("radio", name="Order 1").is_checked()
    assert_reads(page, report["x"], report["x"].worst)


# ---------------------------------------------------------------------- never something false
def test_a_missing_gradient_is_no_zero(page: Page, open_lens: Open) -> None:
    report = check_gradients(lambda x, y: Forgets().apply((x, y))[0], INPUTS[0], INPUTS[1])
    open_lens(report)
    assert readout(page)["analytic"] == say("lens_none")
    assert readout(page, ".al-lens-step")["analytic"] == say("lens_as_zero")
    expect(trio(page, "y").locator(".al-absent-map")).to_have_text(say("lens_none"))
    assert trio(page, "y").locator("canvas.al-canvas").count() == 2


def test_a_function_that_has_changed_since_the_check_is_told_of(page: Page, open_lens: Open) -> None:
    factor = [1.0]
    report = check_gradients(lambda x: x * x * factor[0], np.array([1.0, 2.0]))
    wire = open_lens(report)
    expect(page.locator(".al-lens-step .al-apart")).to_be_hidden()
    factor[0] = 3.0
    trio(page, "x").locator("canvas.al-canvas").first.click(position={"x": 3, "y": 3})
    wire.settle()
    expect(page.locator(".al-lens-step .al-apart")).to_contain_text("has changed")


def test_a_slow_function_does_not_hold_up_the_lens(
    page: Page, open_lens: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = threading.Event()

    def function(x):
        if slow.is_set():
            time.sleep(0.05)
        return x * x * x

    report = check_gradients(function, np.array([1.0, 2.0, 3.0]))
    wire = open_lens(report)
    monkeypatch.setattr(Lens, "wait_seconds", 0.05)
    slow.set()
    began = time.monotonic()
    trio(page, "x").locator("canvas.al-canvas").first.click(position={"x": 3, "y": 3})
    wire.settle()
    assert time.monotonic() - began < 2.5  # some 150 evaluations would take more than 7 seconds
    assert_reads(page, report["x"], (0,))
    expect(page.locator(".al-lens-curves-body")).to_be_hidden()  # no curves of another element
    expect(page.locator(".al-busy")).to_contain_text(say("live_computing"))
    page.get_by_role("button", name="Stop").click()
    wire.settle()
    deadline = time.monotonic() + 10
    while wire.widget.computing and time.monotonic() < deadline:
        time.sleep(0.02)
    wire.settle()
    expect(page.get_by_role("alert")).to_contain_text(say("lens_stopped_asked"))
    slow.clear()
    trio(page, "x").locator("canvas.al-canvas").first.press("ArrowRight")
    while wire.widget.computing and time.monotonic() < deadline:
        time.sleep(0.02)
    wire.settle()
    expect(page.locator(".al-lens-curves-body")).to_be_visible()
    assert_reads(page, report["x"], (1,))


def test_a_broken_backward_has_words_and_no_numbers(page: Page, open_lens: Open) -> None:
    class TwoOfThree(MulAdd):
        def backward(self, target_input_indexes, grad_outputs):
            return super().backward(target_input_indexes, grad_outputs)[:2]

    report = check_gradients(lambda x, y, z: TwoOfThree().apply((x, y, z))[0], *INPUTS)
    open_lens(report)
    expect(page.locator(".al-verdict")).to_contain_text("returned 2 gradients")
    expect(page.locator(".al-chosen")).to_be_hidden()
    assert page.locator("canvas.al-canvas").count() == 0


def test_a_large_input_shows_what_was_measured(page: Page, open_lens: Open) -> None:
    class Dent(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            wrong = np.ones(x.shape)
            wrong[20, 7] = 3.0
            return (2 * grad_outputs[0] * x * wrong,)

    report = check_gradients(lambda W: Dent().apply((W,))[0], np.random.default_rng(0).normal(size=(100, 80)))
    open_lens(report)
    assert report["W"].worst == (20, 7)
    assert_reads(page, report["W"], (20, 7))
    mark = trio(page, "W").locator(".al-mark").first.evaluate("e => [e.style.top, e.style.left]")
    assert [float(v[:-1]) for v in mark] == pytest.approx([100 * 10 / 50, 100 * 3 / 40], abs=0.01)  # blocks of 2 x 2
    assert_only_measured_cells_are_coloured(page, report["W"], (50, 40))
    assert say("lens_partly_halved") in trio(page, "W").inner_text()
    assert_halves_are_drawn(page, report["W"], (100, 80))


def assert_halves_are_drawn(page: Page, item: Any, shape: tuple[int, int]) -> None:
    """Behind the cells, each block of the search that holds the wrong element; the last is its cell."""
    assert item.halves[0] == (0, item.numeric.size)
    place = int(np.ravel_multi_index(item.worst, shape))
    for (start, stop), (first, last) in itertools.pairwise(item.halves):
        assert start <= first <= place < last <= stop and (last - first) in (
            (stop - start) // 2,
            -(-(stop - start) // 2),
        )
    assert item.halves[-1] == (place, place + 1)
    error = trio(page, item.name).locator(".al-frame").nth(2)
    boxes = error.locator(".al-halves > div").evaluate_all(
        "all => all.map(e => ['top', 'left', 'height', 'width'].map(side => parseFloat(e.style[side])))"
    )
    assert len(boxes) >= 6 and boxes[0] == [0, 0, 50, 100]
    assert boxes[-1] == pytest.approx([100 * 10 / 50, 100 * 3 / 40, 100 / 50, 100 / 40])
    for outer, inner in itertools.pairwise(boxes):
        for start, size in ((0, 2), (1, 3)):
            assert outer[start] <= inner[start] and inner[start] + inner[size] <= outer[start] + outer[size] + 1e-9
    tinted = error.locator(".al-halves > div").last.evaluate("e => getComputedStyle(e).backgroundColor")
    assert tinted not in ("rgba(0, 0, 0, 0)", "transparent")
    assert trio(page, item.name).locator(".al-frame").first.locator(".al-halves > div").count() == 0


def assert_only_measured_cells_are_coloured(page: Page, item: Any, size: tuple[int, int]) -> None:
    """Numeric and error: a cell of two by two elements has a colour where one of them was measured."""
    measured = np.isfinite(item.error).reshape(size[0], 2, size[1], 2).any(axis=(1, 3))
    assert 2 <= measured.sum() <= item.measured < 100
    frames = trio(page, item.name).locator(".al-frame")
    for k in (1, 2):
        data = frames.nth(k).locator(".al-canvas").evaluate(PIXELS)
        opaque = np.array(data).reshape(*size, 4)[..., 3] == 255
        np.testing.assert_array_equal(opaque, measured)
        assert "al-blank" in (frames.nth(k).get_attribute("class") or "")
    assert "al-blank" not in (frames.first.get_attribute("class") or "")


def test_groups_of_its_graph_stay_as_they_are(page: Page, open_lens: Open) -> None:
    def looped(x):
        for _ in range(3):
            x = np.tanh(x * x)
        return x

    wire = open_lens(check_gradients(looped, np.array([0.5, 1.0])))
    page.locator(".al-tab").first.press("Enter")
    wire.settle()
    assert wire.received == []


def test_hostile_names_are_text(page: Page, open_lens: Open) -> None:
    hostile = '<img src=x onerror="window.hacked = 1">'

    def function(**inputs):
        return MulAdd().apply(tuple(inputs.values()))[0]

    function.__name__ = hostile
    report = check_gradients(function, **dict(zip([hostile, "</script><b>", "$z$"], INPUTS, strict=True)))
    open_lens(report)
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".al-root img, .al-root b").count() == 0
    assert hostile in (page.locator(".al-trio h3").first.text_content() or "")
    assert hostile[:20] in (page.locator(".al-function").text_content() or "")


# ---------------------------------------------------------------------- around it
@pytest.mark.parametrize("width", [1280, 700])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overlaps_or_is_cut_off(page: Page, open_lens: Open, width: int, theme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    if theme == "dark":
        page.evaluate(DARK)
    open_lens(check_gradients(muladd, *INPUTS))
    found = [element for element in page.evaluate(MISPLACED) if "al-note" not in element and "al-chart" not in element]
    assert found == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    boxes = page.locator(".al-trio, .al-chosen, .al-lens-curves, .al-listing, .al-graph").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"
    )
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1


@pytest.mark.parametrize(("width", "in_line"), [(1280, True), (700, False)])
def test_three_heatmaps_stand_in_a_line_or_each_below_the_other(
    page: Page, open_lens: Open, width: int, in_line: bool
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_lens(check_gradients(lambda b: np.exp(b * b), b=np.linspace(-1.0, 1.0, 5)))
    frames = page.locator(".al-trio .al-frame")
    expect(frames).to_have_count(3)
    boxes = [frames.nth(k).bounding_box() for k in range(3)]
    tops, lefts = ({round(box[side]) for box in boxes if box} for side in ("y", "x"))
    assert (len(tops), len(lefts)) == ((1, 3) if in_line else (3, 1))
    assert all(box and box["width"] > (200 if in_line else 500) for box in boxes)


def test_below_numbers_the_bar_says_where_the_powers_of_ten_begin(page: Page, open_lens: Open) -> None:
    wire = open_lens(check_gradients(lambda x: x * x, x=np.array([-50.0, 0.25, 25.0])))
    analytic = page.locator(".al-trio-map").first
    expect(analytic.locator(".al-scale")).to_be_visible()
    expect(analytic.locator(".al-heat-legend")).to_be_hidden()
    page.get_by_label("Symmetric log").check()
    wire.settle()
    scale = float(np.abs(wire.widget.report["x"].analytic).max())
    ticks = [shown(sign * scale * part) for sign, part in ((-1, 1), (-1, 1e-3), (0, 0), (1, 1e-3), (1, 1))]
    expect(analytic.locator(".al-heat-legend text")).to_have_text(ticks)
    expect(analytic.locator(".al-heat-legend")).to_be_visible()
    expect(analytic.locator(".al-scale")).to_be_hidden()


def test_views_leave_nothing_behind(page: Page, open_lens: Open) -> None:
    wire = open_lens(check_gradients(muladd, *INPUTS), views=2)
    before = page.evaluate("() => host.listenerCount()")
    page.evaluate("() => { host.removeView(1); host.removeView(0); }")
    assert page.evaluate("() => host.listenerCount()") == before  # the brain's, not the views'
    wire.widget.close()
    wire.widget._on_message(wire.widget, {"do": "hello", "seq": 1}, [])


def test_messages_that_nobody_could_send_change_nothing(open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    lens = open_lens(report).widget
    before, look = told(lens, "chosen"), lens.look
    for changes in (
        {"cell": [99, 0]},
        {"cell": [-1, 0]},
        {"cell": [0]},
        {"order": 7},
        {"whole": True, "direction": 0},
        {"whole": True, "direction": 9},
        {"seed": -1},
        {"seed": "3"},
    ):
        lens._tell(error=None)
        turn_lens(lens, **changes)
        assert lens.error is not None and lens.look == look
        assert told(lens, "chosen") == before and lens.report is report


@pytest.mark.parametrize("level", [0, 1])
def test_a_report_that_holds_back_its_numbers_has_no_lens(level: int) -> None:
    with pytest.raises(ValueError, match=f"reveal={level} holds back"):
        check_gradients(muladd, *INPUTS, reveal=level).explore()


def test_a_copy_of_a_report_has_no_lens() -> None:
    with pytest.raises(ValueError, match="does not know its function"):
        copy.copy(check_gradients(muladd, *INPUTS)).explore()


@pytest.mark.parametrize("level", [2, 3])
def test_an_exercise_keeps_the_place_to_itself(page: Page, open_lens: Open, level: int) -> None:
    open_lens(check_gradients(muladd, *INPUTS, reveal=level))
    assert page.locator(".al-backwards .al-listing").count() == 0
    assert page.locator(".al-findings li").count() == level - 2
    assert page.locator(".al-suspect").count() == 0


def test_in_plain_python_a_page_is_saved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_gradients(muladd, *INPUTS).explore().close()
    path = tmp_path / "autolab_pages" / "check_muladd.html"
    assert str(path) in capsys.readouterr().out
    assert "wrong sign" in path.read_text("utf-8")


def test_a_closed_lens_and_its_report_are_freed(open_lens: Open) -> None:
    def function(x):
        return x * x

    gone = weakref.ref(function)
    lens = check_gradients(function, INPUTS[0]).explore()
    lens.close()
    del lens, function
    gc.collect()
    assert gone() is None
    assert autolab.GradientReport is not None
