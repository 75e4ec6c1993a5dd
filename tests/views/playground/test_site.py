"""The playground in Chromium, from a server of files and with no network: Python runs in the page."""

from __future__ import annotations

import functools
import http.server
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from helpers.checkout import ROOT
from playwright.sync_api import Browser, Page, expect

from autolab.views.draw.messages import say
from autolab.views.playground.examples import EXAMPLES
from autolab.views.playground.site import DISTRIBUTION, build

WHEELS = ROOT.parent / "shared" / "lite"
SECONDS = 120_000  # milliseconds for what takes ten seconds on a machine that is not busy
MOST_BYTES = 11_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The playground with its own Pyodide and NumPy."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from lite import offline_files

        return build(tmp_path_factory.mktemp("site"), offline_files(WHEELS)).parent
    except (RuntimeError, SystemExit) as error:
        pytest.skip(f"Python for browsers cannot be had here: {error}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


class Files(http.server.SimpleHTTPRequestHandler):
    """Files, with the headers that let Python be interrupted or without."""

    extensions_map: ClassVar[dict[str, str]] = {
        ".html": "text/html",
        ".mjs": "text/javascript",
        ".js": "text/javascript",
    }
    isolated = True

    def end_headers(self) -> None:
        if self.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Files, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def opened(browser: Browser, served: str) -> Iterator[Callable[[str], Page]]:
    """Open a page whose requests to anywhere else fail; at the end none may have been made, nor an error met."""
    elsewhere: list[str] = []
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(SECONDS)
    expect.set_options(timeout=SECONDS)

    def guard(route: object) -> None:
        url = route.request.url  # type: ignore[attr-defined]
        if url.startswith((served, "blob:", "data:")):
            route.continue_()  # type: ignore[attr-defined]
        else:
            elsewhere.append(url)
            route.abort()  # type: ignore[attr-defined]

    context.route("**/*", guard)

    def open_page(address: str = "") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address or served)
        return page

    yield open_page
    context.close()
    expect.set_options(timeout=5000)
    assert elsewhere == [] and errors == []


def status(page: Page, key: str) -> None:
    expect(page.locator(".al-play-status")).to_have_text(say(f"play_{key}"), timeout=SECONDS)


def run(page: Page, program: str) -> None:
    page.get_by_role("textbox").fill(program)
    page.get_by_role("button", name=say("play_run")).click()


@pytest.mark.browser
def test_a_live_graph_moves_stops_and_is_shared_by_a_link(opened: Callable[[str], Page]) -> None:
    page = opened("")
    slider = page.get_by_role("slider", name=re.compile("^x, input, value 2"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    moved = page.get_by_role("slider", name=re.compile(r"^x, input, value 2\.01, gradient 3"))
    expect(moved).to_have_count(1)

    page.get_by_role("button", name=say("play_link")).click()
    page.wait_for_url(re.compile("#.{50,}"))
    shared = opened(page.url)
    expect(shared.get_by_role("slider", name=re.compile(r"^x, input, value 2\.01, gradient 3"))).to_have_count(1)
    assert "autolab.explore(muladd, x=2.01, y=3.0, z=4.0)" in shared.get_by_role("textbox").input_value()
    shared.close()

    run(page, "print('before')\nwhile True:\n    pass\n")
    expect(page.locator(".al-play-output pre")).to_contain_text("before")
    page.get_by_role("button", name=say("play_stop")).click()
    status(page, "raised")
    run(page, "import numpy as np\nfrom autolab import functions as F\nF.inv(np.zeros((2, 2)))\n")
    expect(page.locator(".al-play-output pre")).to_contain_text("inv: ")
    expect(page.locator(".al-play-output pre")).to_contain_text("singular")


@pytest.mark.browser
@pytest.mark.full
def test_every_example_runs_and_without_the_headers_python_starts_again(
    opened: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Files, "isolated", False)
    page = opened("")
    status(page, "ready")
    for name in EXAMPLES:
        page.get_by_label(say("play_example")).select_option(name)
        expect(page.locator(".al-play-output > *").first).to_be_visible()
        status(page, "ready")
        assert "Traceback" not in page.locator(".al-play-output").inner_text(), name
    run(page, "while True:\n    pass\n")
    page.get_by_role("button", name=say("play_stop")).click()
    status(page, "ready")
    run(page, "1 + 1")
    expect(page.locator(".al-play-output pre")).to_have_text("2\n")


def test_the_site_is_small_and_asks_nobody_else(site: Path) -> None:
    import gzip

    files = [path for path in site.rglob("*") if path.is_file() and path.suffix not in (".txt",)]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= MOST_BYTES
    assert DISTRIBUTION not in (site / "index.html").read_text("utf-8")
    assert "Mozilla Public License" in (site / "LICENSES.txt").read_text("utf-8")


def test_the_public_site_takes_python_from_its_own_distribution(tmp_path: Path) -> None:
    page = build(tmp_path / "site")
    assert sorted(path.name for path in page.parent.iterdir()) == [
        *("LICENSES.txt", "autolab.zip", "index.html", "playground.css", "playground.js", "worker.js"),
    ]
    text = page.read_text("utf-8")
    assert text.count(DISTRIBUTION) == 3  # to load from, and twice in the page's policy
    first = (page.parent / "autolab.zip").read_bytes()
    build(tmp_path / "site")
    assert (page.parent / "autolab.zip").read_bytes() == first
