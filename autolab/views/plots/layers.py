"""How the gradient flow and the memory of a run are displayed: a plot over layers or steps, a sentence and a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...engine import Bundle, show
from ...recording.gradient_flow import GradientFlow
from ...recording.kept_memory import KeptMemory, StepMemory, step_label
from ..draw import bytes_text, number
from ..draw.chart import Line, chart
from ..draw.escape import Markup, at_rest, clean, code, details, fitting, join, picture, table
from ..draw.messages import listed, plural, say
from ..draw.names import aligned, shorten
from ..draw.numbers import bytes_unit
from ..draw.plot import to_svg
from ..draw.svg import Look
from ..graph.graph_view import GraphView, choose_step

_MOST_NAMED, _NAME, _LABEL = 4, 16, 40
_WIDE = 820.0
_MOST_ROWS = 200
_MOST_TICKS = 6


class Plotted(NamedTuple):
    """A title, the chart as plain data, a sentence, and a table whose first row has the headings."""

    title: str
    chart: dict[str, Any]
    sentence: str
    table: list[list[str]]


# ---------------------------------------------------------------------------------------------- the flow of a gradient
def flow(shown: GradientFlow) -> Plotted:
    """The gradient over the layers."""
    title = say("flow_title", function=clean(shown.function))
    return Plotted(title, _flow_chart(shown, title), _flow_sentence(shown), _flow_table(shown))


def _flow_chart(flow: GradientFlow, title: str) -> dict[str, Any]:
    depth = list(range(1, len(flow.rows) + 1))
    shown = {
        say("flow_value"): [row.value for row in flow.rows],
        say("flow_gradient"): [row.gradient for row in flow.rows],
        say("flow_weights"): [math.nan if row.ratio is None else row.ratio for row in flow.rows],
    }
    lines = [Line(name, depth, y) for name, y in shown.items() if not all(map(math.isnan, y))]
    at, sign = next(((i, row.sign) for i, row in zip(depth, flow.rows, strict=True) if row.sign), (None, ""))
    plot = chart(title, lines, True, say("flow_depth"), at, mark_words=sign)
    return _named(plot, [row.layer for row in flow.rows])


def _flow_sentence(flow: GradientFlow) -> str:
    if not flow.rows:
        return say("flow_no_layers")
    kinds = {sign: [row.layer for row in flow.rows if row.sign == sign] for sign in ("vanishes", "explodes", "zero")}
    kinds["none"] = [row.layer for row in flow.rows if row.sign == "none"]
    told = [say(f"flow_{sign}", layers=_some(layers)) for sign, layers in kinds.items() if layers]
    return " ".join(told) or say("flow_fine")


def _flow_table(flow: GradientFlow) -> list[list[str]]:
    rows = [[say("flow_layer"), say("flow_value"), say("flow_gradient"), say("flow_weights"), ""]]
    for row in flow.rows:
        sizes = [None if math.isnan(size) else size for size in (row.value, row.gradient)]
        words = ["" if size is None else number(size) for size in (*sizes, row.ratio)]
        rows.append([clean(row.layer), *words, row.sign])
    return rows


# ---------------------------------------------------------------------------------------------- the memory of a run
def memory(shown: KeptMemory) -> Plotted:
    """The memory that is kept, over the steps."""
    title = say("memory_title", function=clean(shown.function))
    return Plotted(title, _memory_chart(shown, title), _memory_sentence(shown), _memory_table(shown))


def _memory_chart(memory: KeptMemory, title: str) -> dict[str, Any]:
    steps = [row.step for row in memory.rows]
    times = [(row.step, row.total) for row in memory.rows] + [(free.moment, free.total) for free in memory.released]
    unit, size = bytes_unit(memory.peak)
    names = [say("memory_unit", name=say(f"memory_{kind}"), unit=unit) for kind in ("total", "each")]
    total = Line(names[0], [at for at, _ in times], [count / size for _, count in times])
    each = Line(names[1], steps, [row.nbytes / size for row in memory.rows])
    x_title = say("memory_both" if memory.released else "memory_step", count=len(memory.recording.steps))
    if not times:
        return chart(title, [total, each], x_title=x_title)
    peak, most = max(times, key=lambda time: time[1])
    plot = chart(title, [total, each], x_title=x_title, mark=peak, mark_words=say("memory_mark", size=bytes_text(most)))
    return plot if memory.released else _named(plot, [row.label for row in memory.rows], steps)


def _memory_sentence(memory: KeptMemory) -> str:
    largest = memory.largest
    if largest is None:
        return say("memory_nothing")
    array = max(largest.arrays, key=lambda kept: kept.nbytes)
    shape = " × ".join(map(str, array.shape)) or "1"
    layer, share = next(iter(memory.by_layer.items()))
    words = {"peak": bytes_text(memory.peak), "label": shorten(clean(largest.label), _LABEL), "shape": shape}
    words |= {"dtype": array.dtype, "percent": _percent(largest.nbytes, memory), "alike": _alike(largest, memory)}
    told = say("memory_peak", layer=clean(layer), layer_percent=_percent(share, memory), **words)
    return f"{told} {_released(memory)}"


def _released(memory: KeptMemory) -> str:
    """When the backward pass frees it."""
    half = next((free.step for free in memory.released if free.total <= memory.peak / 2), None)
    if half is None:
        return say("memory_held")
    at = step_label(memory.recording.steps[half])
    return say("memory_released", step=half, label=shorten(clean(at), _LABEL))


def _alike(largest: StepMemory, memory: KeptMemory) -> str:
    """How much it is together with the same step in other layers."""
    alike = [row.nbytes for row in memory.rows if (row.label, row.nbytes) == (largest.label, largest.nbytes)]
    return say("memory_alike", all_percent=_percent(sum(alike), memory), count=len(alike) - 1) if alike[1:] else ""


def _percent(nbytes: int, memory: KeptMemory) -> str:
    return number(float(f"{100 * nbytes / memory.peak:.2g}"))


def _memory_table(memory: KeptMemory) -> list[list[str]]:
    rows = [[say("memory_step"), say("flow_layer"), say("memory_label"), say("memory_each"), say("memory_total")]]
    for row in memory.rows:
        rows.append([str(row.step), clean(row.layer), clean(row.label), bytes_text(row.nbytes), bytes_text(row.total)])
    return rows


# ---------------------------------------------------------------------------------------------- both
def open_at(shown: Any, step: int | None) -> GraphView:
    """The live graph of a recording, at a step."""
    view = GraphView(shown.recording)
    choose_step(view, step)
    view._save_here("explore", "explore", shown.function)
    return view


def bundle(shown: Any) -> Bundle:
    """Title, plot, sentence and table; and the result of `repr`."""
    title, plot, sentence, (heads, *rows) = show(shown, "plotted")
    drawn = picture(to_svg([{**plot, "title": "", "wide": _WIDE}]), f"{plot['description']} {sentence}")
    told = at_rest(title, drawn, sentence)
    cells = [[code(cell) for cell in row] for row in rows[:_MOST_ROWS]]
    return fitting([join([told, details(plural(len(rows), "row"), table(heads, cells))]), told], repr(shown))


def svg(shown: Any, look: Look = "auto") -> Markup:
    """The plot."""
    return to_svg([show(shown, "plotted").chart], look)


def _named(plot: dict[str, Any], names: Sequence[str], places: Sequence[int] = ()) -> dict[str, Any]:
    """A chart with names along its horizontal axis, by default at 1, 2 ..., as many as fit."""
    stride, places = max(1, math.ceil(len(names) / _MOST_TICKS)), places or range(1, len(names) + 1)
    long = _NAME if len(names) > 1 else _LABEL
    ticks = [[places[i], shorten(clean(names[i]), long)] for i in range(0, len(names), stride)]
    return {**plot, "x": {**plot["x"], "ticks": ticks}}


def _some(names: Sequence[str]) -> str:
    return listed([shorten(clean(name), _LABEL) for name in dict.fromkeys(names)], _MOST_NAMED)


def text(found: Any) -> str:
    """The sentence and the table as text."""
    title, _, sentence, rows = show(found, "plotted")
    shown = [[shorten(cell, _LABEL) for cell in row] for row in rows[: _MOST_ROWS + 1]]
    left, head = len(rows) - len(shown), f"{title}: {sentence}"
    return "\n".join([head, *aligned(shown), *([say("flow_rows", count=left)] if left > 0 else [])])
