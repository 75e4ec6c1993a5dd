"""The conversation between page and kernel: one message in flight, a slow or silent kernel, several pages, an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from autolab.views.draw.messages import say

from ..bare_page import Wire, find, free, menu, number, pinned
from ..looking import seen
from ..programs import LAYER, layer, muladd, twenty

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]
SLIDE = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }"


def slide(page: Page, name: str, value: float, view: int = 0) -> None:
    root = page.locator(".al-root").nth(view)
    pinned(root).get_by_role("slider", name=name, exact=True).evaluate(SLIDE, str(value))


def flush(wire: Wire) -> None:
    """Let the page's messages arrive; the kernel does nothing."""
    for page in wire.pages:
        page.evaluate("() => new Promise(done => setTimeout(done))")


def test_a_slow_kernel_sees_the_first_and_the_last_of_a_hundred_moves(page: Page, open_view: Open) -> None:
    wire = open_view(twenty, x=0.5, y=2.0)
    for k in range(100):
        slide(page, "y", -2 + k / 50)
    flush(wire)
    assert len(wire.inbox) == 1
    wire.step()
    flush(wire)
    assert len(wire.inbox) == 1
    wire.settle()
    assert [m["value"] for m in wire.received] == [-2, -0.02]
    assert wire.widget.point["y"] == -0.02
    assert pinned(page).get_by_label("y, number").input_value() == "−0.02"


def test_three_views_of_two_pages_end_at_the_last_input(new_page: Callable[..., Page], explorer: Any) -> None:
    wire = Wire(explorer(muladd, x=2.0, y=3.0, z=4.0))
    first, second = new_page(), new_page()
    wire.connect(first, views=2)
    wire.connect(second, views=1)
    in_flight = 0
    for k in range(60):
        slide(first, "x", k / 20, view=k % 2)
        slide(second, "z", k / 10)
        flush(wire)
        in_flight = max(in_flight, len(wire.inbox))
        if k % 7 == 0:
            wire.step()
    wire.settle()
    assert in_flight == 2  # one of each page
    assert (wire.widget.point["x"], wire.widget.point["z"]) == (2.95, 5.9)
    assert len({m["seq"] for m in wire.received}) == len(wire.received)
    expected = number(first, wire, "w") if first.locator(".al-root").count() == 1 else "14.75"
    for page in (first, second):
        shown = page.locator(
            f".al-node[data-id='{wire.widget.recording['w'].id}'] .al-value .al-number"
        ).all_text_contents()
        assert set(shown) == {expected}


