"""What a picture of a graph brings out: what a step of the walk is about, the chosen box, colours by what flows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .colors import LINES, THEMES, Theme, ink_on, mixed
from .escape import Markup, element, escape
from .style import Look, color_of, shade, sheet

_NARROWEST, _WIDEST = 1.0, 7.0  # lines that show how much flows
_START = re.compile(r"^M([-\d.]+) ([-\d.]+)")
_END = re.compile(r"([-\d.]+) ([-\d.]+)([VH])([-\d.]+)$")  # lines end straight down, or straight to the right

_TINTED = 0.24

_SHAPES = """
.lit{fill:none;stroke-width:3.2;stroke-dasharray:9 6}
.tip{stroke:none}
.pending{opacity:.45}
.box.active{stroke-width:3.4}
"""

_COLORS = """
.box.active,.lit{{stroke:{accent}}}
.tip{{fill:{accent}}}
.lit.back{{stroke:{gradient}}}
.back .tip{{fill:{gradient}}}
"""


@dataclass(frozen=True)
class Emphasis:
    """By default nothing is brought out.

    ``active`` are the boxes that a step of the walk is about, ``edge`` the line on which it sends something back, as
    `frames.frame` tells it; ``flow`` is what `flow.flow` tells, ``signs`` the words at boxes with something wrong.
    """

    active: Collection[int] = ()
    edge: Mapping[str, int] | None = None
    backward: bool = False
    chosen: int | None = None
    flow: Mapping[str, Any] = field(default_factory=dict)
    signs: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def style(self, box: int) -> str:
        """The classes of a box; its own colour is the shade of what flows there."""
        lit = " active" if box in self.active or box == self.chosen else ""
        tint = self.tint(box)
        return lit if tint is None else f"{lit} t{tint[0]}"

    def tint(self, box: int) -> tuple[int, str] | None:
        """The shade of a box and the number that it stands for."""
        found = self.flow.get("nodes", {}).get(str(box))
        return None if found is None else (shade(found[0]), found[1])

    @property
    def tints(self) -> set[int]:
        """All shades that the boxes have."""
        return {shade(found[0]) for found in self.flow.get("nodes", {}).values() if found is not None}

    def sheet(self, scope: str, look: Look) -> Markup:
        """The rules for what is brought out."""
        return sheet(scope, look, _SHAPES, self._colors)

    def _colors(self, theme: Theme) -> str:
        known = _COLORS.format(**THEMES[theme], accent=LINES[theme][0])
        return known + "".join([_tint_rules(n, theme) for n in sorted(self.tints)])

    def lines(self, edges: Sequence[Mapping[str, Any]]) -> tuple[list[Markup], list[Markup]]:
        """The lines of a picture: those that are as they always are, and those that are brought out."""
        widths = self.flow.get("edges", [None] * len(edges))
        plain, lit = [], []
        nth = 0
        for edge, place in zip(edges, widths, strict=True):
            width = None if place is None else _NARROWEST + (_WIDEST - _NARROWEST) * place
            same = self.edge is not None and (edge["from"], edge["to"]) == (self.edge["from"], self.edge["to"])
            is_back = self.edge is not None and same and nth == self.edge["nth"]
            nth += same
            is_forth = self.edge is None and not self.backward and edge["to"] in self.active
            if is_back or is_forth:
                lit.append(_lit(edge["path"], is_back))
            else:
                plain.append(_plain(edge, width))
        return plain, lit


def _tint_rules(n: int, theme: Theme) -> str:
    """A box of a shade, and the ink on its plate."""
    full = color_of(n, theme)
    box = mixed(full, THEMES[theme]["box"], _TINTED)
    return f".box.t{n}{{fill:{box}}}\n.q{n}{{fill:{ink_on(full)}}}\n"


def _plain(edge: Mapping[str, Any], width: float | None) -> Markup:
    """A line; one along which a value is copied to another device is marked and says so."""
    line = element("path", d=edge["path"], stroke_width=width)
    if edge["transfer"] is None:
        return line
    return element("g", element("title", escape(edge["transfer"])), line, class_="transfer")


def _lit(path: str, is_back: bool) -> Markup:
    """A line with its own head, at the end from which it came if something is sent back on it."""
    parts, start, end = [element("path", d=path)], _START.search(path), _END.search(path)
    if start and end:
        x, y, command, last = end.groups()
        tip = start.groups() if is_back else (x, last) if command == "V" else (last, y)
        way, turn = -1 if is_back else 1, "" if command == "V" else " rotate(-90)"
        head = f"M-4.5 {-9 * way}h9l-4.5 {9 * way}z"
        parts.append(element("path", class_="tip", d=head, transform=f"translate({tip[0]} {tip[1]}){turn}"))
    return element("g", *parts, class_="lit back" if is_back else "lit")
