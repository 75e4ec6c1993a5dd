"""The site that `make site` has built, in Chromium without a network. `make test-site` runs this."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import numpy as np
import pytest
from helpers.axe import violations
from helpers.built_site import OWN, SITE, Addresses, builder, served_folder
from helpers.checkout import ROOT
from playwright.sync_api import Browser, Page, expect

from autolab import Variable, grad
from autolab import functions as F
from autolab.views.gallery.site import NothingMoves, moving
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="`make site` builds it"),
]
KINDS = ("index", "404", "search", "notebooks/README", "notebooks/01_muladd", "docs/index", "docs/conventions")
KINDS += ("gallery/index", "gallery/relu", "gallery/show_attention", "api/index", "api/autolab.transforms")


def pages() -> list[Path]:
    found = [file.relative_to(SITE) for file in sorted(SITE.rglob("*.html"))]
    return [file for file in found if file.parts[0] not in OWN and file.parts[0] != "_static"]


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with served_folder(SITE) as address:
        yield address


@pytest.fixture
def visit(browser: Browser, served: str) -> Iterator[Any]:
    """Makes pages that reach nothing but the site, and fails if one reports an error or asks for what is not there."""
    problems: list[str] = []
    contexts: list[Any] = []

    def failed(page: Page, asked: Any) -> None:
        if asked.failure != "net::ERR_ABORTED":  # by the next page, which was opened meanwhile
            problems.append(f"{page.url} asked for {asked.url}: {asked.failure}")

    def make(theme: str = "light") -> Page:
        contexts.append(context := browser.new_context(color_scheme=theme))  # type: ignore[arg-type]
        context.route(lambda url: not url.startswith((served, "data:", "blob:")), lambda route: route.abort())
        page = context.new_page()
        page.on("console", lambda said: problems.append(f"{page.url}: {said.text}") if said.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("requestfailed", lambda asked: failed(page, asked))
        return page

    yield make
    for context in contexts:
        context.close()
    assert problems == []


def test_every_page_opens(visit: Any, served: str) -> None:
    page = visit()
    assert len(pages()) > 400
    for file in pages():
        page.goto(f"{served}{file.as_posix()}")
        if file.parts[0] == "moving":
            page.wait_for_selector(".al-root")
        elif file.name != "genindex.html":
            assert page.locator("h1").count() == 1, file


def test_every_link_leads_somewhere() -> None:
    found = {file: Addresses((SITE / file).read_text("utf-8")) for file in pages()}
    lost = []
    for file, addresses in found.items():
        for target in addresses.targets:
            path, place = urldefrag(target)
            if re.match(r"[a-z]+:|//", path):
                continue
            there = (SITE / file.parent / unquote(path.partition("?")[0])).resolve() if path else SITE / file
            own = found.get(there.relative_to(SITE)) if there.is_relative_to(SITE) else None
            if not there.exists() or (own and place and unquote(place) not in own.places):
                lost.append(f"{file}: {target}")
    assert lost == []


def test_links_of_the_readme_are_those_of_the_site() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r'(?:href="|\]\()([\w./-]+\.md(?:#[\w-]+)?)', text):
        path, place = urldefrag(target)
        page = Addresses((SITE / path).with_suffix(".html").read_text("utf-8"))
        assert not place or place in page.places, target


def test_the_front_page_is_light_and_soon_moves(visit: Any, served: str) -> None:
    page, bodies = visit(), []
    page.on("response", lambda answer: bodies.append(answer))
    began = time.monotonic()
    page.goto(served, wait_until="commit")
    graph = page.frame_locator("iframe.moving")
    box, last = graph.locator("[role=slider]").first, graph.locator(".al-node").last
    box.wait_for()
    before = str(last.get_attribute("aria-label"))
    box.press("ArrowRight")
    expect(last).not_to_have_attribute("aria-label", before)
    assert time.monotonic() - began <= 3
    page.wait_for_load_state()
    weights = {answer.url.removeprefix(served): len(gzip.compress(answer.body())) for answer in bodies}
    assert sum(weights.values()) <= 400_000, weights
    assert (
        sum([(SITE / "moving" / name).stat().st_size for name in ("front.html", "explorer.js", "explorer.css")])
        <= 150_000
    )


def _spoken(view: Any) -> list[str]:
    """What Python says of each box of a graph."""
    shown = next(answer for key, answer in view.numbers.items() if key.startswith('["numbers"'))
    return [node["spoken"] for node in shown["nodes"].values()]


def _move_and_compare(page: Page, address: str, view: Any, draw: random.Random) -> None:
    page.goto(address)
    sliders = page.locator(".al-input[role=slider]")
    sliders.first.wait_for()
    for _ in range(4):
        slider = sliders.nth(draw.randrange(sliders.count()))
        slider.press(draw.choice(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"]))
        named = {str(one.get_attribute("aria-label")).partition(",")[0]: one for one in sliders.all()}
        moved = {key: float(str(one.get_attribute("aria-valuenow"))) for key, one in named.items()}
        with np.errstate(all="ignore"):
            there = _spoken(Explorer(Session(view._session.bound.given, inputs={**view.point, **moved})))
        expect(page.locator(".al-node").first).to_have_attribute("aria-label", there[0].partition(". ")[0])
        shown = [str(box.get_attribute("aria-label")).partition(". ")[0] for box in page.locator(".al-node").all()]
        # Of arrays, a page that moved tells less; and it has no remarks, such as "The gradient is exactly zero."
        numbers = [k for k, text in enumerate(there) if "array" not in text]
        assert len(numbers) >= 2 and [shown[k] for k in numbers] == [there[k].partition(". ")[0] for k in numbers], (
            address
        )


@pytest.mark.parametrize("name", ["front", "show_rnn", "show_boundary"])
def test_a_showpiece_that_was_moved_shows_the_numbers_of_python(visit: Any, served: str, name: str) -> None:
    file = ROOT / "docs" / "site" / "showpieces" / f"{name.removeprefix('show_')}.py"
    view = builder("gallery").executed(file)
    _move_and_compare(visit(), f"{served}moving/{name}.html", view, random.Random(name))


def _is_number(x: Any) -> bool:
    return isinstance(x, float) or getattr(x, "ndim", None) == 0


def test_thirty_graphs_that_were_moved_show_the_numbers_of_python(visit: Any, served: str) -> None:
    page, draw, graphs = visit(), random.Random(0), builder("graphs")
    inputs = {name: graphs.call_of(name)[1].values() for name in F.__all__ if name not in graphs._SPELLED}
    names = [name for name, given in inputs.items() if given and all([_is_number(x) for x in given])]
    for name in draw.sample(names, 30):
        _move_and_compare(page, f"{served}moving/graph_{name}.html", graphs.graph(name), draw)


def test_thirty_curves_that_were_moved_show_the_numbers_of_python(visit: Any, served: str) -> None:
    page, draw = visit(), random.Random(0)
    names = [file.stem.removeprefix("F_") for file in sorted((SITE / "moving").glob("F_*.html"))]
    for name in draw.sample(names, 30):
        page.goto(f"{served}moving/F_{name}.html")
        slider = page.locator(".al-plot[role=slider]")
        slider.press(draw.choice(["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"]))
        x = Variable(float(str(slider.get_attribute("aria-valuenow"))))
        with np.errstate(all="ignore"):
            y = moving(name).fn(x)
            slope = grad(y, x)
        told = re.findall(r"= (−?[\d.]+(?:e[−+]?\d+)?)(?=,|$)", str(slider.get_attribute("aria-valuetext")))
        shown = [float(number.replace("−", "-")) for number in told]
        expected = [float(x.data), float(y.data.item()), 0.0 if slope is None else float(slope.data)]
        assert shown[:3] == pytest.approx(expected[: len(shown)], rel=6e-3, abs=6e-4), name


def test_only_functions_without_a_curve_have_none() -> None:
    moved = {file.stem.removeprefix("F_") for file in (SITE / "moving").glob("F_*.html")}
    for name in set(F.__all__) - moved:
        with pytest.raises(NothingMoves):
            moving(name)


def test_every_lesson_moves_and_its_views_lead_to_the_playground() -> None:
    alone = set()
    for file in sorted((SITE / "moving").glob("[01][0-9]_*.html")):
        held = re.search(r'id="held">([^<]+)<', file.read_text("utf-8"))
        assert held
        if not json.loads(gzip.decompress(base64.b64decode(held[1])))["state"].get("playground"):
            alone.add(file.stem)
    assert alone == {"02_expadd_2"}  # it shows what was measured before: no program of a few lines does
    lessons = {file.stem for file in (ROOT / "notebooks").glob("[01]*.ipynb")}
    assert {file.stem.rpartition("_")[0] for file in (SITE / "moving").glob("[01]*.html")} == lessons


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_shuts_anybody_out(visit: Any, served: str, theme: str) -> None:
    page = visit(theme)
    found = {}
    for kind in KINDS:
        page.goto(f"{served}{kind}.html")
        assert page.locator("html").get_attribute("data-theme") == theme
        if lines := violations(page):
            found[kind] = lines
    assert found == {}


def test_the_front_page_is_used_with_the_keyboard_alone(visit: Any, served: str) -> None:
    page = visit()
    page.goto(served)
    graph = page.frame_locator("iframe.moving")
    last = graph.locator(".al-node").last
    before = str(last.get_attribute("aria-label"))
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to main content")
    page.keyboard.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        if graph.locator("[role=slider]:focus").count():
            break
    page.keyboard.press("ArrowRight")
    expect(last).not_to_have_attribute("aria-label", before)


def test_the_first_screen_has_the_whole_graph_and_its_player(visit: Any, served: str) -> None:
    page = visit()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(served)
    place = page.frame_locator("iframe.moving").get_by_role("button", name="Play").bounding_box()
    assert place and place["y"] + place["height"] <= 800


_CUT = """() => [...document.querySelectorAll(".bd-article-container, .cell_output pre, .highlight-text pre")].filter(
    (one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.trim().slice(0, 60))"""


def test_no_page_and_nothing_that_is_printed_is_wider_than_a_phone(visit: Any, served: str) -> None:
    page = visit()
    page.set_viewport_size({"width": 390, "height": 844})
    cut = {}
    for kind in (*KINDS, "api/autolab", "api/autolab.optimizers.lr_scheduler", "docs/diagnose", "docs/playground"):
        page.goto(f"{served}{kind}.html")
        if found := page.evaluate(_CUT):
            cut[kind] = found
    assert cut == {}


_IS_DARK = "(one) => getComputedStyle(one).color.match(/\\d+/g)[0] > 128"  # by its letters


@pytest.mark.parametrize("name", ["index", "notebooks/01_muladd", "gallery/tanh"])
def test_paper_is_light_and_shows_all_of_a_page(visit: Any, served: str, name: str) -> None:
    page = visit("dark")
    page.goto(f"{served}{name}.html")
    frame = page.locator("iframe.moving").first
    inside = frame.content_frame
    inside.locator(".al-root").wait_for()
    width = inside.locator("html").evaluate("() => innerWidth")
    for window in (page, inside.locator("html")):
        window.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": 718, "height": 1046})  # A4 without its margins
    page.emulate_media(media="print")
    cut = """() => [...document.querySelectorAll("main *")].filter((one) => getComputedStyle(one).overflow !== "visible"
        && (one.scrollWidth > one.clientWidth + 1 || one.clientHeight > innerHeight)).map((one) => one.outerHTML)"""
    assert [text[:200] for text in page.evaluate(cut)] == []
    assert frame.bounding_box()["width"] < 700  # type: ignore[index]
    assert inside.locator("html").evaluate("() => innerWidth") == pytest.approx(width, abs=1)
    assert [one.evaluate(_IS_DARK) for one in (inside.locator(".al-root"), page.locator("body"))] == [False, False]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("body").evaluate(_IS_DARK)


@pytest.mark.parametrize(
    "address", ["nothing.html", "gallery/nothing.html", "docs/images/nothing.png", "no/such/folder/"]
)
def test_the_page_for_what_is_not_there_is_whole_wherever_it_is_shown(
    browser: Browser, served: str, address: str
) -> None:
    with browser.new_page() as page:
        rules = "() => [...document.styleSheets].reduce((sum, sheet) => sum + sheet.cssRules.length, 0)"
        page.goto(f"{served}404.html")
        whole = page.evaluate(rules)
        page.goto(f"{served}{address}")
        assert page.evaluate(rules) == whole > 1000
        assert page.evaluate("() => DOCUMENTATION_OPTIONS.VERSION")
        page.get_by_role("link", name="front page").click()
        page.wait_for_url(f"{served}index.html")


def test_one_version_alone_has_no_list_to_choose_from(visit: Any, served: str) -> None:
    page = visit()
    page.goto(f"{served}docs/hosts.html")
    expect(page.locator(".versions")).to_have_count(2)  # in the bar, and in the menu of a narrow window
    assert page.locator(".versions:visible").count() == 0


def test_the_bridges_are_described_though_their_libraries_were_not_there() -> None:
    for library in ("torch", "jax"):
        source = (ROOT / "autolab" / "bridges" / library / "__init__.py").read_text("utf-8")
        names = re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*)\]", source)[1])  # type: ignore[index]
        page = (SITE / "api" / f"autolab.bridges.{library}.html").read_text("utf-8")
        assert len(names) > 4 and [name for name in names if f">{name}<" not in page] == []
        places = Addresses(page).places | {"autolab.bridges.jax.UnsupportedError"}  # which torch's page describes
        assert {f"autolab.bridges.{library}.{name}" for name in names} <= places


def test_the_gallery_is_searched_and_the_search_finds_a_function(visit: Any, served: str) -> None:
    page = visit()
    page.goto(f"{served}gallery/index.html")
    page.get_by_label("Search the gallery").fill("softm")
    shown = page.locator(".gallery-cards li:visible strong").all_inner_texts()
    assert "softmax" in shown and len(shown) < 12
    page.goto(f"{served}search.html?q=tanh")
    expect(page.locator("#search-results a").first).to_be_visible()
