"""The formulas of a finding on lines of their own: what backward computes above what is right, with the differences."""

from __future__ import annotations

import re
from itertools import takewhile

from ...gradcheck import Finding
from ..draw import clean, say

_TEXT = 1000
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
    from ...gradcheck.reporting.reveal import formulas_said  # already loaded if there is a finding

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
