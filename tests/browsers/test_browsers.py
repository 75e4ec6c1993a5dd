"""What is saved and what is published, in Firefox and in WebKit: the numbers of Chromium, the colours of the system,
and each hand. `make test-browsers` runs this.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.built_site import SITE, served_folder
from ipywidgets import comm as widget_comm
from playwright.sync_api import Browser
from views.bare_page import RecordingComm
from views.playground.conftest import scripts, server
from views.programs import LAYER, layer
from views.test_page_frame import VIEWS

import autolab

from .engines import PACKAGES, Engine, engine, is_here

pytestmark = [pytest.mark.browser, pytest.mark.full]

HEAR = """<script>window.problems = [];
onerror = (...e) => { problems.push(String(e)); };
onunhandledrejection = (e) => problems.push(String(e.reason));</script>"""
"""Before a page's own policy, which permits no such thing."""
DRAWN = "return Boolean(document.querySelector('.al-root .al-sentence, main img')?.checkVisibility())"
FIRST = """const all = [...document.querySelectorAll('.al-root [role=slider], .al-root input[type=range]')];
  const e = all.find((e) => e.checkVisibility() && e.getClientRects().length); e?.focus(); return Boolean(e)"""
SAID = """return ['.al-root [role=slider]', '.al-root [role=img]', '.al-root svg text', '.al-sentence']
  .flatMap(s => [...document.querySelectorAll(s)])
  .filter(e => e.getClientRects().length && !e.closest('.al-map'))
  .map(e => [e.ariaLabel, e.ariaValueText, e.childElementCount ? '' : e.textContent].join(' | '))"""
FOLLOW = """window.told = []; const said = document.querySelector('.al-sentence');
  new MutationObserver(() => told.push(said.textContent))
    .observe(said, { childList: true, characterData: true, subtree: true })"""
IS_DARK = """let e = document.querySelector('.al-root');
  while (e && getComputedStyle(e).backgroundColor.endsWith(', 0)')) e = e.parentElement;
  return /\\((\\d+)/.exec(getComputedStyle(e ?? document.documentElement).backgroundColor)[1] < 90"""
FRAMED = "<!doctype html><iframe style='border: 0; width: {width}px; height: 800px' src='{name}'></iframe>"
PLACE = """const b = document.querySelector(arguments[0]).getBoundingClientRect();
  return [b.left, b.top, b.width, b.height]"""


@pytest.fixture(scope="module", params=PACKAGES)
def name(request: pytest.FixtureRequest) -> str:
    if not is_here(request.param):
        pytest.skip(f"{request.param} is not here: make test-browsers installs it")
    return str(request.param)


