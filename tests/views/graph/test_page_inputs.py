"""Moving inputs in a real browser: cells, number boxes, undo, reset, the point as code, and what happens on errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from autolab.views.draw.messages import say

from ..bare_page import Wire, free, menu, node, number, pinned, type_number
from ..looking import seen
from ..programs import LAYER, damaging, layer, muladd, picky

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def cell(page: Page, label: str) -> Locator:
    return pinned(page).get_by_role("spinbutton", name=label, exact=True)


def drag(page: Page, target: Locator, up: float) -> None:
    box = target.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x, y - up * k / 5)
    page.mouse.up()


def test_dragging_a_cell_up_raises_its_number(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    before = node(page, wire, "loss").text_content()
    drag(page, cell(page, "W[1, 2]"), up=48)
    wire.settle()
    control = seen(wire.widget).controls[1]
    expected = LAYER["W"].copy()
    expected[1, 2] += 48 / 240 * (control["max"] - control["min"])
    np.testing.assert_allclose(wire.widget.point["W"], expected, atol=control["step"])
    assert cell(page, "W[1, 2]").get_attribute("aria-valuenow") == str(wire.widget.point["W"][1, 2])
    assert node(page, wire, "loss").text_content() != before
    menu(page).get_by_role("button", name="Undo").click()
    wire.settle()
    np.testing.assert_array_equal(wire.widget.point["W"], LAYER["W"])


def test_a_click_on_a_cell_only_chooses_it(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    cell(page, "W[2, 3]").click()
    wire.settle()
    assert wire.received == []
    assert pinned(page).locator(".al-where").nth(1).text_content() == "[2, 3]"
    pinned(page).get_by_label("W, number").fill("-0.125")
    page.keyboard.press("Enter")
    wire.settle()
    assert wire.widget.point["W"][2, 3] == -0.125
    assert cell(page, "W[2, 3]").text_content() == "−0.125"


def test_arrow_keys_change_a_cell_and_walk_through_cells(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    cell(page, "b[0]").focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowRight", "Shift+ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        wire.settle()
    step = seen(wire.widget).controls[2]["step"]
    expected = LAYER["b"] + [2 * step, 0, -10 * step, 0]
    np.testing.assert_allclose(wire.widget.point["b"], expected, rtol=1e-12)
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "b[0]"
    assert page.locator(".al-cell[tabindex='0']").count() == 3


def test_a_drag_by_touch_moves_a_cell(new_page: Callable[..., Page], explorer: Callable[..., object]) -> None:
    page = new_page(has_touch=True)
    wire = Wire(explorer(layer, **LAYER))
    wire.connect(page)
    box = cell(page, "x[0, 0]").bounding_box()
    assert box
    assert cell(page, "x[0, 0]").evaluate("e => getComputedStyle(e).touchAction") == "none"  # else the page scrolls
    client = page.context.new_cdp_session(page)
    x, y = box["x"] + 5, box["y"] + 5
    for kind, dy in (("touchStart", 0), ("touchMove", -10), ("touchMove", -24), ("touchEnd", None)):
        points = [] if dy is None else [{"x": x, "y": y + dy}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        wire.settle()
    assert wire.widget.point["x"][0, 0] == 1.0 + 24 / 240 * 10
    assert wire.received[-1]["final"] is True


def test_typing_a_number_moves_and_widens_the_range(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    type_number(page, "x", "1e3")
    wire.settle()
    assert wire.widget.point["x"] == 1000 and len(wire.received) == 1
    assert number(page, wire, "h") == "3000"
    assert free(page, "x").get_attribute("aria-valuemax") == "1000"
    type_number(page, "x", "−0.5")  # with the sign that the page itself writes
    wire.settle()
    assert wire.widget.point["x"] == -0.5


def test_enter_closes_a_field_that_is_as_before(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    free(page, "x").press("Enter")
    page.locator(".al-typing input").press("Enter")
    expect(page.locator(".al-typing")).to_have_count(0)
    expect(free(page, "x")).to_be_focused()
    wire.settle()
    assert wire.received == []


def test_a_number_typed_before_a_drag_is_answered_is_shown(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    free(page, "x").press("ArrowRight")
    type_number(page, "x", "7")
    wire.settle()
    assert number(page, wire, "x") == "7"


def test_an_undo_before_a_drag_is_answered_is_shown(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x: x * 2, x=np.inf)
    for reached in "3", "not finite":
        type_number(page, "x", "3")
        wire.settle()
        free(page, "x").press("ArrowRight")
        menu(page).get_by_role("button", name="Undo" if reached == "3" else "Reset").click()
        wire.settle()
        assert number(page, wire, "x") == reached


def test_text_that_is_no_number_is_marked_and_sends_nothing(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    box = page.locator(".al-typing input")
    texts = ("", " ", "two", "1e999", "-Infinity", "nan", "0x", "1;2", "5n", "null", "true")
    for k, text in enumerate(texts):
        type_number(page, "x", text)
        wire.settle()
        assert len(wire.received) == k, text
        assert box.get_attribute("aria-invalid") == "true"
        expect(page.locator(".al-sentence")).to_contain_text("needs a number")
        box.fill(f"7.{k}")
        box.press("Enter")
        wire.settle()
        expect(page.locator(".al-typing")).to_have_count(0)
        assert wire.widget.point["x"] == float(f"7.{k}")
        expect(page.locator(".al-sentence")).not_to_contain_text("needs a number")


def test_an_input_that_is_not_finite_says_so_and_moves_from_zero(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x, v: x * v, x=np.nan, v=np.array([2.3, np.inf, np.nan]))
    strip = pinned(page)
    assert strip.get_by_label("x, number").input_value() == "not finite"
    slider, last = strip.get_by_role("slider", name="x", exact=True), cell(page, "v[1]")
    assert slider.input_value() == "0" and last.text_content() == "\u00d7"
    assert (last.get_attribute("aria-valuetext"), last.get_attribute("title")) == ("not finite", "not finite")
    assert last.get_attribute("aria-valuenow") is None
    last.press("ArrowUp")
    wire.settle()
    assert wire.widget.point["v"][1] == seen(wire.widget).controls[1]["step"] == 0.01
    cell(page, "v[0]").press("ArrowUp")
    wire.settle()
    assert wire.widget.point["v"][0] == 2.31  # 2.3 + 0.01 is not quite that
    for up, reached in ((9, 9 / 240 * 10), (4000, 5)):
        drag(page, cell(page, "v[2]"), up)
        wire.settle()
        assert wire.widget.point["v"][2] == pytest.approx(reached, abs=0.01)
    type_number(page, "x", "2")
    wire.settle()
    assert wire.widget.point["x"] == 2


def test_the_keyboard_moves_a_slider(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    for place in (free(page, "x"), pinned(page).get_by_role("slider", name="x")):
        place.press("ArrowRight")
        wire.settle()
    assert wire.widget.point["x"] == 2.02


def test_reset_returns_to_the_first_point_and_can_be_undone(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    type_number(page, "x", "5")
    type_number(page, "z", "1")
    wire.settle()
    menu(page).get_by_role("button", name="Reset").click()
    wire.settle()
    assert number(page, wire, "w") == "10"
    assert free(page, "x").get_attribute("aria-valuenow") == "2"
    menu(page).get_by_role("button", name="Undo").click()
    wire.settle()
    assert number(page, wire, "w") == "16"


def test_the_point_is_copied_as_code_and_hidden_when_it_is_old(page: Page, open_view: Open) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    type_number(page, "x", "0.1")
    wire.settle()
    menu(page).get_by_role("button", name="Copy point as code").click()
    wire.settle()
    shown = page.get_by_label("The current point as code")
    assert shown.input_value() == "autolab.explore(muladd, x=0.1, y=3.0, z=4.0)"
    expect(page.locator(".al-code-bar [role=status]")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == shown.input_value()
    type_number(page, "x", "0.2")
    wire.settle()
    expect(shown).to_be_hidden()


def test_without_a_clipboard_the_code_can_be_copied_by_hand(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    menu(page).get_by_role("button", name="Copy point as code").click()
    wire.settle()
    expect(page.locator(".al-code-bar [role=status]")).to_have_text("Copy with Ctrl+C")
    selected = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
    assert (
        page.get_by_label("The current point as code").evaluate(selected)
        == "autolab.explore(muladd, x=2.0, y=3.0, z=4.0)"
    )


def test_an_error_shows_its_line_and_the_graph_up_to_there_and_the_next_move_recovers(
    page: Page, open_view: Open
) -> None:
    wire = open_view(picky, x=2.0, y=3.0)
    type_number(page, "x", "-1")
    wire.settle()
    panel = page.get_by_role("alert")
    assert "ValueError: x must not be negative, got -1.0" in panel.inner_text()
    assert "programs.py, line" in panel.inner_text()
    assert 'raise ValueError(f"x must not be negative, got {x.data}")' in panel.inner_text()
    assert say("live_ended") in panel.inner_text()
    wrong = page.locator(".al-source-line.al-wrong code")
    assert [text.strip()[:16] for text in wrong.all_text_contents()] == ["raise ValueError"]
    assert [number(page, wire, name) for name in "xy"] == ["\u22121", "3"] and page.locator(".al-node").count() == 2
    assert page.locator(".al-graph").evaluate("e => getComputedStyle(e).opacity") == "1"
    assert free(page, "x").get_attribute("aria-valuenow") == "-1"
    type_number(page, "x", "4")
    wire.settle()
    expect(panel).to_be_hidden()
    expect(wrong).to_have_count(0)
    assert number(page, wire, "w") == "12"
    assert page.locator(".al-graph").evaluate("e => getComputedStyle(e).opacity") == "1"


def test_what_cannot_be_moved_is_described(page: Page, open_view: Open) -> None:
    open_view(lambda A, x: x * A.sum(), A=np.ones(3, bool), x=2.0)
    assert pinned(page).locator(".al-fixed").inner_text() == "bool (3,)"
    assert free(page, "A").get_attribute("role") == "button"


def test_a_value_changed_in_place_is_shown_at_the_step_that_needs_it(page: Page, open_view: Open) -> None:
    wire = open_view(damaging, x=2.0)
    type_number(page, "x", "-1")
    wire.settle()
    panel = page.get_by_role("alert").inner_text()
    assert "DamagedValueError: input 'h' of mul (programs.py, line" in panel
    assert "was changed in place after the forward pass. Use x = x + 1, or copy." in panel
    assert "y = h * h" in panel and say("live_ended") in panel
