"""How a monitor and a PlotReport are displayed: curves, the last state, and the same as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...engine import Bundle
from ...recording.arrays import snapshot
from ...training.boundary import DecisionBoundary, parting
from ...training.extensions.log import PlotReport
from ...training.model_state import ModelState
from ...training.monitor import Curve, Monitor
from ..draw import number, say
from ..draw.chart import Line, chart
from ..draw.escape import Markup, at_rest, clean, details, escape, fact_table, join, paragraph, picture
from ..draw.heatmap_svg import Panel, describe, heatmaps
from ..draw.plot import chart_bundle, to_svg
from ..draw.svg import Look

_MOST_GROUPS = 4
_MOST_PANELS = 4
_WORD = re.compile(r"[/_ ]")


def charts(monitor: Monitor, arrays: bool = False) -> list[dict[str, Any]]:
    """A chart for the values reported under each last word, such as ``loss``, and one for each kind of measurement."""
    groups: dict[str, dict[str, Curve]] = {}
    for name, curve in monitor.curves.items():
        groups.setdefault(_WORD.split(name)[-1], {})[name] = curve
    where: dict[str, Any] = {"arrays": arrays, "x_range": (0, monitor.iteration)}
    found = [_chart(title, curves, **where) for title, curves in list(groups.items())[:_MOST_GROUPS]]
    measured = monitor.measured
    for family in ("gradient", "moved"):
        if measured[family]:
            found.append(_chart(say(f"monitor_{family}"), measured[family], log=True, **where))
    if any(y > 0 for curve in measured["silent"].values() for _, y in curve.points):
        found.append(_chart(say("monitor_silent"), measured["silent"], factor=100.0, **where))
    notes = {say(f"monitor_{family}"): say(f"monitor_{family}_note") for family in ("moved", "silent")}
    return [{**one, "note": f"{notes.get(one['title'], '')} {one['note']}".strip()} for one in found]


def _chart(
    title: str, curves: Mapping[str, Curve], log: bool = False, factor: float = 1.0, **where: Any
) -> dict[str, Any]:
    lines, last = [], {}
    for name, curve in curves.items():
        x, y = zip(*curve.points, strict=True)
        with np.errstate(over="ignore"):  # rounded as they are drawn, so that a constant is a level line
            lines.append(Line(name, x, (factor * np.array(y)).astype(np.float32).tolist()))
        last[clean(name, 60)] = number(factor * curve.last)
    found: dict[str, Any] = chart(title, lines, log, say("monitor_update", iteration="").strip(), **where)
    for line in found["lines"]:
        line["last"] = last[line["name"]]
    each = max(curve.each for curve in curves.values())
    if each > 1:
        found["note"] = f"{say('chart_mean', each=each)} {found['note']}".strip()
    return found


def status(monitor: Monitor) -> list[str]:
    """The progress of training, in a few words."""
    words = [say("monitor_update", iteration=monitor.iteration)]
    if (epoch := getattr(monitor, "epoch", None)) is not None:
        words.append(say("monitor_epoch", epoch=epoch))
    words += [f"{clean(name, 60)} {number(curve.last)}" for name, curve in list(monitor.curves.items())[:1]]
    if rate := _rate(monitor.states):
        words.append(say("monitor_rate", rate=number(float(f"{rate:.2g}"))))
    return words


def spent(monitor: Monitor) -> str:
    """The fraction of the time that the monitor takes."""
    percent = 100 * monitor.spent / monitor.worked if monitor.worked else 0.0
    return say("monitor_spent", percent=number(float(f"{percent:.2g}")))


def _rate(states: tuple[ModelState, ...]) -> float | None:
    if len(states) < 2:
        return None
    before, last = states[-2:]
    return (last.iteration - before.iteration) / (last.seconds - before.seconds)


def facts(monitor: Monitor) -> Iterator[tuple[str, str]]:
    """The last reported and measured values, by name."""
    for name, curve in monitor.curves.items():
        yield name, number(curve.last)
    for family in ("gradient", "moved"):
        for layer, curve in monitor.measured[family].items():
            yield f"{say(f'monitor_{family}').partition(',')[0]}: {layer}", number(curve.last)
    for layer, (silent, total) in monitor.states[-1].silent.items() if monitor.states else ():
        if silent:
            yield say("monitor_silent").partition(",")[0] + f": {layer}", f"{silent} / {total}"


def bundle(monitor: Monitor) -> Bundle:
    """Title, curves and a sentence; the last state and the numbers in a collapsed section; and the same as text."""
    if not monitor.iteration:
        return {"text/html": str(paragraph(escape(say("monitor_nothing")))), "text/plain": _text(monitor)}
    drawn = charts(monitor)
    shown = picture(to_svg(drawn), " ".join(one["description"] for one in drawn)) if drawn else None
    told = at_rest(title_of(monitor), shown, say("monitor_rest", status=", ".join(status(monitor))))
    behind = [fact_table(facts(monitor))]
    if panels := [*_boundary(monitor), *_panels(monitor)]:
        behind.insert(0, paragraph(picture(heatmaps(panels), " ".join(describe(panel) for panel in panels))))
    last = details(say("monitor_state", iteration=monitor.iteration), *behind)
    return {"text/html": str(join([told, last])), "text/plain": _text(monitor)}


def title_of(monitor: Monitor) -> str:
    """The title: what is being trained."""
    return clean(type(monitor.model).__name__) if monitor.model is not None else type(monitor).__name__


def svg(monitor: Monitor, look: Look) -> Markup:
    """The curves."""
    return to_svg(charts(monitor), look)


def _boundary(monitor: Monitor) -> list[Panel]:
    """The net's output over the plane of its features, if it can be drawn unit by unit."""
    found: DecisionBoundary | None = getattr(monitor, "boundary", None)
    if found is None or not monitor.states:
        return []
    try:
        outputs = found.at(monitor.states[-1])[-1].pictures
    except ValueError:
        return []
    return [Panel(say("monitor_over"), snapshot(parting(outputs)))]


