"""The heatmaps in a browser: colours, read-outs, keys and pointers, compared with the arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Browser, Page, expect

import autolab
from autolab.views.draw.colors import contrast, paint, tone, view_tone
from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html
from autolab.views.heatmap.board import Board
from autolab.views.heatmap.heatmap import Heatmap, gather

from ..bare_page import RecordingComm, Wire, menu, serve
from ..live.test_page_link import flush
from ..looking import INK, told, turn_heat

pytestmark = pytest.mark.browser

Show = Callable[..., Wire]

PIXELS = """canvas => {
  const { width, height } = canvas;
  return [width, height, [...canvas.getContext("2d").getImageData(0, 0, width, height).data]];
}"""


@pytest.fixture
def show(new_page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Show]:
    """Show arrays in a bare page."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    views: list[Heatmap] = []

    def make(*args: Any, page_options: dict[str, Any] | None = None, **kwargs: Any) -> Wire:
        page = new_page(**(page_options or {}))
        serve(page, "heatmaps")
        views.append(autolab.heatmap(*args, **kwargs))
        wire = Wire(views[-1])
        wire.connect(page)
        wire.settle()
        return wire

    yield make
    for view in views:
        view.close()


def pixels(page: Page, k: int = 0) -> np.ndarray:
    width, height, data = page.locator(".al-canvas").nth(k).evaluate(PIXELS)
    return np.array(data, np.uint8).reshape(height, width, 4)


def cells(page: Page) -> tuple[int, int]:
    return tuple(page.locator(".al-canvas").evaluate("canvas => [canvas.height, canvas.width]"))


def readout(page: Page, k: int = 0) -> str:
    """What the sentence says of one of the arrays."""
    return (page.locator(".al-sentence").text_content() or "").split("; ")[k]


def range_of(page: Page, k: int = 0) -> str:
    return (page.locator(".al-heat-about").nth(k).text_content() or "").partition(" \u00b7 ")[2]


def hover(page: Page, row: float, column: float, shape: tuple[int, int], k: int = 0) -> None:
    canvas = page.locator(".al-canvas").nth(k)
    box = canvas.bounding_box()
    assert box is not None
    x, y = (column + 0.5) / shape[1] * box["width"], (row + 0.5) / shape[0] * box["height"]
    canvas.hover(position={"x": x, "y": y})


def array(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape)


@pytest.mark.parametrize("decades", [None, 0, 1, 4])  # as asinh, evenly, by powers of ten
@pytest.mark.parametrize("look", ["light", "dark"])
def test_every_pixel_has_the_colour_of_its_number(show: Show, decades: int | None, look: str) -> None:
    x = array(30, 40) * np.logspace(-5, 0, 40)
    wire = show(x, page_options={"color_scheme": look})
    page = wire.pages[0]
    page.evaluate("light => { document.body.dataset.jpThemeLight = light }", str(look == "light").lower())
    if decades is not None:
        menu(page)
        page.get_by_label("Symmetric log" if decades else "Linear").check(force=True)
        wire.settle()
    if decades:
        page.get_by_label("Powers of ten").fill(str(decades))
        wire.settle()
    largest = float(np.abs(x).max())
    chosen = view_tone(largest) if decades is None else tone(largest, decades or None)
    expected = paint(chosen.fractions(x), "dark" if look == "dark" else "light")
    seen = pixels(page)
    assert (seen[..., 3] == 255).all()
    assert np.abs(seen[..., :3].astype(int) - expected.astype(int)).max() <= 4


