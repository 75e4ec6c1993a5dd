"""How much a report says: in exercises, it withholds what the student is to find out."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from ...engine.source import first_line
from ..judging.contracts import FORWARD
from ..judging.finding import Finding
from ..measuring.subject import Subject
from ..messages import SENTENCES, say, shown
from .report import GradientReport, InputReport

LEVELS = range(5)
"""0: whether something is wrong; 1: in which inputs; 2: at which elements, with numbers; 3: what; 4: where to look."""


def check_level(caller: str, level: Any) -> int:
    """Raise unless the argument is a level."""
    if isinstance(level, bool) or level not in LEVELS:
        raise ValueError(f"{caller}: reveal is {level!r:.40}; expected 0, 1, 2, 3 or 4")
    return int(level)


def revealed(report: GradientReport, level: int, backward: str) -> GradientReport:
    """The report without what its level withholds; ``backward`` says where hints send the reader, if known."""
    if level == 0:
        return replace(report, inputs=(), findings=(), sweep=None)
    if level == 1:
        return replace(report, inputs=tuple(map(_verdict_only, report.inputs)), findings=_innocent(report), sweep=None)
    if level == 2:
        return replace(report, findings=_innocent(report))
    if level == 3:
        return replace(report, findings=tuple(map(_without_formulas, report.findings)))
    return replace(report, findings=tuple([_with_hint(finding, backward) for finding in report.findings]))


def _innocent(report: GradientReport) -> tuple[Finding, ...]:
    return tuple([finding for finding in report.findings if finding.innocent])


def _verdict_only(item: InputReport) -> InputReport:
    nothing = np.full(item.shape, np.nan)
    return replace(item, numeric=nothing, error=nothing, tolerance=nothing, worst=None, measured=0)


_FORMULAS = ("written", "right", "piece", "term", "shared")


def formulas_said(finding: Finding) -> str:
    """The sentence of a hint about what backward computes and what is right, or about the term that is missing."""
    known = {key: finding.evidence[key] for key in _FORMULAS if key in finding.evidence}
    order = {"term": "term", "piece": "rule.piece", "right": "rule"}
    key = next((sentence for name, sentence in order.items() if name in known), "shared")
    return say(f"hint.{key}", **known) if known else ""


def _without_formulas(finding: Finding) -> Finding:
    kept = {key: value for key, value in finding.evidence.items() if key not in _FORMULAS}
    return replace(finding, evidence=kept)


def _with_hint(finding: Finding, backward: str) -> Finding:
    if finding.innocent:
        return finding
    name, cause = "it" if finding.input is None else shown(finding.input), finding.evidence.get("cause")
    own = f"hint.{finding.kind}.{cause}"
    hint = say(own if own in SENTENCES else f"hint.{finding.kind}", input=name)
    is_forward = cause == FORWARD or finding.kind == "left_graph"
    return replace(finding, hint=" ".join(filter(None, (hint, formulas_said(finding), "" if is_forward else backward))))


def written_backward(subject: Subject) -> str:
    """Where the user wrote the backward, in words; empty if there is none, or more than one."""
    functions = [step.function for step in subject.steps()]
    found = {f.name: written for f in functions if (written := getattr(f, "written_backward", None)) is not None}
    if len(found) != 1:
        return ""
    (name, backward), *_ = found.items()
    code = getattr(inspect.unwrap(backward), "__code__", None)
    if code is None:
        return ""
    file = PurePath(code.co_filename)
    in_cell = "ipykernel" in code.co_filename or file.name.startswith("<")
    place = say("hint.cell") if in_cell else shown(file.name)
    return say("hint.backward", function=shown(name), line=first_line(code), place=place)
