"""A scene and its readings as a self-contained SVG document."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...recording.model import LEAVES, Recording
from ..draw import number, say
from ..draw.colors import view_tone
from ..draw.escape import Markup, element, escape
from ..draw.names import columns, shorten, wrapped
from ..draw.numbers import shape_text
from ..draw.shading import Shading
from ..draw.svg import Look, document, words_at
from .cells_svg import LEGEND_HEIGHT, LEVELS, Strip, scale_legend, strip
from .layout.boxes import Direction
from .listing import notes
from .readings import BELOW_CELLS, SIGNS, readings
from .scene import (
    CAPTION,
    FOOTER,
    FRAME_CORNER,
    HEADER,
    PADDING,
    TAB_CHARACTER,
    TAB_PADDING,
    scene,
    second_column,
)

_TITLE_HEIGHT = 34.0
_NOTE_CHARACTER = 7.9
_PLAN_HEADING, _PLAN_WORDS, _PLAN_BARS, _BETWEEN_BARS = 18.0, 33.0, 39.0, 6.0
_BELOW = 4.0  # keeps a plate on the lower edge off the text
_NUMBER_LIMIT, _TEXT_LIMIT = 7, BELOW_CELLS  # characters that fit in a column, large and small

Node = dict[str, Any]


def to_svg(
    recording: Recording,
    look: Look = "auto",
    direction: Direction = "auto",
    opened: Collection[int] | None = None,
) -> Markup:
    """The graph of a recording, with value and gradient in each box, as the text of an SVG document.

    Parameters
    ----------
    recording
        The recording to draw.
    look
        ``light``, ``dark``, or ``auto``, which follows the page that shows the picture.
    direction
        Whether the graph runs ``down`` or to the ``right``; ``auto`` decides by its shape.
    opened
        The groups that are open; by default, as many as still leave the picture easy to read.
    """
    picture = scene(recording, opened, direction=direction)
    return draw(picture, readings(recording, opened), look, below=notes(recording))


def draw(
    picture: dict[str, Any],
    numbers: dict[str, Any],
    look: Look = "auto",
    compact: bool = False,
    below: Sequence[str] = (),
    titled: bool = True,
) -> Markup:
    """The SVG document of a scene with readings, and sentences below. Its ids are unique in this process."""
    shading = Shading(look, LEVELS)
    words = picture["description"] if compact else describe(picture, numbers)
    top = _TITLE_HEIGHT if titled else 0.0
    bar = scale_legend(numbers["scale"], picture["height"] + top, shading) if not compact else []
    size = max(picture["width"], 460.0 if bar else 320.0), picture["height"] + top + (LEGEND_HEIGHT if bar else 0.0)
    body = drawing(picture, numbers, shading, compact)
    head = [words_at(16.0, 27.0, shorten(picture["title"], int(size[0] / 10) - 3), "name")] if titled else []
    parts = [*head, element("g", *body, transform=f"translate(0 {top:.0f})"), *bar]
    below = [*below, *([numbers["bars"]] if numbers["bars"] and not compact else [])]
    lines = [line for sentence in below for line in wrapped(sentence, int(size[0] / _NOTE_CHARACTER) - 4)]
    parts += [words_at(16.0, size[1] + 12.0 + 18.0 * i, line, "small") for i, line in enumerate(lines)]
    size, words = (size[0], size[1] + (18.0 * len(lines) + 8.0 if lines else 0.0)), " ".join([words, *below])
    return document(parts, size, picture["title"], words, look, scope=shading.scope, sheets=[shading.sheet()])


def drawing(
    picture: dict[str, Any],
    numbers: dict[str, Any],
    shading: Shading,
    compact: bool = False,
    lit: Sequence[Markup] = (),
) -> list[Markup]:
    """The graph alone, for the document of ``shading``; ``lit`` is drawn behind the boxes."""
    nodes = []
    for node in picture["nodes"]:
        box = str(node["id"])
        nodes.append(_node(node, numbers["nodes"][box], compact, shading, numbers["signs"].get(box, ())))
    frames, tabs = [_frame(frame) for frame in picture["frames"]], [_tab(frame) for frame in picture["frames"]]
    return [*frames, *_edges(picture, shading.scope), *tabs, *lit, *nodes]


def describe(picture: dict[str, Any], numbers: dict[str, Any]) -> str:
    """The whole picture in words: what it shows, then every box in order."""
    nodes = numbers["nodes"]
    sentences = [nodes[str(node["id"])]["spoken"].rstrip(".") for node in picture["nodes"]]
    return " ".join([picture["description"], *(f"{sentence}." for sentence in sentences)])


def _frame(frame: dict[str, Any]) -> Markup:
    """The frame around an open group; a nested one is slightly darker."""
    style = f"group depth{frame['depth'] % 2}"
    return element(
        "rect", class_=style, x=frame["x"], y=frame["y"], width=frame["w"], height=frame["h"], rx=FRAME_CORNER
    )


def _tab(frame: dict[str, Any]) -> Markup:
    """A frame's label, in front of the lines that enter beside it."""
    width = TAB_CHARACTER * columns(frame["text"]) + 2 * TAB_PADDING
    plate = element("rect", class_=f"tabplate depth{frame['depth'] % 2}", width=width, height=20, rx=5)
    label = words_at(TAB_PADDING, 15.0, frame["text"], "tab")
    return element("g", plate, label, transform=f"translate({frame['x'] + 6:g} {frame['y'] + 6:g})")