def test_nan_and_infinities_are_signs_and_have_no_colour(show: Show) -> None:
    x = array(20, 30)
    x[2, 3], x[5, 6], x[7, 8] = np.nan, np.inf, -np.inf
    page = show(x).pages[0]
    assert np.array_equal(pixels(page)[..., 3] == 0, ~np.isfinite(x))
    drawn = np.array(page.locator(".al-signs").evaluate(INK, [20, 30])) > 0
    assert np.array_equal(drawn, ~np.isfinite(x))
    hover(page, 2, 3, x.shape)
    assert readout(page) == "array[2, 3] = NaN"
    hover(page, 7, 8, x.shape)
    assert readout(page) == "array[7, 8] = −∞"
    assert page.locator(".al-heat-pointer").evaluate("e => e.style.display") == "none"


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_number_in_every_cell_can_be_read(show: Show, look: str) -> None:
    page = show(np.linspace(-1.0, 1.0, 36).reshape(6, 6), page_options={"color_scheme": look}).pages[0]
    inks = page.locator(".al-numbers span").evaluate_all("cells => cells.map(cell => getComputedStyle(cell).color)")
    letters = ["#{:02x}{:02x}{:02x}".format(*map(int, re.findall(r"\d+", ink))) for ink in inks]
    cells = ["#{:02x}{:02x}{:02x}".format(*cell) for cell in pixels(page).reshape(-1, 4)[:, :3]]
    assert min(map(contrast, letters, cells)) >= 4.5


def test_of_nan_alone_there_is_no_range_and_zeros_have_the_colour_of_zero(show: Show) -> None:
    page = show({"none": np.full((2, 2), np.nan), "zero": np.zeros((9, 9))}).pages[0]
    assert [range_of(page, k) for k in (0, 1)] == ["4 NaN (×)", "all 0"]
    assert [page.locator(".al-heat-legend").nth(k).is_visible() for k in (0, 1)] == [False, True]
    assert (pixels(page, 1) == [*paint(np.array(0.0)), 255]).all()


def test_value_and_gradient_are_read_out_together(show: Show) -> None:
    W = autolab.Variable(array(12, 9), name="W")
    (W * W * 0.5).sum().backward()
    page = show(W).pages[0]
    hover(page, 3, 5, W.shape)
    number = f"{W.data[3, 5]:.6g}".replace("-", "−")
    assert [readout(page, k) for k in (0, 1)] == [f"W[3, 5] = {number}", f"gradient of W[3, 5] = {number}"]
    assert page.locator(".al-sentence").get_attribute("role") == "status"  # it is read aloud


def test_a_tap_reads_a_cell(show: Show) -> None:
    page = show(W=array(12, 9), page_options={"has_touch": True}).pages[0]
    box = page.locator(".al-canvas").bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] * 5.5 / 9, box["y"] + box["height"] * 3.5 / 12)
    assert readout(page).startswith("W[3, 5] = ")


def test_small_arrays_have_their_numbers_in_the_cells(show: Show) -> None:
    page = show(np.array([[1.0, -0.25, np.nan], [1e-9, np.inf, 3.0]])).pages[0]
    assert page.locator(".al-numbers span").all_text_contents() == ["1", "−0.25", "NaN", "1e−9", "∞", "3"]


def test_whole_numbers_and_truth_values_read_as_such(show: Show) -> None:
    page = show({"n": np.array([[2**40, 2**60 + 1]]), "b": np.array([True, False])}).pages[0]
    for column, text in enumerate(("1099511627776", "1.15292e+18")):  # all its digits, where they are its own
        hover(page, 0, column, (1, 2), 0)
        assert readout(page) == f"n[0, {column}] = {text}"
    hover(page, 0, 1, (1, 2), 1)
    assert readout(page) == "b[1] = False"


def test_the_sliders_step_through_the_other_axes(show: Show) -> None:
    x = array(4, 3, 20, 15)
    wire = show(x, options={"show": "value"})
    page = wire.pages[0]
    for text in ("1", "2"):
        page.get_by_label("Index on axis 0").fill(text)
    flush(wire)
    wire.step()
    assert page.get_by_label("Index on axis 0").input_value() == "2"  # the hand is ahead
    page.get_by_label("Index on axis 1").fill("1")
    wire.settle()
    hover(page, 6, 7, (20, 15))
    assert readout(page) == f"array[2, 1, 6, 7] = {x[2, 1, 6, 7]:.6g}".replace("-", "−")
    menu(page)
    page.get_by_label("Rows").select_option("0")
    wire.settle()
    assert cells(page) == (4, 15)
    page.get_by_label("Columns").select_option("0")  # the axis of the rows: the two change places
    wire.settle()
    assert cells(page) == (15, 4)


