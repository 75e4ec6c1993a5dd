"""The live view in a real browser: what it paints, and that it follows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from autolab import Variable
from autolab.views.draw.colors import STOPS, THEMES, paint, tone, view_tone
from autolab.views.draw.heatmap_data import Sample
from autolab.views.draw.messages import say
from autolab.views.graph.readings import readings, view_scales

from ..bare_page import Wire, free, menu, node, number, pinned, type_number
from ..looking import INK, looks, seen
from ..programs import LAYER, branching, layer, muladd

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


def slide(page: Page, name: str, value: float, event: str = "input") -> None:
    """Put a slider somewhere, as a drag does at each of its steps."""
    slider = pinned(page).get_by_role("slider", name=name)
    slider.evaluate("(e, [v, kind]) => { e.value = v; e.dispatchEvent(new Event(kind)); }", [str(value), event])


def test_the_first_paint_shows_every_number(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    shown = {n: (number(page, wire, n), number(page, wire, n, "gradient")) for n in ("x", "y", "z", "h", "w")}
    assert shown == {"x": ("2", "3"), "y": ("3", "2"), "z": ("4", "1"), "h": ("6", "1"), "w": ("10", "1")}
    assert page.locator(".al-function").text_content() == "muladd(x, y, z)"
    assert page.locator(".al-edge").count() == 4


def test_numbers_that_can_be_changed_are_blue(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    fill = "e => getComputedStyle(e).fill.match(/\\d+/g).map(Number)"
    colours = {n: node(page, wire, n).locator(".al-value .al-number").evaluate(fill) for n in ("x", "h")}
    free = THEMES["light"]["free"]
    assert colours["x"] == [int(free[k : k + 2], 16) for k in (1, 3, 5)] != colours["h"]


def test_strips_have_the_colours_of_the_arrays(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    scale = view_tone(view_scales(wire.widget.recording).value)
    expected = paint(scale.fractions(LAYER["W"]), "light").reshape(-1, 3)
    fills = (
        node(page, wire, "W")
        .locator(".al-value .al-cells rect")
        .evaluate_all("all => all.map(e => e.attributes.fill.value)")
    )
    found = np.array([[int(v) for v in fill[4:-1].split()] for fill in fills])
    assert np.abs(found - expected).max() <= 2


def test_below_cells_stand_the_shape_and_what_is_not_finite(page: Page, open_view: Open) -> None:
    values = np.arange(28.0).reshape(4, 7)  # smaller ones have numbers in their cells, and their shape above
    wire = open_view(lambda A, B: A * B, A=values, B=np.where(values == 7, np.nan, values))
    lines = [node(page, wire, name).locator(".al-value .al-small").last.text_content() for name in "AB"]
    assert lines == ["(4, 7)", "(4, 7), 1 NaN"]


def test_a_drag_changes_values_and_gradients_in_the_page_and_in_python(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    box = free(page, "x").locator(".al-rail").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    page.mouse.down()
    for k in range(6):
        page.mouse.move(box["x"] + box["width"] * (0.7 + 0.04 * k), box["y"] + box["height"] / 2)
        wire.settle()
    page.mouse.up()
    wire.settle()
    x = float(wire.widget.point["x"])
    assert 3.5 < x < 5
    assert wire.widget.recording["w"].value.values == x * 3 + 4
    expected = readings(wire.widget.recording)["nodes"]
    assert number(page, wire, "w") == expected[str(wire.widget.recording["w"].id)]["value"]
    assert number(page, wire, "y", "gradient") == expected[str(wire.widget.recording["y"].id)]["grad"]
    assert [m["final"] for m in wire.received][-1] is True
    menu(page).get_by_role("button", name="Undo").click()
    wire.settle()
    assert wire.widget.point["x"] == 2
    expect(menu(page).get_by_role("button", name="Undo")).to_be_disabled()


def test_what_changed_is_marked_for_a_moment(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slide(page, "z", 5)
    wire.settle()
    marked = {int(e) for e in page.locator(".al-changed").evaluate_all("all => all.map(e => e.dataset.id)")}
    assert marked == {wire.widget.recording[name].id for name in ("z", "w")}
    expect(page.locator(".al-changed")).to_have_count(0)
    page.evaluate("() => { document.body.dataset.jpThemeLight = 'false'; }")
    wire.settle()
    assert page.locator(".al-changed").count() == 0  # another theme is no move


def test_another_structure_is_drawn_anew(page: Page, open_view: Open) -> None:
    wire = open_view(branching, x=1.0)
    slide(page, "x", -1)
    wire.settle()
    assert page.locator(".al-node").count() == 3
    assert number(page, wire, "h") == "0.368"


def test_a_click_shows_the_step_with_its_rule_in_numbers(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    node(page, wire, "h").click()
    wire.settle()
    assert seen(wire.widget).selected == wire.widget.recording["h"].id
    assert page.locator(".al-title").text_content() == "h = x * y"
    assert texts(page, ".al-big") == ["6", "1"]
    assert texts(page, ".al-comes ~ div .al-rule > div:first-child") == [
        "gradient of x = upstream × y",
        "gradient of y = upstream × x",
    ]
    assert texts(page, ".al-comes ~ div .al-filled") == ["1 × 3 = 3", "1 × 2 = 2"]
    assert "programs.py, line" in page.locator(".al-detail").inner_text()
    assert page.locator(".al-detail .al-code").text_content() == "h = x * y"
    assert node(page, wire, "h").get_attribute("aria-pressed") == "true"
    slide(page, "x", 3)
    wire.settle()
    assert texts(page, ".al-big") == ["9", "1"]
    assert texts(page, ".al-comes ~ div .al-filled") == ["1 × 3 = 3", "1 × 3 = 3"]


def test_arrow_keys_walk_and_enter_selects(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)

    def focused() -> str:
        return page.evaluate("() => document.activeElement.getAttribute('aria-label')")

    node(page, wire, "w").focus()
    page.keyboard.press("ArrowUp")
    assert focused().startswith("h = x * y")
    page.keyboard.press("ArrowRight")
    assert focused().startswith("z")
    page.keyboard.press("ArrowDown")  # to the sides, the keys move z itself
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert focused()[0] in "xy"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wire.settle()
    assert seen(wire.widget).selected == wire.widget.recording["h"].id
    assert focused().startswith("h = x * y, value 6, gradient 1")
    assert page.locator(".al-node[tabindex='0']").count() == 5  # of so few, the Tab key reaches each


def pixels(page: Page, k: int) -> np.ndarray:
    canvas = page.locator(".al-canvas").nth(k)
    data = canvas.evaluate("c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data, c.height, c.width]")
    return np.array(data[:-2], np.uint8).reshape(data[-2], data[-1], 4)


@pytest.mark.parametrize("shape", [(2, 3), (40, 60)])
def test_heatmaps_have_a_pixel_per_element_in_the_colours_of_the_palette(
    page: Page, open_view: Open, shape: tuple[int, int]
) -> None:
    values = np.random.default_rng(0).normal(size=shape)
    wire = open_view(lambda A: A * A * A, A=values)
    page.locator(".al-node").first.click()
    wire.settle()
    for k, array in enumerate((values, 3 * values**2)):
        found = pixels(page, k)
        assert (found[..., 3] == 255).all()
        expected = paint(view_tone(view_scales(wire.widget.recording)[k]).fractions(array), "light").astype(int)
        # 255 steps of colour: neighbours differ by less than this
        assert np.abs(found[..., :3] - expected).max() <= 3


@pytest.mark.parametrize("end", [2.0, 1e-45])  # the second is 1.4e-45 in float32
def test_extremes_and_zero_have_exactly_the_palettes_stops(page: Page, open_view: Open, end: float) -> None:
    wire = open_view(lambda A: A + 0, A=np.array([-end, 0.0, end]))
    page.locator(".al-node").first.click()
    wire.settle()
    page.locator(".al-detail").get_by_label("Linear").check()
    wire.settle()
    found = ["#" + bytes(p[:3]).hex() for p in pixels(page, 0)[0]]
    assert found == [STOPS["light"][0], STOPS["light"][5], STOPS["light"][-1]]


def test_colours_follow_the_powers_of_ten_where_that_is_chosen(page: Page, open_view: Open) -> None:
    values = np.array([[1e-5, -1e-3, 0.5], [1.0, -10.0, 100.0]])
    wire = open_view(lambda A: A * A, A=values)
    page.locator(".al-node").first.click()
    wire.settle()
    page.locator(".al-detail").get_by_label("Symmetric log").check()
    wire.settle()
    assert seen(wire.widget).look["arrays"] == {"show": "both", "scale": "symlog"}
    expected = paint(tone(100.0, 3).fractions(values), "light").astype(int)
    assert np.abs(pixels(page, 0)[..., :3] - expected).max() <= 3
    legend = page.locator(".al-readout-value .al-heat-legend")
    assert legend.locator("text").all_text_contents() == ["−100", "−0.1", "0", "0.1", "100"]
    page.locator(".al-node").nth(1).click()  # the choice stays
    wire.settle()
    assert page.locator(".al-detail").get_by_label("Symmetric log").is_checked()


def test_a_histogram_counts_every_element(page: Page, open_view: Open) -> None:
    values = np.random.default_rng(0).normal(size=(300, 400))  # more than there are cells
    wire = open_view(lambda A: A + 0, A=values)
    page.locator(".al-node").first.click()
    wire.settle()
    for scale, decades in (("Linear", None), ("Symmetric log", 3)):
        page.locator(".al-detail").get_by_label(scale).check()
        wire.settle()
        bars = page.locator(".al-readout-value .al-heat-count")
        counts = Sample(values.ravel(), 1).counts(tone(float(np.abs(values).max()), decades))
        assert [int(text) for text in bars.locator("title").all_text_contents()] == [n for n in counts if n]
        assert sum(counts) == values.size
        widths = bars.evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
        assert np.argmax(widths) == np.argmax([n for n in counts if n])
    assert say("heat_counts_blocks") not in page.locator(".al-detail").inner_text()


def test_where_only_blocks_were_kept_the_histogram_says_so(page: Page, open_view: Open) -> None:
    wire = open_view(lambda A: A.sum(), A=np.random.default_rng(0).normal(size=(600, 300)))
    page.locator(".al-node").first.click()
    wire.settle()
    assert say("heat_counts_blocks") in page.locator(".al-detail").inner_text()


def test_value_gradient_or_both(page: Page, open_view: Open) -> None:
    wire = open_view(lambda A: (A * A).sum(), A=np.ones((3, 4)))
    page.locator(".al-node").first.click()
    wire.settle()
    for choice, shown in (("Value", [True, False]), ("Gradient", [False, True]), ("Both", [True, True])):
        page.locator(".al-detail").get_by_label(choice, exact=True).check()
        wire.settle()
        found = [page.locator(f".al-readout-{which}").is_visible() for which in ("value", "gradient")]
        assert found == shown
    page.locator(".al-node").last.click()  # a number has both, and nothing to choose
    wire.settle()
    assert page.locator(".al-detail .al-segments:visible").count() == 0
    assert texts(page, ".al-detail .al-big") == ["12", "1"]


def test_nan_and_infinities_are_no_colours(page: Page, open_view: Open) -> None:
    wire = open_view(lambda A: A * 2, A=np.array([[1.0, np.nan], [-np.inf, 0.5]]))
    page.locator(".al-node").first.click()
    wire.settle()
    assert (pixels(page, 0)[..., 3] == [[255, 0], [0, 255]]).all()
    assert texts(page, ".al-numbers").pop(0) == "1NaN−∞0.5"
    assert texts(page, ".al-readout")[0] == "0.5 to 1, 1 NaN (×), 1 infinite (+, −)"
    assert node(page, wire, "A").locator(".al-value .al-missing").count() == 2
    pointer = page.locator(".al-heat-pointer").first
    for shown in ("", "none"):
        page.locator(".al-canvas").first.press("ArrowRight")
        assert pointer.evaluate("e => e.style.display") == shown  # a NaN stands nowhere on the bar


def test_of_numbers_that_are_none_there_is_no_range(page: Page, open_view: Open) -> None:
    wire = open_view(lambda A: A * 2, A=np.full((2, 2), np.nan))
    page.locator(".al-node").first.click()
    wire.settle()
    assert texts(page, ".al-readout")[0] == "4 NaN (×)"


def test_nan_and_infinities_of_a_larger_array_are_signs(page: Page, open_view: Open) -> None:
    values = np.ones((20, 30))
    values[2, 3], values[5, 6], values[7, 8] = np.nan, np.inf, -np.inf
    wire = open_view(lambda A: A * 2, A=values)
    page.locator(".al-node").first.click()
    wire.settle()
    drawn = np.array(page.locator(".al-detail .al-signs").first.evaluate(INK, [20, 30]))
    assert np.array_equal(drawn > 0, ~np.isfinite(values))
    assert drawn[7, 8] < drawn[5, 6]  # − and +
    assert texts(page, ".al-readout")[0] == "1, 1 NaN (×), 2 infinite (+, −)"


def test_pointing_at_a_cell_reads_its_number(page: Page, open_view: Open) -> None:
    values = np.arange(2 * 3 * 4.0).reshape(2, 3, 4) / 7
    wire = open_view(lambda A: (A * 2).sum(axis=0), A=values)
    page.locator(".al-node").first.click()
    wire.settle()
    canvas = page.locator(".al-canvas").first
    box = canvas.bounding_box()
    assert box
    canvas.hover(position={"x": box["width"] * 2.5 / 4, "y": box["height"] * 4.5 / 6})
    assert texts(page, ".al-readout")[0] == f"[1, 1, 2] = {values[1, 1, 2]:.6g}"
    page.locator(".al-function").hover()
    assert texts(page, ".al-readout")[0] == "0 to 3.286"
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert texts(page, ".al-readout")[0] == f"[0, 1, 0] = {values[0, 1, 0]:.6g}"
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    looks(wire.widget, selected=wire.widget.recording.outputs[0])  # a smaller array, in another view
    wire.settle()
    assert texts(page, ".al-readout")[0].count(" to ") == 1


def test_a_large_array_says_what_a_cell_covers(page: Page, open_view: Open) -> None:
    wire = open_view(lambda A: A.sum(), A=np.random.default_rng(0).normal(size=(600, 300)))
    page.locator(".al-node").first.click()
    wire.settle()
    page.locator(".al-canvas").first.hover(position={"x": 1, "y": 1})
    rows, columns = seen(wire.widget).detail["arrays"][0]["block"]
    assert texts(page, ".al-readout")[0].startswith(
        f"rows 0–{rows - 1}, columns 0–{columns - 1}: greatest magnitude = "
    )
    assert f"Each cell covers up to {rows} × {columns} elements" in page.locator(".al-detail").inner_text()


def test_no_gradient_is_never_a_zero(page: Page, open_view: Open) -> None:
    def program(x: Variable, n: Variable) -> Variable:
        w = x * n
        return w

    wire = open_view(program, x=2.0, n=np.array(3))
    assert number(page, wire, "n", "gradient") == "none"
    node(page, wire, "n").click()
    wire.settle()
    assert "integers and booleans have none" in page.locator(".al-status").inner_text()


def test_changed_outputs_are_spoken(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    slide(page, "x", 3, "change")
    wire.settle()
    assert page.locator("[aria-live]").text_content() == "w = h + z, value 13, gradient 1"


def test_zoom_enlarges_fits_and_follows_ctrl_wheel(page: Page, open_view: Open) -> None:
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    picture = page.locator(".al-picture")

    def width() -> float:
        return float(picture.get_attribute("width") or 0)

    first = width()
    menu(page).get_by_role("button", name="Zoom in").click()
    assert width() > first * 1.2
    page.locator(".al-pane").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, 300)
    page.keyboard.up("Control")
    page.wait_for_function("w => +document.querySelector('.al-picture').attributes.width.value < w", arg=first * 1.1)
    menu(page).get_by_role("button", name="Fit").click()
    assert abs(width() - first) <= 2


def test_several_views_of_one_model_agree(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, views=2, x=2.0, y=3.0, z=4.0)
    type_number(page, "x", "3")
    wire.settle()
    assert texts(page, f".al-node[data-id='{wire.widget.recording['w'].id}'] .al-value .al-number") == ["13", "13"]
    shown = page.locator(".al-node[aria-label^='x, input']").evaluate_all("all => all.map(e => e.ariaValueNow)")
    assert shown == ["3", "3"]
