"""The view is taken away: the file that the browser saves is what the view shows, and stands alone."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typst
from PIL import Image
from playwright.sync_api import Browser, Page

import autolab
from autolab.views.draw.colors import THEMES
from autolab.views.graph.labels import group_count

from ..bare_page import Wire, menu, node, offered
from ..graph.test_page_large import steps
from ..looking import asks, looks, seen
from ..programs import LAYER, layer, muladd

Open = Callable[..., Wire]
POINT = {"x": 2.0, "y": 3.0, "z": 4.0}


def texts(svg: bytes) -> list[str]:
    """What is written in a picture, in its order."""
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")
    ]


def words(svg: bytes) -> set[str]:
    return {text.strip() for text in texts(svg)}


def taken(page: Page, suffix: str) -> bytes:
    """What the menu's "Save as…" saves."""
    with page.expect_download() as saved:
        menu(page).get_by_label("Save as…").select_option(suffix)
    assert saved.value.suggested_filename.endswith(f".{suffix}")
    return Path(saved.value.path()).read_bytes()


def pixels(png: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def of_pdf(pdf: bytes, folder: Path, ppi: float) -> Any:
    """Its page as typst draws it."""
    (folder / "taken.pdf").write_bytes(pdf)
    sheet = folder / "sheet.typ"
    sheet.write_text('#set page(width: auto, height: auto, margin: 0pt)\n#image("taken.pdf")')
    return pixels(typst.compile(sheet, format="png", ppi=ppi))


def check_same_ink(first: Any, second: Any) -> None:
    """What stands out from the ground in one picture does so in the other, within a pixel."""
    inks = [np.abs(image - image[0, 0]).max(axis=2) > 90 for image in (first, second)]
    for ink, other in (inks, inks[::-1]):
        near = np.zeros_like(other)
        for shift in np.ndindex(3, 3):
            near |= np.roll(other, np.subtract(shift, 1), axis=(0, 1))
        assert ink.mean() > 0.02 and (ink & ~near).sum() < 0.03 * ink.sum()
    both = inks[0] & inks[1]
    assert np.median(np.abs(first - second).max(axis=2)[both]) < 30  # and is of the same colour


@pytest.fixture
def alone(browser: Browser) -> Iterator[Callable[[bytes], Page]]:
    """Open a picture with nothing around it, and no network."""
    pages = []

    def make(svg: bytes) -> Page:
        pages.append(browser.new_context(offline=True, viewport={"width": 1600, "height": 1000}).new_page())
        pages[-1].set_content(f"<!doctype html><style>body{{margin:0}}</style>{svg.decode()}")
        return pages[-1]

    yield make
    for page in pages:
        page.context.close()


# ---------------------------------------------------------------------------------------------------- in a page
@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_holds_what_is_shown_and_stands_alone(
    page: Page, open_view: Open, alone: Any, theme: str, tmp_path: Path
) -> None:
    page.evaluate("theme => document.body.dataset.jpThemeLight = String(theme === 'light')", theme)
    wire = open_view(layer, **LAYER)
    looks(wire.widget, moment=6)
    wire.settle()
    svg = taken(page, "svg")
    sentence = page.locator(".al-sentence").text_content() or ""
    assert sentence and {sentence, "layer(x, W, b)", "Backward, step 1 of 9", "x", "5.574", "not yet"} <= words(svg)
    assert "gradient" in words(svg) and "h = np.tanh(a + b)" in words(svg)
    assert not re.search(rb"class=| style=|var\(|url\(|<image|foreignObject|href", svg)
    shown = alone(svg)
    box = shown.locator("svg rect").first
    assert box.evaluate("e => getComputedStyle(e).fill") == page.locator(".al-root").evaluate(
        "e => getComputedStyle(e).backgroundColor"
    )
    gradient = "rgb({}, {}, {})".format(*bytes.fromhex(THEMES[theme]["gradient"][1:]))  # type: ignore[index]
    caption = shown.locator("text", has_text=re.compile("^gradient$")).first
    assert caption.evaluate("e => getComputedStyle(e).fill") == gradient
    assert set(texts(svg)) == set(shown.locator("svg text").all_text_contents())
    png = pixels(taken(page, "png"))
    drawn = pixels(shown.locator("svg").screenshot())
    assert png.shape == (2 * drawn.shape[0], 2 * drawn.shape[1], 3)
    half = png.reshape(drawn.shape[0], 2, drawn.shape[1], 2, 3).mean(axis=(1, 3))
    check_same_ink(half, drawn)
    sheet = of_pdf(taken(page, "pdf"), tmp_path, 96)
    assert abs(np.subtract(sheet.shape, drawn.shape)).max() <= 1
    high, wide = min(sheet.shape[0], drawn.shape[0]), min(sheet.shape[1], drawn.shape[1])
    check_same_ink(sheet[:high, :wide], drawn[:high, :wide])


@pytest.mark.browser
def test_a_pdf_tells_where_its_objects_are(page: Page, open_view: Open) -> None:
    open_view(muladd, **POINT)
    pdf = taken(page, "pdf")
    assert pdf.startswith(b"%PDF-1.4\n") and pdf.endswith(b"%%EOF\n")
    table = int(re.findall(rb"startxref\n(\d+)\n", pdf)[0])
    assert pdf[table:].startswith(b"xref\n0 6\n")
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n \n", pdf[table:])]
    assert [pdf[place : place + 7] for place in places] == [b"%d 0 obj" % k for k in range(1, 6)]
    width, height, length = [int(re.findall(rb"/%s (\d+)" % name, pdf)[0]) for name in (b"Width", b"Height", b"Length")]
    jpeg = pdf[pdf.index(b"stream\n") + 7 :][:length]
    assert Image.open(io.BytesIO(jpeg)).size == (width, height)


@pytest.mark.browser
def test_graphs_of_all_orders_stand_beside_each_other(page: Page, open_view: Open, alone: Any) -> None:
    wire = open_view(lambda x, y: x * x * y, x=2.0, y=3.0)
    page.get_by_label("Order 2").click()
    wire.settle()
    svg = taken(page, "svg")
    shown = alone(svg)
    heads = [shown.locator("text", has_text=f"order {order} · ").bounding_box() for order in range(3)]
    assert len({head["y"] for head in heads}) == 1 and heads[0]["x"] < heads[1]["x"] < heads[2]["x"]
    numbers = page.locator(".al-graph .al-number").all_text_contents()
    assert len(numbers) > 20 and Counter(numbers) <= Counter(texts(svg))
    outside = shown.evaluate(OUTSIDE)
    assert outside == []


OUTSIDE = """() => {
  const around = document.querySelector('svg').getBoundingClientRect();
  const isOut = b => b.left < around.left || b.right > around.right || b.top < around.top || b.bottom > around.bottom;
  return [...document.querySelectorAll('svg :is(text, rect)')].filter(e => isOut(e.getBoundingClientRect())).map(e => e.textContent);
}"""  # noqa: E501


@pytest.mark.browser
def test_a_picture_says_nothing_of_what_can_be_done_in_the_view(page: Page, open_view: Open) -> None:
    wire = open_view(muladd, **POINT)
    assert (page.locator(".al-sentence").text_content() or "").startswith("Drag")
    assert not {"Drag", "yours"} & set(" ".join(texts(taken(page, "svg"))).split())
    node(page, wire, "h").click()
    wire.settle()
    assert page.locator(".al-sentence").text_content() in words(taken(page, "svg"))


@pytest.mark.browser
def test_a_large_graph_is_complete_and_few_boxes_are_drawn_afterwards(page: Page, open_view: Open) -> None:
    wire = open_view(steps, x=1.0)
    offered(page, "Open all").click()
    wire.settle()
    drawn = page.locator(".al-node:has(*)").count()
    scene = seen(wire.widget).scene
    assert drawn < len(scene["nodes"]) / 2
    svg = taken(page, "svg")
    assert texts(svg).count("value") == len(scene["nodes"])
    assert page.locator(".al-node:has(*)").count() == drawn
    size = pixels(taken(page, "png")).shape
    assert max(size[:2]) <= 16_000 and size[0] * size[1] <= 60_100_000 and max(size[:2]) > 5 * min(size[:2])


@pytest.mark.browser
def test_what_is_lit_and_coloured_is_in_the_picture(page: Page, open_view: Open, alone: Any) -> None:
    wire = open_view(muladd, **POINT)
    node(page, wire, "x").click()
    offered(page, "Colour by").select_option("gradient")
    wire.settle()
    svg = taken(page, "svg")
    shown = alone(svg)
    sentence, legend = page.locator(".al-sentence").text_content(), seen(wire.widget).flow["legend"]
    share = page.locator(".al-edge.al-share path").first.evaluate("e => getComputedStyle(e).stroke").replace(" ", "")
    tinted = page.locator(".al-tinted .al-card").first.evaluate("e => getComputedStyle(e).fill")
    assert tinted.startswith("color(srgb ")
    tint = ",".join(str(round(255 * float(part))) for part in tinted[len("color(srgb ") : -1].split())
    assert shown.locator(f"svg rect[fill='rgb({tint})']").count() >= 1
    assert sentence in words(svg)
    assert shown.locator(f"svg path[stroke='{share}'][stroke-width='2.8']").count() == 1
    assert shown.locator("svg g", has=shown.locator("text", has_text=legend["high"])).last.locator("rect").count() == 7


@pytest.mark.browser
def test_an_exported_page_saves_too_but_no_page(open_file: Callable[..., Page], explorer: Any) -> None:
    page = open_file(explorer(muladd, **POINT))
    options = menu(page).get_by_label("Save as…").locator("option").evaluate_all("all => all.map(e => e.value)")
    assert options == ["", "png", "svg", "pdf"]
    assert {"muladd(x, y, z)", "h = x * y", "10"} <= words(taken(page, "svg"))
    assert pixels(taken(page, "png")).std() > 5
    assert taken(page, "pdf").startswith(b"%PDF")


@pytest.mark.browser
def test_names_are_data_in_a_picture(page: Page, open_view: Open) -> None:
    open_view(muladd, **POINT)
    page.get_by_text("h = x * y", exact=True).first.evaluate(
        "e => e.textContent = '</text><script>alert(1)</script> & more'"
    )
    assert "</text><script>alert(1)</script> & more" in words(taken(page, "svg"))


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "file"), [("../<b>", "b.svg"), ("\u00fc", "function.svg"), ("f", "f.svg"), ("A.step_1", "A_step_1.svg")]
)
def test_a_file_has_a_plain_name(page: Page, open_view: Open, name: str, file: str) -> None:
    def fn(x: Any) -> Any:
        return x * x

    fn.__name__ = name
    open_view(fn, x=1.0)
    with page.expect_download() as saved:
        menu(page).get_by_label("Save as…").select_option("svg")
    assert saved.value.suggested_filename == file