def test_the_filters_of_a_convolution_are_seen_at_once(show: Show) -> None:
    W = array(4, 1, 3, 3)
    wire = show(W=W)
    page = wire.pages[0]
    assert cells(page) == (3, 12) and page.locator(".al-heat-steps").is_hidden()
    assert page.locator(".al-heat-panel .al-note").inner_text() == say("heat_planes", first=[0, 0], last=[3, 0])
    hover(page, 1, 7, (3, 12))
    assert readout(page) == f"W[2, 0, 1, 1] = {W[2, 0, 1, 1]:.6g}".replace("-", "−")
    menu(page)
    page.get_by_label("Rows").select_option("0")  # now the rows of the filters lie side by side
    wire.settle()
    assert cells(page) == (4, 9)
    hover(page, 3, 7, (4, 9))
    assert readout(page) == f"W[3, 0, 2, 1] = {W[3, 0, 2, 1]:.6g}".replace("-", "−")


def test_an_axis_of_one_has_no_slider(show: Show) -> None:
    page = show(array(3, 1, 20, 30), options={}).pages[0]
    assert page.get_by_label("Index on axis 0").is_visible() and page.get_by_label("Index on axis 1").is_hidden()


def test_dragging_over_a_reduced_array_shows_the_true_elements(show: Show) -> None:
    x = array(1000, 1200)
    wire = show(x, options={})
    page = wire.pages[0]
    panel = told(wire.widget, "heat")["panels"][0]
    hover(page, 10, 20, (panel["rows"], panel["cols"]))
    page.mouse.down()
    hover(page, 14, 26, (panel["rows"], panel["cols"]))
    page.mouse.up()
    wire.settle()
    high, wide = panel["block"]
    top, bottom, left, right = told(wire.widget, "heat")["groups"][0]["region"]
    assert (top, bottom, left, right) == (10 * high, 15 * high, 20 * wide, 27 * wide)
    hover(page, 3, 4, (bottom - top, right - left))
    assert readout(page) == f"array[{top + 3}, {left + 4}] = {x[top + 3, left + 4]:.6g}".replace("-", "−")
    page.get_by_text("Show the whole").click()
    wire.settle()
    assert told(wire.widget, "heat")["groups"][0]["region"] == [0, 1000, 0, 1200]


def test_a_drag_that_ends_beyond_the_edge_enlarges_nothing(show: Show) -> None:
    wire = show(array(30, 40))
    page = wire.pages[0]
    box = page.locator(".al-canvas").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for to in (
        (box["x"] - 9, y),
        (x, box["y"] - 9),
        (box["x"] + box["width"] + 9, y),
        (x, box["y"] + box["height"] + 9),
    ):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(*to)
        page.mouse.up()
    wire.settle()
    assert wire.received == []


