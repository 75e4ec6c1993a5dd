"""The words that stand at boxes where there is something to say, and what every picture says there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..recording.model import Recording

Sign = Literal["nan", "infinite", "vanishing", "exploding", "dead", "left", "raised", "replaced"]

SIGNS: dict[Sign, str] = {
    "nan": "NaN",
    "infinite": "∞",
    "vanishing": "↓ vanishes",
    "exploding": "↑ explodes",
    "dead": "dead units",
    "left": "left the graph",
    "raised": "led to the error",
    "replaced": "replaced",
}
"""What stands at a box."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong at one step. ``size`` is the gradient's norm, or how many units are dead of ``total``."""

    sign: Sign
    step: int
    size: float = 0.0
    total: int = 0


def signs_at(found: Iterable[Finding], boxes: Mapping[int, int]) -> dict[str, list[str]]:
    """The words at each box, where ``boxes`` has the box of every step."""
    signs: dict[str, list[str]] = {}
    for finding in found:
        words = signs.setdefault(str(boxes[finding.step]), [])
        if SIGNS[finding.sign] not in words:
            words.append(SIGNS[finding.sign])
    return signs


def signs_of(found: Iterable[Finding]) -> dict[int, list[str]]:
    """The words at each step."""
    signs: dict[int, list[str]] = {}
    for finding in found:
        signs.setdefault(finding.step, []).append(SIGNS[finding.sign])
    return signs


def departed(recording: Recording) -> list[Finding]:
    """The steps whose values left the graph."""
    left = dict.fromkeys([step for departure in recording.departures for step in departure.steps])
    return [Finding("left", step) for step in sorted(left)]


def marked_steps(recording: Recording) -> list[Finding]:
    """What every picture shows, also one that looks for nothing: what left the graph, led to an error, was replaced."""
    replaced = [Finding("replaced", step.id) for step in recording.steps if step.replaced]
    return [*departed(recording), *raised(recording), *replaced]


def raised(recording: Recording) -> list[Finding]:
    """The operands of the call that raised, or the step whose gradient rule did."""
    return [] if recording.raised is None else [Finding("raised", step) for step in recording.raised.operands]