def _edges(picture: dict[str, Any], scope: str) -> list[Markup]:
    """All lines, and their common arrowhead."""
    head = element("path", class_="head", d="M0 0L9 4.5L0 9z")
    size = {"markerWidth": 9, "markerHeight": 9, "refX": 9, "refY": 4.5}
    marker = element("marker", head, id=f"{scope}-head", orient="auto", markerUnits="userSpaceOnUse", **size)
    lines = [_line(edge) for edge in picture["edges"]]
    return [marker, element("g", *lines, class_="edges", marker_end=f"url(#{scope}-head)")]


def _line(edge: dict[str, Any]) -> Markup:
    """A line; if a value is copied to another device along it, it is marked and labelled."""
    line = element("path", d=edge["path"])
    if edge["transfer"] is None:
        return line
    return element("g", element("title", escape(edge["transfer"])), line, class_="transfer")


def _node(node: Node, reading: dict[str, Any], compact: bool, shading: Shading, signs: Sequence[str]) -> Markup:
    kind = f"{node['kind']} output" if node["output"] else node["kind"]
    box = {"width": float(node["w"]), "height": node["h"], "rx": 16 if node["kind"] in LEAVES else 9}
    parts = [
        *([] if compact else [element("title", escape(reading["spoken"], limit=500))]),
        *[element("rect", class_="box", x=by, y=by, **box) for by in _pile(node)],
        element("rect", class_=f"box {kind}", **box),
        *_heading(node),
        *([] if compact else _plates(node)),
        *([] if node.get("order") is None else _badge(node["order"])),
    ]
    if node["plan"] is not None:
        parts += _planned(node, reading)
    elif node["group"] and node["group"]["count"]:
        parts.append(words_at(PADDING, node["h"] - 9.0, node["group"]["count"], "small"))
    if node["h"] > HEADER + CAPTION + FOOTER:
        second = second_column(node)
        parts += _column(PADDING, "value", node, reading, compact, shading)
        parts += _column(second, "grad", node, reading, compact, shading)
    parts += _signs(node, signs)
    return element("g", *parts, transform=f"translate({node['x']:g} {node['y']:g})")


def _pile(node: Node) -> tuple[float, ...]:
    """How far the pile behind a closed group sticks out; in a plan, only repeated blocks have one."""
    if node["plan"] is None:
        return (5.0,) if node["group"] else ()
    return (8.0, 4.0) if node["group"] and node["group"]["kind"] in ("loop", "stack") else ()


def _planned(node: Node, reading: dict[str, Any]) -> list[Markup]:
    """The content of a box of a plan: a line of words instead of numbers, and bars for value and gradient."""
    told = " · ".join([part for part in ((reading["value"] or "").split(" …")[0], node["plan"]) if part])
    long = (node["w"] - 2 * PADDING - _BETWEEN_BARS) / 2
    parts = [words_at(PADDING, _PLAN_WORDS, told, "small")]
    for k, size in enumerate((reading["value_bar"], reading["grad_bar"])):
        place = {"x": PADDING + k * (long + _BETWEEN_BARS), "y": _PLAN_BARS, "height": 4.0, "rx": 2}
        if size is not None:
            parts.append(element("rect", class_="depth0", width=long, **place))
            parts.append(element("rect", class_="gradient" if k else "bars", width=long * size, **place))
    return parts


