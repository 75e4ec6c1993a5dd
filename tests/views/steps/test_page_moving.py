"""Forward mode in a real browser: tangents stand where gradients do, travel along the lines, and meet with a plus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from autolab import export_html, record
from autolab.views.draw.colors import THEMES
from autolab.views.draw.messages import say

from ..bare_page import Wire, menu, node, number, type_number
from ..looking import looks, seen
from ..programs import LAYER, layer
from .test_page_motion import walk
from .test_page_walk import go, nested, press

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def small(x: Any, w: Any) -> Any:
    u = x * w
    y = u * u + x
    return y


def ways(page: Page) -> Locator:
    return menu(page).get_by_label("Walk backward or forward")


def choose(page: Page, wire: Wire, way: str) -> None:
    ways(page).select_option(way)
    wire.settle()
    page.keyboard.press("Escape")


def tangents(page: Page, wire: Wire) -> list[str]:
    return [number(page, wire, name, "gradient") for name in ("x", "w", "u", "y")]


def test_the_menu_turns_gradients_into_tangents_and_back(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, w=3.0)
    before = tangents(page, wire)
    output = node(page, wire, "y")
    assert output.get_attribute("role") == "slider"  # its upstream gradient is free
    assert ways(page).locator("option").all_text_contents() == ["backward", "forward: x", "forward: w"]
    go(page, wire, 2)
    choose(page, wire, "x")
    assert seen(wire.widget).frame == {} and tangents(page, wire) == ["1", "0", "3", "37"]
    captions = page.locator(".al-main .al-node .al-gradient .al-small").all_text_contents()
    assert {*captions} == {"tangent"}
    legend = say("moves_legend", per=say("moves_per", letter="x"))
    expect(page.locator(".al-main .al-graph-head")).to_have_text(legend)
    assert page.locator(".al-sentence").text_content() == say("walk_rest_moving")
    fill = node(page, wire, "y").locator(".al-gradient .al-number").evaluate("e => getComputedStyle(e).fill")
    color = THEMES["light"]["tangent"]
    assert fill == f"rgb({', '.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))})"
    assert node(page, wire, "y").get_attribute("role") == "button"  # the place of the upstream gradient is taken
    assert "tangent 37" in (node(page, wire, "y").get_attribute("aria-label") or "")
    type_number(page, "w", "1")
    wire.settle()
    assert tangents(page, wire) == ["1", "0", "1", "5"]  # they follow the inputs
    choose(page, wire, "")
    type_number(page, "w", "3")
    wire.settle()
    assert tangents(page, wire) == before and node(page, wire, "y").get_attribute("role") == "slider"
    expect(page.locator(".al-main .al-graph-head")).to_be_hidden()


def test_tangents_travel_forward_are_multiplied_and_added(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, w=3.0)
    choose(page, wire, "x")
    assert walk(page, wire) == [
        ["1", "1 × 3 = 3"],
        ["3", "3 × 6 = 18"],
        ["3", "3 × 6 = 18", "18 + 18 = 36"],
        ["36", "36 × 1 = 36"],
        ["1", "1 × 1 = 1", "36 + 1 = 37"],
        [],
    ]
    choose(page, wire, "w")
    page.emulate_media(reduced_motion="reduce")
    assert walk(page, wire) == [[]] * 5


def test_each_step_shows_the_tangents_that_are_there(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, w=3.0)
    choose(page, wire, "x")
    press(page, wire, "To the first step")
    not_yet, found = say("not_yet"), []
    for _ in range(seen(wire.widget).plan["count"]):
        pushed = page.locator(".al-edge").evaluate_all("all => all.map(e => e.classList.contains('al-pushed'))")
        found.append((tangents(page, wire), sum(pushed)))
        press(page, wire, "One step on")
    assert found == [
        (["1", "0", not_yet, not_yet], 0),
        *[(["1", "0", "3", not_yet], 1)] * 3,
        (["1", "0", "3", "36"], 1),
        (["1", "0", "3", "37"], 1),
        (["1", "0", "3", "37"], 0),
    ]
    assert page.locator(".al-back").count() == 0
    go(page, wire, 5)
    assert page.locator(".al-pushed .al-to").is_visible() and not page.locator(".al-pushed .al-from").is_visible()
    caption = node(page, wire, "y").locator(".al-gradient .al-small").first
    go(page, wire, 4)
    assert caption.text_content() == "1 of 2 shares"
    node(page, wire, "u").click()
    wire.settle()
    assert page.locator(".al-event").text_content() == say("walk_pushes", source="x", target="u")


def test_a_box_tells_where_its_tangent_comes_from(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, w=3.0)
    choose(page, wire, "x")
    node(page, wire, "y").click()
    wire.settle()
    assert page.locator(".al-comes h4").text_content() == "Where its tangent comes from"
    assert page.locator(".al-edge-label").all_text_contents() == ["36", "1"]
    expect(page.locator(".al-share .al-to").first).to_be_visible()
    assert not page.locator(".al-detail").get_by_text("What it passes on").is_visible()


def test_one_element_of_an_array_moves_and_a_group_shows_the_tangent_of_its_result(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    choose(page, wire, "b[2]")
    expected = (1 - np.tanh(LAYER["x"] @ LAYER["W"] + LAYER["b"]) ** 2) * [0, 0, 1, 0]
    np.testing.assert_allclose(wire.widget.recording["h"].tangent.values, expected, rtol=1e-12)
    last = seen(wire.widget).plan["count"] - 1
    go(page, wire, last)
    assert page.locator(".al-event").text_content() == say("walk_end")


def test_a_closed_group_shows_the_tangent_of_its_result(page: Page, open_view: Open) -> None:
    wire = open_view(nested, x=2.0)
    looks(wire.widget, open={"0": []})
    wire.settle()
    choose(page, wire, "x")
    group = page.locator(".al-node[aria-expanded]")
    assert group.locator(".al-gradient .al-number").text_content() == "4"


def test_of_higher_orders_there_is_none(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, w=3.0)
    choose(page, wire, "x")
    page.get_by_role("radio", name="Order 1", exact=True).check()
    wire.settle()
    menu(page)
    assert wire.widget.recording.moved is None and len(wire.widget.recording.higher) == 1
    expect(ways(page)).to_be_hidden()


def test_a_saved_page_walks_forward_and_offers_nothing_that_it_cannot(browser: Any, tmp_path: Any) -> None:
    path = tmp_path / "small.html"
    export_html(record(small, x=2.0, w=3.0, options={"forward": "x"}), path)
    page = browser.new_page()
    page.goto(path.as_uri())
    menu(page).get_by_role("button", name="To the first step").click()
    expect(ways(page)).to_be_hidden()
    told = []
    for _ in range(7):
        told.append(page.locator(".al-event").text_content())
        page.get_by_role("button", name="One step on").click()
    assert (told[0], told[1], told[-1]) == ("x moves", "x moves u", say("walk_end"))
    assert page.locator(".al-output .al-gradient .al-number").text_content() == "37"
    page.close()
