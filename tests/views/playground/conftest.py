"""The sites for browsers, built for the tests, from a server of files and with no network."""

from __future__ import annotations

import functools
import hashlib
import http.server
import importlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from helpers.checkout import ROOT
from playwright.sync_api import Browser, Page, expect

from autolab.views.playground.site import DISTRIBUTION

WHEELS = ROOT.parent / "shared" / "lite"
SECONDS = 120_000  # milliseconds for what takes ten seconds on a machine that is not busy


class Files(http.server.SimpleHTTPRequestHandler):
    """Files, with the headers that let Python be interrupted or without."""

    extensions_map: ClassVar[dict[str, str]] = {
        ".html": "text/html",
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".json": "application/json",
        ".wasm": "application/wasm",
    }
    isolated = True

    def end_headers(self) -> None:
        if self.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *given: object) -> None:
        pass


@contextmanager
def scripts() -> Iterator[Any]:
    """The module that builds the sites, and the files for those that need no network; skips where they are missing."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        lite = importlib.import_module("lite")
        yield lite, lite.offline_files(WHEELS)
    except (RuntimeError, SystemExit) as error:
        pytest.skip(f"Python for browsers cannot be had here: {error}")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The address of a server of this folder's files."""
    served = http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Files, directory=str(folder)))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://localhost:{served.server_address[1]}/"
    served.shutdown()
    served.server_close()


@contextmanager
def opener(
    browser: Browser, address: str, stand_in: Callable[[Any], bool] = lambda route: False
) -> Iterator[Callable[[str], Page]]:
    """Open pages whose requests to anywhere else fail; at the end none may have been made, nor an error met.

    A ``stand_in`` answers requests in another site's place, and says whether it has.
    """
    elsewhere: list[str] = []
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(SECONDS)
    expect.set_options(timeout=SECONDS)

    def guard(route: Any) -> None:
        if stand_in(route):
            return
        if route.request.url.startswith((address, "blob:", "data:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    context.route("**/*", guard)

    def open_page(path: str = "") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path if path.startswith(address) else address + path)
        return page

    yield open_page
    context.close()
    expect.set_options(timeout=15_000)  # as for every view
    assert elsewhere == [] and errors == []


class Distribution:
    """Pyodide's own distribution, which no test can reach: its addresses are answered with files of this machine.

    The wheel of NumPy there is that of another version, and so its checksum is put in its place too.
    """

    def __init__(self, offline: Any, address: str) -> None:
        self.asked: list[str] = []
        self._offline, self._address = offline, address

    def answer(self, route: Any) -> bool:
        """Answer a request to the distribution, or to a list of packages that names its files."""
        url = route.request.url
        if url == f"{self._address}jupyter/python/lock.json":
            route.fulfill(json=self._renewed(route.fetch().json()))
            return True
        if not url.startswith(DISTRIBUTION):
            return False
        name = url.removeprefix(DISTRIBUTION)
        self.asked.append(name)
        path = self._offline.numpy if name.startswith("numpy-") else self._offline.pyodide / name
        body = path.read_bytes()
        if name == "pyodide-lock.json":
            body = json.dumps(self._renewed(json.loads(body))).encode()
        kind = Files.extensions_map.get(path.suffix, "application/octet-stream")
        headers = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
        route.fulfill(body=body, content_type=kind, headers=headers)
        return True

    def _renewed(self, lock: Any) -> Any:
        lock["packages"]["numpy"]["sha256"] = hashlib.sha256(self._offline.numpy.read_bytes()).hexdigest()
        return lock


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The playground with its own Pyodide and NumPy."""
    with scripts() as (lite, offline):
        return lite.site.build(tmp_path_factory.mktemp("site"), offline).parent


@pytest.fixture
def opened(browser: Browser, site: Path) -> Iterator[Callable[[str], Page]]:
    with server(site) as address, opener(browser, address) as open_page:
        yield open_page
