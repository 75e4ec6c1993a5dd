"""Pointing at a cell of a box: its number in the sentence, and what it was made of in the picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import autolab

from ..bare_page import Wire, node
from ..looking import looks, seen
from ..programs import LAYER, layer

pytestmark = pytest.mark.browser

PLACES = "all => JSON.stringify(all.map(one => one.getBoundingClientRect()))"
LIT = """() => Object.fromEntries([...document.querySelectorAll('.al-lit-cells:not(.al-pointed-cell)[d]')].map(path => [
  path.closest('.al-node').dataset.id + ' ' + (path.closest('.al-value') ? 'value' : 'gradient'),
  [path.getBBox().width, path.getBBox().height].map(Math.round)]))"""
"""The frames of lit cells, by box and slot, with their size."""


def cell(box: Locator, slot: str, k: int) -> Locator:
    return box.locator(f".al-{slot} .al-cells rect").nth(k)


def lit(page: Page, wire: Wire) -> dict[str, Any]:
    names = {str(step.id): step.name for step in wire.widget.recording}
    found = page.evaluate(LIT)
    return {f"{names[key.split()[0]]} {key.split()[1]}": size for key, size in found.items()}


def test_a_cell_of_a_product_lights_a_row_and_a_column_and_nothing_moves(
    page: Page, open_view: Callable[..., Wire]
) -> None:
    wire = open_view(layer, **LAYER)
    sentence, all_places = page.locator(".al-sentence"), page.locator(".al-node, .al-foot, .al-header, .al-tool")
    cell(node(page, wire, "a"), "value", 5).scroll_into_view_if_needed()
    places = all_places.evaluate_all(PLACES)
    cell(node(page, wire, "a"), "value", 5).hover()
    expect(sentence).to_contain_text("a[1, 1] = ")  # at once, by the page
    wire.settle()
    expect(sentence).to_have_text(
        "a[1, 1] = 0.938 = 0.25 × (−0.25) + 1.5 × 0.75 − 1 × 0.125: row 1 of x times column 1 of W."
    )
    assert lit(page, wire) == {"x value": [114, 20], "W value": [38, 48]}  # one of two rows, one of four columns
    assert seen(wire.widget).look["pointed"] == [wire.widget.recording["a"].id, "value"]

    sent = len(wire.received)
    cell(node(page, wire, "a"), "value", 0).hover()  # the same answer tells of all cells
    expect(sentence).to_contain_text("row 0 of x times column 0 of W")
    wire.settle()
    assert len(wire.received) == sent
    assert all_places.evaluate_all(PLACES) == places
    cell(node(page, wire, "W"), "gradient", 0).hover()
    wire.settle()
    expect(sentence).to_contain_text("column 0 of x times column 0 of the gradient of a.")
    assert set(lit(page, wire)) == {"x value", "a gradient"}
    page.mouse.move(2, 2)
    expect(sentence).not_to_contain_text("gradient of W")
    assert lit(page, wire) == {}


def test_a_click_holds_a_cell_and_keys_go_from_cell_to_cell(page: Page, open_view: Callable[..., Wire]) -> None:
    wire = open_view(layer, **LAYER)
    sentence, box = page.locator(".al-sentence"), node(page, wire, "b")
    cell(box, "gradient", 1).click()
    wire.settle()
    expect(sentence).to_contain_text("The gradient of b[1] = ")
    cell(box, "gradient", 2).hover()
    page.mouse.move(2, 2)
    expect(sentence).to_contain_text("The gradient of b[1] = ")
    assert len(lit(page, wire)) == 1
    box.press("Escape")  # lets it go first, then the box
    expect(sentence).not_to_contain_text("The gradient of b[1] = ")
    wire.settle()
    assert seen(wire.widget).selected is not None and lit(page, wire) == {}

    box = node(page, wire, "a")
    box.focus()
    for key, text in [("c", "a[0, 0] = "), ("ArrowDown", "a[1, 0] = "), ("ArrowDown", "a[1, 0] = ")]:
        box.press(key)
        wire.settle()
        expect(sentence).to_contain_text(text)
    for key, text in [("ArrowLeft", "a[1, 0] = "), *[("ArrowRight", f"a[1, {k}] = ") for k in (1, 2, 3)]]:
        box.press(key)
        expect(sentence).to_contain_text(text)
    box.press("ArrowRight")
    wire.settle()
    expect(sentence).to_contain_text("The gradient of a[1, 0] = ")
    assert page.locator(".al-hidden", has_text="The gradient of a[1, 0]").count() == 1  # read aloud
    page.keyboard.press("Tab")
    expect(sentence).not_to_contain_text("The gradient of a[1, 0]")


def test_a_moved_number_and_a_growing_sum_are_not_explained(page: Page, open_view: Callable[..., Wire]) -> None:
    wire = open_view(layer, **LAYER)
    sentence = page.locator(".al-sentence")
    cell(node(page, wire, "x"), "value", 0).hover()
    wire.settle()
    expect(sentence).to_contain_text("x[0, 0] = 1. It is used in row 0 of a.")
    page.mouse.down()
    page.mouse.move(700, 300, steps=3)
    expect(sentence).to_contain_text("x[0, 0] = ")
    page.mouse.up()
    wire.settle()
    assert seen(wire.widget).look["pointed"] is None
    wire.settle()
    looks(wire.widget, moment=8)
    wire.settle()
    cell(node(page, wire, "h"), "gradient", 0).hover()
    wire.settle()
    assert lit(page, wire) == {} and " × " not in (sentence.text_content() or "")


def test_a_saved_page_explains_until_a_number_is_moved(open_file: Callable[..., Page]) -> None:
    page = open_file(autolab.explore(layer, **LAYER), viewport={"width": 1366, "height": 768}, has_touch=True)
    sentence = page.locator(".al-sentence")
    box = page.locator(".al-node[aria-label^='a =']")
    cell(box, "value", 5).tap()
    expect(sentence).to_contain_text("row 1 of x times column 1 of W.")
    assert sentence.bounding_box()["height"] < 2.1 * 1.3 * 18
    cell(box, "value", 5).tap()
    expect(sentence).not_to_contain_text("row 1 of x")
    x = cell(page.locator(".al-node[aria-label^='x,']"), "value", 0)
    place = x.bounding_box()
    page.mouse.move(place["x"] + 3, place["y"] + 3)
    page.mouse.down()
    page.mouse.move(place["x"] + 60, place["y"] + 3, steps=3)
    page.mouse.up()
    cell(box, "value", 0).hover()
    expect(sentence).to_contain_text("a[0, 0] = ")
    expect(sentence).not_to_contain_text("×")  # the numbers in the sum are no longer those of the page
    assert page.evaluate(LIT) != {}
