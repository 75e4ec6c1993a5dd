"""The orders term by term in a real browser: formulas, graphs of terms, and curves with one point to drag."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.reached import KINDS
from playwright.sync_api import Locator, Page, expect

from autolab import Variable
from autolab import functions as F

from ..bare_page import Wire
from ..looking import seen, told

Open = Callable[..., Wire]

pytestmark = pytest.mark.browser


def cube(x: Variable) -> Variable:
    y = x**3
    return y


def wave(x: Variable) -> Variable:
    y = F.sin(x) * F.exp(-(x**2))
    return y


def squares(x: Variable, y: Variable) -> Variable:
    h = x * y
    w = h * h
    return w


def formulas(page: Page) -> list[str]:
    return page.locator(".al-order-formula").evaluate_all("all => all.map(f => f.getAttribute('aria-label'))")


def term(page: Page, order: int, text: str) -> Locator:
    """The box with a formula in the graph of an order."""
    return page.locator(".al-order").nth(order).locator(".al-term", has=page.locator(f"[aria-label='{text}']"))


def marked(page: Page) -> set[tuple[int, str]]:
    """The boxes that are marked together: their order and formula."""
    found = page.locator(".al-term.al-related").evaluate_all(
        "all => all.map(e => [[...document.querySelectorAll('.al-order')].indexOf(e.closest('.al-order')),"
        " e.querySelector('[role=math]').getAttribute('aria-label')])"
    )
    return {(order, text) for order, text in found}


def test_a_class_can_follow_a_cube_down_to_its_constant(page: Page, open_view: Open) -> None:
    wire = open_view(cube, x=2.0, options={"order": 4})
    assert formulas(page) == ["y = x³", "dy/dx = 3x²", "d²y/dx² = 6x", "d³y/dx³ = 6", "d⁴y/dx⁴ = 0"]
    shown = page.locator(".al-order-formula").nth(1)
    assert shown.locator("mfrac").count() == 1 and shown.locator("msup").count() == 1
    assert term(page, 2, "y′′ = 6x").locator(".al-term-value").text_content() == "12"
    expect(page.locator(".al-main")).to_be_hidden()
    page.get_by_role("button", name="As computed").click()
    expect(page.locator(".al-main")).to_be_visible()
    expect(page.locator(".al-terms")).to_be_hidden()
    page.get_by_role("button", name="As computed").click()
    assert wire.widget.recording.order == 0
    expect(page.locator(".al-terms")).to_be_visible()


def test_three_orders_stand_side_by_side_next_to_a_list_of_files(page: Page, open_view: Open) -> None:
    page.set_viewport_size({"width": 850, "height": 800})
    open_view(cube, x=2.0, options={"order": 2})
    tops = page.locator(".al-order").evaluate_all("all => all.map((order) => order.getBoundingClientRect().top)")
    assert len(tops) == 3 and len(set(tops)) == 1


def test_the_users_names_stand_in_the_formulas_and_other_inputs_can_be_moved(page: Page, open_view: Open) -> None:
    wire = open_view(squares, x=3.0, y=2.0, options={"order": 2})
    assert formulas(page) == ["w = h²", "dw/dx = 2y h", "d²w/dx² = 2y²"]
    assert term(page, 1, "h = x y").locator(".al-term-value").text_content() == "6"
    box = page.locator(".al-terms .al-controls").get_by_role("textbox", name="y")
    box.fill("5")
    box.press("Enter")
    wire.settle()
    assert term(page, 2, "w′′ = 2y²").locator(".al-term-value").text_content() == "50"
    assert formulas(page)[1] == "dw/dx = 2y h"
    plots = page.locator(".al-order .al-plot")
    assert plots.nth(0).get_attribute("aria-valuetext") == "x = 3, w(3) = 225, w′(3) = 150, w″(3) = 50"


def test_one_point_on_all_curves_moves_the_input(page: Page, open_view: Open) -> None:
    wire = open_view(cube, x=2.0, options={"order": 2})
    plots = page.locator(".al-order .al-plot")
    assert plots.count() == 3
    place = plots.nth(1).bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + place["width"] * 0.7, place["y"] + 30)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.8, place["y"] + 30)
    page.mouse.up()
    wire.settle()
    assert {message["do"] for message in wire.received} == {"move"} and wire.received[-1]["final"] is True
    x = wire.widget.point["x"].item()
    assert x == wire.received[-1]["value"] != 2.0
    assert float(plots.nth(0).get_attribute("aria-valuenow") or 0) == pytest.approx(x)
    spots = page.locator(".al-order .al-spot").evaluate_all("all => all.map(s => s.getBoundingClientRect().x)")
    lines = page.locator(".al-order .al-here").evaluate_all("all => all.map(s => s.getBoundingClientRect().x)")
    assert np.abs(np.subtract(spots, lines)).max() < 12  # each on the vertical line at x
    plots.nth(0).focus()
    page.keyboard.press("Home")
    wire.settle()
    assert wire.widget.point["x"].item() == told(wire.widget, "free")["controls"][0]["min"]


def test_a_term_is_marked_with_what_it_came_from_and_what_became_of_it(page: Page, open_view: Open) -> None:
    open_view(wave, x=0.7, options={"order": 2})
    expect(page.locator(".al-sentence")).to_contain_text("Point at a term")
    term(page, 1, "e^(−x²) · cos x").hover()
    assert marked(page) == {
        (0, "y = sin x · e^(−x²)"),
        (1, "e^(−x²) · cos x"),
        (2, "−3 sin x · e^(−x²)"),
        (2, "−4x e^(−x²) · cos x"),
    }
    expect(page.locator(".al-sentence")).to_have_text(
        "e^(−x²) · cos x came from sin x · e^(−x²), where sin x was differentiated."
    )
    lit = page.locator(".al-order-formula .al-related")
    assert lit.count() == 4  # the same terms in the formulas
    lit.first.hover()
    assert (1, "−2x sin x · e^(−x²)") in marked(page)  # all of y' came from the only term of y
    page.locator(".al-function").hover()
    expect(page.locator(".al-related")).to_have_count(0)
    page.locator(".al-term").first.focus()
    assert {text for _, text in marked(page)} == {"x"}
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert {order for order, _ in marked(page)} == {0, 1, 2}
    assert page.locator(".al-term[tabindex='0']").count() == 3  # one of each graph is reached with the Tab key


def test_equal_factors_stand_at_equal_places(page: Page, open_view: Open) -> None:
    open_view(wave, x=0.7, options={"order": 2})
    for text in ("sin x", "e^(−x²)", "cos x"):
        lefts = {
            term(page, k, text).evaluate("e => e.style.left + e.style.top") for k in range(bool(text == "cos x"), 3)
        }
        assert len(lefts) == 1


MEASURED = """() => {
  const rect = (e) => e.getBoundingClientRect();
  const across = (a, b, by) => a.left >= b.left - by && a.right <= b.right + by;
  const inside = (a, b) => across(a, b, 1) && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const [boxes, panes, formulas] = [".al-term", ".al-term-pane", ".al-order-formula math, .al-plot"].map(
    (s) => [...document.querySelectorAll(s)]);
  const told = (all) => all.map((e) => e.getAttribute("aria-label") ?? e.className);
  return {
    wide: document.documentElement.scrollWidth,
    count: boxes.length,
    scrolls: panes.filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).length,
    spills: told(
      boxes.filter((e) => [...e.querySelectorAll("math, .al-term-value")].some((m) => !inside(rect(m), rect(e))))),
    cut: told(boxes.filter((e) => !inside(rect(e), rect(e.closest(".al-term-pane"))))),
    out: formulas.filter((e) => !across(rect(e), { left: 0, right: innerWidth }, 0)).length,
    meet: told(
      boxes.filter((a) => boxes.some((b) => b !== a && a.parentNode === b.parentNode && meet(rect(a), rect(b))))),
    overlap: told(boxes.filter((e) => rect(e.querySelector("math")).bottom > rect(e.lastChild).bottom - 8)),
  };
}"""


def many_terms(x: Variable) -> Variable:
    y = x**2 * F.log(x) / (1 + x**2)
    return y


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("fn", "at", "order"), [(wave, 0.7, 2), (wave, 0.7, 4), (squares, 3.0, 2), (many_terms, 1.5, 2)]
)
def test_nothing_is_cropped(
    new_page: Callable[..., Page], explorer: Any, fn: Any, at: float, order: int, theme: str
) -> None:
    page = new_page(viewport={"width": 1280, "height": 800})
    page.evaluate("theme => (document.body.dataset.jpThemeLight = String(theme === 'light'))", theme)
    inputs = {"x": at, **({"y": 2.0} if fn is squares else {})}
    Wire(explorer(fn, options={"order": order}, **inputs)).connect(page)
    found = page.evaluate(MEASURED)
    assert found.pop("wide") <= 1280 and found.pop("count") > 3 * order
    assert found == {"scrolls": 0, "spills": [], "cut": [], "out": 0, "meet": [], "overlap": []}


def test_the_walk_is_over_what_was_computed(page: Page, open_view: Open) -> None:
    wire = open_view(cube, x=2.0, options={"order": 1})
    page.get_by_role("button", name="One step on").click()
    wire.settle()
    expect(page.locator(".al-main")).to_be_visible()
    expect(page.locator(".al-terms")).to_be_hidden()


def test_a_slow_function_has_no_curves_and_a_long_one_no_formulas(explorer: Any) -> None:
    runs: list[Variable] = []

    def slow(x: Variable) -> Variable:
        runs.append(x)
        time.sleep(0.05)
        return F.exp(x) if float(x.data) > -9 else x  # every point has to be computed on its own

    def long(x: Variable) -> Variable:
        for _ in range(60):
            x = F.sin(x) * x
        return x

    view = explorer(slow, x=2.0, options={"order": 1})
    (terms,) = seen(view).all("terms")
    assert terms["panels"][1]["formula"]["text"] == "dslow/dx = e^x" and view._answer(["curves"])[1] is None
    assert len(runs) < 100
    terms = seen(explorer(long, x=2.0, options={"order": 1})).all("terms")[0]
    assert terms["panels"] == [] and terms["note"].startswith("This program has no readable formulas")


def test_curves_are_sampled_again_only_when_something_else_changes(explorer: Any) -> None:
    def product(x: Variable, y: Variable) -> Variable:
        calls.append(x.size)
        return x * x * y

    calls: list[int] = []
    view = explorer(product, x=2.0, y=3.0, options={"order": 1})
    first, count = view._answer(["curves"])[1]["panels"], len(calls)
    assert max(calls) > 100  # all points at once
    view._on_message(view, {"do": "move", "key": "x", "index": None, "value": 1.5, "final": True, "seq": 1}, [])
    assert view._answer(["curves"])[1]["panels"] == first
    assert max(calls[count:]) == 1  # at the point itself, and at one beside it: does it give what it gave there?
    view._on_message(view, {"do": "move", "key": "y", "index": None, "value": 1.0, "final": True, "seq": 2}, [])
    assert (
        view._answer(["curves"])[1]["panels"] != first
        and view._answer(["curves"])[1]["moving"]["values"][1]["text"] == "3"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_curves_are_those_of_the_function_as_it_is_now(explorer: Any, kind: str) -> None:
    fn, change, _ = KINDS[kind]()
    view = explorer(fn, x=1.0, options={"order": 1})
    first = view._answer(["curves"])[1]["panels"]
    change()
    view._on_message(view, {"do": "move", "key": "x", "index": None, "value": 1.5, "final": True, "seq": 1}, [])
    fresh = explorer(fn, x=1.0, options={"order": 1})._answer(["curves"])[1]["panels"]
    assert view._answer(["curves"])[1]["panels"] == fresh != first


def test_a_saved_page_shows_the_terms_and_what_they_came_from(explorer: Any, open_file: Callable[..., Page]) -> None:
    page = open_file(explorer(wave, x=0.7, options={"order": 1}))
    assert formulas(page) == ["y = sin x · e^(−x²)", "dy/dx = e^(−x²) · cos x − 2x sin x · e^(−x²)"]
    term(page, 1, "e^(−x²) · cos x").hover()
    assert len(marked(page)) == 2
    assert page.locator(".al-figure").evaluate_all("all => all.map(f => f.inert)") == [True, True]
    page.get_by_role("button", name="As computed").click()
    expect(page.locator(".al-higher .al-graph")).to_be_visible()


def test_on_a_narrow_page_the_orders_stand_below_each_other(new_page: Callable[..., Page], explorer: Any) -> None:
    page = new_page(viewport={"width": 390, "height": 800})
    Wire(explorer(wave, x=0.7, options={"order": 2})).connect(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    tops = page.locator(".al-order").evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    assert tops == sorted(set(tops)) and len(tops) == 3
