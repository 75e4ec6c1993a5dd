"""Moving everything else in a real browser: draws, settings, upstream gradients, large arrays, slow functions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab import Variable
from autolab.views.draw.messages import say
from autolab.views.graph.explorer import Explorer
from autolab.views.live.session_view import SessionView

from ..bare_page import Wire, free, menu, number, pinned, type_number
from ..looking import seen
from ..programs import LAYER, layer, muladd
from .test_page_inputs import cell, drag

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]
BIG = np.random.default_rng(0).normal(size=(40, 60))


def total(A: Variable) -> Variable:
    y = (A * A).sum()
    return y


def test_draw_fills_an_array_and_the_same_seed_draws_the_same(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    pinned(page)
    draw = page.get_by_role("button", name="Draw W at random")
    for seed in (0, 1):
        draw.click()
        wire.settle()
        expected = np.random.default_rng(seed).normal(0, 1, (3, 4))
        np.testing.assert_array_equal(wire.widget.point["W"], expected)
        assert page.get_by_label("W, seed").input_value() == str(seed)
        shown = page.locator(".al-input", has=draw).locator(".al-cell").evaluate_all("all => all.map(e => +e.title)")
        np.testing.assert_array_equal(shown, expected.reshape(-1))
    page.get_by_label("W, distribution").select_option("uniform")
    for name, text in (("scale", "0.25"), ("seed", "7")):
        page.get_by_label(f"W, {name}").fill(text)
        page.keyboard.press("Tab")
    draw.press("Enter")
    wire.settle()
    np.testing.assert_array_equal(wire.widget.point["W"], np.random.default_rng(7).uniform(-0.25, 0.25, (3, 4)))
    for _ in range(3):
        menu(page).get_by_role("button", name="Undo").click()
    wire.settle()
    np.testing.assert_array_equal(wire.widget.point["W"], LAYER["W"])


def test_a_scale_and_a_seed_that_cannot_be_are_not_taken(page: Page, open_view: Open) -> None:
    wire = open_view(total, A=np.ones((1, 2)))
    scale, seed = (pinned(page).get_by_label(f"A, {name}, number", exact=True) for name in ("scale", "seed"))
    for box, text, taken in (
        (scale, "2", "2"),
        (scale, "0", "2"),
        (scale, "-1", "2"),
        (seed, "-5", "0"),
        (seed, "2.6", "3"),
        (seed, "1e12", str(2**32 - 1)),
    ):
        box.fill(text)
        box.press("Enter")
        assert float(box.input_value()) == pytest.approx(float(taken), rel=1e-5)
    for _ in range(2):
        pinned(page).get_by_role("button", name="Draw A at random").click()
        wire.settle()
    assert [(m["scale"], m["seed"]) for m in wire.received] == [(2, 2**32 - 1), (2, 0)] and wire.widget.error is None


def test_a_drag_to_the_right_raises_a_number_too_and_shows_it(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    target = cell(page, "x[0, 0]")
    box = target.bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 29, box["y"] + 6, steps=4)
    assert target.text_content() == "2"  # before anybody has answered
    page.mouse.up()
    wire.settle()
    assert wire.widget.point["x"][0, 0] == 1 + 24 / 240 * 10


def test_dtype_and_mode_are_chosen_and_said(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x: autolab.functions.dropout(x) * 3, x=np.ones(6))
    summary = menu(page).locator(".al-summary")
    assert summary.text_content() == "mode train · dtype float64"
    summary.press("Enter")
    page.get_by_label("mode").select_option("test")
    page.get_by_label("dtype").select_option("float32")
    wire.settle()
    last = wire.widget.recording.steps[-1].value
    assert (last.dtype, last.values.tolist()) == ("float32", [3] * 6)
    assert summary.text_content() == "mode test · dtype float32"
    assert page.get_by_label("device").count() == 0
    menu(page).get_by_role("button", name="Reset").click()
    wire.settle()
    assert page.get_by_label("mode").input_value() == "train"


def test_each_of_several_outputs_is_named_where_its_upstream_gradient_stands(open_view: Open) -> None:
    def fan(x: Any) -> Any:
        doubled = x * 2
        return x * x, doubled

    labels = [control["label"] for control in seen(open_view(fan, x=3.0).widget).controls if control["upstream"]]
    assert labels == ["upstream gradient of x * x", "upstream gradient of doubled"]


def test_the_upstream_gradient_moves_every_gradient(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    type_number(page, "upstream gradient of w", "10")
    wire.settle()
    assert [number(page, wire, n, "gradient") for n in ("x", "y", "z", "w")] == ["30", "20", "10", "10"]
    assert pinned(page).get_by_label("upstream gradient of w, number").input_value() == "10"
    menu(page).get_by_role("button", name="Copy point as code").click()
    wire.settle()
    expected = 'autolab.explore(muladd, x=2.0, y=3.0, z=4.0, options={"upstream": 10.0})'
    assert page.get_by_label("The current point as code").input_value() == expected


def shown_cells(page: Page) -> dict[str, float]:
    pairs = page.locator(".al-cell").evaluate_all("all => all.map(e => [e.getAttribute('aria-label'), +e.title])")
    return dict(pairs)


def test_a_large_array_is_moved_through_a_window(page: Page, open_view: Open) -> None:
    wire = open_view(total, A=BIG)
    free(page, "A").press("Enter")
    window = page.get_by_role("dialog", name="A")
    chart = window.get_by_role("img", name="All of A")
    box = chart.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    wire.settle()
    expected = {f"A[{i}, {j}]": BIG[i, j] for i in range(16, 24) for j in range(26, 34)}
    assert shown_cells(page) == expected
    count = len(wire.received)
    page.mouse.move(box["x"] + box["width"] * 0.713, box["y"] + box["height"] * 0.613)
    wire.settle()
    assert len(wire.received) == count  # no button was pressed
    page.mouse.down()
    page.mouse.up()
    wire.settle()
    assert len(wire.received) == count + 1 and wire.widget.error is None
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    wire.settle()
    chart.press("ArrowDown")
    wire.settle()
    chart.press("Shift+ArrowRight")
    wire.settle()
    assert set(shown_cells(page)) == {f"A[{i}, {j}]" for i in range(17, 25) for j in range(34, 42)}
    assert "rows 17–24 of 40, columns 34–41 of 60" in page.locator(".al-map").inner_text()
    drag(page, window.get_by_role("spinbutton", name="A[20, 40]", exact=True), up=24)
    wire.settle()
    moved = wire.widget.point["A"]
    assert moved[20, 40] != BIG[20, 40]
    assert np.count_nonzero(moved != BIG) == 1
    for key in ("PageUp", "ArrowLeft"):
        chart.press(key)
        wire.settle()
    assert np.count_nonzero(wire.widget.point["A"] != BIG) == 1


def test_the_map_has_the_colours_of_the_array(page: Page, open_view: Open) -> None:
    A = np.zeros((20, 30))
    A[3, 4], A[17, 29], A[9, 9] = 5.0, -10.0, np.nan
    wire = open_view(total, A=A)
    pinned(page)
    read = "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    pixels = np.array(page.locator(".al-map-canvas").evaluate(read), np.uint8).reshape(20, 30, 4)
    assert tuple(np.argwhere(pixels[..., 3] == 0)[0]) == (9, 9)
    zero = pixels[0, 0, :3].astype(int)
    changed = np.argwhere((np.abs(pixels[..., :3] - zero).sum(2) > 30) & (pixels[..., 3] > 0))
    assert changed.tolist() == [[3, 4], [17, 29]]
    assert seen(wire.widget).controls[0]["map"]["shades"][17][29] == -64  # of a range to 20


@pytest.fixture
def patience(explorer: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Answer slow functions without their result, as a kernel does; ``explorer`` has set a longer time before."""
    monkeypatch.setattr(Explorer, "wait_seconds", 0.05)
    yield
    deadline = time.monotonic() + 10
    while any(thread.name in ("autolab-view", "autolab-watch") for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "a computation goes on"
        time.sleep(0.01)


def until(page: Page, wire: Wire, done: Callable[[], bool]) -> None:
    """Let the kernel's threads work until something is so."""
    deadline = time.monotonic() + 10
    while not done():
        assert time.monotonic() < deadline
        wire.settle()
        page.wait_for_timeout(20)


def gated() -> tuple[Any, threading.Event, list[float]]:
    """A function that waits between its steps until it is let go, but for x = 1."""
    go, seen = threading.Event(), []

    def program(x: Variable) -> Variable:
        seen.append(float(x.data))
        y = x * 2
        while x.data != 1 and not go.wait(0.01):
            y = y + 0
        w = y * 3
        return w

    return program, go, seen


@pytest.mark.usefixtures("patience")
def test_a_slow_function_shows_that_it_computes_and_the_view_goes_on(
    page: Page, open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SessionView, "outdated_seconds", 60.0)  # on a busy machine, too
    program, go, seen = gated()
    wire = open_view(program, x=1.0)
    page.set_viewport_size({"width": 900, "height": 800})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    place = free(page, "x").bounding_box()
    type_number(page, "x", "2")
    wire.settle()
    assert free(page, "x").bounding_box() == place  # a box stays under the hand that moves it
    busy = page.locator(".al-busy")
    graph, work = (page.locator(what).bounding_box() or {} for what in (".al-graph", ".al-work"))
    assert place and place["y"] + place["height"] < work["y"], "nor is it covered"
    assert graph["y"] <= work["y"] and graph["x"] <= work["x"] and work["width"] <= graph["width"]
    assert busy.text_content() == f"{say('live_computing')} {say('live_old')}"
    assert float(page.locator(".al-graph").evaluate("e => getComputedStyle(e).opacity")) < 1
    page.locator(".al-node").first.click()  # looking at steps needs no computing
    wire.settle()
    assert page.locator(".al-title").text_content() == "x"
    for value in ("3", "4", "5"):
        type_number(page, "x", value)
        wire.settle()
    assert number(page, wire, "x") == "1"
    go.set()
    until(page, wire, lambda: busy.text_content() == "")
    assert seen == [1, 2, 5]  # of what was moved meanwhile, the latest
    assert number(page, wire, "w") == "30"


@pytest.mark.usefixtures("patience")
def test_stop_ends_a_computation_and_marks_the_picture(page: Page, open_view: Open) -> None:
    program, go, _ = gated()
    wire = open_view(program, x=1.0)
    assert page.get_by_role("button", name="Stop").count() == 0
    type_number(page, "x", "2")
    wire.settle()
    page.get_by_role("button", name="Stop").click()
    panel = page.get_by_role("alert")
    until(page, wire, panel.is_visible)
    assert say("stopped_asked") in panel.inner_text()
    assert free(page, "x").get_attribute("aria-valuenow") == "2"
    assert page.locator(".al-busy").text_content() == ""
    go.set()
    type_number(page, "x", "3")
    until(page, wire, lambda: number(page, wire, "w") == "18")
    expect(panel).to_be_hidden()


@pytest.mark.usefixtures("patience")
def test_a_function_that_hangs_between_two_steps_is_interrupted(page: Page, open_view: Open) -> None:
    def endless(x: Variable) -> Variable:
        while x.data > 1:
            pass
        return x * 2

    wire = open_view(endless, x=1.0)
    type_number(page, "x", "2")
    wire.settle()
    page.get_by_role("button", name="Stop").click()
    wire.settle()
    assert page.locator(".al-busy").text_content() == say("live_stopping")
    until(page, wire, page.get_by_role("alert").is_visible)
    type_number(page, "x", "0.5")
    until(page, wire, lambda: wire.widget.error is None)
    assert float(wire.widget.recording.steps[-1].value.values) == 1


def test_what_changed_since_is_said_and_computed_again(page: Page, open_view: Open) -> None:
    scale = np.array(2.0)
    wire = open_view(lambda x: x * scale, x=3.0)
    panel = page.locator(".al-since")
    assert panel.is_hidden()
    scale[()] = 5
    wire.widget.look_again()
    wire.settle()
    assert say("since_reached", names="scale") in panel.inner_text()
    assert float(page.locator(".al-graph").evaluate("e => getComputedStyle(e).opacity")) < 1
    panel.get_by_role("button", name="Compute again").click()
    wire.settle()
    expect(panel).to_be_hidden()
    assert page.locator(".al-output .al-value .al-number").text_content() == "15"


def test_a_picture_without_a_kernel_says_so_by_itself(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    wire.widget._tell(since={"text": "", "again": True})
    wire.deliver()
    expect(page.locator(".al-since")).to_contain_text(say("live_saved"), timeout=5000)
    expect(page.get_by_role("button", name="Compute again")).to_be_hidden()
    wire.settle()  # the greeting is answered after all
    expect(page.locator(".al-since")).to_be_hidden()
    page.evaluate("() => { window.disconnected = true; host.restarted(); }")
    expect(page.locator(".al-since")).to_contain_text(say("live_gone"), timeout=5000)
    assert number(page, wire, "w") == "10"
