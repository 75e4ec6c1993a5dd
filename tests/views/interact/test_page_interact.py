"""interact() in a browser: sliders, choices, the button that draws again, and heatmaps whose axes have names."""

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
from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html
from autolab.views.interact.interact import Interact

from ..bare_page import RecordingComm, Wire, serve

pytestmark = pytest.mark.browser
Show = Callable[..., Wire]
AXES = {"x": "nj", "W": "oj", "gy": "no", "gW": "oj", "gb": "o"}


def picky(k: int) -> Any:
    if k == 3:
        raise ValueError(f"{k} is too many")
    return {"A": np.eye(k)}


@pytest.fixture
def show(new_page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Show]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    views: list[Interact] = []

    def make(fn: Any, answers: bool = True, **kwargs: Any) -> Wire:
        page = new_page()
        serve(page, "interact")
        views.append(autolab.interact(fn, **kwargs))
        wire = Wire(views[-1])
        wire.connect(page)
        if answers:
            wire.settle()
        return wire

    yield make
    for view in views:
        view.close()


def linear(batch: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    x, W, gy = rng.normal(size=(batch, 4)), rng.normal(size=(3, 4)), rng.normal(size=(batch, 3))
    return {"x": x, "W": W, "gy": gy, "gW": gy.T @ x, "gb": gy.sum(axis=0)}


def panel(page: Page, name: str) -> Any:
    return page.locator(".al-heat-panel", has=page.get_by_text(name, exact=True))


def point(page: Page, name: str, row: int, column: int, shape: tuple[int, int]) -> None:
    canvas = panel(page, name).locator(".al-canvas")
    box = canvas.bounding_box()
    canvas.hover(position={"x": (column + 0.5) * box["width"] / shape[1], "y": (row + 0.5) * box["height"] / shape[0]})


def marked(page: Page, name: str, shape: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """First row and column of the mark, and how many of each it covers."""
    mark = panel(page, name).locator(".al-heat-mark")
    if mark.is_hidden():
        return None
    style = mark.evaluate("e => ['top', 'left', 'height', 'width'].map(side => parseFloat(e.style[side]))")
    return tuple(round(part / 100 * shape[k % 2]) for k, part in enumerate(style))


def test_pointing_at_a_cell_marks_its_row_and_column(show: Show) -> None:
    page = show(linear, batch=(1, 5, 8), rng=np.random.default_rng(0), options={"axes": AXES}).pages[0]
    shapes = {"x": (5, 4), "W": (3, 4), "gy": (5, 3), "gW": (3, 4), "gb": (1, 3)}
    point(page, "gW", 2, 1, (3, 4))
    found = {name: marked(page, name, shape) for name, shape in shapes.items()}
    assert found == {"x": (0, 1, 5, 1), "W": (2, 1, 1, 1), "gy": (0, 2, 5, 1), "gW": (2, 1, 1, 1), "gb": (0, 2, 1, 1)}
    said = page.locator(".al-sentence").text_content().split("; ")
    assert [text.split(" = ")[0] for text in said] == ["W[2, 1]", "gW[2, 1]", "gb[2]"]
    point(page, "gy", 3, 0, (5, 3))
    found = {name: marked(page, name, shape) for name, shape in shapes.items()}
    assert found == {"x": (3, 0, 1, 4), "W": (0, 0, 1, 4), "gy": (3, 0, 1, 1), "gW": (0, 0, 1, 4), "gb": (0, 0, 1, 1)}
    page.mouse.move(1, 1)
    assert {marked(page, name, shape) for name, shape in shapes.items()} == {None}


def test_many_small_arrays_stand_in_rows_of_three_with_cells_of_one_size(show: Show) -> None:
    page = show(lambda k: {name: np.full((3, 2), k / 7) for name in "abcdefg"}, k=(0.0, 1.0, 2.0)).pages[0]
    page.set_viewport_size({"width": 900, "height": 800})
    boxes = [one.bounding_box() for one in page.locator(".al-heat-frame").all()]
    assert len({box["y"] for box in boxes[:3]}) == 1 and boxes[3]["y"] > boxes[0]["y"] + boxes[0]["height"]
    assert {(round(box["width"]), round(box["height"])) for box in boxes} == {(140, 105)}
    assert page.locator(".al-view").bounding_box()["height"] <= 760  # the slider is seen with what it moves
    expect(page.get_by_text("value", exact=True).first).to_be_hidden()


def test_marks_and_ranges_follow_what_is_drawn(show: Show) -> None:
    wire = show(linear, batch=(1, 5, 8), rng=np.random.default_rng(0), options={"axes": AXES})
    page = wire.pages[0]
    about = panel(page, "gb").locator(".al-heat-about")
    before = about.text_content()
    assert " to " in before
    point(page, "gW", 2, 1, (3, 4))
    page.get_by_role("slider", name="batch").press("ArrowRight")
    wire.settle()
    assert marked(page, "x", (6, 4)) == (0, 1, 6, 1)
    page.mouse.move(1, 1)
    assert " to " in about.text_content() != before


def test_the_keys_mark_as_the_pointer_does(show: Show) -> None:
    page = show(linear, batch=(1, 5, 8), rng=np.random.default_rng(0), options={"axes": AXES}).pages[0]
    panel(page, "gW").locator(".al-canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert marked(page, "x", (5, 4)) == (0, 1, 5, 1)
    assert marked(page, "gy", (5, 3)) == (0, 1, 5, 1)


def test_arrays_of_one_length_are_not_taken_for_one_another(show: Show) -> None:
    """With a batch of 3, x has the shape of W, and another meaning."""
    page = show(linear, batch=(1, 3, 8), rng=np.random.default_rng(0), options={"axes": AXES}).pages[0]
    point(page, "W", 1, 2, (3, 4))
    assert marked(page, "x", (3, 4)) == (0, 2, 3, 1)
    assert marked(page, "gW", (3, 4)) == (1, 2, 1, 1)


def test_slider_choice_and_button_reach_the_function(show: Show) -> None:
    calls: list[tuple[float, str, float]] = []

    def told(scale: float, kind: str, rng: np.random.Generator) -> Any:
        calls.append((scale, kind, float(rng.random())))
        return f"{kind} {scale:g}", autolab.plots.line_chart([0, 1], {"y": [0, scale]}), {"x": np.eye(2) * scale}

    wire = show(told, scale=(0.0, 1.0, 4.0), kind=["a", "b"], rng=np.random.default_rng(0))
    page = wire.pages[0]
    page.get_by_role("slider", name="scale").press("End")
    wire.settle()
    page.get_by_label("kind").select_option("b")
    wire.settle()
    assert page.locator(".al-sentence").inner_text() == "b 4"
    assert page.get_by_label("scale, number").input_value() == "4"
    page.get_by_role("button", name="Draw again").click()
    wire.settle()
    calls = [calls[0], *calls[-3:]]  # between them those for the page that was saved
    assert [call[:2] for call in calls] == [(1, "a"), (4, "a"), (4, "b"), (4, "b")]
    assert calls[0][2] == calls[2][2] != calls[3][2]
    assert "last 4" in page.locator(".al-chart-picture").get_attribute("aria-label")


def test_text_that_is_no_number_is_said_to_be_none_until_there_is_one(show: Show) -> None:
    wire = show(lambda scale: f"at {scale}", scale=(0.0, 1.0, 2.0))
    page = wire.pages[0]
    box, sentence = page.get_by_label("scale, number"), page.locator(".al-sentence")
    for right in ("1", "1.5"):  # also the number that is there already
        box.fill("one")
        box.press("Enter")
        wire.settle()
        expect(sentence).to_contain_text("needs a number")
        box.fill(right)
        box.press("Enter")
        wire.settle()
        expect(sentence).to_have_text(f"at {float(right)}")


def test_while_the_kernel_is_busy_only_the_latest_move_waits(show: Show) -> None:
    wire = show(lambda n: str(n), n=(0, 0, 50))
    slider = wire.pages[0].get_by_role("slider", name="n")
    for _ in range(12):
        slider.press("ArrowRight")
    wire.settle()
    assert wire.pages[0].locator(".al-sentence").inner_text() == "12"
    assert len(wire.received) == 2


PLACES = "() => ['.al-view', '.al-knobs', '.al-foot'].map((at) => document.querySelector(at).getBoundingClientRect().y)"


def test_that_it_computes_is_said_over_what_is_old_and_no_slider_moves(show: Show) -> None:
    wire = show(lambda n: f"a sentence of {n} words", n=(0, 0, 50))
    page = wire.pages[0]
    page.set_viewport_size({"width": 240, "height": 700})
    before = page.evaluate(PLACES)
    page.get_by_role("slider", name="n").press("ArrowRight")
    expect(page.locator(".al-busy")).to_have_text(say("live_computing"))
    assert page.evaluate(PLACES) == before
    middle, work = (page.locator(part).bounding_box() or {} for part in (".al-middle", ".al-work"))
    assert middle["y"] <= work["y"] <= middle["y"] + 20
    wire.settle()
    assert page.locator(".al-sentence").inner_text() == "a sentence of 1 words"


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_saved_page_stands_alone_and_says_so(browser: Browser, show: Show, tmp_path: Path, look: str) -> None:
    wire = show(linear, batch=(1, 5, 8), rng=np.random.default_rng(0), options={"axes": AXES})
    export_html(wire.widget, tmp_path / "page.html", look)
    page = browser.new_context(offline=True).new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    point(page, "gW", 0, 3, (3, 4))
    assert marked(page, "x", (5, 4)) == (0, 3, 5, 1)
    assert page.get_by_role("button", name="Draw again").count() == 0
    page.mouse.move(1, 1)
    assert say("interact_still_places", count=8) in page.locator(".al-sentence").inner_text()
    page.get_by_role("slider", name="batch").press("End")
    assert page.get_by_label("batch, number").input_value() == "8"
    point(page, "gW", 0, 3, (3, 4))
    assert marked(page, "x", (8, 4)) == (0, 3, 8, 1)
    assert problems == []
    page.context.close()


def scaled(scale: float, kind: str) -> Any:
    return f"{kind} {scale:.6g}", autolab.plots.line_chart([0, 1], {"y": [0, scale]})


def test_a_saved_page_shows_what_the_function_returned_for_other_inputs(
    browser: Browser, show: Show, tmp_path: Path
) -> None:
    wire = show(scaled, scale=(0.0, 1.1, 4.0), kind=["a", "b"])
    export_html(wire.widget, tmp_path / "page.html")
    assert wire.widget.inputs == {"scale": 1.1, "kind": "a"}
    page = browser.new_context(offline=True).new_page()
    page.goto((tmp_path / "page.html").as_uri())
    sentence, number = page.locator(".al-sentence"), page.get_by_label("scale, number")
    expect(sentence).to_have_text("a 1.1")
    page.get_by_label("kind").select_option("b")
    expect(sentence).to_have_text("b 1.1")
    number.fill("2.34")
    number.press("Enter")
    expect(sentence).to_have_text("b 2.3")  # the nearest of 41
    expect(number).to_have_value("2.3")
    page.get_by_role("slider", name="scale").press("ArrowRight")
    expect(sentence).to_have_text("b 2.4")
    expect(page.locator(".al-chart-picture")).to_have_attribute("aria-label", re.compile("last 2.4"))
    page.context.close()


def only_small(x: float) -> str:
    if x > 1:
        raise ZeroDivisionError("too far")
    return f"x is {x}"


def test_where_the_function_raises_elsewhere_the_page_stands_still(
    browser: Browser, show: Show, tmp_path: Path
) -> None:
    wire = show(only_small, x=(0.0, 1.0, 2.0))
    export_html(wire.widget, tmp_path / "page.html")
    assert wire.widget.inputs == {"x": 1.0} and wire.widget.error is None
    page = browser.new_context(offline=True).new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator(".al-knobs").get_attribute("inert") is not None
    expect(page.locator(".al-sentence")).to_have_text("x is 1.0")
    page.context.close()


def test_what_the_function_raises_moves_no_slider_from_under_the_hand(show: Show) -> None:
    wire = show(picky, k=(1, 3))
    page = wire.pages[0]
    slider = page.get_by_role("slider", name="k")
    before = slider.bounding_box()
    for _ in range(2):
        slider.press("ArrowRight")
        wire.settle()
    expect(page.locator(".al-error")).to_contain_text("3 is too many")
    assert slider.bounding_box() == before


def test_a_picture_without_a_kernel_says_so(show: Show) -> None:
    wire = show(picky, answers=False, k=(1, 5))
    expect(wire.pages[0].locator(".al-since")).to_contain_text(say("live_saved"), timeout=5000)
