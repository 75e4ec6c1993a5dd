"""Every view speaks one language: the same frame, few controls, few sizes of letters, and the picture first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page

import autolab
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession

from .bare_page import RecordingComm, Wire, serve
from .programs import muladd
from .test_page_axe import THEMES, check_lens, explorer, interact, monitor, surface

pytestmark = pytest.mark.browser

CELL = {"width": 900, "height": 800}
"""An output of JupyterLab in a window of 1280 x 800 whose file browser is open."""

VIEWS: dict[str, tuple[Callable[[], Any], str]] = {
    "graph": (explorer(muladd, x=2.0, y=3.0, z=4.0), "explorer"),
    "check": (check_lens, "lens"),
    "derivatives": (lambda: DerivativeExplorer(DerivativeSession(np.tanh, 1.0, 3)), "derivatives"),
    "surface": (surface, "surface"),
    "heatmap": (lambda: autolab.heatmap(np.arange(12.0).reshape(3, 4)), "heatmaps"),
    "interact": (interact, "interact"),
    "monitor": (monitor, "monitor"),
}

MEASURED = """() => {
  const area = (e) => { const box = e.getBoundingClientRect(); return box.width * box.height };
  const view = document.querySelector('.al-view'), seen = (e) => e.checkVisibility() && e.getClientRects().length;
  const controls = [...view.querySelectorAll('button, input, select, summary, [tabindex]')]
    .filter((e) => !e.closest('.al-picture') && !e.disabled && seen(e));
  const letters = [...view.querySelectorAll('*')].filter(seen)
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
  return {
    controls: controls.length,
    sizes: new Set(letters.map((e) => getComputedStyle(e).fontSize)).size,
    height: view.offsetHeight,
    picture: area(view.querySelector('.al-middle')) / area(view),
    above: view.querySelector('.al-middle').offsetTop,
    order: [...view.children].map((e) => e.className.split(' ')[0]),
    sentence: view.querySelector('.al-foot > .al-sentence').textContent,
    menus: view.querySelectorAll('.al-foot > .al-menu').length,
  };
}"""


@pytest.fixture(params=VIEWS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opened(kind: str, page: Page, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[tuple[Page, Wire]]:
    """A page with the view as it opens, and the line to it."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    make, module = VIEWS[kind]
    view = make()
    page.set_viewport_size(CELL)
    serve(page, module)
    wire = Wire(view)
    wire.connect(page)
    wire.settle()
    yield page, wire
    view.close()


@pytest.fixture
def page_of(opened: tuple[Page, Wire]) -> Page:
    return opened[0]


@pytest.mark.parametrize("look", THEMES)
def test_a_view_opens_as_its_picture_with_one_control_one_sentence_and_one_menu(
    page_of: Page, kind: str, look: str
) -> None:
    page_of.evaluate(THEMES[look])
    page_of.wait_for_timeout(50)
    found = page_of.evaluate(MEASURED)
    assert found["controls"] <= 12, found
    assert found["sizes"] <= 5, found
    assert found["height"] <= 760, found
    assert found["picture"] >= 0.6, found
    assert found["above"] <= 90, found
    assert found["order"][0] == "al-header" and "al-foot" in found["order"], found
    assert found["sentence"] and found["menus"] == 1, found


def test_forced_colors_hide_nothing(opened: tuple[Page, Wire], kind: str) -> None:
    """In Windows' high contrast themes: sliders have no track there, and a choice or a difference no colour."""
    page = opened[0]
    painted = """() => [...document.querySelectorAll('.al-root :is(.al-button, .al-range, mark, .al-ramp, text, path)')]
      .map((e) => { const s = getComputedStyle(e); return [s.backgroundColor, s.backgroundImage, s.color, s.fill] })"""
    before = page.evaluate(painted)
    page.emulate_media(forced_colors="active")
    assert page.evaluate(painted) == before


def test_every_view_is_presented_the_same_way(page_of: Page, kind: str) -> None:
    page_of.locator(".al-menu > summary").click()
    page_of.get_by_role("button", name="Present", exact=True).click()
    page_of.wait_for_selector(".al-present")
    assert page_of.locator(".al-header").is_hidden() and page_of.locator(".al-sentence").is_visible()
    foot = page_of.locator(".al-foot").bounding_box()
    assert foot and foot["y"] + foot["height"] <= CELL["height"]
    page_of.keyboard.press("Escape")
    page_of.wait_for_selector(".al-present", state="detached")
    assert page_of.locator(".al-header").is_visible() and page_of.locator(".al-menu-panel").is_hidden()


def test_all_of_the_menu_is_reached_where_the_top_of_the_view_is_out_of_sight(page_of: Page, kind: str) -> None:
    page_of.set_viewport_size({"width": 900, "height": 260})
    page_of.locator(".al-foot").scroll_into_view_if_needed()
    page_of.locator(".al-menu > summary").click()
    panel = page_of.locator(".al-menu-panel").bounding_box()
    assert panel and panel["y"] >= 0 and panel["y"] + panel["height"] <= 260


def test_on_a_phone_the_sentence_stands_beside_the_menu_or_below_the_control(page_of: Page, kind: str) -> None:
    page_of.set_viewport_size({"width": 390, "height": 844})
    sentence, menu = (page_of.locator(f".al-foot > .al-{part}").bounding_box() for part in ("sentence", "menu"))
    assert sentence and menu
    if page_of.locator(".al-foot > .al-sentence:first-child").count():
        assert sentence["x"] + sentence["width"] <= menu["x"] and sentence["y"] < menu["y"] + menu["height"]
    else:
        assert sentence["y"] >= menu["y"] + menu["height"] and sentence["x"] + sentence["width"] <= 390


def test_every_view_is_saved_from_its_menu(opened: tuple[Page, Wire], kind: str) -> None:
    page, wire = opened
    page.locator(".al-menu > summary").click()
    ways = {"svg": b"<svg", "html": b"<!doctype html>"}
    for suffix, begins in list(ways.items())[: 1 + (kind in ("heatmap", "monitor"))]:  # other pages take seconds
        with page.expect_download(timeout=20_000) as waiting:
            page.get_by_label("Save as\u2026").select_option(suffix)
            wire.settle()
        assert waiting.value.suggested_filename.endswith(f".{suffix}")
        assert waiting.value.path().read_bytes()[: len(begins)].lower() == begins
    assert page.get_by_label("Save as\u2026").input_value() == "" and not wire.widget.error
