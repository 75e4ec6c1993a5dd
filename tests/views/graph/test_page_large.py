"""A graph that is much larger than its pane: only what is near is drawn, and nobody who looks at it notices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from autolab.views.draw.colors import paint, view_tone
from autolab.views.graph.readings import view_scales

from ..bare_page import Wire, menu, node, offered, pinned
from ..looking import seen as told
from .test_page_overview import Open

pytestmark = pytest.mark.browser

MOST = 60
"""So many boxes are drawn at a time at most; the graph has three times as many."""

PANE = """() => {
  const pane = document.querySelector('.al-pane'), picture = document.querySelector('.al-picture');
  return [pane.scrollLeft, pane.clientWidth, picture.clientWidth / picture.viewBox.baseVal.width];
}"""


def turn(x: Any) -> Any:
    a = x * 1.01
    b = a + 0.125
    c = b * 0.95
    d = c - 0.0625
    e = d * 1.03
    return e


def steps(x: Any) -> Any:
    first = x
    for t in range(40):  # noqa: B007  # its rounds are told apart by t
        x = turn(x)
    return x + first


@pytest.fixture
def wire(open_view: Open, page: Page) -> Wire:
    """The view with all of its boxes open."""
    wire = open_view(steps, x=1.0)
    offered(page, "Open all").click()
    wire.settle()
    assert len(told(wire.widget).scene["nodes"]) > 3 * MOST
    return wire


def scroll(page: Page, place: float) -> None:
    """Go to a place in the picture, which runs to the right, 0 to 1, and wait until it is painted."""
    page.locator(".al-pane").evaluate("(pane, place) => pane.scrollTo({left: place * pane.scrollWidth})", place)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def seen(page: Page, wire: Wire) -> list[dict[str, Any]]:
    """The boxes of the scene that stand in the pane."""
    left, width, zoom = page.evaluate(PANE)
    boxes = told(wire.widget).scene["nodes"]
    return [box for box in boxes if zoom * box["x"] < left + width and zoom * (box["x"] + box["w"]) > left]


def check_numbers(page: Page, wire: Wire) -> None:
    """Every box in the pane shows the value and the gradient that it has now; lines from, to and past it are there."""
    boxes = seen(page, wire)
    assert 2 <= len(boxes) <= MOST
    for box in boxes:
        reading = told(wire.widget).readings["nodes"][str(box["id"])]
        drawn = page.locator(f".al-node[data-id='{box['id']}']")
        assert drawn.locator(".al-value .al-number").text_content() == reading["value"]
        assert drawn.locator(".al-gradient .al-number").text_content() == reading["grad"]
        assert box["text"] in (drawn.text_content() or "")
    ids = {box["id"] for box in boxes}
    lines = page.locator(".al-edge").evaluate_all("all => all.map(e => e.childElementCount)")
    edges = told(wire.widget).scene["edges"]
    past = {"from": wire.widget.recording.inputs[0], "to": wire.widget.recording.outputs[0]}
    there = [edge.items() >= past.items() or {edge["from"], edge["to"]} & ids for edge in edges]
    assert all(count >= 4 for is_there, count in zip(there, lines, strict=True) if is_there)
    assert {0, 4} <= set(lines) <= {0, 4, 5}  # with the share of a line that is lit


def drawn(page: Page) -> int:
    return page.locator(".al-node:has(.al-card)").count()


def test_only_what_is_near_is_drawn_wherever_one_looks(wire: Wire, page: Page) -> None:
    for place in (0, 0.3, 0.33, 1, 0.5):
        scroll(page, place)
        check_numbers(page, wire)
        assert drawn(page) <= MOST
    page.locator(".al-pane").evaluate("pane => { pane.style.maxHeight = '900px'; }")
    menu(page).get_by_label("Zoom out").click()
    page.keyboard.press("Escape")
    scroll(page, 0.7)
    check_numbers(page, wire)


def test_all_boxes_can_be_read_aloud(wire: Wire, page: Page) -> None:
    spoken = page.locator(".al-node").evaluate_all("all => all.map(e => e.ariaLabel)")
    nodes = told(wire.widget).scene["nodes"]
    assert spoken == [told(wire.widget).readings["nodes"][str(box["id"])]["spoken"] for box in nodes]


def test_numbers_that_change_out_of_sight_are_right_when_they_come_into_sight(wire: Wire, page: Page) -> None:
    scroll(page, 0.5)
    scroll(page, 0)
    pinned(page).get_by_role("slider", name="x").fill("1.75")
    wire.settle()
    assert float(wire.widget.point["x"]) == 1.75
    for place in (0, 0.5, 1):
        scroll(page, place)
        check_numbers(page, wire)


def test_colours_and_their_numbers_come_into_sight_with_the_boxes(wire: Wire, page: Page) -> None:
    offered(page, "Colour by").select_option("value")
    wire.settle()
    for place in (0.6, 0.1, 0.6):
        scroll(page, place)
        for box in seen(page, wire):
            tinted = page.locator(f".al-node.al-tinted[data-id='{box['id']}']")
            words = told(wire.widget).flow["nodes"][str(box["id"])][1]
            assert tinted.locator("text.al-plate").last.text_content() == words
    offered(page, "Colour by").select_option("nothing")
    wire.settle()
    scroll(page, 0.1)
    assert page.locator(".al-plate-tint").count() == 0


def test_a_match_far_away_is_shown_and_the_keys_go_on_from_there(wire: Wire, page: Page) -> None:
    scroll(page, 0)
    page.get_by_placeholder("Find a name").fill("mul")
    page.get_by_placeholder("Find a name").press("Shift+Enter")  # the last one
    wire.settle()
    scrolled = page.evaluate(PANE)
    assert scrolled[0] > 0 and told(wire.widget).selected in {box["id"] for box in seen(page, wire)}
    check_numbers(page, wire)
    page.locator(f".al-node[data-id='{told(wire.widget).selected}']").focus()
    for _ in range(40):
        page.keyboard.press("ArrowLeft")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    focused = page.evaluate("() => Number(document.activeElement.dataset.id)")
    assert focused in {box["id"] for box in seen(page, wire)} and page.evaluate(PANE)[0] < scrolled[0]
    check_numbers(page, wire)


def test_the_box_of_the_tab_key_is_there_although_one_has_scrolled_away(wire: Wire, page: Page) -> None:
    output = node(page, wire, "x").last
    output.dispatch_event("click")
    wire.settle()
    chosen = page.locator(f".al-node[data-id='{told(wire.widget).selected}']")
    scroll(page, 0)
    assert chosen.locator(".al-card").count() == 1 and output.get_attribute("tabindex") is not None
    chosen.focus()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert told(wire.widget).selected in {box["id"] for box in seen(page, wire)}


def test_cells_have_the_colours_of_their_numbers(open_view: Open, page: Page) -> None:
    values = np.array([[1.0, -0.25, 0.013], [-0.7, 0.0, np.nan]])
    wire = open_view(steps, x=values)
    offered(page, "Open all").click()
    wire.settle()
    scroll(page, 0)
    shown = page.locator(".al-node[data-id='0'] .al-value .al-cells rect")  # the input
    fills = shown.evaluate_all("all => all.map(e => e.getAttribute('fill') ?? 'none')")
    expected = paint(view_tone(view_scales(wire.widget.recording).value).fractions(values), "light").reshape(-1, 3)
    assert fills.pop() == "none" and len(fills) == 5
    found = np.array([[int(part) for part in fill[4:-1].split()] for fill in fills])
    assert np.abs(found - expected[:5]).max() <= 2
