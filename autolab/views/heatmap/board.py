"""Board: which arrays a heatmap shows, which plane of each and in which colours, and the data that the page needs.

The arrays that `heatmap` was given, by their names.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import FrameType
from typing import Any

from ...engine import Bundle, Variable, as_array, check_real
from ...recording.locate import found_at
from ...recording.model import Snapshot
from ..draw import clean, shape_text
from ..draw.arrays import Plane
from ..draw.colors import DECADES, SCALES, Tone, spanning
from ..draw.escape import Markup, fitting, join, paragraph, picture, prose
from ..draw.grad_status import of_variable
from ..draw.heatmap_data import Heat, heat_entry, index_words
from ..draw.heatmap_svg import MAX_CELLS, Panel, describe, heatmaps
from ..draw.messages import listed, say
from ..draw.svg import Look
from ..live.protocol import not_understood

MAX_ARRAYS = 12

Letters = Mapping[str, str]
"""For some arrays, by name: one letter per axis."""


@dataclass(frozen=True, eq=False)
class NamedArray:
    """An array or a Variable with its name."""

    name: str
    source: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The current shape; that of an empty array for a parameter that has no shape yet."""
        data = self.source.data if isinstance(self.source, Variable) else self.source
        return (0,) if data is None else tuple(data.shape)

    def offers(self, which: str) -> bool:
        """Whether ``which`` applies: a plain array has no gradient."""
        return which == "value" or isinstance(self.source, Variable)

    def read(self, which: str) -> Heat | None:
        """The current value or gradient; None if there is none."""
        found = self.source
        if isinstance(found, Variable):
            found = found.grad if which == "gradient" else found
            return None if found is None or found.data is None else Heat(found.data)
        return None if which == "gradient" else Heat(found)


def gather(arrays: tuple[Any, ...], named: Mapping[str, Any], caller: FrameType | None = None) -> list[NamedArray]:
    """Everything that is to be shown, with its name: its own, or else the expression in the call of ``caller``.

    Raises
    ------
    TypeError
        If an argument is not an array of real numbers.
    ValueError
        If there are no arrays, or too many.
    """
    found: list[NamedArray] = []
    for given, written in zip(arrays, _written(caller, len(arrays)), strict=True):
        if isinstance(given, Mapping):
            found += [_named(str(name), value) for name, value in given.items()]
        else:
            found.append(_named(getattr(given, "name", None) or written or f"array {len(found) + 1}", given))
    found += [_named(name, value) for name, value in named.items()]
    if not 1 <= len(found) <= MAX_ARRAYS:
        raise ValueError(f"heatmap: got {len(found)} arrays; expected 1 to {MAX_ARRAYS}")
    return [NamedArray("array", found[0].source)] if [entry.name for entry in found] == ["array 1"] else found


def _written(caller: FrameType | None, count: int) -> list[str | None]:
    """The names of the arrays in the source of the call, such as ``W`` or ``net.W``; None for any other expression."""
    node = getattr(None if caller is None else found_at(caller), "node", None)
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("heatmap"):
        return [None] * count
    texts = [ast.unparse(one) for one in node.args]
    is_each = len(texts) == count and not any([text.startswith("*") for text in texts])
    return [text if text.replace(".", "").isidentifier() else None for text in texts] if is_each else [None] * count


def _named(name: str, value: Any) -> NamedArray:
    if isinstance(value, Variable):
        return NamedArray(clean(name), value)
    what = f"heatmap: {clean(name, 60)}"
    if isinstance(value, Snapshot):
        if not value.is_whole:
            raise TypeError(f"{what}: the recording kept {value.shape} reduced; record with a larger budget of bytes")
        value = value.values
    return NamedArray(clean(name), check_real(as_array(value, what), what))


