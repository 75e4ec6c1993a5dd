"""In the walk numbers travel along the lines, are multiplied at the box, and meet with a plus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from ..bare_page import Wire, menu
from ..looking import seen

pytestmark = pytest.mark.browser

Open = Callable[..., Wire]

WATCH = """() => {
  window.travelled = [];
  const isOne = (node) => node.classList?.contains("al-traveller");
  const note = (nodes) => { for (const node of nodes) if (isOne(node)) travelled.push(node.textContent); };
  new MutationObserver((all) => all.forEach((one) => note(one.addedNodes))).observe(
    document.querySelector(".al-main .al-picture"), { childList: true });
}"""


def small(x: Any, y: Any) -> Any:
    h = x * y
    out = h + x
    return out


def walk(page: Page, wire: Wire) -> list[list[str]]:
    """What travels at each step of the walk, until nothing moves any more."""
    page.evaluate(WATCH)
    menu(page).get_by_role("button", name="To the first step").click()
    wire.settle()
    found = []
    for _ in range(seen(wire.widget).plan["count"] - 1):
        page.evaluate("() => { travelled.length = 0; }")
        page.get_by_role("button", name="One step on").click()
        wire.settle()
        expect(page.locator(".al-traveller")).to_have_count(0, timeout=8000)
        found.append(page.evaluate("() => [...travelled]"))
    return found


def test_numbers_travel_are_multiplied_and_added(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, y=3.0)
    assert walk(page, wire) == [
        ["2", "3"],  # into h
        ["6", "2"],  # into out
        [],  # the backward pass begins
        ["1 × 1 = 1", "1"],
        ["1 × 1 = 1", "1"],
        ["1 × 3 = 3", "3", "1 + 3 = 4"],
        ["1 × 2 = 2", "2"],
    ]


def test_going_back_and_leaping_moves_nothing_and_neither_does_reduced_motion(page: Page, open_view: Open) -> None:
    wire = open_view(small, x=2.0, y=3.0)
    page.evaluate(WATCH)
    slider = page.get_by_role("slider", name="Step of the walk")
    for key in ("Home", "End", "ArrowLeft", "ArrowLeft"):
        slider.press(key)
        wire.settle()
    assert page.evaluate("() => travelled") == []
    page.emulate_media(reduced_motion="reduce")
    assert walk(page, wire) == [[]] * 7


def test_elements_of_arrays_travel_as_one_sign(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x: (x * x).sum(), x=np.arange(60.0))
    found = walk(page, wire)
    assert found[0] == ["▦", "▦"] and all("▦" in texts or not texts or texts == ["1"] for texts in found[3:])
