"""Pictures as files: SVG and DOT by AutoLab itself, PNG and PDF by typst, which draws the same SVG."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

from ..files import write
from ..recording.model import Recording
from .direction import Direction
from .dot import to_graphviz
from .ended import notes
from .escape import clean
from .latex import to_latex
from .messages import say
from .readings import readings
from .scene import scene
from .slide import Slide, draw_slide
from .style import Look
from .svg import draw, to_svg

SCALE = 2.0
"""Pixels of a PNG for each unit of the picture, as on a dense screen and in print."""

MAX_PIXELS = 40_000_000
"""A larger PNG is drawn with fewer pixels for each unit."""

PICTURES = (".svg", ".png", ".pdf")

_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_UNITS_PER_INCH = 96.0
_SHEET = b"""#set page(width: auto, height: auto, margin: 0pt, fill: none)
#set document(title: sys.inputs.title, date: none)
#image(bytes(sys.inputs.picture), format: "svg", alt: sys.inputs.words)
"""


def save(
    recording: Recording, path: str | os.PathLike[str], look: Look = "light", direction: Direction = "auto"
) -> None:
    """Write the graph to an ``.svg``, ``.png``, ``.pdf`` or ``.dot`` file, or its formulas to a ``.tex`` file.

    Parameters
    ----------
    recording
        What to write.
    path
        Where to; an existing file is replaced.
    look
        ``light``, ``dark``, or for ``.svg`` also ``auto``, which follows the page that shows it.
    direction
        Whether the graph runs ``down`` or to the ``right``; ``auto`` decides by its shape. Formulas have none.

    Raises
    ------
    ValueError
        If the suffix is another one, or there is no such direction.
    RuntimeError
        If ``.png`` or ``.pdf`` is asked for and typst is not installed.
    """
    target = Path(path)
    write(target, _content(recording, target, look, direction))


def _content(recording: Recording, target: Path, look: Look, direction: Direction) -> bytes:
    match target.suffix.lower():
        case ".dot":
            return str(to_graphviz(recording, direction).source).encode()
        case ".tex":
            return f"\\[\n{to_latex(recording)}\n\\]\n".encode()
        case ".svg":
            return to_svg(recording, look, direction=direction).encode()
    picture = scene(recording, direction=direction)
    draw_it = partial(draw, picture, readings(recording), _still(look), below=notes(recording))
    return drawn(draw_it, picture["title"], picture["description"], target, (*PICTURES, ".dot", ".tex"))


def save_slide(slide: Slide, path: str | os.PathLike[str], look: Look = "light") -> None:
    """Write a whole view to an ``.svg``, ``.png`` or ``.pdf`` file; it raises what `save` raises."""
    target = Path(path)
    write(target, slide_bytes(slide, target, look))


def slide_bytes(slide: Slide, target: Path, look: Look = "light") -> bytes:
    """What `save_slide` writes."""
    return drawn(partial(draw_slide, slide, _still(look)), slide.picture["title"], slide.spoken, target, PICTURES)


def drawn(picture: Callable[[], str], title: str, words: str, target: Path, able: tuple[str, ...]) -> bytes:
    """A picture as the suffix of ``target`` says; for PNG and PDF typst draws the SVG.

    What users named goes to typst as data, never as its markup.
    """
    suffix = target.suffix.lower()
    if suffix not in PICTURES:
        expected = ", ".join(able)
        raise ValueError(say("unknown_suffix", suffix=clean(suffix, 20), path=clean(target, 100), expected=expected))
    if suffix == ".svg":
        return picture().encode()
    kind: Literal["png", "pdf"] = "png" if suffix == ".png" else "pdf"
    try:
        import typst
    except ImportError:
        raise RuntimeError(say("no_typst", path=clean(target, 100), kind=kind)) from None
    svg = picture()
    inputs = {"picture": svg, "title": title, "words": words}
    return typst.compile(_SHEET, format=kind, sys_inputs=inputs, ppi=_UNITS_PER_INCH * _scale(svg))


def _still(look: Look) -> Look:
    """Paper follows no page."""
    return "light" if look == "auto" else look


def _scale(svg: str) -> float:
    """Pixels for each unit of a document, whose size stands at its beginning."""
    found = _SIZE.search(svg)
    assert found is not None
    return min(SCALE, (MAX_PIXELS / (float(found[1]) * float(found[2]))) ** 0.5)