def test_keys_choose_a_cell_enlarge_and_go_back(show: Show) -> None:
    x = array(1000, 1200)
    wire = show(x)
    page = wire.pages[0]
    page.locator(".al-canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    high, wide = told(wire.widget, "heat")["panels"][0]["block"]
    assert readout(page).startswith(f"array[{2 * high}:{3 * high}, 0:{wide}] = ")
    assert readout(page).endswith(", the greatest magnitude there")
    regions = []
    for key in 6 * ["Enter"] + 6 * ["-"] + 6 * ["Enter"]:
        page.keyboard.press(key)
        wire.settle()
        regions.append(told(wire.widget, "heat")["groups"][0]["region"])
    top, bottom, left, right = regions[5]
    assert regions[11] == [0, 1000, 0, 1200] and regions[-1] == regions[5] and (bottom - top, right - left) == (8, 8)
    assert told(wire.widget, "heat")["panels"][0]["block"] == [1, 1]
    assert readout(page).startswith("array[") and ":" not in readout(page)
    for keys, *end in ((["ArrowRight", "ArrowDown"], bottom - 1, right - 1), (["ArrowLeft", "ArrowUp"], top, left)):
        for key in 9 * keys:
            page.keyboard.press(key)
        assert readout(page) == f"array{end} = {x[*end]:.6g}".replace("-", "−")
    page.keyboard.press("Escape")
    wire.settle()
    assert told(wire.widget, "heat")["groups"][0]["region"] == [0, 1000, 0, 1200]


def test_what_is_pointed_at_stays_within_the_axes_that_are_shown(show: Show) -> None:
    x = array(4, 20, 15)
    wire = show(x, options={"show": "value"})
    page = wire.pages[0]
    for key in 9 * ["ArrowDown"]:
        page.locator(".al-canvas").press(key)
    turn_heat(wire.widget, None, [[4, 20, 15], [0, 2], [0, 0, 0], None])  # from another view
    wire.settle()
    assert readout(page) == f"array[3, 0, 0] = {x[3, 0, 0]:.6g}".replace("-", "−")


def test_the_histogram_has_a_bar_per_part_of_the_colours_that_occurs(show: Show) -> None:
    page = show(np.array([-2.0, -2.0, 0.0, 2.0])).pages[0]
    bars = page.locator(".al-heat-count")
    assert sorted(bars.locator("title").all_text_contents()) == ["1", "1", "2"]
    widths = [float(bars.nth(k).get_attribute("width") or 0) for k in range(3)]
    assert widths[0] == pytest.approx(2 * widths[1])
    assert page.locator(".al-heat-legend text").all_text_contents() == ["−2", "−0.2", "0", "0.2", "2"]


def test_the_bar_of_numbers_of_one_sign_begins_at_zero_and_stands_beside_its_picture(show: Show) -> None:
    page = show({"counts": np.arange(42).reshape(6, 7), "both": array(6, 7)}).pages[0]
    expect(page.locator(".al-heat-legend").first.locator("text")).to_have_text(["0", "5", "50"])
    expect(page.locator(".al-heat-legend").last.locator("text")).to_have_text(["−50", "−5", "0", "5", "50"])
    colours = [[f"rgb({' '.join(map(str, paint(np.array(t))))})" for t in ends] for ends in ([0, 1], [-1, 1])]
    for k, (first, last) in enumerate(colours):
        bar = page.locator(".al-heat-legend").nth(k).locator("rect:not(.al-heat-count)")
        expect(bar.first).to_have_attribute("fill", first)
        expect(bar.last).to_have_attribute("fill", last)
    for body in page.locator(".al-heat-body").all():
        frame, legend = body.locator(".al-heat-frame").bounding_box(), body.locator(".al-heat-legend").bounding_box()
        assert frame and legend and 0 <= legend["x"] - frame["x"] - frame["width"] < 30


def test_several_arrays_have_one_scale_or_each_its_own(show: Show) -> None:
    small, large = array(8, 9), 100 * array(8, 9)
    wire = show({"small": small, "large": large})
    page = wire.pages[0]
    ends = lambda: page.locator(".al-heat-legend text:first-of-type").all_text_contents()  # noqa: E731
    assert len(set(ends())) == 1
    menu(page)
    page.get_by_label("One scale for all").uncheck()
    wire.settle()
    assert len(set(ends())) == 2
    for k, x in enumerate((small, large)):
        expected = paint(view_tone(float(np.abs(x).max())).fractions(x), "light")
        assert np.abs(pixels(page, k)[..., :3].astype(int) - expected.astype(int)).max() <= 4
    page.get_by_label("One scale for all").check()
    wire.settle()
    assert len(set(ends())) == 1


def test_the_threshold_stands_on_the_bar(show: Show) -> None:
    page = show(np.array([-2000.0, 1.0, 3.0]), options={"scale": "symlog"}).pages[0]
    assert page.locator(".al-heat-legend text").all_text_contents() == ["−2000", "−2", "0", "2", "2000"]


def test_a_name_is_text_and_nothing_else(show: Show) -> None:
    name = "<img src=x onerror=window.hit=1>"
    page = show({name: np.ones((3, 3))}).pages[0]
    hover(page, 1, 1, (3, 3))
    assert readout(page) == f"{name}[1, 1] = 1"
    assert page.locator("img").count() == 0 and page.evaluate("() => window.hit") is None


def test_a_missing_gradient_says_why(show: Show) -> None:
    wire = show(autolab.Variable([1.0, 2.0], name="x"), options={"show": "both"})
    page = wire.pages[0]
    assert page.locator(".al-status").nth(1).text_content() == told(wire.widget, "heat")["panels"][1]["sentence"] != ""
    assert page.locator(".al-canvas:visible").count() == 1


def test_an_empty_array_says_so(show: Show) -> None:
    page = show(np.zeros((0, 4))).pages[0]
    assert readout(page) == "The array is empty."
    assert page.locator(".al-heat-cells .al-note").is_hidden()  # one place says it
    assert page.locator(".al-canvas:visible").count() == 0


def test_two_views_of_one_heatmap_and_their_end(show: Show) -> None:
    wire = show(array(4, 4))
    page = wire.pages[0]
    page.evaluate("() => { host.addView(); host.removeView(0); host.removeView(1); host.destroy() }")
    assert page.evaluate("() => host.listenerCount()") == 0


@pytest.mark.parametrize("width", [1280, 700, 390])
def test_nothing_is_wider_than_the_page(show: Show, width: int) -> None:
    named = {f"a rather long name of an array, number {i}": array(30, 40 + i) for i in range(3)}
    page = show(named, k=array(2, 3, 4, 5), page_options={"viewport": {"width": width, "height": 700}}).pages[0]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    boxes = page.locator(".al-heat-body").all()
    assert len(boxes) == 4
    for body in boxes:
        frame, legend = body.locator(".al-heat-frame").bounding_box(), body.locator(".al-heat-legend").bounding_box()
        assert frame and legend and frame["x"] + frame["width"] <= legend["x"] + 1
        assert width > 390 or width - legend["x"] <= 0.21 * width  # the bar alone


def test_a_saved_page_reads_out_without_a_kernel(show: Show, browser: Browser, tmp_path: Path) -> None:
    x = array(20, 10)
    export_html(show(x).widget, tmp_path / "heat.html")
    page = browser.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "heat.html").as_uri())
    page.wait_for_selector(".al-canvas")
    hover(page, 4, 5, x.shape)
    assert readout(page) == f"array[4, 5] = {x[4, 5]:.6g}".replace("-", "−")
    assert page.get_by_label("Symmetric log").count() == 0 and errors == []
    page.close()