def check_axes(axes: Letters, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Check that axes with the same letter have the same length."""
    lengths: dict[str, int] = {}
    for name, letters in axes.items():
        shape = shapes.get(name)
        if shape is None:
            raise ValueError(f"heatmap: axes names {name!r:.60}; the arrays are {', '.join(shapes):.150}")
        if not isinstance(letters, str) or len(letters) != len(shape):
            raise ValueError(f"heatmap: axes of {name:.60} are {letters!r:.40}; expected a letter for each of {shape}")
        for letter, length in zip(letters, shape, strict=True):
            if lengths.setdefault(letter, length) != length:
                raise ValueError(
                    f"heatmap: axis {letter!r} of {name:.60} has length {length}; elsewhere {lengths[letter]}"
                )


MAX_BYTES = 200_000
"""The maximum size of the cells of all panels together, in bytes."""

MOST_DECADES = 8
AT_FIRST: list[Any] = ["heat", None, []]
"""The question of a page that has just been opened."""

SHOW = ("value", "gradient", "both")
EXPECTED = f"show: {', '.join(SHOW)}; scale: {', '.join(SCALES)}; shared: True, False"


class Board:
    """The arrays of a heatmap. Arrays of the same shape show the same plane, so that they can be compared.

    Parameters
    ----------
    arrays : list of NamedArray
    show : {"value", "gradient", "both"}, optional
        By default the values, and the gradients where there are any.
    scale : {"asinh", "linear", "symlog"}
    shared : bool
        Whether the arrays share a scale: with ``asinh`` one for all values and gradients, else one for all values and
        one for all gradients.
    axes : Letters, optional
    """

    def __init__(
        self, arrays: list[NamedArray], show: str | None, scale: str, shared: bool, axes: Letters | None = None
    ) -> None:
        self.arrays = arrays
        show = show or ("both" if any([entry.read("gradient") is not None for entry in arrays]) else "value")
        self.axes = dict(axes or {})
        self._first = self.show, self.scale, self.decades, self.shared = show, scale, DECADES, shared
        self._moved: dict[tuple[int, ...], Plane] = {}
        self.read()

    def read(self) -> None:
        """Read the arrays again."""
        self._heats: dict[tuple[int, str], Heat | None] = {}
        check_axes(self.axes, {entry.name: entry.shape for entry in self.arrays})

    @property
    def size(self) -> int:
        """The number of elements that were read."""
        return sum([heat.array.size for heat in self._heats.values() if heat is not None])

    # ------------------------------------------------------------------ what the page chooses
    def look(self, colours: list[Any] | None, planes: list[Any]) -> None:
        """Show what a page asks for.

        Parameters
        ----------
        colours : list, optional
            What is shown, the scale, how many powers of ten ``symlog`` covers below the strongest colour, and whether
            the scale is shared; None for the initial choices.
        planes : list
            Shape, axes, indices and block (None for all) of each plane that is not the first one of its arrays. Planes
            of shapes that no array has any more are ignored.

        Raises
        ------
        ValueError
            If a choice is invalid.
        """
        chosen = _colours(self._first if colours is None else colours)
        moved = [_plane(named) for named in planes]
        self.show, self.scale, self.decades, self.shared = chosen
        self._moved = {plane.shape: plane for plane in moved}

    @property
    def planes(self) -> dict[tuple[int, ...], Plane]:
        """The plane of each shape."""
        shapes = [entry.shape for entry in self.arrays]
        return {shape: self._moved.get(shape) or Plane.first(shape) for shape in shapes}

    # ------------------------------------------------------------------ what is shown
    def panels(self) -> list[tuple[NamedArray, str, Heat | None]]:
        """What to draw, in order: the array, "value" or "gradient", and the numbers if there are any."""
        chosen = SHOW[:2] if self.show == "both" else (self.show,)
        found = [(i, which) for i, entry in enumerate(self.arrays) for which in chosen if entry.offers(which)]
        return [(self.arrays[i], which, self._heat(i, which)) for i, which in found]

    def _heat(self, i: int, which: str) -> Heat | None:
        if (i, which) not in self._heats:
            self._heats[i, which] = self.arrays[i].read(which)
        return self._heats[i, which]

    def _tone(self, which: str, heat: Heat) -> Tone:
        """The scale of an array. Only the colours are shared; each array has its own colour bar."""
        own = spanning(*heat.facts[1:3], self.scale, self.decades)
        if not self.shared:
            return own
        kinds = SHOW[:2] if self.scale == "asinh" else (which,)
        alike = [found for _, kind, found in self.panels() if kind in kinds and found is not None]
        ends = [end for found in alike for end in found.facts[1:3] if end is not None]
        shared = spanning(min(ends, default=None), max(ends, default=None), self.scale, self.decades)
        return replace(shared, ends=own.ends)

    def picture(self) -> dict[str, Any]:
        """Everything that the page draws, as plain data and bytes."""
        panels = self.panels()
        most = MAX_BYTES // max(1, len(panels))
        groups = list(self.planes)
        entries: list[dict[str, Any]] = []
        for shown, which, heat in panels:
            plane, sentence = self.planes[shown.shape], _sentence(shown) if which == "gradient" else ""
            entry = {"name": shown.name, "which": which, "cells": None, "group": groups.index(shown.shape)}
            entry |= {"axes": self.axes.get(shown.name, ""), "sentence": sentence, "index": index_words(plane)}
            entries.append(entry | ({} if heat is None else heat_entry(heat, plane, self._tone(which, heat), most)))
        return {"title": self.title, "settings": self._settings(), "groups": self._groups(), "panels": entries}

    @property
    def title(self) -> str:
        """The names of the arrays with their shapes; arrays of the same shape are listed together."""
        named = [(listed(group["names"], 4), shape_text(tuple(group["shape"]))) for group in self._groups()]
        return ", ".join(f"{names} {shape}" for names, shape in named)

    def _settings(self) -> dict[str, Any]:
        has_gradients = any([isinstance(entry.source, Variable) for entry in self.arrays])
        return {
            "show": self.show,
            "scale": self.scale,
            "shows": list(SHOW) if has_gradients else [],
            "decades": self.decades,
            "most": MOST_DECADES,
            "shared": self.shared,
            "several": len(self.arrays) > 1,
        }

    def _groups(self) -> list[dict[str, Any]]:
        return [
            {
                "shape": list(shape),
                "axes": list(plane.axes),
                "tiles": list(plane.tiles),
                "at": list(plane.at),
                "region": list(plane.shown),
                "extent": list(plane.extent),
                "names": [entry.name for entry in self.arrays if entry.shape == shape],
            }
            for shape, plane in self.planes.items()
        ]

    # ------------------------------------------------------------------ without a live view
    def static(self) -> Bundle:
        """The same as static HTML, which any notebook shows, and as text."""
        lines: list[str] = []
        html = fitting((self._pictures(most, lines) for most in (MAX_CELLS, MAX_CELLS // 2)), "")
        return {**html, "text/plain": "\n".join(lines)}

    def _pictures(self, most: int, lines: list[str]) -> Markup:
        """A picture of each array, with at most ``most`` cells a side, and ``lines`` that describe it."""
        parts = []
        lines.clear()
        for entry in self.arrays:
            drawn = [(which, heat) for shown, which, heat in self.panels() if shown is entry]
            panels = [self._panel(entry, which, heat, most) for which, heat in drawn if heat is not None]
            sentence = _sentence(entry) if any([which == "gradient" for which, _ in drawn]) else ""
            lines.append(" ".join([*map(describe, panels), *([f"{entry.name}: {sentence}"] if sentence else [])]))
            if panels:
                parts.append(picture(heatmaps(panels), " ".join(map(describe, panels))))
        parts.append(paragraph(prose(" ".join(filter(None, lines)), 1500)))
        return join(parts)

    def svg(self, look: Look) -> Markup:
        """All arrays side by side."""
        panels = [self._panel(entry, which, heat) for entry, which, heat in self.panels() if heat is not None]
        return heatmaps(panels, look)

    def _panel(self, entry: NamedArray, which: str, heat: Heat, most: int = MAX_CELLS) -> Panel:
        plane, colors = self.planes[entry.shape], self._tone(which, heat)
        title = f"{entry.name}{index_words(plane)}" + (" gradient" if which == "gradient" else "")
        cells, tiles = heat.cells(plane, most * most, most), prod([plane.shape[axis] for axis in plane.tiles])
        return Panel(title, heat.facts, tone=colors, counts=heat.sample.counts(colors), cells=cells, tiles=tiles)


def _colours(chosen: Sequence[Any]) -> Any:
    match chosen:
        case [str(show), str(scale), int(decades), bool(shared)]:
            if show in SHOW and scale in SCALES and 1 <= decades <= MOST_DECADES:
                return show, scale, decades, shared
            given = f"show {show!r:.60}, scale {scale!r:.60}, {decades!r:.60} decades"
            raise ValueError(f"heatmap: got {given}; expected {EXPECTED}; 1 to {MOST_DECADES} decades")
    raise not_understood(chosen)


def _plane(named: Any) -> Plane:
    match named:
        case [list(shape), list(axes), list(at), list() | None as region]:
            if all([type(n) is int for n in (*shape, *axes, *at, *(region or ()))]):
                return Plane.placed(tuple(shape), axes, at, region)
    raise not_understood(named)


def _sentence(shown: NamedArray) -> str:
    """A sentence about its gradient, if there is more to say than that it exists."""
    sentence = of_variable(shown.source)
    return "" if sentence == say("ok") else sentence
