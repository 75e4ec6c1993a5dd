"""Pictures and pages as files: SVG and DOT by AutoLab itself, PNG and PDF by typst, which draws the same SVG."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from ...engine.display import NotShown, show
from ...recording.model import Recording, Step
from ...recording.outline import Group
from ...shared.files import write
from ..draw import clean, grad_status, say
from ..draw.arrays import text_of
from ..draw.colors import ANY_PAGE, THEMES
from ..draw.names import heading, title
from ..draw.svg import Look
from ..graph.graph_svg import to_svg
from ..graph.layout.boxes import Direction, direction_of
from ..graph.readings import spoken_group
from ..graph.scene import scene
from ..live.protocol import not_understood

if TYPE_CHECKING:
    from graphviz import Digraph


SCALE = 2.0
"""Pixels of a PNG per unit of the picture, enough for a high-resolution screen and for print."""

MAX_PIXELS = 40_000_000
"""A larger PNG is drawn with fewer pixels per unit."""

PAGE = ".html"
_PICTURES = (".svg", ".png", ".pdf")
_FILMS = (".gif", ".mp4")
_WORDS = re.compile(r"<(?:title|desc)[^>]*>(.*?)</(?:title|desc)>", re.DOTALL)

_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_UNITS_PER_INCH = 96.0
_SHEET = b"""#set page(width: auto, height: auto, margin: 0pt, fill: none)
#set document(title: sys.inputs.title, date: none)
#image(bytes(sys.inputs.picture), format: "svg", alt: sys.inputs.words)
"""


def save(
    recording: Recording,
    path: str | os.PathLike[str],
    look: Look = "light",
    direction: Direction = "auto",
    opened: Collection[int] | None = None,
    view: Any = None,
) -> None:
    """Save the graph as an ``.svg``, ``.png``, ``.pdf`` or ``.dot`` file or as an ``.html`` page that stays live, the
    walk through it as a ``.gif`` or ``.mp4`` film, or the recording's data as a ``.json`` file.

    Parameters
    ----------
    recording
        What to save.
    path
        The file; it is replaced if it exists.
    look
        ``light``, ``dark``, or, for ``.svg`` only, ``auto``, which follows the page that shows the picture.
    direction
        Whether the graph runs ``down`` or to the ``right``; ``auto`` decides by its shape.
    opened
        The groups that are open in the picture; by default, as many as still leave it easy to read.
    view
        The live view to save as a page.

    Raises
    ------
    ValueError
        If the suffix or the direction is not one of these, or the walk is too long for a film.
    RuntimeError
        For ``.png``, ``.pdf`` and films if typst is not installed, and for ``.mp4`` if ffmpeg is not found.
    """
    target = Path(path)

    def walk() -> bytes:
        from .film import film  # and with it the library of pictures, which no other file needs

        return film(recording, target, look, direction, opened, lambda svg, scale: _drawn(svg, target, "png", scale))

    others = {".dot": lambda: str(to_graphviz(recording, direction).source).encode(), **dict.fromkeys(_FILMS, walk)}
    others[".json"] = lambda: json.dumps(recording.to_json()).encode()
    shown = recording if view is None else view
    _write(shown, target, look, lambda still: to_svg(recording, still, direction=direction, opened=opened), others)


def save_view(view: Any, path: Any, look: Look) -> None:
    """Save a view of a recording, in the format of the file's suffix."""
    opened, direction = view.look.get("open", {}).get("0"), view.look.get("direction", "auto")
    save(view.recording, path, look, direction, opened, view)


def save_shown(shown: Any, path: Any, look: Look = "light") -> None:
    """Save an object that is not displayed as a graph: as a page, or as a picture if it has one.

    Raises
    ------
    ValueError
        If there is no such format.
    RuntimeError
        For ``.png`` and ``.pdf`` if typst is not installed.
    """
    _write(shown, Path(path), look, lambda still: show(shown, "svg", still), {})


def _write(
    shown: Any, target: Path, look: Look, svg: Callable[[Look], str], others: Mapping[str, Callable[[], bytes]]
) -> None:
    """Write a page or a picture, as the suffix says, or what one of ``others`` makes. With the look ``auto``, pictures
    other than SVG are light."""
    suffix, expected = target.suffix.lower(), [*_PICTURES, *others, PAGE]
    try:
        picture = "" if suffix in (PAGE, *others) else svg("light" if look == "auto" and suffix != ".svg" else look)
    except NotShown:
        picture, expected = "", [PAGE]
    if suffix not in expected:
        told = {"suffix": clean(suffix, 20), "path": clean(target, 100), "expected": ", ".join(expected)}
        raise ValueError(say("unknown_suffix", **told))
    if suffix == PAGE:
        from .pages import export_html  # loaded when something is saved: a first picture does not wait for it

        export_html(shown, target, look)
    elif suffix in others:
        write(target, others[suffix]())
    else:
        write(
            target,
            picture.encode() if suffix == ".svg" else _drawn(picture, target, "png" if suffix == ".png" else "pdf"),
        )


