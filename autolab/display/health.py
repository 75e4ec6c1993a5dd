"""What is wrong with the numbers of a graph, as signs at its boxes and sentences: NaN, infinities, gradients that
vanish or explode, dead units.

Definitions
-----------
nan, infinite   The value or the gradient holds such elements.
vanishing       The gradient's norm is above zero and below `VANISHED` times the reference's.
exploding       The gradient's norm is above `EXPLODED` times the reference's.
left            The value left the graph as a number or an array: what becomes of that is in no gradient.
dead            Of the result of `relu`, a unit (an index of the last axis) that is 0 for every sample of a batch of two
                or more: its gradient is 0 for all of them, so what feeds it learns nothing from this batch.

The reference is the last step with more than one element that has a gradient: a loss divides the gradient by the size
of the batch, which is no fading. If there is none, it is the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..recording.model import Recording, Snapshot, Step
from . import status
from .messages import plural, say
from .numbers import number
from .steps import label

VANISHED = 1e-3
EXPLODED = 1e3

Sign = Literal["nan", "infinite", "vanishing", "exploding", "dead", "left"]

SIGNS: dict[Sign, str] = {
    "nan": "NaN",
    "infinite": "∞",
    "vanishing": "↓ vanishes",
    "exploding": "↑ explodes",
    "dead": "dead units",
    "left": "left the graph",
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


def findings(recording: Recording) -> list[Finding]:
    """Everything that is wrong, in the order of the steps."""
    reference = reference_step(recording)
    size = 0.0 if reference is None or reference.grad is None else reference.grad.norm
    wrong = [finding for step in recording.steps for finding in _of_step(step, size)]
    return sorted([*wrong, *departed(recording)], key=lambda finding: finding.step)


def departed(recording: Recording) -> list[Finding]:
    """The steps whose values left the graph."""
    left = dict.fromkeys([step for departure in recording.departures for step in departure.steps])
    return [Finding("left", step) for step in sorted(left)]


def reference_step(recording: Recording) -> Step | None:
    """The step with whose gradient all others are compared."""
    reached = [step for step in recording.steps if step.kind in ("call", "part") and step.grad is not None]
    arrays = [step for step in reached if step.value is not None and step.value.size > 1]
    return next(iter((arrays or reached)[::-1]), None)


def _of_step(step: Step, reference: float) -> Iterator[Finding]:
    kept = [snapshot for snapshot in (step.value, step.grad) if snapshot is not None]
    if any([snapshot.nan_count for snapshot in kept]):
        yield Finding("nan", step.id)
    if any([snapshot.inf_count for snapshot in kept]):
        yield Finding("infinite", step.id)
    if step.grad is not None and reference > 0 and step.grad.size:
        size = step.grad.norm
        if 0 < size < VANISHED * reference:
            yield Finding("vanishing", step.id, size)
        elif size > EXPLODED * reference:
            yield Finding("exploding", step.id, size)
    if step.function == "relu" and step.value is not None:
        dead, units = dead_units(step.value)
        if dead:
            yield Finding("dead", step.id, float(dead), units)


def dead_units(value: Snapshot) -> tuple[int, int]:
    """How many units are 0 for every sample, and how many there are; (0, 0) where that cannot be told.

    A reduced copy still tells it while each unit has cells of its own: they hold the greatest magnitude.
    """
    if len(value.shape) < 2 or value.size == 0 or value.block[-1] > 1 or value.size == value.shape[-1]:
        return 0, 0
    units = np.any(value.values.reshape(-1, value.shape[-1]) != 0, axis=0)
    return int(units.size - units.sum()), int(units.size)


def sentences(recording: Recording, found: list[Finding]) -> list[tuple[Sign, str]]:
    """What is wrong in words, one sentence per sign (of what left the graph, per place), in the order of `SIGNS`."""
    steps = {step.id: step for step in recording.steps}
    reference = reference_step(recording)
    near = "" if reference is None else label(reference)
    told: list[tuple[Sign, str]] = []
    for sign in SIGNS:
        mine = [finding for finding in found if finding.sign == sign]
        if not mine:
            continue
        if sign == "left":
            told += [(sign, sentence) for sentence in status.departures(recording)]
            continue
        worst = (min if sign == "vanishing" else max)(mine, key=lambda finding: finding.size)
        words = {"count": plural(len(mine), "step"), "reference": near}
        size = str(int(worst.size)) if sign == "dead" else number(worst.size)
        told.append(
            (sign, say(f"health_{sign}", **words, worst=label(steps[worst.step]), size=size, total=worst.total))
        )
    return told