def test_moves_of_two_inputs_and_a_button_are_not_confused(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    for name, value in (("x", 0), ("x", 1), ("y", 1)):
        slide(page, name, value)
    menu(page).get_by_role("button", name="Reset").click()
    slide(page, "y", 2)
    flush(wire)
    wire.settle()
    assert [(m["do"], m.get("key")) for m in wire.received] == [
        ("move", "x"),
        ("move", "x"),
        ("move", "y"),
        ("reset", None),
        ("move", "y"),
    ]
    assert {n: float(v) for n, v in wire.widget.point.items()} == {"x": 2, "y": 2, "z": 4}


def test_only_a_later_move_of_the_same_thing_takes_the_place_of_one_that_waits(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    before = wire.widget.point["b"]
    pinned(page).get_by_role("spinbutton", name="b[0]", exact=True).focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    find(page).fill("loss")
    page.get_by_role("slider", name="Step of the walk").evaluate(SLIDE, "3")
    wire.settle()
    asked = [(m["do"], m.get("index")) for m in wire.received]
    assert asked == [("move", 0), ("move", 0), ("move", 1), ("look", None)]  # of two looks the later
    step = seen(wire.widget).controls[2]["step"]
    np.testing.assert_allclose(wire.widget.point["b"] - before, [3 * step, step, 0, 0], atol=1e-12)


def test_while_an_answer_is_due_the_users_hand_is_ahead(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slide(page, "x", 1)
    slide(page, "x", 4)
    flush(wire)
    wire.step()  # the answer for 1 arrives while the slider stands at 4
    assert pinned(page).get_by_role("slider", name="x").input_value() == "4"
    assert number(page, wire, "h") == "3"
    wire.settle()
    assert number(page, wire, "h") == "12"


def test_a_long_computation_is_marked_and_the_mark_goes(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slide(page, "x", 1)
    assert page.locator(".al-busy").text_content() == ""
    expect(page.locator(".al-busy")).to_have_text("computing…")
    wire.settle()
    assert page.locator(".al-busy").text_content() == ""
    stop = page.get_by_role("button", name="Stop")
    for computing, offered in (("running", True), ("stopping", False)):  # also without a message under way
        wire.widget._tell(computing=computing)
        wire.deliver()
        assert page.locator(".al-busy").text_content() != "" and stop.is_enabled() is offered
    wire.widget._tell(computing="")
    wire.deliver()
    assert page.locator(".al-busy").text_content() == "" and stop.is_hidden()


def test_what_was_answered_in_time_is_never_called_late(new_page: Callable[..., Page], explorer: Any) -> None:
    """Also in a page that greets as another one has, and in one that greets twice."""
    wire = Wire(explorer(muladd, x=2.0, y=3.0, z=4.0))
    pages = [new_page(), new_page()]
    for page in pages:
        page.clock.install()
        wire.connect(page)
        wire.settle()
    for page in pages:
        page.clock.fast_forward(20_000)
        assert page.locator(".al-since:visible").count() == 0
    for page in pages:
        page.evaluate("() => { host.restarted(); host.restarted(); }")
        slide(page, "x", 1)
        wire.settle()
    for page in pages:
        page.clock.fast_forward(20_000)
        assert page.locator(".al-busy").text_content() == ""
        assert page.locator("[role=alert]:visible, .al-since:visible").count() == 0


def test_a_kernel_that_does_not_answer_is_told_of_and_the_graph_is_marked_stale(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slide(page, "x", 1)
    panel = page.get_by_role("alert")
    expect(panel).to_contain_text(say("live_silent"))
    assert float(page.locator(".al-graph").evaluate("e => getComputedStyle(e).opacity")) < 1
    wire.settle()  # it was only busy
    expect(panel).to_be_hidden()
    assert number(page, wire, "h") == "3"


def test_a_lost_message_silences_no_view_for_good(page: Page, open_view: Open) -> None:
    page.clock.install()
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slide(page, "x", 1)
    wire.inbox.clear()  # lost with a subshell that is gone
    page.clock.fast_forward(20_000)
    panel = page.get_by_role("alert")
    expect(panel).to_contain_text(say("live_silent"))
    slide(page, "x", 1.5)
    assert [message["do"] for message in wire.inbox] == []  # first it asks whether there is a kernel
    wire.settle()
    page.clock.fast_forward(1000)
    expect(panel).to_be_hidden()
    assert float(wire.widget.point["x"]) == 1.5
    assert number(page, wire, "h") == "4.5"


def test_a_saved_picture_without_a_kernel_draws_and_says_so_when_moved(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    page.evaluate("() => { window.disconnected = true; }")
    assert number(page, wire, "w") == "10"
    slide(page, "x", 1)
    expect(page.get_by_role("alert")).to_contain_text(say("live_silent"))
    assert number(page, wire, "w") == "10"
    assert page.evaluate("() => host.sent.length") == 1
    slide(page, "x", 2)
    assert page.evaluate("() => host.sent.length") == 1


def test_a_state_saved_in_the_middle_of_things_draws(new_page: Callable[..., Page], explorer: Any) -> None:
    wire = Wire(explorer(muladd, x=2.0, y=3.0, z=4.0))
    wire.connect(new_page())
    slide(wire.pages[0], "x", 1)
    wire.settle()
    later = new_page()
    wire.connect(later)
    assert number(later, wire, "w") == "7"
    assert free(later, "x").get_attribute("aria-valuenow") == "1"
    expect(later.get_by_role("alert")).to_be_hidden()


def test_removing_views_leaves_no_listener(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    alone = page.evaluate("() => host.listenerCount()")
    for _ in range(3):
        page.evaluate("() => host.addView()")
    assert page.evaluate("() => host.listenerCount()") == alone  # what the views of a model listen to is the brain's
    page.evaluate("() => { for (const k of [3, 0, 2, 1]) host.removeView(k); }")
    assert page.evaluate("() => host.listenerCount()") == alone
    page.evaluate("() => host.destroy()")
    assert page.evaluate("() => host.listenerCount()") == 0
    wire.widget._on_message(wire.widget, {"do": "reset", "seq": 1}, [])
    wire.settle()


def test_removing_views_ends_their_observers_and_timers(page: Page, open_view: Open) -> None:
    page.locator("body").evaluate("e => e")  # Playwright now sets up an observer of its own
    page.evaluate("""() => {
      window.running = new Set();
      for (const kind of [ResizeObserver, MutationObserver]) {
        const { observe, disconnect } = kind.prototype;
        kind.prototype.observe = function (...all) { running.add(this); return observe.apply(this, all); };
        kind.prototype.disconnect = function () { running.delete(this); return disconnect.call(this); };
      }
    }""")
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    page.wait_for_function("() => running.size == 2")
    slide(page, "x", 1)
    wire.settle()
    assert page.evaluate("() => Boolean(window.marked = document.querySelector('.al-changed'))")
    page.evaluate("() => host.removeView(0)")
    assert page.evaluate("() => running.size") == 0
    page.wait_for_timeout(900)
    assert page.evaluate("() => marked.classList.contains('al-changed')")  # no timer touched it any more


def test_views_that_are_removed_can_be_collected(page: Page, open_view: Open) -> None:
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    client = page.context.new_cdp_session(page)

    def count(name: str) -> int:
        client.send("HeapProfiler.collectGarbage")
        return int(client.send("Memory.getDOMCounters")[name])

    def cycle() -> None:
        page.evaluate("() => { host.addView(); host.removeView(host.views.length - 1); host.views.pop(); }")

    for _ in range(3):
        cycle()
    before = {name: count(name) for name in ("nodes", "jsEventListeners")}
    for _ in range(20):
        cycle()
    for name, number_before in before.items():
        assert count(name) < 2 * number_before, name  # the first number is that of one or two views
