"""A plan in a real browser: blocks open in place and close again, and the way to where one is stays in sight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from helpers.network import Net
from playwright.sync_api import Page, expect

import autolab
from autolab import links as L

from ..bare_page import Wire
from ..looking import seen

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


COUNT_MOVES = """() => {
    const animate = Element.prototype.animate;
    window.moved = 0;
    Element.prototype.animate = function (...given) { window.moved++; return animate.apply(this, given); };
}"""


def crumbs(page: Page) -> str:
    return page.locator(".al-crumbs").inner_text() if page.locator(".al-crumbs").is_visible() else ""


def box(page: Page, text: str) -> int:
    """Click on a box of the plan; its id."""
    found = page.locator(".al-node", has=page.locator(f"text='{text}'")).first
    identity = int(found.get_attribute("data-id") or "")
    found.click()
    return identity


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_click_opens_a_block_in_place_and_escape_closes_it(page: Page, open_view: Open, motion: str) -> None:
    page.emulate_media(reduced_motion=motion)
    wire = open_view(Net(), x=np.ones((5, 3)))
    assert crumbs(page) == ""
    stack = page.locator(".al-node", has=page.locator("text='× 6'"))
    expect(stack.locator(".al-pile")).to_have_count(2)
    page.evaluate(COUNT_MOVES)
    box(page, "blocks.0 … blocks.5")
    wire.settle()
    assert page.evaluate("() => window.moved > 0") is (motion == "no-preference")
    expect(page.locator(".al-tab", has=page.locator("text='blocks.0 … blocks.5: Block'"))).to_be_in_viewport()
    third = box(page, "blocks.3")
    wire.settle()
    assert crumbs(page) == "Net › blocks.3"
    assert page.locator(".al-node", has=page.locator("text='up'")).count() == 1
    page.keyboard.press("Escape")
    wire.settle()
    assert page.evaluate("() => document.activeElement.getAttribute('data-id')") == str(third)
    assert page.locator(".al-tab").count() == 1
    page.keyboard.press("Escape")
    wire.settle()
    expect(page.locator(".al-node", has=page.locator("text='× 6'"))).to_have_count(1)


class Heads(autolab.Link):
    """The parts of a value, computed beside each other from the same one."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.heads = L.Linear(3, 8), L.ChainList(*[L.Linear(8, 4) for _ in range(16)])

    def forward(self, x: autolab.Variable) -> autolab.Variable:
        h = self.inside(x)
        return (np.concatenate([head(h) for head in self.heads], axis=-1) ** 2).sum()


def test_blocks_beside_each_other_are_rows_and_the_pane_is_scrolled_down_only(page: Page, open_view: Open) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    wire = open_view(Heads(), x=np.ones((5, 3)))
    box(page, "heads.0 … heads.15")
    wire.settle()
    heads = page.locator(".al-node", has=page.locator("text=/^heads\\.[0-9]+$/"))
    expect(heads).to_have_count(16)
    assert page.evaluate("() => (pane => pane.scrollWidth <= pane.clientWidth)(document.querySelector('.al-pane'))")
    picture = seen(wire.widget).scene
    ends = [edge["path"].split("C")[-1] for edge in picture["edges"] if edge["to"] == picture["nodes"][-1]["id"]]
    assert len(ends) == 16 and len(set(ends)) == 1, "their lines leave the frame as one"


def test_the_way_leads_back_and_space_chooses_a_block(page: Page, open_view: Open) -> None:
    wire = open_view(Net(), x=np.ones((5, 3)))
    box(page, "blocks.0 … blocks.5")
    wire.settle()
    box(page, "blocks.3")
    wire.settle()
    box(page, "up")
    wire.settle()
    assert crumbs(page) == "Net › blocks.3 › up"
    page.locator(".al-crumb", has_text="blocks.3").click()
    wire.settle()
    assert page.locator(".al-tab").count() == 2
    page.locator(".al-node", has=page.locator("text='down'")).focus()
    page.keyboard.press(" ")
    wire.settle()
    expect(page.locator(".al-title")).to_contain_text("down")
