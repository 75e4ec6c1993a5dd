"""Saved pages: opened from a file, without a network, under their own content policy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import autolab
from autolab.recording.model import Recording
from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html
from autolab.views.live.saved_page import MAX_BYTES
from views.cases import named
from views.payloads import PAYLOADS, batches

from ..bare_page import menu
from ..looking import looks
from ..programs import LAYER, layer, muladd

Open = Callable[..., Page]
FRONT_END = 160_000


def box(page: Page, recording: Recording, name: str) -> Locator:
    return page.locator(f".al-node[data-id='{recording[name].id}']")


@pytest.mark.browser
def test_a_saved_recording_shows_its_numbers_and_every_step(open_file: Open) -> None:
    recording = autolab.record(muladd, 2.0, 3.0, 4.0)
    page = open_file(recording)
    assert box(page, recording, "h").locator(".al-number").all_text_contents() == ["6", "1"]
    expect(page.locator(".al-sentence")).to_have_text(say("still"))
    for name, value in (("x", "2"), ("h", "6"), ("w", "10")):
        box(page, recording, name).click()
        expect(page.locator(".al-title")).to_have_text(re.compile(f"^{name}"))
        expect(page.locator(".al-big").first).to_have_text(value)
    assert page.locator(".al-comes ~ div .al-rule").count() == 2


@pytest.mark.browser
def test_a_saved_page_walks_zooms_and_points(open_file: Open) -> None:
    recording = autolab.record(layer, **LAYER)
    page = open_file(recording)
    width = lambda: page.locator(".al-picture").evaluate("e => e.getBoundingClientRect().width")  # noqa: E731
    before = width()
    menu(page).get_by_role("button", name="Zoom in").click()
    assert width() > 1.1 * before
    box(page, recording, "loss").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".al-title")).to_have_text("h * h")
    box(page, recording, "W").click()
    expect(page.locator(".al-title")).to_have_text("W")
    canvas = page.locator(".al-canvas").first
    corner = canvas.bounding_box()
    assert corner
    canvas.hover(position={"x": corner["width"] * 3.5 / 4, "y": corner["height"] * 2.5 / 3})
    assert page.locator(".al-readout").first.text_content() == "[2, 3] = 2"
    page.get_by_role("slider", name="Step of the walk").fill("8")
    page.locator(".al-sheet canvas.al-canvas").last.click()  # nobody is there to follow a cell


@pytest.mark.browser
def test_colours_of_a_saved_page_follow_the_powers_of_ten(open_file: Open) -> None:
    recording = autolab.record(lambda A: A * A, np.array([[1.0, -0.01], [100.0, 5.0]]))
    page = open_file(recording)
    page.locator(".al-node").first.click()
    page.locator(".al-detail").get_by_label("Symmetric log").check()
    ticks = page.locator(".al-readout-value .al-heat-legend text")
    expect(ticks).to_have_text(["−100", "−0.1", "0", "0.1", "100"])
    page.locator(".al-detail").get_by_label("Gradient", exact=True).check()
    expect(page.locator(".al-readout-value")).to_be_hidden()


@pytest.mark.browser
def test_a_saved_view_has_no_kernel(open_file: Open, explorer: Any) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    move = {"do": "move", "seq": 1, "key": "x", "index": None, "value": 2.5, "final": True}
    view._on_message(view, move, [])
    looks(view, selected=view.recording["h"].id)
    page = open_file(view)
    assert page.locator(".al-title").text_content() == "h = x * y"
    assert box(page, view.recording, "x").get_attribute("role") == "slider"  # the page itself computes
    assert box(page, view.recording, "h").get_attribute("role") == "button"  # what if it were: that needs Python
    assert page.get_by_label("Save as…").count() == 1
    names = menu(page).get_by_role("button").all_text_contents()
    assert not {"Undo", "Reset", "Copy point as code", "Pin inputs"} & set(names) and "Present" in names
    assert not view.still and view.look["selected"] == view.recording["h"].id  # the live view is as it was


@pytest.mark.browser
@pytest.mark.parametrize(("look", "system", "dark"), [("auto", "dark", True), ("auto", "light", False)] * 1 + [
    ("light", "dark", False), ("dark", "light", True)])  # fmt: skip
def test_a_saved_page_follows_the_system_or_keeps_its_look(open_file: Open, look: str, system: Any, dark: bool) -> None:
    page = open_file(autolab.record(muladd, 2.0, 3.0, 4.0), look, color_scheme=system)
    color = page.locator(".al-root").evaluate("e => getComputedStyle(e).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", color)[:3])) < 200) is dark
    if look == "auto":
        page.emulate_media(color_scheme="light" if dark else "dark")
        page.wait_for_function(
            "was => getComputedStyle(document.querySelector('.al-root')).backgroundColor !== was", arg=color
        )


@pytest.mark.browser
def test_reports_and_values_are_written_as_a_notebook_shows_them(open_file: Open) -> None:
    report = autolab.check_gradients(lambda x: x * x, np.ones((3, 2)))
    page = open_file(report)
    page.locator("details > summary").last.click()
    assert "right" in page.locator("table").inner_text()
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert "requires_grad" in open_file(autolab.Variable(1.0, requires_grad=False)).locator("body").inner_text()


@pytest.mark.browser
def test_names_run_nothing_in_a_saved_page(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context()
    fired: list[int] = []
    context.expose_function("fired", lambda n: fired.append(n))
    noise: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or noise.append(request.url))
    for names in batches(6):
        export_html(named(*names), tmp_path / "page.html")
        page.goto((tmp_path / "page.html").as_uri())
        for node in (0, 5, -1):
            page.locator(".al-node").nth(node).click()
        assert page.locator("img, iframe, style ~ style, a, animate, [onload], [onerror]").count() == 0
    page.wait_for_timeout(200)
    assert (fired, noise) == ([], [])
    context.close()


RUN = """() => {
  const attempt = (run) => { try { run(); return "done"; } catch { return "refused"; } };
  const script = document.createElement("script");
  const write = () => { script.textContent = "window.hit = 1"; };
  return [write, () => trustedTypes.createPolicy("autolab", {})].map(attempt);
}"""


@pytest.mark.browser
def test_the_policy_of_a_saved_page_holds(open_file: Open, browser: Browser, tmp_path: Path) -> None:
    """The positive control: what is put into the file by hand does not run, and is heard."""
    export_html(autolab.record(muladd, 2.0, 3.0, 4.0), tmp_path / "held.html")
    text = (tmp_path / "held.html").read_text("utf-8").replace("</body>", "<script>window.hit = 1</script></body>")
    (tmp_path / "held.html").write_text(text, "utf-8")
    page = browser.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.goto((tmp_path / "held.html").as_uri())
    page.wait_for_selector(".al-node")
    assert page.evaluate("() => window.hit") is None
    assert page.evaluate(RUN) == ["refused", "refused"]
    assert any("Content Security Policy" in message for message in heard)
    page.close()


def test_no_payload_leaves_the_data_of_a_page(tmp_path: Path) -> None:
    for name in PAYLOADS:
        export_html(named(name), tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text("utf-8")
        assert (text.count("<script"), text.count("</script")) == (2, 2)
        start = text.index('id="saved">') + len('id="saved">')
        assert "<" not in text[start : text.index("</script", start)]


def test_a_page_is_small_and_large_arrays_are_reduced_for_it(tmp_path: Path) -> None:
    export_html(autolab.record(muladd, 2.0, 3.0, 4.0), tmp_path / "small.html")
    assert (tmp_path / "small.html").stat().st_size < FRONT_END

    def chain(A: autolab.Variable) -> autolab.Variable:
        for _ in range(6):
            A = np.tanh(A)
        return A.sum()

    export_html(autolab.record(chain, np.random.default_rng(0).normal(size=(600, 600))), tmp_path / "large.html")
    assert 100_000 < (tmp_path / "large.html").stat().st_size < MAX_BYTES + FRONT_END


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"export_html: got the path .*page\.pdf'; expected one that ends in \.html or \.mjs"
    ):
        export_html(autolab.record(muladd, 2.0, 3.0, 4.0), tmp_path / "page.pdf")
    with pytest.raises(TypeError, match="export_html: got an int; expected a recording, a view or a report"):
        export_html(3, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []
