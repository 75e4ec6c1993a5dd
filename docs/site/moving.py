"""Pages that move, as the site has them: the program of a kind of view is one file, which all of its pages share.

A page by `export_html` is one file with everything in it. The site has hundreds of them, and would be three times as
large.
"""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path

from autolab.views.live.bundle import module_text, zipped

PLAYGROUND = "https://playground.invalid/"
"""Where pages are told that a playground is; moving.js puts the site's own in its place."""

FOLDER = "moving"
_WITHIN = """
.al-root { background: none }
main > p > a { color: light-dark(#0b57a4, #69a8f5) }
"""
"""Within a page of the site a view has no ground of its own."""
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_SAVED = re.compile(r'<script type="application/(json|gzip)" id="saved">(.*?)</script>', re.DOTALL)
_START = re.compile(r'<script type="module">(.*?)(start\("[^"]*"\);\s*)</script>', re.DOTALL)


def save(extra: Path, name: str, view: str, page: str) -> None:
    """Write the ``page`` of a kind of ``view`` into the folder of pages that move, and what it shares with others."""
    folder = extra / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    style, saved, start = (found.search(page) for found in (_STYLE, _SAVED, _START))
    assert style and saved and start, f"the page {name} has not the parts that pages had"
    loader = (Path(__file__).parent / "static" / "moving.js").read_text("utf-8")
    unzip = "" if "function unzipped" in start[1] else module_text("unzip.js").replace("export ", "")
    (folder / f"{view}.css").write_text(style[1] + _WITHIN, "utf-8")
    (folder / f"{view}.js").write_text(
        f"{unzip}{start[1]}{loader}held().then(() => {start[2].strip()[:-1]});\n", "utf-8"
    )
    held = saved[2] if saved[1] == "gzip" else base64.b64encode(zipped(saved[2])).decode()
    page = page.replace(saved[0], f'<script type="text/plain" id="held">{held}</script>')
    page = page.replace(style[0], f'<link rel="stylesheet" href="{view}.css">')
    page = page.replace(start[0], f'<script src="{view}.js"></script>')
    page = page.replace("style-src ", "style-src 'self' ").replace("script-src ", "script-src 'self' ")
    (folder / f"{name}.html").write_text(page, "utf-8")


def frame(name: str, title: str, depth: int, view: str = "explorer", loading: str = "lazy") -> str:
    """A saved page of a kind of ``view`` within a page of the site, which lies ``depth`` folders deep."""
    address = f"{'../' * depth}{FOLDER}/{name}.html"
    return f'<iframe class="moving {view}" src="{address}" title="{html.escape(title)}" loading="{loading}"></iframe>'
