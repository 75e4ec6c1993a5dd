"""What is wrong with the numbers of a graph, as signs at its boxes and sentences: NaN, infinities, gradients that
vanish or explode, dead units.

Definitions
-----------
nan, infinite   The value or the gradient holds such elements.
vanishing       The gradient's norm is above zero and below `VANISHED` times the reference's.
exploding       The gradient's norm is above `EXPLODED` times the reference's.
left            The value left the graph as a number or an array: what becomes of that is in no gradient.
replaced        The value was put in place of what was computed.
raised          The value was an operand of the call that raised, or its gradient rule did.
dead            Of the result of `relu`, a unit (an index of the last axis) that is 0 for every sample of a batch of two
                or more: its gradient is 0 for all of them, so what feeds it learns nothing from this batch.

The reference is the last step with more than one element that has a gradient: a loss divides the gradient by the size
of the batch, which is no fading. If there is none, it is the output.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..recording.model import Recording, Snapshot, Step
from . import status
from .ended import ended, replaced
from .messages import plural, say
from .numbers import number
from .signs import SIGNS, Finding, Sign, marked_steps, signs_at
from .steps import label

__all__ = ["EXPLODED", "SIGNS", "VANISHED", "dead_units", "findings", "reference_step", "sentences", "signs_at"]

VANISHED = 1e-3
EXPLODED = 1e3


def findings(recording: Recording) -> list[Finding]:
    """Everything that is wrong or was done to the values, in the order of the steps."""
    reference = reference_step(recording)
    size = 0.0 if reference is None or reference.grad is None else reference.grad.norm
    wrong = [finding for step in recording.steps for finding in _of_step(step, size)]
    return sorted([*wrong, *marked_steps(recording)], key=lambda finding: finding.step)


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
        if sign in ("raised", "replaced"):  # an error may have come of no step
            told += [(sign, sentence) for sentence in (ended if sign == "raised" else replaced)(recording)]
            continue
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