@pytest.mark.browser
def test_the_browser_asks_the_kernel_for_the_page_that_steps(page: Page, open_view: Open) -> None:
    page.clock.install()
    page.evaluate("() => { window.freed = 0; URL.revokeObjectURL = () => { freed += 1; }; }")
    wire = open_view(layer, **LAYER)
    looks(wire.widget, moment=6)
    wire.settle()
    with page.expect_download() as saved:
        menu(page).get_by_label("Save as…").select_option("html")
        wire.settle()
    assert saved.value.suggested_filename == "layer.html"
    assert Path(saved.value.path()).read_bytes().startswith(b"<!doctype")
    wire.settle()
    page.clock.fast_forward(61_000)
    assert page.evaluate("() => freed") == 1
    assert wire.widget.answers.keys() == {'["frame",6,null]'}
    assert menu(page).get_by_label("Save as…").input_value() == ""


# ---------------------------------------------------------------------------------------------------- from Python
@pytest.mark.parametrize(
    ("suffix", "begins"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg"), (".html", b"<!doctype")]
)
def test_every_kind_is_written(explorer: Any, tmp_path: Path, suffix: str, begins: bytes) -> None:
    view = explorer(muladd, **POINT)
    view.save(tmp_path / f"view{suffix}")
    assert (tmp_path / f"view{suffix}").read_bytes().startswith(begins)


def test_the_groups_that_are_open_are_open_in_the_picture(explorer: Any, tmp_path: Path) -> None:
    def twice(x: Any) -> Any:
        for _ in range(2):
            x = x * x
        return x

    view = explorer(twice, x=2.0)
    outline = view.recording.outline
    group = next(group for group in outline.groups.values() if group.kind == "loop")
    found = {}
    for name, opened in (("open", outline.at_first() | {group.id}), ("closed", outline.at_first() - {group.id})):
        looks(view, open={"0": opened})
        for suffix in (".svg", ".png"):
            view.save(tmp_path / f"{name}{suffix}")
        found[name] = words((tmp_path / f"{name}.svg").read_bytes())
    assert group_count(group) in found["closed"] - found["open"]
    assert pixels((tmp_path / "open.png").read_bytes()).shape != pixels((tmp_path / "closed.png").read_bytes()).shape


def test_what_is_no_file_is_refused(explorer: Any, tmp_path: Path) -> None:
    view = explorer(muladd, **POINT)
    with pytest.raises(ValueError, match=r"save: got the suffix '.bmp' in .*, expected one of .svg, .png, .pdf"):
        view.save(tmp_path / "view.bmp")
    for question in (["svg", "light"], ["exe", "light"], ["html", "<b>"]):
        assert asks(view, "file", *question) is None and "not understood" in view.error["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_graph_that_is_there_already_is_taken_away_too(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)  # without a notebook the view is saved as a page
    x = autolab.Variable(3.0, name="x")
    view = (x * x + x).explore()
    view.save(tmp_path / "graph.svg")
    assert "x" in words((tmp_path / "graph.svg").read_bytes())
    view.close()
