"""How a function with its derivatives shows itself where nothing can be moved: curves, numbers, growth, graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...engine.display import Bundle
from ..draw.escape import Markup, code, details, element, fitting, join, paragraph, picture, prose, table
from ..draw.messages import say
from ..draw.svg import Look, document, path_of, words_at
from ..graph.graph_svg import to_svg
from ..steps.terms import order_formulas
from .scene import LARGE, SMALL, TANGENT, TAYLOR, growth_rows, moving, panels, spoken

if TYPE_CHECKING:
    from ...analysis import Derivatives

_GAP = 16.0
_LEGEND = 26.0
_BAR, _ROW = 300.0, 44.0


def bundle(data: Derivatives) -> Bundle:
    """HTML with the graphs of as many orders as fit, and text."""
    return fitting(_ever_smaller(data), to_text(data))


def bundle_of_view(view: Any) -> Bundle:
    """What a live view shows now, standing still: `export_html` writes that."""
    return bundle(view.data)


def _ever_smaller(data: Derivatives) -> Iterator[Markup]:
    now, rows = moving(data), growth_rows(data)
    parts = [
        picture(curves_svg(data), spoken(data)),
        table(("", "", ""), ([code(one["name"]), code(one["text"]), prose(one["meaning"])] for one in now["values"])),
        *([paragraph(code(now["polynomial"]))] if now["polynomial"] else []),
        *(paragraph(prose(note)) for note in now["notes"]),
        *(paragraph(code(text)) for text in _formulas(data)),
        picture(growth_svg(rows), _growth_words(rows)),
    ]
    graphs = [data.recording, *data.recording.higher] if data.recording else []
    for compact, orders in [(False, len(graphs)), *((True, n) for n in range(len(graphs), 0, -1))]:
        drawn = [picture(to_svg(graph, compact=compact), rows[i]["name"]) for i, graph in enumerate(graphs[:orders])]
        left = [prose(say("curve_graph_left", name=row["name"])) for row in rows[orders : len(graphs)]]
        yield join([*parts, details(say("curve_graphs"), *(paragraph(image) for image in [*drawn, *left]))])
    yield join(parts)


def to_text(data: Derivatives) -> str:
    """Values, polynomial, remarks and growth, in lines."""
    now = moving(data)
    lines = [f"{one['name']} = {one['text']}" + f"  {one['meaning']}".rstrip() for one in now["values"]]
    notes = [note for panel in panels(data) if (note := panel["note"])]
    lines += _formulas(data)
    return "\n".join(filter(None, [*lines, now["polynomial"], *now["notes"], *notes, _growth_words(growth_rows(data))]))


def _formulas(data: Derivatives) -> list[str]:
    """The function and its derivatives as formulas, where they have some."""
    return order_formulas(data.recording) if data.recording else []


def _growth_words(rows: list[dict[str, Any]]) -> str:
    return f"{say('curve_growth')}: " + "; ".join([f"{row['name']}: {row['words']}" for row in rows]) + "."


# ---------------------------------------------------------------------------------------------------- pictures
def curves_svg(data: Derivatives, look: Look = "auto") -> Markup:
    """f with its tangent and Taylor polynomial, and below it the derivatives, two in a row."""
    now, found = moving(data), panels(data)
    parts = [element("g", *_legend(now["legend"]), transform="translate(58 22)")]
    for i, panel in enumerate(found):
        x = 0.0 if i == 0 else (i - 1) % 2 * (SMALL.width + _GAP)
        y = _LEGEND if i == 0 else _LEGEND + LARGE.height + (i - 1) // 2 * (SMALL.height + _GAP)
        parts.append(element("g", *_panel(panel, now, i), transform=f"translate({x:.0f} {y:.0f})"))
    height = _LEGEND + LARGE.height + (len(found) // 2) * (SMALL.height + _GAP)
    return document(parts, (LARGE.width, height), found[0]["name"], spoken(data), look, lines=True)


def growth_svg(rows: list[dict[str, Any]], look: Look = "auto") -> Markup:
    """Two bars for every order: what is computed, and what it would be if nothing were shared."""
    parts = [words_at(16, 26, say("curve_growth"), "title")]
    keys = (("curve_computed", 0, 16.0), ("curve_written", 7, 230.0))
    for key, color, x in keys:
        parts += [
            element("rect", x=x, y=40, width=22, height=10, class_=f"d{color}"),
            words_at(x + 30, 50, say(key), "small"),
        ]
    for i, row in enumerate(rows):
        y = 66.0 + i * _ROW
        parts.append(words_at(16, y + 19, row["name"], "name"))
        for key, color, down in (("wide", 0, 0.0), ("wider", 7, 14.0)):
            bar = {
                "x": 110.0,
                "y": y + down,
                "width": max(_BAR * row[key] / 100, 1.5 if row[key] else 0.0),
                "height": 11,
            }
            parts.append(element("rect", class_=f"d{color}", rx=2, **bar))
        parts.append(words_at(110 + _BAR + 16, y + 17, row["words"], "small"))
    size = LARGE.width, 70.0 + len(rows) * _ROW
    return document(parts, size, say("curve_growth"), _growth_words(rows), look, lines=True)


def _panel(panel: dict[str, Any], now: dict[str, Any], order: int) -> list[Markup]:
    box, color = panel["box"], panel["color"]
    inside = [_path(f"M{x - box['x']:.1f} 0V{box['h']:.1f}", "edges", "3 4") for x in panel["poles"]]
    curves = [_path(panel["path"], f"line c{color}")]
    if order == 0:
        curves += [_path(now["taylor"], f"line c{TAYLOR}", "3 4"), _path(now["tangent"], f"line c{TANGENT}", "9 5")]
    moved = element("g", *curves, transform=f"translate({-box['x']:.1f} {-box['y']:.1f})")
    clipped = element("svg", *inside, moved, x=box["x"], y=box["y"], width=box["w"], height=box["h"])
    here = now["across"][order]
    return [
        words_at(box["x"], 20.0, panel["name"], "name"),
        *_axes(panel),
        _path(f"M{here:.1f} {box['y']:.1f}v{box['h']:.1f}", "edges", "2 4"),
        clipped,
        *_signs(panel, now["points"][order]),
        words_at(box["x"] + 30.0 + 8.0 * len(panel["name"]), 20.0, panel["note"], "small"),
    ]


def _axes(panel: dict[str, Any]) -> list[Markup]:
    box = panel["box"]
    bottom, right = box["y"] + box["h"], box["x"] + box["w"]
    parts = []
    for y, text in panel["y"]["ticks"]:
        parts += [
            _path(f"M{box['x']} {y:.1f}H{right}", "grid edges"),
            words_at(box["x"] - 8, y + 4, text, "small right"),
        ]
    for x, text in panel["x"]["ticks"]:
        parts += [_path(f"M{x:.1f} {box['y']}V{bottom}", "grid edges"), words_at(x, bottom + 17, text, "small middle")]
    return [*parts, element("rect", x=box["x"], y=box["y"], width=box["w"], height=box["h"], class_="strip")]


def _signs(panel: dict[str, Any], point: dict[str, float] | None) -> list[Markup]:
    """Open circles where a curve ends, diamonds at kinks, and the point."""
    color = panel["color"]
    parts = [_path(f"M{at['x']:.1f} {at['y'] - 6:.1f}l6 6l-6 6l-6 -6z", f"card kink c{color}") for at in panel["kinks"]]
    parts += [element("circle", cx=at["x"], cy=at["y"], r=4.0, class_=f"card kink c{color}") for at in panel["ends"]]
    if point is not None:
        parts.append(element("circle", cx=point["x"], cy=point["y"], r=6.0, class_=f"d{color} spot"))
    return parts


def _legend(entries: list[dict[str, Any]]) -> Iterator[Markup]:
    x = 0.0
    for entry in entries:
        yield _path(f"M{x:.0f} -4h28", f"line c{entry['color']}", entry["dash"] or None)
        yield words_at(x + 36, 0.0, entry["name"], "small")
        x += 60.0 + 7.0 * len(entry["name"])


def _path(d: str, style: str, dash: str | None = None) -> Markup:
    return path_of(d, style, dash, "none" if "card" not in style else None)