def _signs(node: Node, signs: Sequence[str]) -> list[Markup]:
    """The words for what is wrong, at the bottom of a box."""
    plates, left = [], PADDING
    for sign in signs:
        style = "plate" if sign == SIGNS["replaced"] else "plate wrong"
        plates += _plate(sign, left + plate_width(sign) / 2, node["h"] + _BELOW, style)
        left += plate_width(sign) + 4
    return plates


def _heading(node: Node) -> list[Markup]:
    y = 24.0 if node["plan"] is None else _PLAN_HEADING
    sign = [words_at(node["w"] - PADDING, y, node["symbol"], "sign")] if node["symbol"] else []
    if node["name"] is None or node["name"] == node["text"]:
        return [words_at(PADDING, y, node["text"], "name" if node["name"] else None), *sign]
    name = element("tspan", escape(node["name"]), class_="name")
    rest = element("tspan", escape(f" = {node['text']}"))
    return [element("text", name, rest, x=PADDING, y=24.0), *sign]


def _plates(node: Node) -> list[Markup]:
    """The small plates on the boxes of inputs, at the top, and of outputs, at the bottom."""
    plates = []
    if node.get("device"):
        plates += _plate(node["device"], PADDING + plate_width(node["device"]) / 2, 0.0, "plate device")
    if node.get("plate"):
        plates += _plate(node["plate"], node["w"] / 2, 0.0, "plate quiet")
    if node["output"]:
        plates += _plate("output", node["w"] - PADDING - plate_width("output") / 2, node["h"] + _BELOW, "plate")
    return plates


def _badge(order: int) -> list[Markup]:
    """The order of the derivative to which a step belongs, at the corner of its box."""
    return [element("circle", class_="badge", r=9.5), words_at(0.0, 4.0, str(order), "tag")]


def plate_width(word: str) -> float:
    """The width of a small plate."""
    return 6.6 * columns(word) + 18


def _plate(word: str, x: float, y: float, style: str) -> list[Markup]:
    width = plate_width(word)
    return [
        element("rect", class_=style, x=x - width / 2, y=y - 8.5, width=width, height=17, rx=8.5),
        words_at(x, y + 4.0, word, "tag"),
    ]


def _column(x: float, which: str, node: Node, reading: dict[str, Any], compact: bool, shading: Shading) -> list[Markup]:
    """One column of a box: caption and number, or caption, strip and text."""
    accent = " gradient" if which == "grad" else ""
    top = HEADER + CAPTION
    shape = f" {shape_text(tuple(node['shape']))}" if which == "value" and node["numbered"] else ""
    caption = words_at(x, HEADER + 9.0, _caption(which, reading, node["cells"], shape), f"small{accent}")
    text = reading[which]
    if text is None:
        return [caption, words_at(x, top + 16.0, reading.get(f"{which}_note", say("absent")), "absent")]
    if not node["cells"]:
        style = "number" if columns(text) <= _NUMBER_LIMIT else "small"
        return [caption, words_at(x, top + 17.0, shorten(text, _TEXT_LIMIT), f"{style}{accent}")]
    cells = reading[f"{which}_cells"]
    place = Strip(x, top, node["strip_width"], node["strip_height"], node["numbered"])
    drawing = strip(cells, view_tone(reading[f"{which}_scale"]), place, shading) if cells and not compact else []
    if node["numbered"]:
        return [caption, *drawing]
    words = shorten(text.replace(" …", ""), _TEXT_LIMIT)
    return [caption, *drawing, words_at(x, top + node["strip_height"] + 14.0, words, f"small{accent}")]


def _caption(which: str, reading: dict[str, Any], cells: bool, shape: str) -> str:
    """The caption of a column, with a shape; if its array has a colour scale of its own, with the end of that."""
    has_own = cells and reading.get("own") and reading[f"{which}_cells"]
    own = f" \N{LESS-THAN OR EQUAL TO} {number(reading[f'{which}_scale'])}" if has_own else ""
    return f"value{own or shape}" if which == "value" else f"{reading.get('shares', 'gradient')}{own}"
