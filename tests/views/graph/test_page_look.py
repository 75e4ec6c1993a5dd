"""How the live view looks: themes, widths, the projector setting, motion; and what assistive technology is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from autolab.views.draw.colors import THEMES, contrast, paint, view_tone
from autolab.views.graph.readings import view_scales

from ..bare_page import Wire, menu, node, pinned, resize, type_number
from ..programs import LAYER, layer, muladd, picky, twenty

pytestmark = pytest.mark.browser

DARK = """() => {
  document.body.dataset.jpThemeLight = 'false';
  document.body.style.setProperty('--jp-layout-color0', '#111111');
}"""
# Elements that stick out of the view or whose text is cut off, other than what scrolls or shortens on purpose.
MISPLACED = """() => {
  const view = document.querySelector('.al-view').getBoundingClientRect();
  const scrolls = '.al-pane *, .al-source, .al-source *, .al-code, .al-hidden, .al-code-text, .al-numbers *';
  const side = e => e.closest('.al-side') && e.closest('.al-side').clientHeight;  // it scrolls by itself
  const below = (b, e) => !side(e) && b.bottom > view.bottom + 1;
  const outside = (b, e) => b.left < view.left - 1 || b.right > view.right + 1 || below(b, e);
  const cut = e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible';
  return [...document.querySelectorAll('.al-view *')]
    .filter(e => !e.matches(scrolls) && e.getBoundingClientRect().width && e.checkVisibility())
    .filter(e => outside(e.getBoundingClientRect(), e) || (cut(e) && !e.matches('.al-pane, input')))
    .map(e => e.outerHTML.slice(0, 120));
}"""
OVERLAPPING = """() => {
  const parts = '.al-header > *, .al-buttons > *, div.al-input, .al-graph, .al-error, .al-detail > *';
  const clipped = e => {  // what the place of the answer shows of it
    const [b, s] = [e, e.closest('.al-side') ?? e].map(part => part.getBoundingClientRect());
    const [top, bottom] = [Math.max(b.top, s.top), Math.min(b.bottom, s.bottom)];
    return { left: b.left, right: b.right, top, bottom, height: Math.max(0, bottom - top) };
  };
  const all = [...document.querySelectorAll(parts)].map(e => [e, clipped(e)]);
  const boxes = all.filter(([, b]) => b.height);
  const beside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
  const below = (a, b) => a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  return boxes.flatMap(([e, a], i) => boxes.slice(i + 1)
    .filter(([f, b]) => !e.contains(f) && !f.contains(e) && !beside(a, b) && !below(a, b))
    .map(([f]) => e.className + ' / ' + f.className));
}"""


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.parametrize("width", [1280, 960, 700, 480])
def test_nothing_overlaps_or_is_cut_off(new_page: Callable[..., Page], explorer: Any, width: int) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    wire = Wire(explorer(lambda x, t, W: picky(x, t) * layer(LAYER["x"], W, t), x=2.0, t=-1234.5678, W=LAYER["W"]))
    wire.connect(page)
    for name in ("W", "x"):
        node(page, wire, name).click()
        wire.settle()
        assert page.evaluate(MISPLACED) == []
        assert page.evaluate(OVERLAPPING) == []
    type_number(page, "x", "-1")
    wire.settle()
    assert page.get_by_role("alert").is_visible()
    assert page.evaluate(OVERLAPPING) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_the_theme_is_followed_while_the_view_is_open(page: Page, open_view: Callable[..., Wire]) -> None:
    wire = open_view(layer, **LAYER)
    node(page, wire, "a").click()
    wire.settle()
    card = node(page, wire, "a").locator(".al-card")
    assert card.evaluate("e => getComputedStyle(e).fill") == rgb(THEMES["light"]["box"])
    page.evaluate(DARK)
    strips = (
        node(page, wire, "a").locator(".al-cells rect").evaluate_all("all => all.map(e => e.attributes.fill.value)")
    )
    kept, scales = wire.widget.recording["a"], view_scales(wire.widget.recording)
    arrays = zip(scales, (kept.value.values, kept.grad.values), strict=False)
    numbers = np.concatenate([view_tone(scale).fractions(array.ravel()) for scale, array in arrays])
    found = np.array([[int(part) for part in fill[4:-1].split()] for fill in strips])
    assert np.abs(found - paint(numbers, "dark")).max() <= 2
    assert card.evaluate("e => getComputedStyle(e).fill") == rgb(THEMES["dark"]["box"])
    row, column = divmod(int(np.abs(LAYER["x"] @ LAYER["W"]).argmax()), 4)
    read = "(c, [x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)"
    pixel = page.locator(".al-canvas").first.evaluate(read, [column, row])
    largest = (LAYER["x"] @ LAYER["W"])[row, column]
    assert np.abs(np.array(pixel) - paint(view_tone(scales.value).fractions(largest), "dark")).max() <= 2
    root = page.locator(".al-root")
    assert root.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(17, 17, 17)"
    assert root.evaluate("e => getComputedStyle(e).color") == rgb(THEMES["dark"]["ink"])


@pytest.mark.parametrize(("width", "beside"), [(1280, True), (900, False)])
def test_beside_a_graph_stands_what_leaves_it_three_quarters_and_all_else_below(
    page: Page, open_view: Callable[..., Wire], width: int, beside: bool
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    source, graph, detail = page.locator(".al-listing"), page.locator(".al-main"), page.locator(".al-detail")
    expect(source.locator(".al-source")).to_be_visible(visible=beside)
    expect(source.locator("summary")).to_be_visible()
    before = [node(page, wire, "h").bounding_box(), graph.bounding_box()]
    node(page, wire, "h").click()
    wire.settle()
    assert [node(page, wire, "h").bounding_box(), graph.bounding_box()] == before  # nothing moves from under the hand
    place, below = detail.bounding_box(), page.locator(".al-foot").bounding_box()
    assert place and below and before[1]
    assert place["x"] >= before[1]["x"] + before[1]["width"] if beside else place["y"] >= below["y"] + below["height"]
    if not beside:
        source.locator("summary").click()
        expect(source.locator(".al-source")).to_be_visible()


def test_the_focus_on_the_title_of_the_source_is_not_cut_off(page: Page, open_view: Callable[..., Wire]) -> None:
    page.set_viewport_size({"width": 900, "height": 800})
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    title = page.locator(".al-listing > summary")
    title.press("Home")
    ring = "e => parseFloat(getComputedStyle(e).outlineOffset) + parseFloat(getComputedStyle(e).outlineWidth)"
    box, around, width = title.bounding_box(), page.locator(".al-listing").bounding_box(), title.evaluate(ring)
    assert box and around and box["x"] - width >= around["x"] and box["y"] - width >= around["y"]


def test_in_jupyterlab_its_word_decides(page: Page, open_view: Callable[..., Wire]) -> None:
    page.evaluate("() => { document.body.dataset.jpThemeLight = 'false'; }")  # the theme's colours may come later
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    assert page.locator(".al-root").evaluate("e => getComputedStyle(e).color") == rgb(THEMES["dark"]["ink"])


def test_outside_jupyterlab_the_background_decides(new_page: Callable[..., Page], explorer: Any) -> None:
    page = new_page()
    page.evaluate("() => document.body.style.setProperty('--jp-layout-color0', '#101418')")
    wire = Wire(explorer(muladd, x=2.0, y=3.0, z=4.0))
    wire.connect(page)
    assert page.locator(".al-root").evaluate("e => getComputedStyle(e).color") == rgb(THEMES["dark"]["ink"])


COLAB = "dark => document.documentElement.setAttribute('theme', dark ? 'dark' : 'light')"
VSCODE = "dark => { document.body.dataset.vscodeThemeKind = dark ? 'vscode-dark' : 'vscode-high-contrast-light'; }"


@pytest.mark.parametrize("mark", [COLAB, VSCODE])
def test_the_marks_of_other_hosts_are_followed(new_page: Callable[..., Page], explorer: Any, mark: str) -> None:
    page = new_page()
    page.evaluate("() => document.body.style.setProperty('--jp-layout-color0', 'white')")  # that of the widgets
    Wire(explorer(muladd, x=2.0, y=3.0, z=4.0)).connect(page)
    root = page.locator(".al-root")
    for theme in ("dark", "light", "dark"):
        page.evaluate(mark, theme == "dark")
        expect(root).to_have_css("color-scheme", theme)
        expect(root).to_have_css("color", rgb(THEMES[theme]["ink"]))
        ground = root.evaluate("e => getComputedStyle(e).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (theme == "light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_in_cells_can_be_read_on_every_colour(page: Page, open_view: Callable[..., Wire], theme: str) -> None:
    if theme == "dark":
        page.evaluate(DARK)
    open_view(lambda A: A * 2, A=np.linspace(-1, 1, 33))
    pinned(page)
    pairs = page.locator(".al-cell").evaluate_all("all => all.map(e => [e.style.background, e.style.color])")
    for pair in pairs:
        paper, ink = ["#" + "".join(f"{int(v):02x}" for v in c[4:-1].replace(",", " ").split()) for c in pair]
        assert contrast(paper, ink) >= 4.5, pair


def test_a_long_chain_keeps_readable_text(page: Page, open_view: Callable[..., Wire]) -> None:
    open_view(twenty, x=0.5, y=2.0)
    scale = page.locator(".al-node").first.evaluate("e => e.getScreenCTM().a")
    assert scale >= 0.7


def test_reduced_motion_is_respected(new_page: Callable[..., Page], explorer: Any) -> None:
    duration = "e => getComputedStyle(e).transitionDuration"
    moving, still = new_page(), new_page(reduced_motion="reduce")
    for page in (moving, still):
        Wire(explorer(muladd, x=2.0, y=3.0, z=4.0)).connect(page)
    assert moving.locator(".al-halo").first.evaluate(duration) == "0.6s"
    assert still.locator(".al-halo").first.evaluate(duration) == "0s"


def test_everything_that_can_be_operated_has_a_name_and_shows_focus(page: Page, open_view: Callable[..., Wire]) -> None:
    open_view(layer, **LAYER)
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => {
          const e = document.activeElement, style = getComputedStyle(e), card = e.querySelector(':scope > .al-card');
          return [e.tagName === 'BODY', e.getAttribute('aria-label') || e.textContent,
            style.outlineStyle !== 'none' || (card && getComputedStyle(card).strokeDasharray !== 'none')];
        }""")
        if found[0]:
            break
        stops.append(found[1:])
    assert all(name and visible for name, visible in stops), stops
    assert len(stops) < 40  # one stop for the graph and for each grid
    assert len(set(map(str, stops))) == len(stops)


def test_the_page_is_described(page: Page, open_view: Callable[..., Wire]) -> None:
    open_view(muladd, x=2.0, y=3.0, z=4.0)
    described = page.locator(".al-root").aria_snapshot()
    for line in (
        'group "Computation graph of muladd(x, y, z): 3 inputs, 2 steps, output w."',
        'button "h = x * y, value 6, gradient 1"',
        'slider "x, input, value 2, gradient 3"',
        'slider "w = h + z, value 10, gradient 1"',
        'slider "Step of the walk"',
    ):
        assert line in described, described


def test_the_whole_graph_stays_in_sight_when_the_room_changes(page: Page, open_view: Callable[..., Wire]) -> None:
    open_view(twenty, x=0.5, y=2.0)
    menu(page).get_by_role("button", name="Fit the whole graph").click()
    resize(page, 900, 900)
    inside = "() => ['.al-picture', '.al-pane'].map(name => document.querySelector(name).clientHeight)"
    picture, pane = page.evaluate(inside)
    assert picture <= pane + 1
