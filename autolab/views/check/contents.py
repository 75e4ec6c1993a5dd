"""What the check lens shows, as plain data: the verdict, the panels of each input, the selected element, the curves.

The formulas of a finding on lines of their own: what backward computes above what is right, with the differences.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import numpy as np

from ...gradcheck import Finding, GradientReport, InputReport
from ...gradcheck.checks.taylor import DirectionStudy
from ...recording.arrays import snapshot
from ...shared.numerals import precise
from ..draw import clean, number, say, shape_text
from ..draw.arrays import array_entry, bytes_of, cell_of, rows_of
from ..draw.colors import spanning
from ..draw.heatmap_data import Span, block_of, legends_of, partly, span_of
from ..draw.heatmap_svg import MAX_CELLS
from .charts import step_chart, step_sentence, taylor_chart, taylor_sentence

_TOKEN = re.compile(r"\s+|[\w.]+|.")

Line = tuple[str, str, str, str]
"""A label and the formula in three parts: the common beginning, the part that differs, and the common end."""


def formula_lines(finding: Finding) -> list[Line]:
    """The lines of a finding; none if the check found no formulas.

    Examples
    --------
    >>> from autolab.gradcheck import Finding
    >>> for line in formula_lines(Finding("wrong_function", "x", "", {"written": "g * x", "right": "g * x / y"})):
    ...     print(line)
    ('your rule computes', 'g * x', '', '')
    ('measured is', 'g * x', ' / y', '')
    """
    known = {
        key: clean(finding.evidence[key], _TEXT) for key in ("written", "right", "term") if key in finding.evidence
    }
    if "term" in known:
        return [(say("lens_formula_term"), known["term"], "", "")]
    if len(known) < 2:
        return []
    first, second = _parted(known["written"], known["right"])
    piece = "_piece" if "piece" in finding.evidence else ""
    return [(say(f"lens_formula_written{piece}"), *first), (say("lens_formula_right"), *second)]


def without_formulas(finding: Finding) -> str:
    """The hint of a finding without the sentence with the formulas."""
    from ...gradcheck.report import formulas_said  # already loaded if there is a finding

    return " ".join(finding.hint.replace(formulas_said(finding), "").split())


def _parted(first: str, second: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Both texts, each split into the common beginning, the part that differs, and the common end."""
    a, b = _TOKEN.findall(first), _TOKEN.findall(second)
    begin = _alike(a, b)
    end = _alike(a[begin:][::-1], b[begin:][::-1])
    return _joined(a, begin, end), _joined(b, begin, end)


def _alike(a: list[str], b: list[str]) -> int:
    return len([*takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))])


def _joined(tokens: list[str], begin: int, end: int) -> tuple[str, str, str]:
    last = len(tokens) - end
    return "".join(tokens[:begin]), "".join(tokens[begin:last]), "".join(tokens[last:])


Index = tuple[int, ...]
_TEXT = 1000
_SAME = 1e-6

SIGNS = {"right": "\u2713", "wrong": "\u2717", "cannot tell": "?"}
"""The signs of the verdicts, which can be distinguished without colours."""


def call_of(report: GradientReport) -> str:
    """The call of the check, as code."""
    origin = report._origin
    if origin is None or origin.order == 1:
        return clean(f"check_gradients({report.function})")
    return clean(f"check_gradients({origin.base.name}, order={origin.order})")


def verdict(report: GradientReport) -> dict[str, Any]:
    """The title and the verdict."""
    return {
        "title": call_of(report),
        "verdict": report.verdict,
        "word": f"{SIGNS[report.verdict]} {say(f'lens_{report.verdict}')}",
    }


def first_input(report: GradientReport) -> int:
    """The input to show first: one with the worst verdict, preferably named by a finding, with the largest error."""
    accused = {finding.input for finding in report.findings if not finding.innocent}

    def badness(position: int) -> tuple[int, bool, float]:
        item = report.inputs[position]
        error, allowed = (0.0, 0.0) if item.worst is None else (item.error[item.worst], item.tolerance[item.worst])
        with np.errstate(all="ignore"):
            times = float(np.nan_to_num(np.divide(error, allowed), nan=0.0))
        return ("right", "cannot tell", "wrong").index(item.verdict), item.name in accused, times

    return max(range(len(report.inputs)), key=lambda position: (badness(position), -position))


