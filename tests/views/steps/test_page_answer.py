"""The answer to a click, in a real browser, live and saved: shares, lit lines, one line's share; nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab

from ..bare_page import Wire, node, offered, type_number
from ..looking import seen
from ..programs import LAYER, layer, muladd

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def small(x: Any, y: Any) -> Any:
    h = x * y
    out = h + x
    return out


def lit(page: Page) -> list[str]:
    """The numbers on the lines that are lit."""
    return page.locator(".al-main .al-share .al-edge-label").all_text_contents()


def check_answer_of_x(page: Page) -> None:
    detail = page.locator(".al-detail")
    captions = detail.locator("h4:visible, .al-pair .al-caption:visible").all_text_contents()
    assert captions[:4] == ["Where its gradient comes from", "What it passes on", "value", "gradient"]
    expect(detail.locator(".al-sum")).to_have_text("4 = 3 through h + 1 direct")
    below = detail.locator(".al-pairs mtr:last-child mtd")
    assert below.all_text_contents() == ["4", "=", "1", "\u00b7", "3", "+", "1"]
    assert sorted(lit(page)) == ["1", "3"]
    heads = page.locator(".al-share .al-from").evaluate_all("all => all.map(e => getComputedStyle(e).display)")
    assert heads == ["inline", "inline"]  # the gradient flows back
    assert page.locator("[data-shares]").evaluate_all("all => all.map(e => e.dataset.shares)") == ["3", "1"]
    expect(detail.locator(".al-rest .al-facts")).to_be_hidden()


def check_one_line(page: Page) -> None:
    expect(page.locator(".al-comes h4").first).to_have_text("The share along this line")
    expect(page.locator(".al-sum").first).to_have_text("3 of 4 through h")
    assert "local derivative 3 is 3" in page.locator(".al-comes .al-note").inner_text()
    assert lit(page) == ["3"]


def test_a_click_says_where_the_gradient_comes_from_and_a_click_on_a_line_its_share(
    page: Page, open_view: Open
) -> None:
    wire = open_view(small, x=2.0, y=3.0)
    expect(page.locator(".al-detail")).to_be_hidden()  # nothing is chosen at first
    node(page, wire, "x").click()
    wire.settle()
    check_answer_of_x(page)
    line = page.locator(".al-edge", has=page.locator(".al-edge-label", has_text="3"))
    line.locator(".al-wide").dispatch_event("click")
    wire.settle()
    check_one_line(page)
    node(page, wire, "x").click()
    wire.settle()
    check_answer_of_x(page)
    page.keyboard.press("Escape")
    wire.settle()
    assert seen(wire.widget).selected is None and lit(page) == []
    expect(page.locator(".al-detail")).to_be_hidden()


def test_the_shares_along_two_lines_between_the_same_boxes_stand_on_both_sides(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x: np.sin(x * x), x=-0.12345)
    node(page, wire, "x").click()
    wire.settle()
    labels, lines = page.locator(".al-share .al-edge-label"), page.locator(".al-share path:first-child")
    for moved in (-0.12345, -0.2):
        expect(labels).to_have_count(2)
        left, right, first, second = [one.bounding_box() for one in (*lines.all(), *labels.all())]
        assert left and right and first and second
        assert first["x"] + first["width"] < left["x"] < right["x"] + right["width"] < second["x"], moved
        assert len(set(lit(page))) == 1
        type_number(page, "x", "-0.2")
        wire.settle()


def test_a_saved_page_answers_the_same(open_file: Callable[..., Page]) -> None:
    page = open_file(autolab.record(small, x=2.0, y=3.0))
    page.locator(".al-node").first.click()
    check_answer_of_x(page)
    page.locator(".al-edge", has=page.locator(".al-edge-label", has_text="3")).locator(".al-wide").dispatch_event(
        "click"
    )
    check_one_line(page)


def test_shares_follow_the_inputs(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, y=3.0)
    node(page, wire, "x").click()
    wire.settle()
    type_number(page, "y", "-7")
    wire.settle()
    assert page.locator(".al-sum").text_content() == "\u22126 = \u22127 through h + 1 direct"
    assert sorted(lit(page)) == ["1", "\u22127"]


def test_of_an_array_one_element_is_explained(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    node(page, wire, "W").click()
    wire.settle()
    gradient = wire.widget.recording["W"].grad.values
    at = "[{}, {}]".format(*np.unravel_index(np.abs(gradient).argmax(), gradient.shape))
    assert (page.locator(".al-sum").text_content() or "").startswith(f"{at}: ")
    assert f"W{at}: " in page.locator(".al-comes .al-filled").inner_text()
    assert page.locator(".al-main .al-share").count() == 1


def test_a_line_into_a_closed_group_lights_once_and_counts_its_shares(page: Page, open_view: Open) -> None:
    def fn(x: Any, w: Any) -> Any:
        for _ in range(3):
            x = x * w
        return x + 1

    wire = open_view(fn, x=2.0, w=3.0)
    offered(page, "Close all").click()
    wire.settle()
    node(page, wire, "w").click()
    wire.settle()
    assert lit(page) == ["3 shares"]


def test_a_click_moves_nothing_under_the_pointer(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    places = """() => [...document.querySelectorAll('.al-main .al-node, .al-header, .al-player')]
      .map(e => e.getBoundingClientRect().toJSON())"""
    before = page.evaluate(places)
    for name in ("x", "w", "h"):
        node(page, wire, name).click()
        wire.settle()
        assert page.evaluate(places) == before
