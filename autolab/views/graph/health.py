"""What is wrong with the numbers of a graph, as signs at its boxes and sentences, and the path of the first NaN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...recording.model import Recording, Snapshot, Step
from ...recording.nonfinite import Nonfinite, NonfiniteOrigin, find_nonfinite
from ..draw import grad_status
from ..draw.escape import clean
from ..draw.messages import plural, say
from ..draw.names import heading, label
from ..draw.numbers import number
from .listing import ended, replaced
from .readings import SIGNS, HealthFinding, Sign, marked_steps, signs_at

__all__ = ["EXPLODED", "SIGNS", "VANISHED", "dead_units", "findings", "reference_step", "sentences", "signs_at"]

VANISHED = 1e-3
EXPLODED = 1e3
ROUNDINGS = 64
"""What is left of shares that cancel is no gradient, if it has no more units in the last place of them."""


def findings(recording: Recording) -> list[HealthFinding]:
    """Everything that is wrong or was done to the values, in the order of the steps."""
    reference = reference_step(recording)
    size = 0.0 if reference is None or reference.grad is None else reference.grad.norm
    wrong = [finding for step in recording.steps for finding in _of_step(step, size)]
    cancelled = _cancelled(recording, {finding.step for finding in wrong if finding.sign == "vanishing"})
    wrong = [finding for finding in wrong if finding.sign != "vanishing" or finding.step not in cancelled]
    return sorted([*wrong, *marked_steps(recording)], key=lambda finding: finding.step)


def reference_step(recording: Recording) -> Step | None:
    """The step with whose gradient all others are compared."""
    reached = [step for step in recording.steps if step.kind in ("call", "part") and step.grad is not None]
    arrays = [step for step in reached if step.value is not None and step.value.size > 1]
    return next(iter((arrays or reached)[::-1]), None)


def _of_step(step: Step, reference: float) -> Iterator[HealthFinding]:
    kept = [snapshot for snapshot in (step.value, step.grad) if snapshot is not None]
    if any([snapshot.nan_count for snapshot in kept]):
        yield HealthFinding("nan", step.id)
    if any([snapshot.inf_count for snapshot in kept]):
        yield HealthFinding("infinite", step.id)
    if step.grad is not None and reference > 0 and step.grad.size:
        size = step.grad.norm
        if 0 < size < VANISHED * reference:
            yield HealthFinding("vanishing", step.id, size)
        elif size > EXPLODED * reference:
            yield HealthFinding("exploding", step.id, size)
    if step.function == "relu" and step.value is not None:
        dead, units = dead_units(step.value)
        if dead:
            yield HealthFinding("dead", step.id, float(dead), units)


def _cancelled(recording: Recording, small: set[int]) -> set[int]:
    """Those of the steps with a small gradient whose shares cancel: a maximum that is subtracted before ``exp``."""
    if not small:
        return set()
    arrived = dict.fromkeys(small, 0.0)
    for use in [use for step in recording.steps for use in step.operands]:
        if use.step in arrived and use.contribution is not None:
            arrived[use.step] += max([part.norm for part in (use.contribution, use.product) if part is not None])
    grads = {step.id: step.grad for step in recording.steps if step.id in small and step.grad is not None}
    return {i for i, grad in grads.items() if grad.norm <= ROUNDINGS * _precision(grad) * arrived[i]}


def _precision(grad: Snapshot) -> float:
    return float(np.finfo(grad.values.dtype).eps) if grad.values.dtype.kind == "f" else 0.0


def dead_units(value: Snapshot) -> tuple[int, int]:
    """How many units are 0 for every sample, and how many there are; (0, 0) where that cannot be told.

    A reduced copy still tells it while each unit has cells of its own: they hold the largest magnitude.
    """
    if len(value.shape) < 2 or value.size == 0 or value.block[-1] > 1 or value.size == value.shape[-1]:
        return 0, 0
    units = np.any(value.values.reshape(-1, value.shape[-1]) != 0, axis=0)
    return int(units.size - units.sum()), int(units.size)


def sentences(recording: Recording, found: list[HealthFinding]) -> list[tuple[Sign, str]]:
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
            told += [(sign, sentence) for sentence in grad_status.departures(recording)]
            continue
        worst = (min if sign == "vanishing" else max)(mine, key=lambda finding: finding.size)
        words = {"count": plural(len(mine), "step"), "reference": near}
        size = str(int(worst.size)) if sign == "dead" else number(worst.size)
        told.append(
            (sign, say(f"health_{sign}", **words, worst=label(steps[worst.step]), size=size, total=worst.total))
        )
    return told


def nan_path(recording: Recording) -> dict[str, Any] | None:
    """The steps on the path, and the story in sentences; None if there is no NaN.

    Returns
    -------
    dict or None
        ``born`` and ``because`` (or None) are ids of steps; ``values`` and ``gradients`` lists of ids of others that it
        reached, nearest first; ``text`` is the story.
    """
    origin = find_nonfinite(recording).first_nan
    if origin is None:
        return None
    steps = {step.id: step for step in recording.steps}
    because = origin.because
    values = [i for i in origin.values if i != origin.step]
    return {
        "born": origin.step,
        "because": None if because is None else because.step,
        "values": values,
        "gradients": list(origin.gradients),
        "text": " ".join([*_story(origin, because, steps), _reached(len(values), len(origin.gradients))]),
    }


def all_told(found: Nonfinite) -> str:
    """A sentence for each origin, in the order in which they came up."""
    return "\n".join(map(told, found.origins)) or say("origin_none")


def told(origin: NonfiniteOrigin) -> str:
    """A origin that stands alone, without its recording, in sentences."""
    source = clean(origin.source or origin.name or origin.function or "", 120)
    words = {"what": "NaN" if origin.what == "nan" else "∞", "phase": origin.phase, "source": source}
    sentence = say(f"origin_{origin.how}", **words, function=clean(origin.function or "", 60), place=_place(origin))
    because = origin.because
    reason = (
        ""
        if because is None
        else " " + say("nan_because", what=clean(because.source or "", 120), place=_place(because))
    )
    return f"{sentence}{reason} {_reached(len([i for i in origin.values if i != origin.step]), len(origin.gradients))}"


def _story(origin: NonfiniteOrigin, because: NonfiniteOrigin | None, steps: dict[int, Step]) -> list[str]:
    what = label(steps[origin.step]) if origin.how in ("given", "added") else heading(steps[origin.step])
    told = [say(f"nan_{origin.how}", what=what, phase=origin.phase, place=_place(origin))]
    if because is not None:
        told.append(say("nan_because", what=heading(steps[because.step]), place=_place(because)))
    return told


def _reached(values: int, gradients: int) -> str:
    if not values and not gradients:
        return say("nan_nothing")
    return say("nan_reached", values=plural(values, "value"), gradients=plural(gradients, "gradient"))


def _place(origin: NonfiniteOrigin) -> str:
    return "" if origin.line is None else f" ({clean(origin.file or '')}, line {origin.line})"
