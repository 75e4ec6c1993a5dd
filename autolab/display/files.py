"""Pictures as files: SVG and DOT by AutoLab itself, PNG and PDF by typst, which draws the same SVG."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from ..recording.model import Recording
from .dot import to_graphviz
from .escape import clean
from .latex import to_latex
from .messages import say
from .readings import readings
from .scene import scene
from .style import Look
from .svg import draw, to_svg

SCALE = 2.0
"""Pixels of a PNG for each unit of the picture, as on a dense screen and in print."""

MAX_PIXELS = 40_000_000
"""A larger PNG is drawn with fewer pixels for each unit."""

_UNITS_PER_INCH = 96.0
_SHEET = b"""#set page(width: auto, height: auto, margin: 0pt, fill: none)
#set document(title: sys.inputs.title, date: none)
#image(bytes(sys.inputs.picture), format: "svg", alt: sys.inputs.words)
"""


def save(recording: Recording, path: str | os.PathLike[str], look: Look = "light") -> None:
    """Write the graph to an ``.svg``, ``.png``, ``.pdf`` or ``.dot`` file, or its formulas to a ``.tex`` file.

    Parameters
    ----------
    recording
        What to write.
    path
        Where to; an existing file is replaced.
    look
        ``light``, ``dark``, or for ``.svg`` also ``auto``, which follows the page that shows it.

    Raises
    ------
    ValueError
        If the suffix is another one.
    RuntimeError
        If ``.png`` or ``.pdf`` is asked for and typst is not installed.
    """
    target = Path(path)
    target.write_bytes(_content(recording, target, look))


def _content(recording: Recording, target: Path, look: Look) -> bytes:
    match target.suffix.lower():
        case ".svg":
            return to_svg(recording, look).encode()
        case ".dot":
            return str(to_graphviz(recording).source).encode()
        case ".tex":
            return f"\\[\n{to_latex(recording)}\n\\]\n".encode()
        case ".png":
            return _drawn(recording, target, "png", look)
        case ".pdf":
            return _drawn(recording, target, "pdf", look)
        case suffix:
            raise ValueError(say("unknown_suffix", suffix=clean(suffix, 20), path=clean(target, 100)))


def _drawn(recording: Recording, target: Path, kind: Literal["png", "pdf"], look: Look) -> bytes:
    """The SVG as typst draws it. What users named goes in as data, never as its markup."""
    try:
        import typst
    except ImportError:
        raise RuntimeError(say("no_typst", path=clean(target, 100), kind=kind)) from None
    picture = scene(recording)
    svg = draw(picture, readings(recording), "light" if look == "auto" else look)
    inputs = {"picture": svg, "title": picture["title"], "words": picture["description"]}
    resolution = _UNITS_PER_INCH * _scale(picture)
    return typst.compile(_SHEET, format=kind, sys_inputs=inputs, ppi=resolution)


def _scale(picture: dict[str, Any]) -> float:
    units: float = picture["width"] * picture["height"]
    return min(SCALE, (MAX_PIXELS / units) ** 0.5)
