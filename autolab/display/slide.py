"""The whole view as one picture, for a slide or a hand-out: the graph as it stands at a step of the walk, the
calculation of that step beside or below it, the source, the place in the walk, and what the colours mean.

It is drawn from the recording, not from the screen, so it is sharp at any size and the same for everyone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..recording.model import Recording
from .colors import LINES, THEMES, Theme
from .detail import detail, home
from .document import document, new_scope
from .emphasis import Emphasis
from .escape import Markup, element
from .flow import Measure, flow
from .frames import frame
from .groups import results
from .health import findings, sentences, signs_at
from .listing import listing
from .messages import say
from .moment import readings_at
from .numbers import shape_text
from .readings import readings
from .scene import scene
from .share import Pick
from .sheet_view import Column, code_lines
from .slide_graphs import Drawn, Field
from .slide_parts import values, write_moment, write_place, write_ramp
from .style import Look, sheet
from .svg import TITLE_HEIGHT, describe, title_line
from .walk import Walk

_PANEL = 470.0
_GAP, _MARGIN, _BETWEEN = 28.0, 16.0, 14.0
_MOST_CELLS = 24
_SOURCE_LINES = 14
_WIDEST = 3.0  # a picture that would be so many times wider than high has its panels below the graph

_SHAPES = """
.words{font:15px system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,sans-serif}
.strong{font-weight:600}
.mark{fill:none;stroke-width:3}
.rail{stroke-width:5;stroke-linecap:round}
.panel{fill:none;stroke-width:1}
.fraction{stroke-width:1.4}
"""
_COLORS = """
.mark,.fraction{{stroke:{strong}}}
.muted{{fill:{muted}}}
.lined{{fill:{input}}}
.rule{{fill:{gradient}}}
.rail{{stroke:{frame}}}
.panel{{stroke:{table}}}
.rail.forth{{stroke:{accent}}}
.rail.back{{stroke:{gradient}}}
.forth.ink,.forth.knob{{fill:{accent}}}
.back.ink,.back.knob{{fill:{gradient}}}
"""


@dataclass(frozen=True, eq=False)
class Slide:
    """What of a recording is to be seen. What is not given is as a view shows it at first.

    ``expanded`` are the open groups of all orders, ``moment`` the step of the walk and ``pick`` the cell that is
    followed there, ``chosen`` the box of which the panel tells while nothing is walked through, ``by`` the measure of
    the colours.
    """

    recording: Recording
    expanded: Collection[int] | None = None
    moment: int | None = None
    pick: Pick | None = None
    chosen: int | None = None
    by: Measure | None = None

    # ------------------------------------------------------------------ data
    def _opened(self, graph: Recording) -> Collection[int]:
        return graph.outline.at_first() if self.expanded is None else self.expanded

    @cached_property
    def _open(self) -> Collection[int]:
        return self._opened(self.recording)

    @cached_property
    def _boxes(self) -> dict[int, int]:
        return self.recording.outline.holders(self._open)

    @cached_property
    def _walk(self) -> Walk:
        return Walk(self.recording)

    @cached_property
    def _told(self) -> tuple[dict[str, Any], list[bytes]] | None:
        """The calculation of the moment."""
        if self.moment is None:
            return None
        shown = results(self.recording, self._open)
        return frame(self._walk, self.moment, self._boxes, self.pick, _MOST_CELLS, shown)

    @cached_property
    def _front(self) -> Recording:
        """The graph of the order that the panel tells about."""
        return self.recording if self._told else home(self.recording, self.chosen)

    @cached_property
    def _detail(self) -> tuple[dict[str, Any], list[bytes]]:
        graph = self._front
        expanded = self._opened(graph)
        boxes = graph.outline.holders(expanded)
        wished = graph.outputs[0] if self.chosen is None else self.chosen
        held = graph.outline.holder(wished, expanded)
        return detail(graph, held if held in set(boxes.values()) else boxes[graph.outputs[0]], _MOST_CELLS)

    @cached_property
    def picture(self) -> dict[str, Any]:
        """What stands where in the graph."""
        return scene(self.recording, self._open)

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """What the boxes show."""
        shown = readings(self.recording, self._open)
        if self._told is None:
            return shown
        plan = {"nodes": self._walk.times(self._boxes, results(self.recording, self._open))}
        return {**shown, "nodes": readings_at(shown["nodes"], plan, self._told[0])}

    @cached_property
    def flow(self) -> dict[str, Any]:
        """The colours of the boxes; empty where none are asked for."""
        return {} if self.by is None else flow(self.recording, self.by, self._open)

    @cached_property
    def emphasis(self) -> Emphasis:
        """What the graph brings out."""
        signs = signs_at(findings(self.recording), self._boxes)
        if self._told is None:
            return Emphasis(chosen=self._detail[0]["id"], flow=self.flow, signs=signs)
        told = self._told[0]
        return Emphasis(told["nodes"], told["edge"], told["backward"], None, self.flow, signs)

    @cached_property
    def field(self) -> Field:
        """The graphs of all orders, or only the one that the panel tells about if all together could not be read."""
        own = Drawn(self.recording, self.picture, self.numbers, self.emphasis)
        graphs = [own, *[self._derivative(graph) for graph in self.recording.higher]]
        field = Field(graphs)
        return field if field.is_readable else Field([g for g in graphs if g.recording is self._front])

    def _derivative(self, graph: Recording) -> Drawn:
        expanded = self._opened(graph)
        lit = Emphasis() if self._told else Emphasis(chosen=self._detail[0]["id"])
        return Drawn(graph, scene(graph, expanded), readings(graph, expanded), lit)

    # ------------------------------------------------------------------ panels
    def panels(self, theme: Theme) -> list[Column]:
        """The source, and the calculation of the moment or what there is to know of the chosen box."""
        source, told = Column(_PANEL, theme), Column(_PANEL, theme)
        code_lines(source, self._source())
        if self._told is None:
            self._write_detail(told)
        else:
            write_moment(told, *self._told)
        return [column for column in (source, told) if column.parts]

    def _source(self) -> list[dict[str, Any]]:
        """The lines of the function around the one that is meant."""
        found = listing(self.recording, self._boxes)
        if not found:
            return []
        now = self._told[0]["line"] if self._told else self._line_of(self._detail[0]["id"])
        lines = [
            {"number": found["first"] + i, "text": text, "now": found["first"] + i == now}
            for i, text in enumerate(found["lines"])
        ]
        place = next((i for i, line in enumerate(lines) if line["now"]), 0)
        start = max(0, min(place - _SOURCE_LINES // 2, len(lines) - _SOURCE_LINES))
        return lines[start : start + _SOURCE_LINES]

    def _line_of(self, box: int) -> int | None:
        return next((step.outer_line for step in self._front.steps if step.id == box), None)

    def _write_detail(self, column: Column) -> None:
        facts, buffers = self._detail
        column.words(facts["title"], "name")
        written = dict(facts["facts"])
        arrays = {entry["which"]: entry for entry in facts["arrays"] if entry["rows"] * entry["cols"] > 1}
        for which, title in (("value", "value"), ("grad", "gradient")):
            array = arrays.get(which)
            if array is not None:
                column.line("", title, (), shape_text(tuple(array["shape"])), False)
                column.cells(values(array, buffers), array["scale"])
            elif title in written:
                column.line("", title, (), written[title], True)
        for rule in facts["rules"]:
            column.space(8)
            with column.ruled():
                column.words(rule["text"], "words", indent=14)
                column.words(rule["filled"] or "", "strong", indent=14)
        if self._is_remarkable:
            column.space(6)
            column.words(facts["status"], "words", "muted")

    @property
    def _is_remarkable(self) -> bool:
        """Whether there is more to say than that the chosen step has a gradient."""
        step = next((step for step in self._front.steps if step.id == self._detail[0]["id"]), None)
        return step is None or step.status != "ok" or step.grad is None

    # ------------------------------------------------------------------ below the graph
    def foot(self, width: float, theme: Theme) -> Column:
        """The place in the walk, what the colours mean, and what is wrong."""
        column = Column(width, theme)
        if self._told is not None:
            write_place(column, self._told[0], len(self._walk), self._walk.start)
        if self.flow and self.field.graphs[0].recording is self.recording:
            legend = self.flow["legend"]
            write_ramp(column, legend["name"], legend["low"], legend["high"], (0.0, 1.0))
        if any(node["cells"] for graph in self.field.graphs for node in graph.picture["nodes"]):
            write_ramp(column, say("slide_cells"), "−max", "max", (-1.0, 1.0))
        for _, sentence in sentences(self.recording, findings(self.recording)):
            column.words(sentence, "words", "muted")
        if self._left_out:
            column.words(self._left_out, "words", "muted")
        return column

    @property
    def _left_out(self) -> str:
        """That graphs are missing, if they are."""
        count, drawn = 1 + len(self.recording.higher), self.field.graphs
        return say("slide_one_order", order=drawn[0].recording.order, count=count) if len(drawn) < count else ""

    @property
    def spoken(self) -> str:
        """The picture in words."""
        graphs = [(", ".join(graph.head), describe(graph.picture, graph.numbers)) for graph in self.field.graphs]
        words = [f"{head}: {text}" if self.field.is_framed else text for head, text in graphs]
        return " ".join(filter(None, [self._told and self._told[0]["spoken"], *words, self._left_out]))


def draw_slide(slide: Slide, look: Look = "light") -> Markup:
    """The slide as the text of an SVG document."""
    theme: Theme = "dark" if look == "dark" else "light"
    graph = slide.field.size
    foot = slide.foot(max(graph[0], _PANEL) - 2 * _MARGIN, theme)
    panels = slide.panels(theme)
    places, (width, height) = _places((max(graph[0], _PANEL), graph[1] + foot.y + _MARGIN), [p.y for p in panels])
    scope = new_scope()
    shades: set[int] = slide.emphasis.tints
    body = slide.field.parts(scope, shades)
    right = 0.0 if slide.field.is_framed else max(0.0, _PANEL - graph[0]) / 2
    parts = [
        title_line(slide.picture["title"], width),
        element("g", *body, transform=f"translate({right:.1f} {TITLE_HEIGHT:.0f})"),
        element("g", *foot.parts, transform=f"translate({_MARGIN:.0f} {TITLE_HEIGHT + graph[1]:.1f})"),
        *[_at(place, panel) for place, panel in zip(places, panels, strict=True)],
    ]
    sheets = [slide.emphasis.sheet(scope, theme), sheet(scope, theme, _SHAPES, _colors)]
    title = slide.picture["title"]
    return document(parts, (width, height), title, slide.spoken, theme, scope=scope, shades=shades, sheets=sheets)


def _places(left: tuple[float, float], heights: list[float]) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Where the panels stand, and the size of the whole: beside the graph, or below a wide one."""
    stacked = [sum(heights[:k]) + _BETWEEN * k for k in range(len(heights) + 1)]
    if left[0] + _GAP + _PANEL <= _WIDEST * max(left[1], stacked[-1]):
        x, y = left[0] + _GAP, TITLE_HEIGHT + _MARGIN
        size = x + _PANEL + _MARGIN, max(TITLE_HEIGHT + left[1], y + stacked[-1]) + _MARGIN
        return [(x, y + down) for down in stacked[:-1]], size
    y = TITLE_HEIGHT + left[1] + _MARGIN
    across = _MARGIN + (_PANEL + _GAP) * len(heights)
    if across > left[0]:
        return [(_MARGIN, y + down) for down in stacked[:-1]], (left[0] + _MARGIN, y + stacked[-1] + _MARGIN)
    places = [(_MARGIN + (_PANEL + _GAP) * k, y) for k in range(len(heights))]
    return places, (left[0] + _MARGIN, y + max(heights, default=0.0) + _MARGIN)


def _at(place: tuple[float, float], panel: Column) -> Markup:
    return element("g", *panel.parts, transform=f"translate({place[0]:.1f} {place[1]:.1f})")


def _colors(theme: Theme) -> str:
    return _COLORS.format(**THEMES[theme], accent=LINES[theme][0])
