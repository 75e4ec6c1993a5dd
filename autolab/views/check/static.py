"""How a gradient check shows itself: the verdict, what was found, and for each input both gradients and the error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...engine.display import Bundle
from ...recording.arrays import snapshot
from ..draw.colors import spanning
from ..draw.escape import Markup, clean, code, element, escape, fitting, join, paragraph, picture, prose, table
from ..draw.heatmap_data import Span, partly
from ..draw.heatmap_svg import MAX_CELLS, Panel, describe, heatmaps
from ..draw.messages import say
from ..draw.numbers import number, shape_text
from ..draw.plot import to_svg
from .charts import step_chart, step_sentence
from .contents import spans
from .formulas import formula_lines, without_formulas

if TYPE_CHECKING:
    from ...gradcheck import Finding, GradientReport, InputReport

_KEPT_CELLS = MAX_CELLS * MAX_CELLS
_MAX_PICTURES = 12
_HEADINGS = ("input", "verdict", "shape", "worst at", "analytic", "numeric", "error", "allowed", "")


def bundle(report: GradientReport) -> Bundle:
    """HTML with as many heatmaps as fit, and the report's own text."""
    return fitting(_ever_smaller(report), str(report))


def lens_bundle(lens: Any) -> Bundle:
    """The report that a lens shows."""
    return bundle(lens.report)


def _ever_smaller(report: GradientReport) -> Iterator[Markup]:
    """The whole display; with one heatmap; without any."""
    words = [paragraph(element("b", prose(_headline(report)))), *_findings(report)]
    if report.inputs:  # an exercise may hold them back
        words.append(table(_HEADINGS, (_row(item) for item in report.inputs)))
    failing_first = sorted(report.inputs, key=lambda item: item.verdict == "right")
    for count in (_MAX_PICTURES, 1, 0):
        yield join([*words, *(_heatmaps(item) for item in failing_first[:count]), *_steps(report)[: 2 * count]])


def _steps(report: GradientReport) -> list[Markup]:
    """Why a wrong gradient cannot be the finite difference's fault: the error over the step, and in words."""
    sweep = report.sweep
    if sweep is None:
        return []
    sentence = step_sentence(sweep, report.verdict)
    drawn = step_chart(sweep)
    drawn["title"] = f"{clean(sweep.input, 40)}{list(sweep.index) if sweep.index else ''}: {drawn['title']}"
    return [paragraph(picture(to_svg([drawn]), f"{drawn['description']} {sentence}")), paragraph(prose(sentence))]


def _headline(report: GradientReport) -> str:
    return str(report).split("\n", 1)[0]


def _findings(report: GradientReport) -> list[Markup]:
    found = [element("li", *_finding(finding)) for finding in report.findings]
    return [element("ul", *found)] if found else []


def _finding(finding: Finding) -> list[Markup]:
    """Its words, and the formulas one below the other, with what differs in bold."""
    words = prose(f"{finding.message} {without_formulas(finding)}".rstrip())
    lines = [
        element("div", escape(f"{label} "), element("code", escape(begin), element("b", escape(differs)), escape(end)))
        for label, begin, differs, end in formula_lines(finding)
    ]
    return [words, *lines]


def _row(item: InputReport) -> list[Markup]:
    cells = [code(item.name), escape(item.verdict), code(shape_text(item.shape))]
    if item.worst is None or item.is_wrong_elsewhere:
        return [*cells, *[escape("")] * 6]
    place = code(list(item.worst) if item.worst else "")
    analytic = say("absent") if item.analytic is None else number(item.analytic[item.worst] + 0.0)
    numbers = (analytic, *(number(values[item.worst] + 0.0) for values in (item.numeric, item.error, item.tolerance)))
    return [*cells, place, *(code(text) for text in numbers), escape(item.coverage)]


def _heatmaps(item: InputReport) -> Markup:
    """Analytic and numeric on one scale; the error of a right input without colours.

    Unless the input is right, the worst element is ringed in all. Of a large input, numeric and error show what was
    measured.
    """
    is_compared = item.measured or not item.numeric.size
    kinds = [(kind, span) for kind, span in spans(item) if is_compared or kind == "analytic"]
    panels = [_panel(item, kind, span) for kind, span in kinds if getattr(item, kind) is not None]
    return picture(heatmaps(panels), " ".join(describe(panel) for panel in panels)) if panels else escape("")


def _panel(item: InputReport, kind: str, span: Span) -> Panel:
    values = snapshot(getattr(item, kind) + 0.0, _KEPT_CELLS)  # a sum is never −0
    is_partly = kind != "analytic" and item.measured < item.numeric.size
    known = partly(item, kind, MAX_CELLS) if is_partly else None
    worst = None if item.verdict == "right" else item.worst
    return Panel(f"{item.name}: {kind}", values, worst, spanning(*span), partly=known)
