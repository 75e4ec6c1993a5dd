"""The graphs on a slide: that of a function, and beside it those of its derivatives, each in a frame with its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..recording.model import Recording
from .document import words_at
from .emphasis import Emphasis
from .escape import Markup, element
from .messages import plural
from .steps import columns, order_head
from .svg import drawing

WIDEST, HIGHEST = 3600.0, 2400.0
"""What is larger cannot be read any more when it is shown on a whole screen."""

_HEAD, _EDGE, _GAP, _LEAST = 40.0, 12.0, 16.0, 230.0
_TOP = 6.0  # below the title
_CHARACTER = 9.7


@dataclass(frozen=True, eq=False)
class Drawn:
    """A graph with what stands where in it, its numbers, and what it brings out."""

    recording: Recording
    picture: dict[str, Any]
    numbers: dict[str, Any]
    emphasis: Emphasis

    @property
    def head(self) -> tuple[str, str]:
        """What stands above it: its result, and its order with the number of its steps."""
        name, count = order_head(self.recording)
        return name, f"order {self.recording.order} · {plural(count, 'step')}"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with its frame."""
        heading = _CHARACTER * sum(columns(words) for words in self.head) + 3 * _EDGE
        wide = max(self.picture["width"] + 2 * _EDGE, heading, _LEAST)
        return wide, self.picture["height"] + _HEAD + _EDGE


class Field:
    """Graphs beside each other, in as many columns as in the live view; a single graph of a function alone is bare."""

    def __init__(self, graphs: Sequence[Drawn]) -> None:
        self.graphs = list(graphs)
        self.is_framed = bool(graphs[0].recording.order or graphs[0].recording.higher)
        self._across = 2 if len(graphs) == 4 else min(len(graphs), 3)
        rows = [self.graphs[k : k + self._across] for k in range(0, len(graphs), self._across)]
        self._wide = [max(row[j].size[0] for row in rows if j < len(row)) for j in range(self._across)]
        self._high = [max(graph.size[1] for graph in row) for row in rows]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        if not self.is_framed:
            return self.graphs[0].picture["width"], self.graphs[0].picture["height"]
        return sum(self._wide) + _GAP * (len(self._wide) + 1), _TOP + sum(self._high) + _GAP * len(self._high)

    @property
    def is_readable(self) -> bool:
        """Whether it can be read on a screen."""
        return self.size[0] <= WIDEST and self.size[1] <= HIGHEST

    def parts(self, scope: str, shades: set[int]) -> list[Markup]:
        """The drawing; ``shades`` learns which shades of cells it uses."""
        if not self.is_framed:
            (graph,) = self.graphs
            return drawing(graph.picture, graph.numbers, scope, shades, emphasis=graph.emphasis)
        found = []
        for k, graph in enumerate(self.graphs):
            i, j = divmod(k, self._across)
            x, y = _GAP + sum(self._wide[:j]) + _GAP * j, _TOP + sum(self._high[:i]) + _GAP * i
            framed = self._framed(graph, self._wide[j], self._high[i], scope, shades)
            found.append(element("g", *framed, transform=f"translate({x:.1f} {y:.1f})"))
        return found

    def _framed(self, graph: Drawn, wide: float, high: float, scope: str, shades: set[int]) -> list[Markup]:
        name, count = graph.head
        body = drawing(graph.picture, graph.numbers, scope, shades, emphasis=graph.emphasis)
        return [
            element("rect", class_="panel", width=wide, height=high, rx=9),
            words_at(_EDGE, 26.0, name, "name"),
            words_at(wide - _EDGE, 26.0, count, "words right muted"),
            element("g", *body, transform=f"translate({(wide - graph.picture['width']) / 2:.1f} {_HEAD:.0f})"),
        ]