def test_read_outs_and_captions_can_be_read(show: Show) -> None:
    themes = show(array(3, 3)).widget.palette
    assert all(
        contrast(themes[t][ink], themes[t]["card"]) >= 4.5 for t in themes for ink in ("ink", "muted", "warning")
    )


def test_what_the_kernel_refuses_is_told_once_and_the_picture_stays(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = array(30, 40)
    wire = show(x)
    page = wire.pages[0]

    def refuse(self: Board, colours: Any, planes: Any) -> None:
        raise ValueError("not now")

    with monkeypatch.context() as change:
        change.setattr(Board, "look", refuse)
        page.locator(".al-canvas").focus()
        for key in ("ArrowDown", "Enter"):
            page.keyboard.press(key)
        for _ in range(5):
            page.evaluate("() => new Promise(done => setTimeout(done, 20))")
            while wire.inbox:
                wire.step()
        assert len(wire.received) == 1
    expect(page.get_by_role("alert")).to_contain_text("not now")
    assert cells(page) == (30, 40)
    page.keyboard.press("Escape")
    wire.settle()
    assert cells(page) == (30, 40) and wire.widget.error is None


def test_a_saved_heatmap_keeps_its_picture_whatever_is_pressed(open_file: Any, tmp_path: Path) -> None:
    x = array(30, 40)
    view = Heatmap(Board(gather((x,), {}), "value", "linear", True))
    page = open_file(view)
    page.locator(".al-canvas").focus()
    for key in ("ArrowDown", "Enter", "ArrowDown", "Escape", "Enter"):
        page.keyboard.press(key)
    assert cells(page) == (30, 40)
    assert readout(page) == f"array[1, 0] = {x[1, 0]:.6g}".replace("-", "−")
    view.close()
