"""Escaping of all text that becomes part of HTML or SVG, and pieces of HTML that survive a notebook's sanitiser.

Names, expressions and messages come from users: they are data. `escape` turns them into `Markup`; the builders
accept nothing else, so that a forgotten escape is an error and not a vulnerability.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Iterable, Sequence

from ...engine import Bundle

NAME_LIMIT = 200
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_WHITE_SPACE = str.maketrans("\t\n\r\v\f\x85\u2028\u2029", " " * 8)
# Control, format (bidirectional controls, tags), lone surrogate, private-use and unassigned characters.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINER = "\N{ZERO WIDTH JOINER}"


class Markup(str):
    """Text that is safe in HTML or SVG: already escaped, or written by AutoLab itself."""

    __slots__ = ()


def clean(text: object, limit: int = NAME_LIMIT) -> str:
    """One line of visible text of at most ``limit`` characters: white space becomes a blank, and an invisible character
    a replacement character.

    Examples
    --------
    >>> clean("a\\u202eb\\nc")
    'a\N{REPLACEMENT CHARACTER}b c'
    >>> clean("x" * 9, limit=5)
    'xxxx…'
    """
    seen = str(text)[: limit + 1]
    if not seen.isprintable():
        white = seen.translate(_WHITE_SPACE)
        seen = "".join([_REPLACEMENT if unicodedata.category(c) in _UNSEEN and c != _JOINER else c for c in white])
    return seen if len(seen) <= limit else seen[: limit - 1] + "…"


def escape(text: object, limit: int = NAME_LIMIT) -> Markup:
    """``text`` as visible text for the content of an element or for a quoted attribute.

    Examples
    --------
    >>> escape('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(clean(text, limit), quote=True))


def require(*parts: str) -> None:
    """Refuse text that does not come from `escape` or a builder."""
    for part in parts:
        if not isinstance(part, Markup):
            raise TypeError(f"display: got the plain text {clean(part, 40)!r}, expected Markup. Use escape(text).")


def join(parts: list[Markup] | tuple[Markup, ...], separator: str = "") -> Markup:
    """Concatenate pieces of markup."""
    require(*parts)
    return Markup(separator.join(parts))


def element(tag: str, *children: Markup, **attributes: object) -> Markup:
    """One element of HTML or SVG. A trailing ``_`` in an attribute's name is dropped, an inner one becomes ``-``; an
    attribute that is None is left out.

    Examples
    --------
    >>> element("text", escape("a < b"), class_="name", text_anchor="end")
    '<text class="name" text-anchor="end">a &lt; b</text>'
    """
    require(*children)
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    start = tag + "".join(f' {key}="{_attribute(value)}"' for key, value in given.items())
    return Markup(f"<{start}/>" if tag in _VOID else f"<{start}>{''.join(children)}</{tag}>")


def document(title: str, style: str, policy: str, *body: Markup, **attributes: object) -> str:
    """A whole HTML page. ``policy`` is its content security policy; ``attributes`` go to the ``html`` element."""
    head = [
        Markup('<meta charset="utf-8">'),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", escape(title)),
        Markup(f"<style>{style}</style>"),
    ]
    page = element("html", element("head", *head), element("body", *body), lang="en", **attributes)
    return f"<!doctype html>\n{page}\n"


_VOID = frozenset({"img", "br", "rect", "path", "circle", "line", "image", "meta"})


def _attribute(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(value, limit=20_000)


LIMIT = 200_000
"""Largest size of one output, in bytes."""

_ALT_LIMIT = 1500
_FORMULA_SIGNS = ("$", "\\")
_FORMULA = re.compile(r"([$\\])")


def fitting(ever_smaller: Iterable[Markup], text: str, otherwise: str = "") -> Bundle:
    """The first of these displays that does not exceed `LIMIT`, and ``text``.

    If there is none, the text alone, with the line ``otherwise`` that says so, if given.
    """
    for shown in ever_smaller:
        if len(shown.encode()) + len(text.encode()) <= LIMIT:
            return {"text/html": str(shown), "text/plain": text}
    return {"text/plain": f"{text}\n{otherwise}" if otherwise else text}


def picture(svg: Markup, alt: str) -> Markup:
    """An SVG document as an image with a description."""
    require(svg)
    return element("img", alt=escape(alt, _ALT_LIMIT), src=image_address(svg.encode(), "svg+xml"))


def image_address(data: bytes, kind: str = "png") -> Markup:
    """An image as a data URL."""
    return Markup(f"data:image/{kind};base64,{base64.b64encode(data).decode()}")


def code(text: object) -> Markup:
    """User text in a fixed-width font; empty if there is none."""
    return element("code", escape(text)) if text != "" else Markup()


def prose(text: str, limit: int = 1000) -> Markup:
    """A sentence that may contain users' names: characters that would start a formula are kept from doing so."""
    return join(
        [code(part) if part in _FORMULA_SIGNS else escape(part, limit) for part in _FORMULA.split(clean(text, limit))]
    )


def with_code(text: str) -> Markup:
    """Prose, with text between backquotes as code."""
    return join([code(part) if i % 2 else prose(part) for i, part in enumerate(re.split("``?", text))])


def table(headings: Sequence[str], rows: Iterable[Sequence[Markup]]) -> Markup:
    """A table with a heading row."""
    head = element("tr", *(element("th", escape(heading), scope="col") for heading in headings))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))


def fact_table(facts: Iterable[tuple[str, str]]) -> Markup:
    """A table of facts: their names and their values."""
    rows = [
        element("tr", element("th", escape(fact), scope="row"), element("td", code(words))) for fact, words in facts
    ]
    return element("table", element("tbody", *rows))


def details(summary: str, *parts: Markup) -> Markup:
    """Content that opens on a click on its summary."""
    return element("details", element("summary", escape(summary)), *parts)


def paragraph(*parts: Markup) -> Markup:
    """A paragraph."""
    return element("p", *parts)


def headline(title: object, beside: str = "") -> Markup:
    """The first line of a display: the title as code, and a sentence beside it."""
    return paragraph(element("strong", code(title)), escape(f" {beside}" if beside else ""))


def at_rest(title: str, shown: Markup | None, *told: str) -> Markup:
    """A live view's frame without its controls: the title as code, the picture, and sentences about it."""
    words = [paragraph(with_code(said)) for said in told if said]
    return join([headline(title), *([] if shown is None else [shown]), *words])
