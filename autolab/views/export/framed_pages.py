"""Pages of views in frames of another page, each with its own content policy and that of the page around it."""

from __future__ import annotations

import html
from collections.abc import Iterable

from ..draw import say
from ..draw.escape import Markup, document, element, join
from ..draw.svg import Look
from .pages import digest, digests

STYLE = "iframe { display: block; width: 100%; height: 44rem; border: 0; }"
_POLICY = "default-src 'none'; img-src data:; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'; "


def frame(page: str) -> Markup:
    """A page in a frame."""
    srcdoc = Markup(html.escape(page, quote=True))
    return element("iframe", srcdoc=srcdoc, title=say("live_frame"), allow="fullscreen")


def page_around(title: str, style: str, body: Markup, views: Iterable[str], look: Look = "auto") -> str:
    """A page whose ``body`` has frames with ``views``, given by the names of their modules."""
    found = [digests(view, look) for view in sorted(set(views))]
    styles = " ".join([digest(style), *[own for own, _ in found]])
    scripts = " ".join([script for _, script in found if script != "'none'"]) or "'none'"
    policy = Markup(f"{_POLICY}style-src {styles}; script-src {scripts}")
    return document(title, style, policy, element("main", body))


def several(title: str, pages: Iterable[tuple[str, str]], look: Look) -> str:
    """Pages one below the other, each with the name of its view, which is empty for a static page."""
    views, texts = zip(*pages, strict=True)
    style = f":root {{ color-scheme: {look.replace('auto', 'light dark')}; }} body {{ margin: 1rem; }} {STYLE}"
    return page_around(title, style, join([frame(text) for text in texts]), views, look)