def _panels(monitor: Monitor) -> list[Panel]:
    """The gradients of the first weights with more than one axis, in the last state."""
    if not monitor.states:
        return []
    grads = monitor.states[-1].gradients
    shown = [(path, grad) for path, grad in grads.items() if grad is not None and len(grad.shape) > 1]
    return [Panel(f"∂ {path.lstrip('/')}", grad) for path, grad in shown[:_MOST_PANELS]]


def _text(monitor: Monitor) -> str:
    if not monitor.iteration:
        return f"{type(monitor).__name__}: {say('monitor_nothing')}"
    lines = [f"{type(monitor).__name__}: {', '.join(status(monitor))}"]
    return "\n".join([*lines, *(f"  {clean(name)}: {words}" for name, words in facts(monitor))])


# -------------------------------------------------------------------- PlotReport
def report_chart(report: PlotReport) -> dict[str, Any]:
    """The entries of its log as a chart."""
    lines = []
    for entry in report.entries:
        known = [line for line in report.log if entry in line and report.x_key in line]
        lines.append(Line(entry, [line[report.x_key] for line in known], [line[entry] for line in known]))
    found: dict[str, Any] = chart(report.title, lines, report.log_scale, report.x_key)
    absent = [clean(line.name, 60) for line in lines if not line.y]
    if absent and report.log:
        said = say("plot_absent", names=", ".join(absent))
        found |= {key: f"{found[key]} {said}".strip() for key in ("note", "description")}
    return found


def report_svg(report: PlotReport) -> str:
    """The chart as the text of an SVG file."""
    return str(to_svg([report_chart(report)], report.look))


def plot_bundle(report: PlotReport) -> Bundle:
    """The chart as a picture; its description as text."""
    return chart_bundle(report_chart(report))
