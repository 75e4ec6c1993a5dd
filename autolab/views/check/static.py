"""How a gradient check is displayed: a static check lens, with the details of a click in collapsed sections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...engine import Bundle
from ...gradcheck import GradientReport, InputReport
from ...recording.arrays import snapshot
from ..draw import number, say, shape_text
from ..draw.colors import spanning
from ..draw.escape import Markup, clean, code, details, element, escape, fitting, join, paragraph, picture, prose, table
from ..draw.heatmap_data import Span, partly
from ..draw.heatmap_svg import MAX_CELLS, Panel, describe, heatmaps
from ..draw.plot import to_svg
from ..draw.svg import Look, stacked
from .charts import step_chart, step_sentence
from .contents import SIGNS, answer, findings_about, first_input, spans, verdict

_KEPT_CELLS = MAX_CELLS * MAX_CELLS
_MOST_NAMES = 12
_HEADINGS = ("input", "verdict", "shape", "worst at", "analytic", "numeric", "error", "allowed", "what was found")


def bundle(report: GradientReport) -> Bundle:
    """HTML with as many pictures as fit, and the report's text."""
    return fitting(_ever_smaller(report), str(report))


def svg_of_view(lens: Any, look: Look) -> Markup:
    """The picture of a lens in its present state: the verdict, the gradients of an input, and the findings."""
    told, item = verdict(lens.report), lens.report.inputs[lens.look["input"]]
    found = answer(lens.report, item)
    formulas = [f"{label} {''.join(formula)}" for label, *formula in found["formulas"]]
    shown = [heatmaps(panels, look)] if (panels := _panels(item)) else []
    return stacked(shown, f"{told['title']} {told['word']}", [found["says"], found["hint"], *formulas], look)


def _ever_smaller(report: GradientReport) -> Iterator[Markup]:
    """The whole display; then without the chart, then without pictures."""
    told = verdict(report)
    head = paragraph(element("b", code(told["title"]), escape(f" {told['word']}")))
    if not report.inputs:  # an exercise withholds them
        yield head
        return
    item = report.inputs[first_input(report)]
    found = answer(report, item)
    words = [paragraph(prose(f"{found['says']} {found['hint']}".rstrip())), *map(_formula, found["formulas"])]
    panels, inputs = _panels(item), _inputs(report, item)
    shown = picture(heatmaps(panels), " ".join(map(describe, panels))) if panels else escape("")
    if panels and report._is_drawn:
        words.append(paragraph(prose(say("lens_drawn"))))
    yield join([head, shown, *words, *_steps(report), inputs])
    yield join([head, shown, *words, inputs])
    yield join([head, *words, inputs])


def _formula(line: tuple[str, str, str, str]) -> Markup:
    """A formula after its label, with the differences in bold."""
    label, begin, differs, end = line
    formula = element("code", escape(begin), element("b", escape(differs)), escape(end))
    return element("div", escape(f"{label} "), formula)


def _steps(report: GradientReport) -> list[Markup]:
    """Why a wrong gradient is not an error of the finite difference: the error over the step, and the same in words."""
    sweep = report.sweep
    if sweep is None:
        return []
    sentence = step_sentence(sweep, report.verdict)
    drawn = step_chart(sweep)
    drawn["title"] = f"{clean(sweep.input, 40)}{list(sweep.index) if sweep.index else ''}: {drawn['title']}"
    shown = picture(to_svg([drawn]), f"{drawn['description']} {sentence}")
    return [details(say("lens_why"), paragraph(shown), paragraph(prose(sentence)))]


def _inputs(report: GradientReport, shown: InputReport) -> Markup:
    """The verdict about each input, and the findings about those that are not ``shown``."""
    names = [join([escape(f"{SIGNS[item.verdict]} "), code(item.name)]) for item in report.inputs[:_MOST_NAMES]]
    more = escape("" if len(report.inputs) <= _MOST_NAMES else f" and {len(report.inputs) - _MOST_NAMES} more")
    summary = element("summary", *[part for name in names for part in (name, escape(" "))], more)
    rows = (_row(report, item, item is shown) for item in report.inputs)
    return element("details", summary, table(_HEADINGS, rows))


def _row(report: GradientReport, item: InputReport, is_shown: bool) -> list[Markup]:
    found = {} if is_shown or not findings_about(report, item) else answer(report, item)
    words = prose(" ".join(filter(None, [found.get("says"), found.get("hint"), item.coverage])))
    told = join([words, *map(_formula, found.get("formulas", []))])
    cells = [code(item.name), escape(item.verdict), code(shape_text(item.shape))]
    if item.worst is None or item.is_wrong_elsewhere:
        return [*cells, *[escape("")] * 5, told]
    place = code(list(item.worst) if item.worst else "")
    analytic = say("absent") if item.analytic is None else number(item.analytic[item.worst] + 0.0)
    numbers = (analytic, *(number(values[item.worst] + 0.0) for values in (item.numeric, item.error, item.tolerance)))
    return [*cells, place, *(code(text) for text in numbers), told]


def _panels(item: InputReport) -> list[Panel]:
    """The analytic and numeric gradients on one scale; the error of a right input without colours.

    Unless the input is right, the worst element is ringed in all of them. For a large input, numeric and error show
    what was measured.
    """
    is_compared = item.measured or not item.numeric.size
    kinds = [(kind, span) for kind, span in spans(item) if is_compared or kind == "analytic"]
    return [_panel(item, kind, span) for kind, span in kinds if getattr(item, kind) is not None]


def _panel(item: InputReport, kind: str, span: Span) -> Panel:
    values = snapshot(getattr(item, kind) + 0.0, _KEPT_CELLS)  # adding 0.0 removes the sign of −0
    is_partly = kind != "analytic" and item.measured < item.numeric.size
    known = partly(item, kind, MAX_CELLS) if is_partly else None
    worst = None if item.verdict == "right" else item.worst
    return Panel(f"{item.name}: {kind}", values, worst, spanning(*span), cells=known)