def findings_about(report: GradientReport, item: InputReport) -> list[Finding]:
    """The findings about an input or about all; if there are none and it is not right, failures of other inputs."""
    found = [finding for finding in report.findings if finding.input in (item.name, None)]
    if found or item.verdict == "right":
        return found
    return [finding for finding in report.findings if not finding.innocent]


def answer(report: GradientReport, item: InputReport) -> dict[str, Any]:
    """The report about an input: the findings, or else its verdict; where to look; and the formulas."""
    found = findings_about(report, item)
    says = [f"{clean(finding.message, _TEXT).rstrip('.')}." for finding in found] or [_verdict_alone(report, item)]
    hints = [clean(without_formulas(finding), _TEXT) for finding in found]
    formulas = [line for finding in found for line in formula_lines(finding)]
    return {"says": " ".join(says), "hint": " ".join(filter(None, hints)), "formulas": formulas}


def _verdict_alone(report: GradientReport, item: InputReport) -> str:
    if item.verdict == "wrong":
        return clean(f"{item}.", _TEXT)
    if item.verdict == "right" and not report.passed:
        return say("lens_right_input", input=clean(item.name, 60))
    return say(f"lens_{item.verdict}_says")


def panels(report: GradientReport, most: int = MAX_CELLS) -> list[dict[str, Any]]:
    """The three heatmaps of each input: facts, and float32 cells of at most ``most`` rows and columns.

    A missing heatmap says why it is missing.
    """
    told = []
    for item in report.inputs:
        arrays: dict[str, Any] = {}
        for kind, span in spans(item):
            values = getattr(item, kind)
            if values is None or (kind != "analytic" and not item.measured):
                arrays[kind] = {"absent": say("lens_none" if item.measured else "lens_uncompared")}
                continue
            if kind == "analytic" or item.measured == values.size:
                entry = array_entry(kind, snapshot(values, max(1, values.size)), most)
            else:
                entry = _partly_entry(item, kind, most)
            arrays[kind] = {**entry, "scale": spanning(*span).scale, "bars": legends_of(values, span)}
        (rows, columns), (high, wide) = rows_of(item.shape), block_of(item, most)
        head: dict[str, Any] = {"name": clean(item.name), "shape": shape_text(item.shape), "verdict": item.verdict}
        head |= {"rows": math.ceil(rows / high), "cols": math.ceil(columns / wide)}
        worst = None if item.worst is None else cell_of(item.shape, item.worst, (high, wide))
        label = f"{SIGNS[item.verdict]} {head['name']}"
        told.append({**head, **answer(report, item), "label": label, "arrays": arrays, "worst": worst})
    return told


def _partly_entry(item: InputReport, kind: str, most: int) -> dict[str, Any]:
    found = partly(item, kind, most)
    (rows, columns), halves = found.values.shape, [list(box) for box in found.halves]
    shape = {"rows": rows, "cols": columns, "shape": list(item.shape), "block": list(found.block)}
    told = {"which": kind, **shape, "blank": True, "halves": halves, "caption": found.caption}
    return told | {"cells": bytes_of(found.values)}


def spans(item: InputReport) -> Iterator[tuple[str, Span]]:
    """Each kind of number with the range of its colours.

    Analytic and numeric share one. An error has a colour only where it is larger than rounding explains: that of a
    right input has none, whatever its size.
    """
    shared = span_of(item.analytic, item.numeric)
    yield "analytic", shared
    yield "numeric", shared
    yield "error", (0.0, 0.0) if item.verdict == "right" else span_of(item.error, item.tolerance)


