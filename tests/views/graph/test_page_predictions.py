"""While the kernel has not answered yet, the page computes a move itself; what the kernel says counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from autolab import Variable
from autolab import functions as F
from autolab.views.draw.messages import say
from autolab.views.graph import explorer as explorer_module
from autolab.views.live.columns import FEWEST

from ..bare_page import Wire, free, menu, node, number
from ..looking import seen
from ..programs import LAYER, branching, layer, muladd, twenty

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def loop(x: Variable, w: Variable) -> Variable:
    """More boxes than travel one by one."""
    h = x
    for _ in range(30):
        h = np.tanh(h * w)
    return h * h


def converted(x: Variable) -> Variable:
    """No page can follow it."""
    return x * float(x.data)


def press(page: Page, name: str, *keys: str) -> None:
    box = free(page, name)
    for key in keys:
        box.press(key)
    page.evaluate("() => new Promise(done => setTimeout(done))")


def begin(page: Page, wire: Wire, name: str) -> None:
    """The first move, after which the page knows how to compute the next ones."""
    press(page, name, "ArrowRight")
    wire.settle()


def spoken(page: Page) -> dict[str, str | None]:
    """What each box says of itself, all at one moment: after a while without an answer the page takes it back."""
    read = "all => Object.fromEntries(all.map((box) => [box.dataset.id, box.getAttribute('aria-label')]))"
    found: dict[str, str | None] = page.locator(".al-node").evaluate_all(read)
    return found


def of_kernel(wire: Wire) -> dict[str, str]:
    """What the kernel says of each box."""
    return {name: box["spoken"] for name, box in seen(wire.widget).readings["nodes"].items()}


@pytest.mark.parametrize(
    ("fn", "inputs", "name"),
    [
        (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}, "x"),
        (muladd, {"x": np.float32(2.1), "y": 3.0, "z": 4.0}, "x"),
        (muladd, {"x": 2, "y": 3.0, "z": 4.0}, "x"),
        (muladd, {"x": 1e-9, "y": 3e8, "z": 4e7}, "y"),
        (twenty, {"x": 0.5, "y": 2.0}, "y"),
        (lambda x: np.exp(x) / (1 + np.exp(x)), {"x": -40.0}, "x"),
    ],
)
def test_the_page_says_before_the_kernel_what_the_kernel_will_say(
    page: Page, open_view: Open, fn: Any, inputs: Any, name: str
) -> None:
    wire = open_view(fn, **inputs)
    begin(page, wire, name)
    before = spoken(page)
    for key in ("ArrowRight", "PageUp", "ArrowLeft"):
        press(page, name, key)
        assert len(wire.inbox) == 1  # the kernel has done nothing yet
    told = spoken(page)
    assert told != before
    wire.settle()
    assert told == spoken(page)
    assert {id: told[id] for id in of_kernel(wire)} == of_kernel(wire)


def test_upstream_gradients_and_cells_too(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    begin(page, wire, "upstream")
    before = node(page, wire, "W").locator(".al-gradient .al-cells").inner_html()
    press(page, "upstream", "PageUp")
    told = node(page, wire, "W").locator(".al-gradient .al-cells").inner_html()
    assert len(wire.inbox) == 1 and told != before
    wire.settle()
    assert node(page, wire, "W").locator(".al-gradient .al-cells").inner_html() == told


def test_many_boxes_too(page: Page, open_view: Open) -> None:
    wire = open_view(loop, x=0.5, w=1.2)
    menu(page).get_by_role("button", name="Open all").click()
    page.keyboard.press("Escape")
    wire.settle()
    assert len(of_kernel(wire)) >= FEWEST
    begin(page, wire, "w")
    press(page, "w", "PageUp")
    told = spoken(page)
    assert len(wire.inbox) == 1 and told != of_kernel(wire)
    wire.settle()
    assert told == spoken(page) == of_kernel(wire)


def test_on_another_branch_it_waits_and_then_goes_on(page: Page, open_view: Open) -> None:
    wire = open_view(branching, x=1.0)
    begin(page, wire, "x")
    press(page, "x", "PageUp")
    there = spoken(page)
    wire.settle()
    assert spoken(page) == there
    press(page, "x", "Home")
    assert spoken(page) == there
    wire.settle()
    assert len(of_kernel(wire)) == 3 and {*spoken(page).values()} == {*of_kernel(wire).values()}
    press(page, "x", "PageDown", "PageUp", "ArrowRight")
    there = spoken(page)
    assert len(wire.inbox) == 1
    wire.settle()
    assert spoken(page) == there and {*there.values()} == {*of_kernel(wire).values()}


def test_where_the_kernel_says_something_else_it_is_right(page: Page, open_view: Open) -> None:
    factor = [2.0]

    def scaled(x: Variable) -> Variable:
        y = x * factor[0]
        return y

    wire = open_view(scaled, x=1.0)
    begin(page, wire, "x")
    factor[0] = 10.0
    press(page, "x", "PageUp")
    wrong = number(page, wire, "y")
    wire.settle()
    right = number(page, wire, "y")
    assert right != wrong and node(page, wire, "y").get_attribute("aria-label") in of_kernel(wire).values()
    press(page, "x", "PageUp")
    assert number(page, wire, "y") == right  # its program is given up, and another one asked for
    wire.settle()
    press(page, "x", "ArrowRight")
    told = number(page, wire, "y")
    wire.settle()
    assert number(page, wire, "y") == told != right


@pytest.mark.parametrize("button", ["Undo", "Reset"])
def test_what_is_changed_otherwise_is_asked_for_anew(page: Page, open_view: Open, button: str) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    begin(page, wire, "x")
    menu(page).get_by_role("button", name=button).click()
    page.keyboard.press("Escape")
    wire.settle()
    assert number(page, wire, "h") == "6"
    press(page, "y", "ArrowRight")
    assert number(page, wire, "h") == "6"
    wire.settle()
    press(page, "y", "ArrowRight")
    told = number(page, wire, "h")
    wire.settle()
    assert number(page, wire, "h") == told == f"{2 * wire.widget.point['y']:g}"


def test_the_move_of_another_page_is_taken_in(new_page: Callable[..., Page], explorer: Any) -> None:
    wire = Wire(explorer(muladd, x=2.0, y=3.0, z=4.0))
    first, second = new_page(), new_page()
    wire.connect(first)
    wire.connect(second)
    begin(first, wire, "x")
    press(second, "y", "PageUp")
    wire.settle()
    for _ in range(2):
        press(first, "x", "PageUp")
        wire.settle()
    assert number(first, wire, "h") == number(second, wire, "h")
    assert node(first, wire, "h").get_attribute("aria-label") in of_kernel(wire).values()


def test_it_stops_where_nobody_answers_any_more(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    begin(page, wire, "x")
    before = number(page, wire, "h")
    press(page, "x", "PageUp")
    expect(node(page, wire, "h").locator(".al-value .al-number")).not_to_have_text(before)
    expect(page.get_by_role("alert")).to_contain_text(say("live_silent"), timeout=10_000)
    assert number(page, wire, "h") == before
    press(page, "x", "PageUp")
    assert number(page, wire, "h") == before


def test_what_cannot_be_computed_in_a_page_is_asked_for_once(page: Page, open_view: Open) -> None:
    wire = open_view(converted, x=2.0)
    asked: list[Any] = []
    answer_once = type(wire.widget)._answer_once
    wire.widget._answer_once = lambda question: asked.append(question) or answer_once(wire.widget, question)
    for _ in range(3):
        press(page, "x", "ArrowRight")
        wire.settle()
    assert asked == [["motion"]]
    assert spoken(page) == of_kernel(wire)


def test_a_slow_function_does_not_run_more_often_for_it(
    page: Page, open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    def counted(x: Variable) -> Variable:
        runs.append(1)
        return F.exp(x)

    monkeypatch.setattr(explorer_module, "_QUICK", 0.0)
    wire = open_view(counted, x=1.0)
    for _ in range(3):
        press(page, "x", "ArrowRight")
        wire.settle()
    assert len(runs) == 4


def test_what_never_ends_elsewhere_is_stopped(page: Page, open_view: Open) -> None:
    def endless(x: Variable) -> Variable:
        while not isinstance(x.data, np.ndarray):  # only while it is traced for the page
            pass
        return F.exp(x)

    wire = open_view(endless, x=1.0)
    begin(page, wire, "x")
    assert "autolab-view" not in {thread.name for thread in threading.enumerate()}
    press(page, "x", "PageUp")
    wire.settle()
    assert spoken(page) == of_kernel(wire)
