"""The site that `make site` has built, and a server for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

from helpers.checkout import ROOT

SITE = ROOT / "dist" / "site"
OWN = ("jupyter", "playground")
"""Folders that have tests of their own."""


class Addresses(HTMLParser):
    """What a page leads to, and the places in it that can be led to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {place for name in ("id", "name") if (place := given.get(name))}
        self.targets |= {target for name in ("href", "src") if (target := given.get(name))}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *given: Any) -> None:
        pass

    def send_error(self, code: int, *given: Any) -> None:
        """As hosts of static sites do it."""
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((SITE / "404.html").read_bytes())


@contextmanager
def served_folder(folder: Path) -> Iterator[str]:
    """Serve a folder; the answer is its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def builder(name: str) -> Any:
    """A module that builds the site."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(ROOT / "docs" / "site"))
