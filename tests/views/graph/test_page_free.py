"""What is free is changed in the picture: numbers and cells are dragged, typed and moved by keys in their own boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import autolab

from ..bare_page import Wire, free, laid_out, menu, node, number, pinned
from ..looking import seen
from ..programs import LAYER, layer, muladd

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]
BIG = np.random.default_rng(3).normal(size=(40, 60))

# The sizes of all letters that are shown, times a factor.
LETTERS = """() => [...document.querySelectorAll('.al-view *')]
  .filter((e) => e.checkVisibility() && e.getClientRects().length)
  .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
  .map((e) => parseFloat(getComputedStyle(e).fontSize) * (%s))"""


def drag(page: Page, part: Locator, right: float, up: float = 0.0, release: bool = True) -> None:
    """From the middle of a part."""
    box = part.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y - up, steps=5)
    if release:
        page.mouse.up()


def test_nothing_stands_before_the_graph_and_little_beside_it(page: Page, open_view: Open) -> None:
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    page.set_viewport_size({"width": 1280, "height": 800})
    view, graph = (page.locator(what).bounding_box() for what in (".al-view", ".al-graph"))
    assert view and graph
    assert graph["y"] - view["y"] <= 90
    assert graph["width"] * graph["height"] >= 0.6 * view["width"] * view["height"]
    assert len(set(page.evaluate(LETTERS % "1"))) <= 5
    focusable = """() => [...document.querySelectorAll('.al-root :is(button, input, select, summary, [tabindex])')]
      .filter((e) => !e.closest('.al-picture') && !e.disabled && e.checkVisibility()).length"""
    assert page.evaluate(focusable) <= 12
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("() => Boolean(document.activeElement.closest('.al-node'))"):
            break
    else:
        pytest.fail("the first box is too far")


def test_a_number_is_dragged_along_its_track(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    rail = free(page, "x").locator(".al-rail").bounding_box()
    assert rail
    drag(page, free(page, "x").locator(".al-knob"), rail["width"] / 4, release=False)
    shown = number(page, wire, "x")
    assert shown == free(page, "x").get_attribute("aria-valuetext") != "2"  # before any answer
    page.mouse.up()
    wire.settle()
    control = seen(wire.widget).controls[0]
    assert wire.widget.point["x"] == float(shown) == pytest.approx(2 + (control["max"] - control["min"]) / 4, abs=0.1)
    assert number(page, wire, "w") != "10"
    assert wire.received[-1]["final"] is True and seen(wire.widget).selected is None  # a drag is no click
    menu(page).get_by_role("button", name="Undo").click()
    wire.settle()
    assert wire.widget.point["x"] == 2.0


def test_a_number_is_dragged_by_itself_and_a_click_on_it_chooses_the_box(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    drag(page, free(page, "y").locator(".al-number-grip"), 24)
    wire.settle()
    control = seen(wire.widget).controls[1]
    assert wire.widget.point["y"] == pytest.approx(3 + 24 / 240 * (control["max"] - control["min"]), abs=0.02)
    assert seen(wire.widget).selected is None
    free(page, "y").locator(".al-number-grip").click()
    wire.settle()
    assert seen(wire.widget).selected == wire.widget.recording["y"].id


def test_a_drag_is_shown_where_the_hand_is_until_the_kernel_has_answered(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    drag(page, free(page, "x").locator(".al-knob"), 20, release=False)
    wire.step()  # the answer to the first move, while later ones wait
    shown = free(page, "x").get_attribute("aria-valuenow")
    assert number(page, wire, "x") == shown != str(wire.widget.point["x"])
    page.mouse.up()
    wire.settle()
    assert str(wire.widget.point["x"]) == free(page, "x").get_attribute("aria-valuenow") == shown


def test_keys_move_a_free_number_and_leave_the_others_to_walking(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    step = seen(wire.widget).controls[0]["step"]
    box = free(page, "x")
    expected = 2.0
    for key, change in (
        ("ArrowRight", 1),
        ("ArrowLeft", -1),
        ("Shift+ArrowRight", 10),
        ("PageUp", 10),
        ("PageDown", -10),
    ):
        box.press(key)
        wire.settle()
        expected += change * step
        assert wire.widget.point["x"] == pytest.approx(expected, rel=1e-12), key
    for key, end in (("Home", "min"), ("End", "max")):
        box.press(key)
        wire.settle()
        assert wire.widget.point["x"] == seen(wire.widget).controls[0][end]
    box.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')").startswith("h = x * y")


def test_enter_or_a_double_click_opens_a_field_and_escape_drops_it(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    field = page.locator(".al-typing input")
    free(page, "x").press("Enter")
    field.fill("7")
    field.press("Escape")
    expect(field).to_have_count(0)
    assert wire.received == [] and free(page, "x").evaluate("e => e === document.activeElement")
    free(page, "x").locator(".al-number-grip").dblclick()
    field.fill("7")
    field.press("Enter")
    wire.settle()
    assert wire.widget.point["x"] == 7 and number(page, wire, "h") == "21"


def test_the_upstream_gradient_is_changed_in_the_box_of_the_output(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    output = free(page, "upstream")
    assert output.get_attribute("role") == "slider" and output.get_attribute("aria-valuetext") == "1"
    output.press("Home")
    wire.settle()
    low = seen(wire.widget).controls[3]["min"]
    assert wire.widget.recording["x"].grad.values == 3 * low
    drag(page, output.locator(".al-number-grip"), 24)
    wire.settle()
    assert seen(wire.widget).controls[3]["value"] > low and wire.widget.recording["w"].value.values == 10


def test_a_cell_is_dragged_in_its_box_and_the_sentence_says_its_number(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    cell = node(page, wire, "W").locator(".al-value .al-cells rect").nth(6)
    cell.scroll_into_view_if_needed()
    drag(page, cell, 0, up=24, release=False)
    wire.settle()
    moved, control = wire.widget.point["W"][1, 2], seen(wire.widget).controls[1]
    expected = LAYER["W"][1, 2] + 24 / 240 * (control["max"] - control["min"])
    assert moved == pytest.approx(expected, abs=control["step"])
    assert page.locator(".al-sentence").text_content() == f"W[1, 2] = {moved:g}"
    assert page.evaluate("() => String(getSelection())") == ""  # no word of a box is marked as text
    page.mouse.up()
    wire.settle()
    assert np.count_nonzero(wire.widget.point["W"] != LAYER["W"]) == 1 and seen(wire.widget).selected is None
    cell.click()
    wire.settle()
    assert seen(wire.widget).selected == wire.widget.recording["W"].id


def test_a_box_opens_a_window_onto_its_array_and_takes_the_focus_back(page: Page, open_view: Open) -> None:
    wire = open_view(lambda A: (A * A).sum(), A=BIG)
    box = free(page, "A")
    box.press("Enter")
    window = page.get_by_role("dialog", name="A")
    assert window.locator(".al-cell").count() == 64 and window.get_by_role("img", name="All of A").count() == 1
    window.get_by_role("spinbutton", name="A[1, 1]", exact=True).press("ArrowUp")
    wire.settle()
    assert np.argwhere(wire.widget.point["A"] != BIG).tolist() == [[1, 1]]
    window.get_by_role("button", name="Draw A at random").click()
    wire.settle()
    assert np.count_nonzero(wire.widget.point["A"] != BIG) == BIG.size
    assert float(window.locator(".al-cell").first.get_attribute("title") or 0) == wire.widget.point["A"][0, 0]
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    assert box.evaluate("e => e === document.activeElement")


def test_inputs_can_be_pinned_above_the_graph(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    expect(page.locator(".al-inputs")).to_be_hidden()
    assert pinned(page).locator(".al-input").count() == 4  # with the upstream gradient
    menu(page).get_by_role("button", name="Pin inputs").click()
    expect(page.locator(".al-inputs")).to_be_hidden()
    wire.settle()


def test_the_menu_closes_with_escape_and_with_a_click_elsewhere(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    node(page, wire, "h").click()
    wire.settle()
    menu(page)
    page.keyboard.press("Escape")
    expect(page.locator(".al-menu-panel")).to_be_hidden()
    assert seen(wire.widget).selected is not None  # the first Escape is the menu's
    menu(page)
    page.locator(".al-function").click()
    expect(page.locator(".al-menu-panel")).to_be_hidden()


def test_the_sentence_says_what_can_be_done_and_then_what_is_looked_at(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    sentence = page.locator(".al-sentence")
    assert sentence.text_content() == autolab.views.draw.messages.say("rest", what="a blue number")
    node(page, wire, "x").click()
    wire.settle()
    assert sentence.text_content() == "If x grows by 0.01, w grows by about 0.03."
    page.get_by_role("slider", name="Step of the walk").press("Home")
    wire.settle()
    assert sentence.text_content() == seen(wire.widget).frame["spoken"]


def test_presenting_fills_the_screen_with_the_graph_the_player_and_the_sentence(page: Page, open_view: Open) -> None:
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    menu(page).get_by_role("button", name="Present").click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.al-present')")
    page.wait_for_function("""() => {
      const graph = document.querySelector('.al-graph').getBoundingClientRect();
      return graph.width * graph.height >= 0.85 * innerWidth * innerHeight;
    }""")
    laid_out(page)
    shown = "all => all.filter((e) => e.checkVisibility()).map((e) => e.className)"
    assert page.locator(".al-header, .al-side, .al-menu, .al-inputs").evaluate_all(shown) == []
    assert min(page.evaluate(LETTERS % "e.closest('svg') ? e.getScreenCTM().a : 1")) >= 19.9
    page.keyboard.press("Escape")
    expect(page.locator(".al-present")).to_have_count(0)
    expect(page.locator(".al-header")).to_be_visible()


def test_a_saved_page_has_no_handles_and_says_so(open_file: Callable[..., Page]) -> None:
    page = open_file(autolab.record(muladd, 2.0, 3.0, 4.0))
    assert page.locator(".al-free, .al-node[role=slider]").count() == 0
    assert page.locator(".al-sentence").text_content() == autolab.views.draw.messages.say("still")
    page.locator(".al-node").first.press("Enter")
    expect(page.locator(".al-sum")).to_have_text("3 through h")


def test_an_input_of_whole_numbers_moves_in_whole_steps(page: Page, open_view: Open) -> None:
    wire = open_view(lambda x, n: x * n, x=2.0, n=np.array(3))
    free(page, "n").press("ArrowRight")
    wire.settle()
    assert wire.widget.point["n"] == 4


def fan(x: Any) -> Any:
    return x * 2, x


def test_an_output_that_is_an_input_is_free_as_an_input(page: Page, open_view: Open) -> None:
    wire = open_view(fan, x=2.0)
    assert node(page, wire, "x").get_attribute("aria-valuetext") == "2"
    node(page, wire, "x").press("ArrowRight")
    wire.settle()
    assert wire.widget.point["x"] > 2


def alone(x: Any) -> Any:
    return autolab.Variable((x * 2).data)


@pytest.mark.parametrize(
    ("fn", "inputs", "rest", "what"),
    [
        (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}, "rest", "a blue number"),
        (muladd, {"x": np.ones(2), "y": 3.0, "z": 4.0}, "rest", "a blue number"),
        (muladd, {"x": np.ones(2), "y": np.ones(2), "z": np.ones(2)}, "rest", "a cell of an input up or down"),
        (alone, {"x": 1.0}, "rest_none", "a blue number"),
    ],
)
def test_the_sentence_at_rest_says_what_can_be_done(
    page: Page, open_view: Open, fn: Any, inputs: Any, rest: str, what: str
) -> None:
    open_view(fn, **inputs)
    say = autolab.views.draw.messages.say
    cells = [say("rest_point")] if any([np.ndim(x) for x in inputs.values()]) else []
    expect(page.locator(".al-sentence")).to_have_text(" ".join([say(rest, what=what), *cells]))
