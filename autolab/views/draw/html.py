"""Pieces of HTML that survive a notebook's sanitiser, trusted or not.

Only tables, ``<details>``, ``<code>`` and pictures as ``<img>`` with a ``data:`` address: an SVG inside ``<img>``
cannot run scripts, and an untrusted notebook shows it. Text from users stands in ``<code>``, where ``$...$`` is not
typeset.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence

from .escape import Markup, clean, element, escape, join, require

LIMIT = 200_000
"""Bytes that one output may take."""

_ALT_LIMIT = 1500
_FORMULA_SIGNS = ("$", "\\")
_FORMULA = re.compile(r"([$\\])")


def picture(svg: Markup, alt: str) -> Markup:
    """An SVG document as an image with a description."""
    require(svg)
    address = Markup("data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode())
    return element("img", alt=escape(alt, _ALT_LIMIT), src=address)


def code(text: object) -> Markup:
    """Text from users, in a fixed-width font; nothing where there is none."""
    return element("code", escape(text)) if text != "" else Markup()


def prose(text: str, limit: int = 1000) -> Markup:
    """A sentence that may hold names: the signs that would start a formula are kept from doing so."""
    return join(
        [code(part) if part in _FORMULA_SIGNS else escape(part, limit) for part in _FORMULA.split(clean(text, limit))]
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[Markup]]) -> Markup:
    """A table with a row of headings."""
    head = element("tr", *(element("th", escape(heading), scope="col") for heading in headings))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))


def fact_table(facts: Iterable[tuple[str, str]]) -> Markup:
    """A table of pairs: what is told, and the words."""
    rows = [
        element("tr", element("th", escape(fact), scope="row"), element("td", code(words))) for fact, words in facts
    ]
    return element("table", element("tbody", *rows))


def details(summary: str, *parts: Markup) -> Markup:
    """Something that opens on a click."""
    return element("details", element("summary", escape(summary)), *parts)


def paragraph(*parts: Markup) -> Markup:
    """A paragraph."""
    return element("p", *parts)