@pytest.fixture(scope="module")
def opened(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine(name, tmp_path_factory.mktemp(name)) as window:
        yield window


@pytest.fixture(scope="module")
def dark(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine(name, tmp_path_factory.mktemp(name), dark=True) as window:
        yield window


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Saves a view as a page that hears of its errors; the answer is its address."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    count = itertools.count()

    def save(view: Any, width: int = 0) -> str:
        page = tmp_path / f"page{next(count)}.html"
        autolab.export_html(view, page)
        page.write_text(page.read_text("utf-8").replace("<head>", f"<head>{HEAR}", 1), "utf-8")
        if width:
            page.with_suffix(".frame.html").write_text(FRAMED.format(width=width, name=page.name))
            page = page.with_suffix(".frame.html")
        return page.as_uri()

    return save


def seen(window: Engine, address: str, frame: bool = False, **size: int) -> Engine:
    """The page, when it is drawn."""
    window.open(address, **size)
    if frame:
        window.frame("iframe")
    window.wait(DRAWN)
    return window


def test_every_kind_of_saved_page_has_the_numbers_of_chromium(opened: Engine, browser: Browser, saved: Any) -> None:
    page = browser.new_page(viewport={"width": 1366, "height": 683})
    for kind, (make, _) in VIEWS.items():
        address = saved(view := make())
        view.close()
        seen(opened, address)
        page.goto(address)
        page.wait_for_function(f"() => {{ {DRAWN} }}")
        for keys in ([], ["ArrowRight", "ArrowRight"], ["ArrowLeft"]):
            if keys and opened.run(FIRST):
                page.evaluate(f"() => {{ {FIRST} }}")
                opened.press(*keys)
                for key in keys:
                    page.keyboard.press(key)
            expected = page.evaluate(f"() => {{ {SAID} }}")
            opened.wait(f"return JSON.stringify((() => {{ {SAID} }})()) === arguments[0]", as_json(expected))
        opened.picture(Path(f"artefacts/{opened.name}-{kind}.png"))
        assert opened.run("return problems") == [], kind
    page.context.close()


def test_labels_are_not_selected_and_movable_numbers_have_their_mark(opened: Engine, saved: Any) -> None:
    seen(opened, saved(VIEWS["graph"][0]()))
    read = "const s = getComputedStyle(document.querySelector(arguments[0])); return arguments[1].map((n) => s[n])"
    line = ["textDecorationLine", "textDecorationStyle"]
    assert opened.run(read, ".al-input .al-value .al-number", line) == ["underline", "dotted"]
    x, y, width, height = opened.run(PLACE, ".al-input .al-value .al-number")
    opened.drag((x + width / 2, y + height / 2), (x + 40, y + 90))
    assert opened.run("return String(getSelection())") == ""


def test_a_tap_reads_a_cell_of_a_heatmap(opened: Engine, saved: Any) -> None:
    seen(opened, saved(autolab.heatmap(W=np.arange(12.0).reshape(3, 4)), width=390), frame=True)
    x, y, width, height = opened.run(PLACE, "canvas.al-canvas")
    place = (x + width * 0.6, y + height * 0.5)
    opened.run(FOLLOW)
    opened.drag(place, place, kind="touch")
    opened.wait("return told.some((text) => text.includes('W[1, 2] = 6'))")
    if opened.name == "firefox":  # WebKit's driver has a mouse only, which it takes away in the end
        assert "W[1, 2] = 6" in opened.run("return document.querySelector('.al-sentence').textContent")


def test_a_phone_shows_the_inputs_and_the_labels_of_a_surface(opened: Engine, saved: Any) -> None:
    seen(opened, saved(autolab.explore(layer, **LAYER), width=390), frame=True)
    inside = """const at = (s) => document.querySelector(s).getBoundingClientRect();
      const [pane, box] = [at('.al-pane'), at('g.al-node.al-input')];
      return box.top >= pane.top - 2 && box.bottom <= pane.bottom + 2 && box.left >= pane.left - 2"""
    opened.wait(inside)
    seen(opened, saved(VIEWS["surface"][0](), width=430), frame=True)
    outside = """const picture = document.querySelector('svg.al-surface-lines'), edge = picture.getBoundingClientRect();
      return [...picture.querySelectorAll('text')].filter((text) => {
        const box = text.getBoundingClientRect(); // rooms of a line of letters are larger than what is drawn
        return box.left < edge.left - 5 || box.right > edge.right + 5 || box.top < edge.top - 5
          || box.bottom > edge.bottom + 5;
      }).map((text) => text.textContent)"""
    assert opened.run(outside) == []


def test_keys_let_a_ball_roll_and_the_sentence_tells_where_it_ends(opened: Engine, saved: Any) -> None:
    view = autolab.plots.surface(lambda x, y: x**2 + 10 * y**2, (0.0, 0.0), steps=9).explore((0.8, 0.5))
    seen(opened, saved(view))
    opened.run("document.querySelector('svg.al-surface-lines').focus()")
    before = opened.run("return document.querySelector('.al-sentence').textContent")
    opened.press("ArrowRight", "Enter")
    opened.wait("return document.querySelector('.al-sentence').textContent !== arguments[0]", before)
    opened.wait("return /, step \\d+ of/.test(document.querySelector('.al-sentence').textContent)")


def test_a_page_is_as_dark_as_the_system(dark: Engine, saved: Any) -> None:
    seen(dark, saved(VIEWS["graph"][0]()))
    assert dark.run("return getComputedStyle(document.querySelector('.al-root')).colorScheme") == "dark"
    dark.wait(IS_DARK)


@pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="`make site` builds it")
def test_the_site_moves_in_frames_as_dark_as_the_page(opened: Engine, dark: Engine) -> None:
    with served_folder(SITE) as address:
        for window, page in itertools.product((opened, dark), ("index", "notebooks/01_muladd", "notebooks/03_linear")):
            window.open(f"{address}{page}.html")
            window.wait("return document.querySelector('iframe.moving')?.scrollIntoView() === undefined")
            window.frame("iframe.moving")
            window.wait(DRAWN)
            assert window.run(IS_DARK) is (window is dark), page
            if page == "index":
                assert window.run(FIRST)
                before = window.run(SAID)
                window.press("ArrowRight")
                window.wait(f"return JSON.stringify((() => {{ {SAID} }})()) !== arguments[0]", as_json(before))
            window.frame(None)
            window.picture(Path(f"artefacts/{window.name}-{page.replace('/', '-')}{'-dark' * (window is dark)}.png"))


def test_the_playground_runs_a_program(opened: Engine, tmp_path: Path) -> None:
    with scripts() as (lite, offline):
        folder = lite.site.build(tmp_path, offline).parent
    with server(folder) as address:
        opened.open(address)
        opened.wait("return document.querySelectorAll('.al-node.al-input').length > 1", seconds=300)


def as_json(value: Any) -> str:

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
