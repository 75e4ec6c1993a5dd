"""How a gradient check shows itself: the verdict, what was found, and for each input both gradients and the error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..recording.arrays import snapshot
from .chart_svg import to_svg
from .check_charts import step_chart, step_sentence
from .escape import Markup, clean, element, escape, join
from .heatmap import MAX_CELLS, Panel, describe, heatmaps
from .html import LIMIT, code, paragraph, picture, prose, table
from .messages import say
from .numbers import number, shape_text
from .registry import Bundle

if TYPE_CHECKING:
    from ..gradcheck.report import GradientReport, InputReport

_KEPT_CELLS = MAX_CELLS * MAX_CELLS
_MAX_PICTURES = 12
_HEADINGS = ("input", "verdict", "shape", "worst at", "analytic", "numeric", "error", "allowed", "")


def bundle(report: GradientReport) -> Bundle:
    """HTML with as many heatmaps as fit, and the report's own text."""
    text = str(report)
    for html in _ever_smaller(report):
        if len(html.encode()) + len(text.encode()) <= LIMIT:
            return {"text/html": str(html), "text/plain": text}
    return {"text/plain": text}


def lens_bundle(lens: Any) -> Bundle:
    """The report that a lens shows."""
    return bundle(lens.report)


def _ever_smaller(report: GradientReport) -> Iterator[Markup]:
    """The whole display; with one heatmap; without any."""
    words = [paragraph(element("b", prose(_headline(report)))), *_findings(report)]
    if report.inputs:  # an exercise may hold them back
        words.append(table(_HEADINGS, (_row(item) for item in report.inputs)))
    accused_first = sorted(report.inputs, key=lambda item: item.verdict == "right")
    for count in (_MAX_PICTURES, 1, 0):
        yield join([*words, *(_heatmaps(item) for item in accused_first[:count]), *_steps(report)[: 2 * count]])


def _steps(report: GradientReport) -> list[Markup]:
    """Why a wrong gradient cannot be the finite difference's fault: the error over the step, and in words."""
    sweep = report.sweep
    if sweep is None:
        return []
    sentence = step_sentence(sweep)
    drawn = step_chart(sweep)
    drawn["title"] = f"{clean(sweep.input, 40)}{list(sweep.index) if sweep.index else ''}: {drawn['title']}"
    return [paragraph(picture(to_svg([drawn]), f"{drawn['description']} {sentence}")), paragraph(prose(sentence))]


def _headline(report: GradientReport) -> str:
    return str(report).split("\n", 1)[0]


def _findings(report: GradientReport) -> list[Markup]:
    found = [element("li", prose(str(finding))) for finding in report.findings]
    return [element("ul", *found)] if found else []


def _row(item: InputReport) -> list[Markup]:
    cells = [code(item.name), escape(item.verdict), code(shape_text(item.shape))]
    if item.worst is None:
        return [*cells, *[escape("")] * 6]
    place = code(list(item.worst) if item.worst else "")
    analytic = say("absent") if item.analytic is None else number(item.analytic[item.worst] + 0.0)
    numbers = (analytic, *(number(values[item.worst] + 0.0) for values in (item.numeric, item.error, item.tolerance)))
    return [*cells, place, *(code(text) for text in numbers), escape(item.coverage)]


def _heatmaps(item: InputReport) -> Markup:
    """Analytic and numeric on one scale; the error on one that ends at what is allowed, if it stays below that.

    The worst element is ringed in all. What was not measured element by element has no numeric picture.
    """
    whole = item.measured == item.numeric.size
    shared = max(_magnitude(item.analytic), _magnitude(item.numeric))
    errors = max(_magnitude(item.error), _magnitude(item.tolerance))
    measured = (("numeric", item.numeric, shared), ("error", item.error, errors)) if whole else ()
    panels = [
        Panel(f"{item.name}: {title}", snapshot(values + 0.0, _KEPT_CELLS), item.worst, scale)  # a sum is never −0
        for title, values, scale in (("analytic", item.analytic, shared), *measured)
        if values is not None
    ]
    return picture(heatmaps(panels), " ".join(describe(panel) for panel in panels)) if panels else escape("")


def _magnitude(values: np.ndarray | None) -> float:
    """The greatest finite magnitude, 0 if there is none."""
    finite = np.abs(values[np.isfinite(values)]) if values is not None else np.empty(0)
    return float(finite.max()) if finite.size else 0.0
