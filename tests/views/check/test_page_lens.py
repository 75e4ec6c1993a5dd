"""The check lens in a browser: what it shows is compared with the report's arrays and with differences of its own."""

from __future__ import annotations

import base64
import copy
import gc
import gzip
import importlib
import itertools
import re
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
from autolab.gradcheck.checks.taylor import study
from autolab.views.check import saved_page as lens_page
from autolab.views.check.lens import Lens
from autolab.views.draw.colors import paint
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number as shown

from ..graph.test_page_look import DARK, MISPLACED
from ..live.test_page_link import flush
from ..looking import told, turn_lens
from ..test_page_frame import CELL, MEASURED
from .conftest import Open

pytestmark = pytest.mark.browser
PIXELS = """c => {
  const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(c, 0, 0);
  return [...copy.getImageData(0, 0, c.width, c.height).data];
}"""
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


def trio(page: Page) -> Locator:
    """The three pictures of the input that is looked at."""
    return page.locator(".al-trio")


def show(page: Page, wire: Any, name: str) -> None:
    """Turn to another input by its button in the head, which bears its verdict."""
    page.locator(f".al-names .al-button[data-text$=' {name}']").check()
    wire.settle()
    expect(trio(page)).to_have_attribute("aria-label", name)


def ask(page: Page, wire: Any) -> None:
    """Ask why about the worst element."""
    page.locator("canvas.al-canvas").first.press("Enter")
    wire.settle()


def offered(page: Page, name: str) -> None:
    """Choose an entry of the menu, and close that."""
    page.locator(".al-menu > summary").click()
    page.locator(".al-menu-panel").get_by_role("button", name=name).click()
    page.keyboard.press("Escape")


