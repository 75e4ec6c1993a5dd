"""Explanation: what a search for the cause of a wrong gradient comes back with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..messages import Kind


@dataclass(frozen=True)
class Explanation:
    """A cause, with the words of its sentence that are not among the numbers of the gradient, and more evidence.

    ``cause`` tells it from others of its kind that have other sentences. ``element`` is the one whose numbers are said,
    by default the worst; ``after`` a sentence that follows.
    """

    kind: Kind
    words: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    cause: str = ""
    element: int | None = None
    after: str = ""


def because(kind: Kind, how: str, cause: str = "", **formulas: str) -> Explanation:
    """One with words that say how it came about. ``formulas`` go further than that: what was written, what is right,
    which term is missing."""
    return Explanation(kind, {"how": how}, {"how": how, **formulas}, cause)
