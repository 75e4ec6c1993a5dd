"""Walking forward and backward in a real browser: each step shows what the arrays say, and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from autolab import Variable, export_html, record
from autolab.views.draw.arrays import text_of
from autolab.views.draw.colors import paint
from autolab.views.draw.messages import say
from autolab.views.graph.playback import Playback

from ..bare_page import Wire, menu, node, number, type_number
from ..graph.test_page_look import DARK, MISPLACED, OVERLAPPING
from ..live.test_page_link import flush
from ..looking import looks, seen
from ..programs import LAYER, layer, muladd

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def reused(x: Variable) -> Variable:
    y = x * x + x
    return y


def scrubber(page: Page) -> Locator:
    return page.get_by_role("slider", name="Step of the walk")


def go(page: Page, wire: Wire, k: int) -> None:
    scrubber(page).evaluate("(e, k) => { e.value = k; e.dispatchEvent(new Event('input')); }", k)
    wire.settle()


def press(page: Page, wire: Wire, name: str) -> None:
    place = menu(page) if name in ("To the first step", "Show every step") else page.locator(".al-foot")
    place.get_by_role("button", name=name, exact=True).click()
    wire.settle()


def results(page: Page) -> list[str]:
    return page.locator(".al-sheet .al-result").all_text_contents()


def test_each_step_shows_what_is_known_and_nothing_before_its_time(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    recording = wire.widget.recording
    walk = Playback(recording)
    press(page, wire, "To the first step")
    for k, moment in enumerate(walk.moments):
        for step in recording.steps:
            arrived = [a for a in walk.arrivals[step.id] if a.moment <= k]
            value = text_of(step.value) if step.id <= moment.upto else say("not_yet")
            gradient = text_of(step.grad) if arrived else say("not_yet") if k >= walk.start else ""
            shown = number(page, wire, step.name), number(page, wire, step.name, "gradient")
            assert shown == (value, gradient), (k, step.name)
            label = node(page, wire, step.name).get_attribute("aria-label") or ""
            assert ("gradient " + text_of(step.grad) in label) == bool(arrived)
        press(page, wire, "One step on")
    assert number(page, wire, "y", "gradient") == "2"  # it rests, and everything is shown
    expect(page.locator(".al-sheet")).to_be_hidden()


def test_a_backward_step_has_its_rule_and_its_numbers(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    go(page, wire, 6)
    sheet = page.locator(".al-sheet")
    assert page.locator(".al-event").text_content() == "h sends its share to x"
    assert sheet.locator(".al-formula").get_attribute("aria-label") == "∂w/∂x = ∂w/∂h · ∂h/∂x; 3 = 1 · 3"
    rows = sheet.locator(".al-formula mtr")
    assert [row.locator("mtd").all_text_contents() for row in rows.all()] == [
        ["∂w∂x", "=", "∂w∂h", "·", "∂h∂x"],
        ["3", "=", "1", "·", "3"],
    ]
    assert sheet.locator(".al-formula mfrac").count() == 3
    assert results(page) == ["1", "3", "3"]
    assert sheet.locator(".al-rule").inner_text().split("\n") == [
        "gradient of x = upstream × y",
        "rule of mul for a: g * b",
        "1 × 3 = 3",
    ]
    assert page.locator(".al-back").count() == 1
    assert set(page.locator(".al-active").evaluate_all("all => all.map(e => e.dataset.id)")) == {"0", "3"}
    type_number(page, "y", "7")
    wire.settle()
    assert results(page) == ["1", "7", "7"]  # it follows the input
    assert number(page, wire, "x", "gradient") == "7" and number(page, wire, "y", "gradient") == say("not_yet")


def test_the_shares_of_a_reused_value_are_added_before_the_eyes(page: Page, open_view: Open) -> None:
    wire = open_view(reused, x=3.0)
    seen = []
    for k in (5, 6, 7):
        go(page, wire, k)
        caption = node(page, wire, "x").locator(".al-gradient .al-small").first.text_content()
        back = page.locator(".al-edge").evaluate_all("all => all.map(e => e.classList.contains('al-back'))")
        seen.append((number(page, wire, "x", "gradient"), caption, results(page), back.index(True), sum(back)))
    assert [s[:3] for s in seen] == [
        ("1", "1 of 3 shares", ["1", "1", "1"]),
        ("4", "2 of 3 shares", ["1", "3", "3", "1", "4"]),
        ("7", "gradient", ["1", "3", "3", "4", "7"]),
    ]
    assert len({s[3] for s in seen}) == 3 and all(s[4] == 1 for s in seen)  # a different edge each time


def canvases(page: Page) -> list[np.ndarray]:
    data = page.locator(".al-sheet .al-canvas").evaluate_all(
        "all => all.map(c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data, c.height, c.width])"
    )
    return [np.array(d[:-2], np.uint8).reshape(d[-2], d[-1], 4)[..., :3].astype(int) for d in data]


def bias(wire: Wire) -> int:
    """The moment at which the bias of the layer gets its gradient."""
    walk = Playback(wire.widget.recording)
    return walk.arrivals[wire.widget.recording["b"].id][0].moment


def test_arrays_have_the_colours_and_the_numbers_of_the_recording(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    go(page, wire, bias(wire))
    a = LAYER["x"] @ LAYER["W"]
    h = np.tanh(a + LAYER["b"])
    product = 2 * h * (1 - h * h)
    expected = [product, np.ones_like(product), product, product.sum(axis=0, keepdims=True)]
    for shown, array in zip(canvases(page), expected, strict=True):
        assert np.abs(shown - paint(array / np.abs(array).max(), "light").astype(int)).max() <= 3
    assert page.locator(".al-sheet .al-shape").all_text_contents() == ["(2, 4)", "(2, 4)", "(2, 4)", "(4,)"]
    assert say("reduced_why", name="b", small="(4,)", large="(2, 4)") in page.locator(".al-sheet").inner_text()


def test_a_chosen_cell_is_followed_by_mouse_and_by_keyboard(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    go(page, wire, bias(wire))
    canvas = page.locator(".al-sheet .al-canvas").nth(2)
    box = canvas.bounding_box()
    assert box
    canvas.click(position={"x": box["width"] * 2.5 / 4, "y": box["height"] * 1.5 / 2})
    wire.settle()
    filled = page.locator(".al-sheet .al-filled")
    gradient = wire.widget.recording["b"].grad.values
    assert filled.all_text_contents()[0].startswith("[1, 2]: ")
    assert filled.all_text_contents()[1].startswith("b[2]: ")
    assert filled.all_text_contents()[1].endswith(f"= {text_of_number(gradient[2])}")
    canvas = page.locator(".al-sheet .al-canvas").nth(2)
    canvas.focus()
    page.keyboard.press("ArrowLeft")
    wire.settle()
    page.keyboard.press("ArrowUp")
    wire.settle()
    assert filled.all_text_contents()[0].startswith("[0, 1]: ")
    assert filled.all_text_contents()[1].endswith(f"= {text_of_number(gradient[1])}")
    assert page.evaluate("() => document.activeElement.tagName") == "CANVAS"
    for keys, place in ((("ArrowLeft",), "[0, 0]"), (("ArrowDown", *["ArrowRight"] * 3), "[1, 3]")):
        for key in keys:
            page.keyboard.press(key)
            wire.settle()
        count = len(wire.received)
        for key in ("ArrowUp", "ArrowLeft") if place == "[0, 0]" else ("ArrowDown", "ArrowRight"):
            page.keyboard.press(key)  # there is nothing beyond
            wire.settle()
        assert len(wire.received) == count and filled.all_text_contents()[0].startswith(f"{place}: ")
    go(page, wire, 3)
    count = len(wire.received)
    page.locator(".al-sheet .al-canvas").first.click()  # an array of which no cell can be followed
    wire.settle()
    assert len(wire.received) == count


def text_of_number(value: Any) -> str:
    from autolab.views.draw.numbers import number as shown

    return shown(value)


def test_play_goes_to_the_end_and_pause_stops(page: Page, open_view: Open) -> None:
    wire = open_view(reused, x=3.0)
    menu(page).get_by_label("Pace").select_option("fast")
    press(page, wire, "Play")
    assert seen(wire.widget).frame["k"] == 0
    paused = None
    for _ in range(300):
        page.wait_for_timeout(20)
        wire.settle()
        k = seen(wire.widget).frame.get("k")
        if k is None:
            break
        if paused is None and k >= 3:  # a busy machine may be late
            press(page, wire, "Pause")
            paused = seen(wire.widget).frame["k"]
            page.wait_for_timeout(700)
            wire.settle()
            assert seen(wire.widget).frame["k"] == paused
            press(page, wire, "Play")
    went = [8 if m["look"]["moment"] is None else m["look"]["moment"] for m in wire.received]
    assert paused is not None and went == sorted({*went}) and {0, 8} <= {*went} <= {*range(9)}
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_the_keyboard_does_everything(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slider = scrubber(page)
    slider.focus()
    page.keyboard.press("Home")
    wire.settle()
    assert seen(wire.widget).frame["k"] == 0
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        wire.settle()
    page.keyboard.press("ArrowLeft")
    wire.settle()
    assert seen(wire.widget).frame["k"] == 3
    assert slider.get_attribute("aria-valuetext") == "Backward, step 1 of 5: " + say("walk_starts")
    assert page.locator(".al-root").inner_text().count("Backward, step 1 of 5") == 1
    assert page.locator("[aria-live]").text_content() == say("spoken_start", name="w", value="1")
    page.keyboard.press(" ")
    wire.settle()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press(" ")
    page.keyboard.press("End")
    wire.settle()
    assert seen(wire.widget).frame == {}


def test_scrubbing_sends_the_first_and_the_last_place_only(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    scrubber(page).evaluate(
        "e => { for (const k of [0, 1, 2, 3, 4, 5]) { e.value = k; e.dispatchEvent(new Event('input')); } }"
    )
    flush(wire)
    wire.step()
    assert scrubber(page).input_value() == "5"  # the hand is ahead
    wire.settle()
    assert [m["look"]["moment"] for m in wire.received] == [0, 5]
    assert scrubber(page).input_value() == "5"


def test_what_is_played_does_not_go_on_after_a_pause_in_the_middle_of_an_answer(page: Page, open_view: Open) -> None:
    page.clock.install()
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    for name in ("Play", "Pause"):
        page.get_by_role("button", name=name, exact=True).click()
    wire.settle()
    page.clock.run_for(20_000)
    wire.settle()
    assert [m["look"]["moment"] for m in wire.received] == [0]


def test_choosing_a_node_while_walking_goes_to_its_step(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    go(page, wire, 0)
    node(page, wire, "h").click()
    wire.settle()
    assert (seen(wire.widget).frame["k"], page.locator(".al-event").text_content()) == (1, "h = x * y")
    go(page, wire, 4)
    node(page, wire, "h").click()
    wire.settle()
    assert seen(wire.widget).frame["k"] == 6


def lined(page: Page) -> list[str]:
    return page.locator(".al-source-line.al-lined code").all_text_contents()


def test_nodes_and_lines_mark_each_other(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    node(page, wire, "h").hover()
    assert lined(page) == ["    h = x * y"]
    page.locator(".al-function").hover()
    assert lined(page) == []
    node(page, wire, "w").focus()
    assert lined(page) == ["    w = h + z"]

    def marked() -> set[int]:
        return {int(i) for i in page.locator(".al-node.al-lined").evaluate_all("all => all.map(e => e.dataset.id)")}

    line = page.get_by_role("button", name="h = x * y").and_(page.locator(".al-source-line"))
    line.hover()
    assert marked() == {wire.widget.recording["h"].id}
    page.locator(".al-source-line").first.focus()
    assert marked() == {0, 1, 2}
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert marked() == {wire.widget.recording["w"].id}
    page.keyboard.press("Enter")
    wire.settle()
    assert seen(wire.widget).selected == wire.widget.recording["w"].id
    node(page, wire, "h").click()
    wire.settle()
    assert page.locator(".al-now code").all_text_contents() == ["    h = x * y"]  # the selected node's
    go(page, wire, 4)
    assert page.locator(".al-now code").all_text_contents() == ["    w = h + z"]
    go(page, wire, 6)
    assert page.locator(".al-now code").all_text_contents() == ["    h = x * y"]
    numbers = page.locator(".al-line-number").all_text_contents()
    assert int(numbers[0]) == wire.widget.recording.first_line and len(numbers) == 4


def long(x: Variable) -> Variable:
    a = x * 2
    # This function is longer than its listing is high, so that its first
    # step is out of sight while its last one is chosen.
    #
    #
    #
    #
    #
    #
    #
    #
    #
    #
    #
    #
    #
    return a + 1


def test_the_line_of_a_node_is_scrolled_to_in_a_long_listing(page: Page, open_view: Open) -> None:
    wire = open_view(long, x=2.0)
    seen = """() => {
      const place = what => document.querySelector(what)?.getBoundingClientRect();
      const [line, box] = [place('.al-lined'), place('.al-source')];
      return Boolean(line) && line.top >= box.top - 1 && line.bottom <= box.bottom + 1;
    }"""
    source = page.locator(".al-source")
    page.locator(".al-node.al-output").click()
    wire.settle()
    assert source.evaluate("e => e.scrollTop") > 0  # the last line is chosen
    before = page.evaluate("scrollY")
    node(page, wire, "a").hover()
    assert lined(page) == ["    a = x * 2"]
    page.wait_for_function(seen)
    assert page.evaluate("scrollY") == before


@pytest.mark.parametrize(("motion", "moving"), [("no-preference", True), ("reduce", False)])
def test_reduced_motion_is_respected(
    new_page: Callable[..., Page], explorer: Callable[..., Any], motion: str, moving: bool
) -> None:
    page = new_page(reduced_motion=motion)
    wire = Wire(explorer(muladd, x=2.0, y=3.0, z=4.0))
    wire.connect(page)
    go(page, wire, 6)
    animations = page.evaluate("() => document.getAnimations().filter(a => a.playState === 'running').length")
    assert bool(animations) == moving
    assert page.locator(".al-back").count() == 1


# A long calculation scrolls inside its panel: here all of it stands on the page.
UNROLLED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.al-view *:not(.al-pane) { max-height: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""


@pytest.mark.parametrize("width", [1280, 960, 700, 480])
def test_no_step_overlaps_or_is_cut_off(
    new_page: Callable[..., Page], explorer: Callable[..., Any], width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    wire = Wire(explorer(layer, **LAYER))
    wire.connect(page)
    page.evaluate(DARK)
    page.evaluate(UNROLLED)
    parts = "'.al-header > *,"
    overlapping = OVERLAPPING.replace(parts, parts + " .al-player > *, .al-listing, .al-sheet-body > *, .al-lines > *,")
    assert overlapping != OVERLAPPING
    for k in range(0, seen(wire.widget).plan["count"], 2):
        go(page, wire, k)
        assert page.evaluate(MISPLACED) == []
        assert page.evaluate(overlapping) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_two_views_walk_together_and_a_closed_one_stops(page: Page, open_view: Open) -> None:
    wire = open_view(reused, views=2, x=3.0)
    menu(page).get_by_role("button", name="To the first step").first.click()
    wire.settle()
    assert page.locator(".al-event").all_text_contents() == [say("walk_given")] * 2
    page.get_by_role("button", name="Play", exact=True).first.click()
    wire.settle()
    page.evaluate("() => host.removeView(0)")
    wire.settle()  # on a busy machine it has gone on before it was removed
    here = seen(wire.widget).frame["k"]
    page.wait_for_timeout(1700)
    wire.settle()
    assert seen(wire.widget).frame["k"] == here


def twice(v: Variable) -> Variable:
    doubled = v * v
    return doubled


def nested(x: Variable) -> Variable:
    h = twice(x)
    y = h * 3.0 + h
    return y


def test_a_closed_group_shows_the_numbers_of_its_result_in_their_time(page: Page, open_view: Open) -> None:
    wire = open_view(nested, x=2.0)
    looks(wire.widget, open={"0": []})
    wire.settle()
    group = next(
        n["id"] for n in seen(wire.widget).scene["nodes"] if n["id"] not in range(len(wire.widget.recording.steps))
    )

    def shown() -> tuple[str, str]:
        box = page.locator(f".al-node[data-id='{group}']")
        return tuple((box.locator(f".al-{which} .al-number").text_content() or "") for which in ("value", "gradient"))

    walk = Playback(wire.widget.recording)
    first, last = [arrival.moment for arrival in walk.arrivals[wire.widget.recording["doubled"].id]]
    found = []
    for k in (0, 1, walk.start, first, last):
        go(page, wire, k)
        found.append(shown())
    not_yet = say("not_yet")
    assert found == [(not_yet, ""), ("4", ""), ("4", not_yet), ("4", "1"), ("4", "4")]
    assert page.locator(".al-back").count() == 1


def test_a_saved_page_can_be_walked_without_a_kernel(browser: Any, tmp_path: Any) -> None:
    path = tmp_path / "reused.html"
    export_html(record(reused, x=3.0), path)
    page = browser.new_page()
    page.goto(path.as_uri())
    seen = []
    menu(page).get_by_role("button", name="To the first step").click()
    for _ in range(8):
        seen.append((page.locator(".al-event").text_content(), results(page)))
        page.get_by_role("button", name="One step on").click()
    assert seen[1] == ("x * x", ["3", "3", "9"])
    assert seen[7] == ("x * x sends its share to x", ["1", "3", "3", "4", "7"])
    expect(page.locator(".al-sheet")).to_be_hidden()
    page.close()