def readout(page: Page) -> dict[str, str]:
    """The numbers of the chosen element by their kinds."""
    pairs = page.locator(".al-why [data-kind]").evaluate_all(
        "all => all.map(e => [e.dataset.kind, e.lastElementChild.textContent])"
    )
    return dict(pairs)


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def assert_reads(page: Page, item: Any, place: tuple[int, ...]) -> None:
    """The read-out is that of an element."""
    read = readout(page)
    assert page.locator(".al-why .al-title").text_content() == f"{item.name}{list(place)}"
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
def test_a_wrong_gradient_is_told_at_a_glance_and_a_click_says_why(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    expect(page.locator(".al-verdict")).to_have_text("\u2717 Wrong")
    expect(page.locator(".al-sentence")).to_contain_text(report.findings[0].message)
    expect(page.locator(".al-names .al-button")).to_have_count(3)
    shown = page.locator(".al-names .al-button").evaluate_all("all => all.map(e => [e.dataset.text, e.checked])")
    assert shown == [["\u2717 x", True], ["\u2713 y", False], ["\u2713 z", False]]
    expect(trio(page)).to_have_attribute("aria-label", "x")
    expect(page.locator(".al-why, .al-chart, .al-source, .al-graph").locator("visible=true")).to_have_count(0)
    ask(page, wire)
    assert_reads(page, report["x"], report["x"].worst)
    assert number(readout(page)["value"]) == pytest.approx(INPUTS[0][report["x"].worst], rel=1e-5)
    expect(page.locator(".al-judgement")).to_have_class("al-judgement al-apart")
    expect(page.locator(".al-why .al-note").first).to_have_text(report.findings[0].hint)
    expect(page.locator(".al-sentence")).to_contain_text("the two stay about")
    code = page.locator(".al-why .al-source-line").all_text_contents()
    assert code[0].startswith(str(MulAdd.backward.__code__.co_firstlineno))
    expect(page.locator(".al-why .al-now")).to_have_count(1)
    expect(page.locator(".al-why .al-now")).to_contain_text("return -g * y, g * x, g")
    page.keyboard.press("Escape")
    wire.settle()
    expect(page.locator(".al-why")).to_be_hidden()
    expect(page.locator(".al-sentence")).to_contain_text(report.findings[0].message)


def test_an_open_menu_keeps_within_a_view_that_shrinks(page: Page, open_lens: Open) -> None:
    wire = open_lens(check_gradients(muladd, *INPUTS))
    page.set_viewport_size({"width": 900, "height": 800})
    ask(page, wire)
    page.locator(".al-menu > summary").click()
    turn_lens(wire.widget, cell=None)
    wire.settle()
    expect(page.locator(".al-why")).to_be_hidden()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    panel, view = (page.locator(one).bounding_box() for one in (".al-menu-panel", ".al-root"))
    assert panel and view and panel["y"] >= view["y"]


def test_what_was_found_about_the_input_that_is_looked_at_is_the_sentence(page: Page, open_lens: Open) -> None:
    def two(x, y, z):
        return np.tanh(MulAdd().apply((x, y, z))[0]) * Forgets().apply((y, z))[0]

    report = check_gradients(two, *INPUTS)
    wire = open_lens(report)
    assert {item.name: item.verdict for item in report.inputs} == {"x": "wrong", "y": "right", "z": "wrong"}
    for name in ("z", "x"):
        show(page, wire, name)
        about = [finding.message for finding in report.findings if finding.input == name]
        expect(page.locator(".al-sentence")).to_contain_text(about[0])
    show(page, wire, "y")
    expect(page.locator(".al-sentence")).to_contain_text(say("lens_right_input", input="y"))


def test_the_graph_stands_in_the_place_of_the_pictures_and_shows_the_gradients_of_the_check(
    open_lens: Open, page: Page
) -> None:
    wire = open_lens(check_gradients(muladd, *INPUTS))
    offered(page, say("lens_graph"))
    wire.settle()
    expect(trio(page)).to_be_hidden()
    expect(page.locator(".al-suspect")).to_have_count(1)
    expect(page.locator(".al-suspect.al-selected")).to_contain_text("MulAdd")
    for _ in range(2):
        lens = wire.widget
        scenery = told(lens, "scenery")
        for item, box in zip(lens.report.inputs, scenery["inputs"], strict=True):
            np.testing.assert_allclose(scenery["readings"]["nodes"][str(box)]["grad_cells"], item.analytic)
        count = len(wire.received)
        page.locator(f".al-node[data-id='{scenery['suspects'][0]}']").click()  # no input, so nothing to choose
        wire.settle()
        assert len(wire.received) == count
        offered(page, say("lens_again"))
        wire.settle()
    page.locator(f".al-node[data-id='{scenery['inputs'][1]}']").click()
    wire.settle()
    expect(trio(page)).to_have_attribute("aria-label", "y")
    expect(trio(page)).to_be_visible()
    offered(page, say("lens_graph"))
    page.keyboard.press("Escape")
    wire.settle()
    expect(page.locator(".al-graph")).to_be_hidden()


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
    wire = open_lens(report)
    item = report.inputs[culprit.failing]
    expect(page.locator(".al-sentence")).to_contain_text(report.findings[0].message)
    expect(trio(page)).to_have_attribute("data-verdict", "wrong")
    expect(trio(page)).to_have_attribute("aria-label", item.name)
    ask(page, wire)
    assert_reads(page, item, item.worst)
    expect(page.locator(".al-sentence")).to_contain_text("the two stay about")
    page.get_by_role("radio", name=say("lens_taylor")).check()
    wire.settle()
    expect(page.locator(".al-sentence")).to_contain_text("to the power 1")


def test_every_cell_of_every_heatmap_is_that_of_its_array(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    for item in report.inputs:
        show(page, wire, item.name)
        shared = max(np.abs(item.analytic).max(), np.abs(item.numeric).max())
        most = np.inf if item.verdict == "right" else max(item.error.max(), item.tolerance.max())  # no colour, if right
        scales = {"analytic": shared, "numeric": shared, "error": most}
        frames = trio(page).locator(".al-frame")
        for k, kind in enumerate(KINDS):
            values = getattr(item, kind)
            texts = frames.nth(k).locator(".al-numbers span").all_text_contents()
            np.testing.assert_allclose([number(t) for t in texts], values.ravel(), rtol=5e-3, atol=1e-300)
            pixels = np.array(frames.nth(k).locator(".al-canvas").evaluate(PIXELS)).reshape(*values.shape, 4)
            wanted = paint(values / scales[kind]).astype(int)
            assert np.abs(pixels[..., :3] - wanted).max() <= 6, (item.name, kind)


def test_the_worst_element_of_a_wrong_input_is_marked(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    styles = trio(page).locator(".al-worst").evaluate_all("all => all.map(e => [e.hidden, e.style.top, e.style.left])")
    row, column = report["x"].worst
    assert len(styles) == 3
    for hidden, top, left in styles:
        assert not hidden
        assert (float(top[:-1]), float(left[:-1])) == pytest.approx((100 * row / 3, 100 * column / 4), abs=0.01)
    show(page, wire, "y")
    expect(trio(page).locator(".al-worst").locator("visible=true")).to_have_count(0)


# ---------------------------------------------------------------------- one selection
def test_a_click_and_the_arrow_keys_choose_in_all_three(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    show(page, wire, "y")
    numeric = trio(page).locator("canvas.al-canvas").nth(1)
    box = numeric.bounding_box()
    for times in (1, 2, 3):
        numeric.click(position={"x": box["width"] * 2.5 / 4, "y": box["height"] * 0.5 / 3})
        wire.settle()
        expect(page.locator(".al-why")).to_be_visible(visible=times != 2)  # the second click leads back
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
            trio(page).locator(".al-mark").evaluate_all("all => all.map(e => [e.hidden, e.style.top, e.style.left])")
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
    page.get_by_role("button", name=say("lens_back")).click()
    wire.settle()
    assert trio(page).locator(".al-mark:visible").count() == 0
    show(page, wire, "x")
    ask(page, wire)
    assert_reads(page, report["x"], report["x"].worst)


def test_fast_hands_are_ahead_of_the_kernel(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    show(page, wire, "z")
    count = len(wire.received)
    canvas = trio(page).locator("canvas.al-canvas").first
    canvas.click(position={"x": 2, "y": 2})
    for _ in range(3):
        canvas.press("ArrowRight")
    flush(wire)
    wire.step()
    assert trio(page).locator(".al-mark").first.evaluate("e => e.style.left") == "75%"
    wire.settle()
    assert_reads(page, report["z"], (0, 3))
    assert len(wire.received) - count <= 3  # of the moves that wait only the latest is sent


# ---------------------------------------------------------------------- the step
def drawn(page: Page, line: int) -> np.ndarray:
    """The points of a line as it stands on the page, in pixels, from the coarsest step to the finest."""
    path = page.locator(f".al-why .al-chart-picture .al-chart-line[data-line='{line}']")
    text = path.get_attribute("d") or ""
    return np.array([[float(v) for v in step.split()] for step in text.replace("L", "M").split("M")[:0:-1]])


def test_the_numeric_derivative_at_a_step_is_the_functions_own(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    ask(page, wire)
    chart, place = page.locator(".al-why .al-chart-picture"), report["x"].worst
    for _ in range(4):
        chart.press("ArrowLeft")
        error, h = (page.locator(".al-why .al-chart-last").first.text_content() or "").split(" at ")
        own = abs(own_difference(report, "x", place, number(h)) - report["x"].analytic[place])
        assert number(error) == pytest.approx(own, rel=2e-3)


def test_the_error_over_the_step_and_the_remainder_are_drawn_as_measured(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    ask(page, wire)
    item = report["x"]
    points = drawn(page, 0)
    assert len(points) == 47 and np.ptp(points[8:30, 1]) < 1.5  # a wrong gradient: flat over all these steps
    expect(page.locator(".al-sentence")).to_contain_text(f"{item.error[item.worst]:.3g}")
    page.get_by_role("radio", name=say("lens_taylor")).check()
    wire.settle()
    remainder = drawn(page, 0)
    slopes = np.diff(remainder[:, 1]) / np.diff(remainder[:, 0])
    second = drawn(page, 1)
    twice = (second[-1, 1] - second[0, 1]) / (second[-1, 0] - second[0, 0])
    assert slopes[4:].mean() == pytest.approx(twice / 2, rel=0.05)  # half the slope of the line with slope 2
    expect(page.locator(".al-sentence")).to_contain_text("to the power 1")


def test_a_right_gradient_has_slope_two(page: Page, open_lens: Open) -> None:
    report = check_gradients(lambda x: np.exp(x) * x, np.array([0.5, -1.25, 2.0]))
    wire = open_lens(report)
    expect(page.locator(".al-verdict")).to_contain_text("Right")
    ask(page, wire)
    error = drawn(page, 0)
    assert np.ptp(error[:, 1]) > 60  # falls and rises again
    expect(page.locator(".al-sentence")).to_contain_text("agree")
    page.get_by_role("radio", name=say("lens_taylor")).check()
    wire.settle()
    remainder, second = drawn(page, 0), drawn(page, 1)
    slope = np.polyfit(*remainder[:10].T, 1)[0]
    assert slope == pytest.approx((second[-1, 1] - second[0, 1]) / (second[-1, 0] - second[0, 0]), rel=0.05)


def test_each_time_another_random_direction(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS)
    wire = open_lens(report)
    for seed in (1, 2, 3, 4, 5, 6, 7, 8, 1):
        offered(page, say("lens_along"))
        wire.settle()
        expect(page.locator(".al-why .al-title")).to_have_text(say("lens_direction", name="x", seed=seed))
        expect(page.locator(".al-sentence")).to_contain_text("the two stay about")  # the wrong sign, also along it
        slope = study(report._origin.checked, report.upstream, "x", None, seed).sweep.analytic
        told_error = (page.locator(".al-sentence").text_content() or "").split("about ")[1].split(" ")[0]
        assert number(told_error) == pytest.approx(2 * abs(slope), rel=1e-2)
    trio(page).locator("canvas.al-canvas").first.press("Enter")
    wire.settle()
    expect(page.locator(".al-why .al-title")).to_have_text(f"x{list(report['x'].worst)}")


# ---------------------------------------------------------------------- checking again
def test_another_draw_is_another_check_and_all_numbers_follow(page: Page, open_lens: Open) -> None:
    report = check_gradients(muladd, *INPUTS, rng=np.random.default_rng(77))
    wire = open_lens(report)
    for seed in (0, 1):
        offered(page, say("lens_again"))
        wire.settle()
        expected = check_gradients(muladd, *INPUTS, rng=np.random.default_rng(seed))
        assert say("lens_draw", seed=seed) in (page.locator(".al-menu-panel").text_content() or "")
        ask(page, wire)
        assert_reads(page, expected["x"], expected["x"].worst)
        np.testing.assert_array_equal(wire.widget.report["y"].analytic, expected["y"].analytic)
        show(page, wire, "y")
        texts = trio(page).locator(".al-frame").first.locator(".al-numbers span").all_text_contents()
        np.testing.assert_allclose([number(t) for t in texts], expected["y"].analytic.ravel(), rtol=5e-3)
        show(page, wire, "x")


def turn_order(page: Page, wire: Any, order: int) -> None:
    page.locator(".al-menu > summary").click()
    page.get_by_role("radio", name=f"Order {order}").check()
    page.keyboard.press("Escape")
    wire.settle()


def test_second_order_in_the_same_lens(page: Page, open_lens: Open) -> None:
    def cubic(x, y):
        return x * x * x * y

    inputs = [np.array([0.5, -1.5, 2.0]), np.array([1.0, 0.25, -0.75])]
    wire = open_lens(check_gradients(cubic, *inputs))
    turn_order(page, wire, 2)
    expected = check_gradients(cubic, *inputs, order=2)
    expect(page.locator(".al-function")).to_have_text("check_gradients(cubic, order=2)")
    ask(page, wire)
    assert_reads(page, expected["x"], expected["x"].worst)
    turn_order(page, wire, 1)
    expect(page.locator(".al-function")).to_have_text("check_gradients(cubic)")
    expect(page.locator(".al-why")).to_be_hidden()


def test_what_cannot_be_differentiated_again_says_so_and_keeps_the_check(page: Page, open_lens: Open) -> None:
    from autolab.authoring import Function

    class Square(Function):
        def forward(self, x):
            return (x[0] ** 2,)

        def backward(self, x, gy):
            return (2 * x[0] * gy[0],)

    report = check_gradients(lambda x: Square()(x), np.array([1.0, 2.0]))
    wire = open_lens(report)
    turn_order(page, wire, 2)
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.locator(".al-menu").get_by_label("Order 1").is_checked()
    ask(page, wire)
    assert_reads(page, report["x"], report["x"].worst)


# ---------------------------------------------------------------------- never something false
def test_a_missing_gradient_is_no_zero(page: Page, open_lens: Open) -> None:
    report = check_gradients(lambda x, y: Forgets().apply((x, y))[0], INPUTS[0], INPUTS[1])
    wire = open_lens(report)
    expect(trio(page)).to_have_attribute("aria-label", "y")
    expect(trio(page).locator(".al-absent-map")).to_have_text(say("lens_none"))
    assert trio(page).locator("canvas.al-canvas").count() == 2
    assert trio(page).locator("canvas[tabindex='0']").count() == 1  # with the keyboard too
    ask(page, wire)
    assert readout(page)["analytic"] == say("lens_none")


def test_a_function_that_has_changed_since_the_check_is_told_of(page: Page, open_lens: Open) -> None:
    factor = [1.0]
    report = check_gradients(lambda x: x * x * factor[0], np.array([1.0, 2.0]))
    wire = open_lens(report)
    factor[0] = 3.0
    trio(page).locator("canvas.al-canvas").first.click(position={"x": 3, "y": 3})
    trio(page).locator("canvas.al-canvas").first.press("ArrowRight")
    wire.settle()
    expect(page.locator(".al-sentence")).to_contain_text("has changed")


def test_a_slow_function_does_not_hold_up_the_lens(
    page: Page, open_lens: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = threading.Event()
    runs: list[object] = []

    def function(x):
        if slow.is_set():
            runs.append(x)
            time.sleep(0.05)
        return x * x * x

    report = check_gradients(function, np.array([1.0, 2.0, 3.0]))
    wire = open_lens(report)
    monkeypatch.setattr(Lens, "wait_seconds", 0.05)
    slow.set()
    trio(page).locator("canvas.al-canvas").first.click(position={"x": 3, "y": 3})
    wire.settle()
    assert len(runs) < 50  # of some 150
    assert_reads(page, report["x"], (0,))
    expect(page.locator(".al-why-curve")).to_be_hidden()  # no curves of another element
    expect(page.locator(".al-busy")).to_contain_text(say("live_computing"))
    page.get_by_role("button", name="Stop").click()
    wire.finish()
    expect(page.get_by_role("alert")).to_contain_text(say("lens_stopped_asked"))
    slow.clear()
    trio(page).locator("canvas.al-canvas").first.press("ArrowRight")
    wire.finish()
    expect(page.locator(".al-why-curve")).to_be_visible()
    assert_reads(page, report["x"], (1,))


def test_a_broken_backward_has_words_and_no_numbers(page: Page, open_lens: Open) -> None:
    class TwoOfThree(MulAdd):
        def backward(self, target_input_indexes, grad_outputs):
            return super().backward(target_input_indexes, grad_outputs)[:2]

    report = check_gradients(lambda x, y, z: TwoOfThree().apply((x, y, z))[0], *INPUTS)
    open_lens(report)
    expect(page.locator(".al-sentence")).to_contain_text("returned 2 gradients")
    expect(page.locator(".al-sentence")).to_contain_text(report.findings[0].hint)  # no cell can be clicked for it
    expect(page.locator(".al-why")).to_be_hidden()
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
    wire = open_lens(report)
    assert report["W"].worst == (20, 7)
    assert say("lens_partly_halved") in trio(page).inner_text()
    ask(page, wire)
    assert_reads(page, report["W"], (20, 7))
    mark = trio(page).locator(".al-mark").first.evaluate("e => [e.style.top, e.style.left]")
    assert [float(v[:-1]) for v in mark] == pytest.approx([100 * 10 / 50, 100 * 3 / 40], abs=0.01)  # blocks of 2 x 2
    assert_only_measured_cells_are_coloured(page, report["W"], (50, 40))
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
    error = trio(page).locator(".al-frame").nth(2)
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
    assert trio(page).locator(".al-frame").first.locator(".al-halves > div").count() == 0


def assert_only_measured_cells_are_coloured(page: Page, item: Any, size: tuple[int, int]) -> None:
    """Numeric and error: a cell of two by two elements has a colour where one of them was measured."""
    measured = np.isfinite(item.error).reshape(size[0], 2, size[1], 2).any(axis=(1, 3))
    assert 2 <= measured.sum() <= item.measured < 100
    frames = trio(page).locator(".al-frame")
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
    offered(page, say("lens_graph"))
    wire.settle()
    count = len(wire.received)
    page.locator(".al-tab").first.press("Enter")
    wire.settle()
    assert len(wire.received) == count


def test_hostile_names_are_text(page: Page, open_lens: Open) -> None:
    hostile = '<img src=x onerror="window.hacked = 1">'

    def function(**inputs):
        return MulAdd().apply(tuple(inputs.values()))[0]

    function.__name__ = hostile
    report = check_gradients(function, **dict(zip([hostile, "</script><b>", "$z$"], INPUTS, strict=True)))
    wire = open_lens(report)
    ask(page, wire)
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".al-root img, .al-root b").count() == 0
    assert hostile in (page.locator(".al-names option").first.text_content() or "")
    assert hostile[:20] in (page.locator(".al-function").text_content() or "")


# ---------------------------------------------------------------------- around it
@pytest.mark.parametrize("width", [1280, 700])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overlaps_or_is_cut_off(page: Page, open_lens: Open, width: int, theme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    if theme == "dark":
        page.evaluate(DARK)
    wire = open_lens(check_gradients(muladd, *INPUTS))
    for do in (wire.settle, lambda: ask(page, wire)):
        do()
        found = [
            element for element in page.evaluate(MISPLACED) if "al-note" not in element and "al-chart" not in element
        ]
        assert found == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    boxes = page.locator(".al-trio-map, .al-why > *, .al-foot").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"
    )
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1


FIRST_SIGHTS = {
    "wrong": lambda: check_gradients(muladd, *INPUTS),
    "no gradient": lambda: check_gradients(lambda x, y: Forgets().apply((x, y))[0], INPUTS[0], INPUTS[1]),
    "scalar": lambda: check_gradients(lambda x: np.sin(x) * x, x=0.5),
    "large": lambda: check_gradients(lambda W: np.tanh(W), np.random.default_rng(0).normal(size=(200, 300))),
    "eight": lambda: check_gradients(
        lambda **w: sum(v * v for v in w.values()), **{f"w{k}": 1.0 + k for k in range(8)}
    ),
    "float16": lambda: check_gradients(lambda x: x * x, np.ones((2, 5), np.float16)),
    "integers": lambda: check_gradients(lambda x, k: x * x * k, x=np.ones(3), k=np.array([1, 2, 3])),
}


@pytest.mark.parametrize("name", FIRST_SIGHTS)
def test_at_first_every_check_keeps_within_the_frame(page: Page, open_lens: Open, name: str) -> None:
    page.set_viewport_size(CELL)
    wire = open_lens(FIRST_SIGHTS[name]())
    found = page.evaluate(MEASURED)
    assert found["controls"] <= 12 and found["sizes"] <= 5 and found["height"] <= 760, found
    assert found["picture"] >= 0.6 and found["above"] <= 90, found
    ask(page, wire)
    expect(page.locator(".al-why")).to_be_visible()
    assert page.evaluate(MEASURED)["above"] == found["above"]  # what is asked about stays where it is


@pytest.mark.parametrize("width", [584, 880])
def test_the_digits_of_the_worst_cell_are_inside_its_mark(page: Page, open_lens: Open, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    x = np.linspace(-2.2, 2.2, 12).reshape(3, 4)
    open_lens(check_gradients(lambda x: MulAdd().apply((x, x, x))[0], x))
    cells, marks = page.locator(".al-trio .al-numbers span"), page.locator(".al-worst")
    for k in range(3):
        mark = marks.nth(k).bounding_box()
        assert mark
        places = [cells.nth(i).bounding_box() for i in range(12 * k, 12 * k + 12)]
        assert all(box and box["width"] < mark["width"] for box in places)
        (inside,) = [
            box
            for box in places
            if box
            and mark["x"] <= box["x"] + box["width"] / 2 <= mark["x"] + mark["width"]
            and mark["y"] <= box["y"] + box["height"] / 2 <= mark["y"] + mark["height"]
        ]
        assert inside["width"] <= mark["width"] - 12  # the mark's frame


@pytest.mark.parametrize(("width", "in_line"), [(1280, True), (600, False)])
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
    assert all(box and box["width"] > (200 if in_line else 400) for box in boxes)


def test_below_numbers_the_bar_says_where_the_powers_of_ten_begin(page: Page, open_lens: Open) -> None:
    wire = open_lens(check_gradients(lambda x: x * x, x=np.array([-50.0, 0.25, 25.0])))
    analytic = page.locator(".al-trio-map").first
    expect(analytic.locator(".al-scale")).to_be_visible()
    expect(analytic.locator(".al-heat-legend")).to_be_hidden()
    page.locator(".al-menu > summary").click()
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
    report = check_gradients(muladd, *INPUTS, reveal=level)
    wire = open_lens(report)
    expect(page.locator(".al-sentence")).to_contain_text("wrong sign" if level == 3 else "x: wrong")
    ask(page, wire)
    assert page.locator(".al-why .al-listing").count() == 0
    page.locator(".al-menu > summary").click()
    expect(page.get_by_role("button", name=say("lens_graph"))).to_be_hidden()  # it would show the suspect


def test_in_plain_python_a_page_is_saved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lens_page, "_STUDIES", (3,))
    check_gradients(muladd, *INPUTS).explore().close()
    path = tmp_path / "autolab_pages" / "check_muladd.html"
    assert str(path) in capsys.readouterr().out
    held = re.search(r'type="([^"]+)" id="saved">(.*?)</script', path.read_text("utf-8"), re.DOTALL)
    assert held is not None
    zipped = held[1] == "application/gzip"  # a long one
    assert "wrong sign" in (gzip.decompress(base64.b64decode(held[2])).decode() if zipped else held[2])


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
