"""The SVG document around every picture, self-contained, and its style sheet, with colours as classes, so that one
document can follow a light or a dark page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import count
from typing import Literal

from .colors import LINES, THEMES, Theme
from .escape import Markup, element, escape
from .names import shorten, wrapped

_documents = count(1)


def new_scope() -> str:
    """An id that is unique in this process; the ids inside the document begin with it."""
    return f"autolab-{next(_documents)}"


def document(
    parts: Sequence[Markup],
    size: tuple[float, float],
    title: str,
    words: str,
    look: Look = "auto",
    *,
    scope: str | None = None,
    lines: bool = False,
    sheets: Sequence[Markup] = (),
) -> Markup:
    """The text of an SVG document without scripts and without external fonts or images.

    Parameters
    ----------
    parts
        The content of the card.
    size
        Width and height.
    title, words
        The title, and a description for those who cannot see the picture.
    look
        ``light``, ``dark``, or ``auto``: light, but dark if the page that shows it is dark.
    scope
        The document's id, if the parts refer to it; by default a new one.
    lines
        Whether the parts use the colours of lines.
    sheets
        Style sheets of the parts.
    """
    scope = scope or new_scope()
    width, height = size
    return element(
        "svg",
        element("title", escape(title), id=f"{scope}-title"),
        element("desc", escape(words, limit=20_000), id=f"{scope}-desc"),
        style_sheet(scope, look),
        *([line_sheet(scope, look)] if lines else []),
        *sheets,
        element("rect", class_="card", width=width, height=height, rx=10),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        id=scope,
        width=width,
        height=height,
        viewBox=f"0 0 {width:.1f} {height:.1f}",
        role="img",
        aria_labelledby=f"{scope}-title {scope}-desc",
    )


def stacked(documents: Sequence[Markup], title: str, told: Sequence[str], look: Look = "auto") -> Markup:
    """Documents one below the other, as a single one, with the title above and the sentences ``told`` below."""
    sizes = [[float(length) for length in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', one)[0]] for one in documents]
    wide, top = max([_LEAST, *(width for width, _ in sizes)]), _TITLE
    parts = [words_at(_EDGE, 25.0, shorten(title, int((wide - 2 * _EDGE) / _LETTER)), "name")]
    for one, (_, height) in zip(documents, sizes, strict=True):
        parts.append(Markup(one.replace("<svg", f'<svg y="{top:.1f}"', 1)))
        top += height
    for line in [line for said in told for line in wrapped(said, int((wide - 2 * _EDGE) / _SMALL))]:
        top += _LINE
        parts.append(words_at(_EDGE, top, line, "tab"))
    return document(parts, (wide, top + _EDGE), title, " ".join(told), look)


_LEAST, _EDGE, _TITLE, _LINE = 480.0, 14.0, 36.0, 19.0
_LETTER, _SMALL = 9.7, 7.9  # widths of a character of the title and of the sentences


def words_at(x: float, y: float, words: str, style: str | None = None) -> Markup:
    """A line of text that begins at a point or, with another anchor, is centred there or ends there."""
    return element("text", escape(words), x=x, y=y, class_=style)


def path_of(d: str, style: str, dash: str | None = None, fill: str | None = None) -> Markup:
    """A path, with the classes that give it its colour and width. Its data are numbers and, unlike text, never cut."""
    return element("path", d=Markup(d), class_=style, stroke_dasharray=dash, fill=fill)


Look = Literal["light", "dark", "auto"]

MONOSPACE = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
SANS = "system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,sans-serif"

_SHAPES = f"""
text{{font:16px {MONOSPACE}}}
.name{{font-weight:700}}
.number{{font-size:18px;font-weight:600}}
.small{{font:12px {SANS}}}
.tag{{font:600 12px {SANS};text-anchor:middle}}
.sign,.right{{text-anchor:end}}
.absent{{font:italic 14px {SANS}}}
.group{{stroke-width:1.2}}
.tab{{font:13px {MONOSPACE}}}
.edges{{fill:none;stroke-width:1.8}}
.transfer{{stroke-width:2.8;stroke-dasharray:2 5;stroke-linecap:round}}
.box{{stroke-width:1.3}}
.box.output{{stroke-width:2.6}}
.box.constant,.box.run{{stroke-dasharray:5 4}}
.middle,.cell,.incell{{text-anchor:middle}}
.cell{{font:13px {MONOSPACE}}}
.incell{{font:12px {SANS}}}
.ring{{fill:none;stroke-width:3}}
.cross{{fill:none;stroke-width:1.6}}
.zero{{fill:none;stroke-width:1;stroke-dasharray:1.5 2}}
.strip{{fill:none;stroke-width:1}}
"""

_COLORS = """
.card{{fill:{card}}}
text,.name{{fill:{ink}}}
.muted,.small,.sign,.absent{{fill:{muted}}}
.gradient{{fill:{gradient}}}
.edges{{stroke:{edge}}}
.head,.bars{{fill:{edge}}}
.group{{stroke:{frame}}}
.depth0{{fill:{constant}}}
.depth1{{fill:{card}}}
.box{{fill:{box};stroke:{frame}}}
.box.input,.box.leaf{{fill:{input};stroke:{frame}}}
.box.constant,.box.run,.box.reference{{fill:{constant};stroke:{frame}}}
.box.output{{stroke:{strong}}}
.plate{{fill:{strong}}}
.plate.quiet{{fill:{muted}}}
.plate.wrong{{fill:{warning}}}
.plate.device{{fill:{muted}}}
.transfer{{stroke:{strong}}}
.badge{{fill:{gradient}}}
.tag{{fill:{card}}}
.cross,.ring{{stroke:{warning}}}
.strip{{stroke:{frame}}}
.zero{{stroke:{edge}}}
"""

_LINE_SHAPES = f"""
.line{{fill:none;stroke-width:2}}
.grid{{stroke-width:1;opacity:.35}}
.title{{font:600 15px {SANS}}}
"""


def first_theme(look: Look) -> Theme:
    """The theme of a look; for ``auto``, the theme if the page does not say."""
    return "dark" if look == "dark" else "light"


def style_sheet(scope: str, look: Look) -> Markup:
    """The style rules that all pictures share."""
    return sheet(scope, look, _SHAPES, lambda theme: _COLORS.format(**THEMES[theme]))


def sheet(scope: str, look: Look, shapes: str, colors: Callable[[Theme], str]) -> Markup:
    """Style rules, one per line, scoped to the element with the id ``scope``; with ``auto`` they follow the page."""
    text = _scoped(shapes, scope) + _scoped(colors(first_theme(look)), scope)
    if look == "auto":
        text += f"@media (prefers-color-scheme:dark){{{_scoped(colors('dark'), scope)}}}"
    return Markup(f"<style>{text}</style>")


def line_sheet(scope: str, look: Look) -> Markup:
    """The style rules for lines: the colours of the first, the second, and so on, and their shapes."""
    return sheet(scope, look, _LINE_SHAPES, _line_colors)


def _line_colors(theme: Theme) -> str:
    return "\n".join([f".c{i}{{stroke:{c}}}\n.d{i}{{fill:{c}}}" for i, c in enumerate(LINES[theme])])


def _scoped(rules: str, scope: str) -> str:
    """``a,b{...}`` becomes ``#scope a,#scope b{...}``."""
    scoped = []
    for rule in filter(None, rules.splitlines()):
        selectors, body = rule.split("{", 1)
        scoped.append(",".join(f"#{scope} {s}" for s in selectors.split(",")) + "{" + body)
    return "".join(scoped)