def _drawn(svg: str, target: Path, kind: Literal["png", "pdf"], scale: float | None = None) -> bytes:
    """The SVG drawn by typst with ``scale`` pixels per unit, with its own title and description. Names from users go to
    typst as data, never as markup.
    """
    try:
        import typst
    except ImportError:
        raise RuntimeError(say("no_typst", path=clean(target, 100), kind=kind)) from None
    title, words = [html.unescape(text) for text in _WORDS.findall(svg)[:2]]
    inputs = {"picture": svg, "title": title, "words": words}
    return typst.compile(_SHEET, format=kind, sys_inputs=inputs, ppi=_UNITS_PER_INCH * (scale or _scale(svg)))


def _scale(svg: str) -> float:
    """Pixels per unit of a document, whose size is given at its beginning."""
    found = _SIZE.search(svg)
    assert found is not None
    return min(SCALE, (MAX_PIXELS / (float(found[1]) * float(found[2]))) ** 0.5)


_KINDS = {"html": "text/html", "svg": "image/svg+xml", "png": "image/png"}


def taken(view: Any, question: list[Any]) -> dict[str, Any]:
    """The answer to ``["file", suffix, theme]``: the ``name`` of the file, its ``kind`` and its ``bytes``.

    For a graph, only the page is asked for here: its picture is taken from the screen.
    """
    graph = getattr(view, "recording", None)
    match question:
        case ["file", "html" | "svg" | "png" as suffix, "light" | "dark" as look] if not graph or suffix == "html":
            name = graph.function if graph else view.kind
            stem = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "function"
            with TemporaryDirectory() as folder:
                path = Path(folder, f"{stem}.{suffix}")
                show(view, "file", path, "auto" if suffix == "html" else look)
                return {"name": path.name, "kind": _KINDS[suffix], "bytes": path.read_bytes()}
    raise not_understood(question)


_RANKS = {"down": "TB", "right": "LR"}


def to_graphviz(recording: Recording, direction: Direction = "auto") -> Digraph:
    """The graph as a `graphviz.Digraph`, with the boxes and lines of the picture, for a layout of your own.

    The background is transparent: the boxes are light, and the text beside them is readable on light and dark pages.
    """
    from graphviz import Digraph

    theme = THEMES["light"]
    ink, fonts = ANY_PAGE["ink"], {"fontname": "monospace"}
    heading = {"label": literal(title(recording)), "labelloc": "t", "fontcolor": ink, "fontsize": "18"}
    page = {"bgcolor": "transparent", "rankdir": _RANKS[direction_of(recording, direction)]}
    graph = Digraph(
        name="recording",
        graph_attr={**heading, **fonts, **page},
        node_attr={"shape": "box", "style": "rounded,filled", **fonts, "color": ink, "fontcolor": theme["ink"]},
        edge_attr={"color": ink},
    )
    outputs = recording.outputs if recording.has_returned else ()
    for item in recording.outline.shown(recording.outline.at_first()):
        label = spoken_group(item, recording) if isinstance(item, Group) else _label(item)
        kind = "constant" if isinstance(item, Group) or item.kind == "constant" else item.kind
        border = {"color": ANY_PAGE["strong"], "penwidth": "3"} if item.id in outputs else {}
        graph.node(_name(item.id), label=literal(label), fillcolor=theme.get(kind, theme["box"]), **border)
    for edge in scene(recording)["edges"]:
        graph.edge(_name(edge["from"]), _name(edge["to"]))
    return graph


def literal(text: str) -> str:
    """Escape text for a label, so that ``dot`` decodes no escapes, HTML or entities in it."""
    from graphviz import escape

    literal: str = escape(text.replace("&", "&amp;"))
    return literal


def _name(identity: int) -> str:
    """A node's name in DOT, which contains nothing that ``dot`` could read as a port."""
    return f"step{identity}" if identity >= 0 else f"run{~identity}"


def _label(step: Step) -> str:
    lines = [heading(step)]
    if step.value is not None:
        lines.append(f"value {text_of(step.value)}")
    if step.value is not None or step.grad is not None:
        lines.append(grad_status.of_step(step) if step.grad is None else f"gradient {text_of(step.grad)}")
    return "\n".join(lines)
