"""Opening fused functions in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.views.graph.listing import proof

from ..bare_page import Wire, menu, number, type_number

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def fused(x: Variable, y: Variable) -> Variable:
    h = F.muladd(x, y, 1.0)
    w = h * h
    return w


@autolab.primitive(x=lambda g, x: g * 2.5 * x)
def wrong_square(xp: Any, x: Any) -> Any:
    return x * x


wrong_square.composite(lambda x: x * x)


def press(page: Page, wire: Wire, name: str) -> None:
    menu(page).get_by_role("button", name=name, exact=True).click()
    wire.settle()


def test_a_fused_step_opens_in_place_with_the_proof_and_closes_again(page: Page, open_view: Open) -> None:
    wire = open_view(fused, x=3.0, y=2.0)
    before = page.locator(".al-node").count()
    press(page, wire, "Open muladd")
    assert page.locator(".al-node").count() == before + 1
    assert (page.locator(".al-tab").text_content() or "").startswith(
        "h = F.muladd(x, y, 1.0)"
    )  # the frame around its steps
    assert (number(page, wire, "h"), number(page, wire, "h", "gradient")) == ("7", "14")
    (opening,) = wire.widget.recording.openings
    assert opening.agrees
    assert page.locator(".al-proof").all_text_contents() == [f"✓ {proof(wire.widget.recording, opening)}"]
    press(page, wire, "Close muladd")
    assert page.locator(".al-node").count() == before and page.locator(".al-proof").count() == 0
    press(page, wire, "Undo")
    assert page.locator(".al-proof").count() == 1


def test_the_proof_follows_the_inputs(page: Page, open_view: Open) -> None:
    wire = open_view(fused, x=3.0, y=2.0)
    press(page, wire, "Open muladd")
    type_number(page, "x", "0.1")
    wire.settle()
    assert number(page, wire, "h") == "1.2"
    assert (
        page.locator(".al-proof").text_content()
        == f"✓ {proof(wire.widget.recording, wire.widget.recording.openings[0])}"
    )


def test_a_function_that_differs_from_its_steps_is_accused(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x: wrong_square(x), x=4.0)
    press(page, wire, "Open wrong_square")
    text = page.locator(".al-apart").text_content() or ""
    assert (
        text.startswith("✗ wrong_square(x), line ")
        and "wrong_square and its steps do not agree" in text
        and "2 (x)" in text
    )


def test_without_fused_functions_there_is_nothing_to_press(page: Page, open_view: Open) -> None:
    open_view(lambda x: x * x, x=4.0)
    expect(page.locator(".al-fused")).to_be_hidden()
