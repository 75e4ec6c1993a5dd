"""The outside of every picture: an SVG document that stands alone, and its style sheet, with colours as classes, so
that one document can follow a light or a dark page.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import Literal

import numpy as np

from .arrays import Grid
from .colors import LINES, THEMES, Theme, Tone, color, paint
from .escape import Markup, element, escape
from .names import shorten, wrapped

_documents = count(1)


def new_scope() -> str:
    """An id for a document that no other one of this process has; the ids inside begin with it."""
    return f"autolab-{next(_documents)}"


def document(
    parts: Sequence[Markup],
    size: tuple[float, float],
    title: str,
    words: str,
    look: Look = "auto",
    *,
    scope: str | None = None,
    shades: Collection[int] = (),
    lines: bool = False,
    sheets: Sequence[Markup] = (),
) -> Markup:
    """The text of an SVG document: no scripts, no fonts or pictures from elsewhere.

    Parameters
    ----------
    parts
        What stands on the card.
    size
        Width and height.
    title, words
        What it is, and what is to be seen in it, for those who do not see it.
    look
        ``light``, ``dark``, or ``auto``: light, and dark where the page that shows it is dark.
    scope
        Its id, if the parts refer to it; by default a new one.
    shades
        The shades of cells that the parts use.
    lines
        Whether they use the colours of lines.
    sheets
        Style sheets of their own.
    """
    scope = scope or new_scope()
    width, height = size
    return element(
        "svg",
        element("title", escape(title), id=f"{scope}-title"),
        element("desc", escape(words, limit=20_000), id=f"{scope}-desc"),
        style_sheet(scope, look, shades),
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
    """Documents below each other, as one: above them the title, below them what there is to say."""
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
_LETTER, _SMALL = 9.7, 7.9  # widths of letters of the title and of what is said


def words_at(x: float, y: float, words: str, style: str | None = None) -> Markup:
    """A line of text that begins, or with another anchor ends, at a point."""
    return element("text", escape(words), x=x, y=y, class_=style)


def path_of(d: str, style: str, dash: str | None = None, fill: str | None = None) -> Markup:
    """A path, with the classes that give it its colour and width."""
    return element("path", d=d, class_=style, stroke_dasharray=dash, fill=fill)


Look = Literal["light", "dark", "auto"]

LEVELS = 10
"""Strips use 2 * LEVELS + 1 shades."""

MONOSPACE = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
SANS = "system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,sans-serif"

_SHAPES = f"""
text{{font:16px {MONOSPACE}}}
.name{{font-weight:700}}
.number{{font-size:18px;font-weight:600}}
.small{{font:12px {SANS}}}
.tag{{font:600 11px {SANS};text-anchor:middle}}
.sign,.right{{text-anchor:end}}
.absent{{font:italic 14px {SANS}}}
.group{{stroke-width:1.2}}
.tab{{font:13px {MONOSPACE}}}
.edges{{fill:none;stroke-width:1.8}}
.transfer{{stroke-width:2.8;stroke-dasharray:2 5;stroke-linecap:round}}
.box{{stroke-width:1.3}}
.box.output{{stroke-width:2.6}}
.box.constant,.box.run{{stroke-dasharray:5 4}}
.middle,.cell{{text-anchor:middle}}
.cell{{font:13px {MONOSPACE}}}
.black{{fill:#000}}
.white{{fill:#fff}}
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
    """The theme of a look; of ``auto`` the one it has where the page says nothing."""
    return "dark" if look == "dark" else "light"


def shade(t: float) -> int:
    """The number of the shade for a signed fraction."""
    return round(max(-1.0, min(1.0, t)) * LEVELS) + LEVELS


def color_of(shade: int, theme: Theme) -> str:
    """The colour of a shade."""
    return color((shade - LEVELS) / LEVELS, theme)


def style_sheet(scope: str, look: Look, shades: Collection[int]) -> Markup:
    """All rules that pictures share."""
    return sheet(scope, look, _SHAPES, lambda theme: _colors(theme, shades))


def sheet(scope: str, look: Look, shapes: str, colors: Callable[[Theme], str]) -> Markup:
    """Rules, one a line, each for the inside of the element with the id ``scope``; ``auto`` follows the page."""
    text = _scoped(shapes, scope) + _scoped(colors(first_theme(look)), scope)
    if look == "auto":
        text += f"@media (prefers-color-scheme:dark){{{_scoped(colors('dark'), scope)}}}"
    return Markup(f"<style>{text}</style>")


def line_sheet(scope: str, look: Look) -> Markup:
    """The rules for lines: the colours of the first, the second ... and what goes with them."""
    return sheet(scope, look, _LINE_SHAPES, _line_colors)


def _line_colors(theme: Theme) -> str:
    return "\n".join([f".c{i}{{stroke:{c}}}\n.d{i}{{fill:{c}}}" for i, c in enumerate(LINES[theme])])


def _colors(theme: Theme, shades: Collection[int]) -> str:
    cells = "".join(f"\n.k{n}{{fill:{color_of(n, theme)}}}" for n in sorted(shades))
    return _COLORS.format(**THEMES[theme]) + cells


def _scoped(rules: str, scope: str) -> str:
    """``a,b{...}`` becomes ``#scope a,#scope b{...}``."""
    scoped = []
    for rule in filter(None, rules.splitlines()):
        selectors, body = rule.split("{", 1)
        scoped.append(",".join(f"#{scope} {s}" for s in selectors.split(",")) + "{" + body)
    return "".join(scoped)


_SHADES = 253  # and three more fit into the 256 of a palette


def png(
    cells: Grid,
    tone: Tone,
    cell: tuple[int, int],
    theme: Theme = "light",
    shades: int = _SHADES,
    frame: bool = False,
) -> bytes:
    """A PNG in which each cell takes ``cell`` (width, height) pixels.

    NaN is a ×, infinity a +, minus infinity a −, in ink on the card's colour. ``shades`` is odd, so that zero has one
    of its own; ``frame`` draws a line of one pixel round it all.
    """
    width, height = cell
    finite = np.isfinite(cells.values)
    fractions = np.clip(tone.fractions(np.where(finite, cells.values, 0.0)), -1.0, 1.0)
    card, ink, line = range(shades, shades + 3)
    colors = np.rint((fractions + 1.0) / 2.0 * (shades - 1)).astype(np.uint8)
    colors[~finite] = card
    pixels = colors.repeat(height, axis=0).repeat(width, axis=1)
    for row, column in np.argwhere(~finite).tolist():
        _sign(pixels[row * height :, column * width :], cells.values[row, column], min(width, height), ink)
    return _encoded(np.pad(pixels, int(frame), constant_values=line), _palette(theme, shades))


def _encoded(pixels: np.ndarray, palette: bytes) -> bytes:
    """Indexes of a palette as the bytes of a PNG."""
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": palette, b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join([_chunk(kind, data) for kind, data in parts.items()])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _palette(theme: Theme, shades: int) -> bytes:
    colors = paint(np.linspace(-1.0, 1.0, shades), theme).tobytes()
    return colors + b"".join([bytes.fromhex(THEMES[theme][name][1:]) for name in ("card", "ink", "frame")])


def _sign(pixels: np.ndarray, value: float, side: int, ink: int) -> None:
    """Draw the sign of a number that is not finite into the cell that begins at the upper left."""
    first, last = 1, min(side - 2, 12)
    middle, along = (first + last) // 2, np.arange(first, last + 1)
    if math.isnan(value):
        pixels[along, along] = pixels[along[::-1], along] = ink
        return
    pixels[middle, along] = ink
    if value > 0:
        pixels[along, middle] = ink