# -------------------------------------------------------------------------------------------------- elements and cells
def element_in(item: InputReport, row: int, column: int, most: int = MAX_CELLS) -> Index:
    """The element that a cell shows: in a block, the one with the largest error, or with the largest gradient if none
    was measured.

    Raises
    ------
    ValueError
        If there is no such cell.
    """
    (rows, columns), (high, wide) = rows_of(item.shape), block_of(item, most)
    if not (0 <= row * high < rows and 0 <= column * wide < columns):
        raise ValueError(f"explore: {clean(item.name, 60)} has no cell {row}, {column}")
    part = np.s_[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
    error, gradient = (
        None if values is None else values.reshape(rows, columns)[part] for values in (item.error, item.analytic)
    )
    choice = gradient if error is None or not np.isfinite(error).any() else error
    sizes = np.zeros((1, 1)) if choice is None else np.abs(choice)
    first, second = divmod(int(np.argmax(np.nan_to_num(sizes, nan=-1.0))), sizes.shape[1])
    flat = (row * high + first) * columns + column * wide + second
    return tuple([int(k) for k in np.unravel_index(flat, item.shape)]) if item.shape else ()


def start_of(item: InputReport) -> Index | None:
    """The element to show first: the worst one; None if nothing is known about the input."""
    if item.worst is not None:
        return item.worst
    return (0,) * len(item.shape) if item.numeric.size and item.analytic is not None else None


def label(item: InputReport, place: Index) -> str:
    """An element as code, such as ``x[0, 1]``."""
    return say("lens_element", name=clean(item.name, 60), index=str(list(place)) if place else "")


def chosen(report: GradientReport, position: int, place: Index, most: int = MAX_CELLS) -> dict[str, Any]:
    """All that the check knows about one element."""
    item = report.inputs[position]
    row, column = cell_of(item.shape, place, block_of(item, most))
    analytic = None if item.analytic is None else float(item.analytic[place])
    numeric, error, allowed = (float(values[place]) for values in (item.numeric, item.error, item.tolerance))
    known = not math.isnan(allowed)
    held = None if report._origin is None else report._origin.checked.variables.get(item.name)
    lines = [
        ("analytic", say("lens_none") if analytic is None else precise(analytic)),
        ("numeric", precise(numeric) if known else say("lens_not_here")),
        ("error", number(error) if known else ""),
        ("tolerance", number(allowed) if known else ""),
        ("value", "" if held is None else precise(float(held.array[place]))),
    ]
    return {
        "input": position,
        "row": row,
        "column": column,
        "label": label(item, place),
        "lines": [[key, say(f"lens_{key}"), text] for key, text in lines if text],
        "wrong": verdict_at(item, place) == "wrong",
        "says": _judgement(item, place) if known else "",
    }


def verdict_at(item: InputReport, place: Index) -> str | None:
    """The verdict about one element; None if the check did not measure it."""
    error, allowed = float(item.error[place]), float(item.tolerance[place])
    if math.isnan(allowed):
        return None
    if error <= allowed:
        return "right" if item.verdict == "wrong" else item.verdict
    return item.verdict


def _judgement(item: InputReport, place: Index) -> str:
    error, allowed = float(item.error[place]), float(item.tolerance[place])
    if error <= allowed:
        return say("lens_within")
    if item.verdict != "wrong":
        return say("lens_untold")
    times = error / allowed if allowed > 0 else math.inf
    if not math.isfinite(times) or times < 2:
        return say("lens_beyond")
    return say("lens_too_far", times=number(float(f"{math.floor(times):.1g}")) if times < 1e6 else "a million")


# ---------------------------------------------------------------------------------------------------- the curves
def curves(study: DirectionStudy, item: InputReport) -> dict[str, Any]:
    """Both charts of a study of an input, each with a sentence."""
    sweep = study.sweep
    told = item.verdict if sweep.index is None else verdict_at(item, sweep.index)
    return {
        "charts": [step_chart(sweep), taylor_chart(study.taylor)],
        "notes": [step_sentence(sweep, told), taylor_sentence(study.taylor, told)],
    }


def moved_on(study: DirectionStudy, item: InputReport) -> str:
    """A sentence if the function's gradient has changed since the check; else empty."""
    place = study.sweep.index
    if place is None or item.analytic is None:
        return ""
    then, now = float(item.analytic[place]), study.sweep.analytic
    if abs(now - then) <= _SAME * max(abs(now), abs(then)) or not (math.isfinite(now) and math.isfinite(then)):
        return ""
    return say("lens_moved_on", now=precise(now), then=precise(then))
