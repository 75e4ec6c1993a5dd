"""How a function with its derivatives is displayed where nothing can be moved: the static form of the live view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...analysis import Derivatives
from ...engine import Bundle
from ..draw import say
from ..draw.colors import THEMES
from ..draw.escape import Markup, at_rest, element, fitting, picture
from ..draw.plot import Size, ticks
from ..draw.svg import Look, document, new_scope, path_of, sheet, words_at
from ..draw.typeset import in_pieces
from .formula_scene import formulas
from .scene import TANGENT, TAYLOR, moving, panels, spoken, symbol

WIDTH = 880.0
_PLOT, _HIGH, _BELOW, _TOP = 560.0, 132.0, 20.0, 26.0
_LONGEST, _MOST = 40, 4  # the maximum length of a line of a formula, and the maximum number of lines
_LINE = 18.0


def bundle(data: Derivatives) -> Bundle:
    """Title, curves with formulas and numbers, and the sentence; and text."""
    shown = at_rest(symbol(data, 0), picture(curves_svg(data), spoken(data)), moving(data)["said"])
    return fitting([shown], to_text(data))


def to_text(data: Derivatives) -> str:
    """Formulas, numbers, polynomial and sentences, in lines."""
    now = moving(data)
    numbers = [f"{one['name']} = {one['text']}" for one in now["values"]]
    written = [text for one in formulas(data, data.order) if (text := (one["simplified"] or {}).get("text"))]
    notes = [note for panel in panels(data) if (note := panel["note"])]
    return "\n".join(filter(None, [*written, *numbers, now["polynomial"], now["said"], *notes]))


# ---------------------------------------------------------------------------------------------------- the picture
def curves_svg(data: Derivatives, look: Look = "auto") -> Markup:
    """f with its tangent and Taylor polynomial, and its derivatives below, on a common axis; formulas next to them."""
    scope, parts, top = new_scope(), [], _TOP
    written = formulas(data, data.order)
    for order in range(data.order + 1):
        lowest = order == data.order
        high = _HIGH * (1.5 if order == 0 else 1.0) + _BELOW * lowest
        size = Size(_PLOT, high, top=7.0, bottom=_BELOW + 7.0 if lowest else 7.0)
        now, panel = moving(data, size), panels(data, size)[order]
        beside = _words(written[order], now, panel, high - _BELOW * lowest)
        inside = [*_plot(panel, now, lowest), *beside]
        parts.append(element("g", *inside, transform=f"translate(0 {top:.0f})"))
        top += high
    here = now["across"]  # the same in all plots
    parts += [
        path_of(f"M{here:.1f} {_TOP + 7}V{top - _BELOW - 7:.1f}", "edges", "2 4"),
        words_at(here, _TOP, now["label"], "small middle"),
    ]
    own = sheet(scope, look, ".curve{stroke-width:2}", _colors)
    return document(parts, (WIDTH, top), symbol(data, 0), spoken(data), look, scope=scope, lines=True, sheets=[own])


def _colors(theme: Any) -> str:
    return f".curve{{stroke:{THEMES[theme]['ink']}}}\n.spot{{fill:{THEMES[theme]['free']}}}"


def _plot(panel: dict[str, Any], now: dict[str, Any], lowest: bool) -> list[Markup]:
    box, order = panel["box"], panel["order"]
    poles = [path_of(f"M{x - box['x']:.1f} 0V{box['h']:.1f}", "edges", "3 4") for x in panel["poles"]]
    curves = [path_of(panel["path"], "line curve", None, "none")]
    if order == 0:
        curves += [_line(now[kind], color, dash) for kind, color, dash in _DRAWN]
    moved = element("g", *curves, transform=f"translate({-box['x']:.1f} {-box['y']:.1f})")
    clipped = element("svg", *poles, moved, x=box["x"], y=box["y"], width=box["w"], height=box["h"])
    return [*_axes(panel, lowest), clipped, *_signs(panel, now["points"][order])]


_DRAWN = (("taylor", TAYLOR, "3 4"), ("tangent", TANGENT, "9 5"))


def _line(d: str, color: int, dash: str) -> Markup:
    return path_of(d, f"line c{color}", dash, "none")


def _axes(panel: dict[str, Any], lowest: bool) -> Iterator[Markup]:
    box = panel["box"]
    yield from ticks(panel, below=lowest, grid=True)
    yield element("rect", x=box["x"], y=box["y"], width=box["w"], height=box["h"], class_="strip")


def _signs(panel: dict[str, Any], point: dict[str, float] | None) -> Iterator[Markup]:
    """Open circles where a curve ends, diamonds at kinks, and the point."""
    for at in panel["kinks"]:
        yield path_of(f"M{at['x']:.1f} {at['y'] - 6:.1f}l6 6l-6 6l-6 -6z", "card kink curve")
    for at in panel["ends"]:
        yield element("circle", cx=at["x"], cy=at["y"], r=4.0, class_="card kink curve")
    if point is not None:
        yield element("circle", cx=point["x"], cy=point["y"], r=6.0, class_="spot")


# ---------------------------------------------------------------------------------------------------- beside it
def _words(written: dict[str, Any], now: dict[str, Any], panel: dict[str, Any], high: float) -> Iterator[Markup]:
    """The formula or the name, with the number below it; then the legend, and remarks about the curve."""
    lines = _lines(written)
    legend = now["legend"] if panel["order"] == 0 else []
    notes = _wrapped(panel["note"].split(), _LONGEST + 8)
    y = (high - (len(lines) + 1 + len(legend) + len(notes)) * _LINE) / 2 + 14
    for line in lines:
        yield words_at(_PLOT, y, line, "tab")
        y += _LINE
    yield words_at(_PLOT, y + 2, f"= {now['values'][panel['order']]['text']}", "number")
    y += _LINE + 4
    for entry in legend:
        yield _line(f"M{_PLOT} {y - 4:.1f}h28", entry["color"], entry["dash"])
        yield words_at(_PLOT + 36, y, entry["name"], "small")
        y += _LINE
    for note in notes:
        yield words_at(_PLOT, y, note, "small")
        y += _LINE


def _lines(written: dict[str, Any]) -> list[str]:
    """A formula in lines that end between terms; if it is too long, its name and a note."""
    found = written["simplified"]
    if found is not None:
        head, first, *others = in_pieces(found["tree"])
        lines = _wrapped([f"{head} {first}", *others], _LONGEST)
        if len(lines) <= _MOST and max(map(len, lines)) <= _LONGEST:
            return lines
    head = written["name"]["text"]
    return [head if found is None else say("formula_long", head=head)]


def _wrapped(parts: list[str], most: int) -> list[str]:
    """Parts joined into lines of at most ``most`` characters, where possible."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) < most:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines
