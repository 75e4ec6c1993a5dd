"""What if a step had another value? Asked in the selected step, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from autolab import record
from autolab.views.draw.messages import say

from ..bare_page import Wire, menu, node, number
from ..programs import LAYER, layer, muladd

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def box(page: Page) -> Locator:
    return page.locator(".al-what-if input")


def as_computed(page: Page) -> Locator:
    return page.locator(".al-what-if").get_by_role("button", name=say("what_if_undo"))


def shown(page: Page, wire: Wire) -> dict[str, tuple[str, str]]:
    return {name: (number(page, wire, name), number(page, wire, name, "gradient")) for name in ("x", "h", "w")}


def put(page: Page, wire: Wire, text: str) -> None:
    box(page).fill(text)
    box(page).press("Enter")
    wire.settle()


@pytest.fixture
def wire(page: Page, open_view: Open) -> Wire:
    """muladd, with ``h`` selected."""
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    node(page, wire, "h").click()
    wire.settle()
    return wire


def test_what_follows_is_computed_from_the_value_and_the_box_says_so(page: Page, wire: Wire) -> None:
    before = shown(page, wire)
    assert before == {"x": ("2", "3"), "h": ("6", "1"), "w": ("10", "1")}
    expect(page.get_by_role("textbox", name=f"{say('what_if')}, number")).to_have_value("6")
    expect(as_computed(page)).to_be_hidden()
    put(page, wire, "0")
    assert shown(page, wire) == {"x": ("2", "none"), "h": ("0", "1"), "w": ("4", "1")}
    assert float(wire.widget.recording["w"].value.values) == 0.0 + 4.0
    plate = node(page, wire, "h").locator(".al-plate-mine + text")
    assert plate.all_text_contents() == ["replaced"]
    assert page.locator(".al-plate-mine").count() == 1
    assert "replaced" in (node(page, wire, "h").get_attribute("aria-label") or "")
    expect(box(page)).to_have_value("0")


@pytest.mark.parametrize("back", ["as computed", "undo"])
def test_it_is_taken_back(page: Page, wire: Wire, back: str) -> None:
    before = shown(page, wire)
    put(page, wire, "-2.5")
    assert shown(page, wire)["w"] == ("1.5", "1")
    (as_computed(page) if back == "as computed" else menu(page).get_by_role("button", name="Undo")).click()
    wire.settle()
    assert shown(page, wire) == before
    assert page.locator(".al-plate-mine").count() == 0
    expect(box(page)).to_have_value("6")
    expect(as_computed(page)).to_be_hidden()


def test_text_that_is_no_number_changes_nothing(page: Page, wire: Wire) -> None:
    before = shown(page, wire)
    put(page, wire, "zero")
    assert shown(page, wire) == before
    expect(box(page)).to_have_attribute("aria-invalid", "true")


def test_an_array_is_asked_for_each_of_its_elements(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    node(page, wire, "h").click()
    wire.settle()
    expect(page.locator(".al-what-if")).to_contain_text(say("what_if_each"))
    put(page, wire, "0.5")
    expected = record(layer, LAYER["x"], LAYER["W"], LAYER["b"], options={"replace": {"h": 0.5}})["loss"].value.values
    assert np.asarray(wire.widget.recording["loss"].value.values) == expected == 0.25 * 8
    assert number(page, wire, "loss") == "2"


def test_inputs_are_not_asked_about(page: Page, wire: Wire) -> None:
    node(page, wire, "x").click()
    wire.settle()
    expect(page.locator(".al-what-if")).to_be_hidden()
