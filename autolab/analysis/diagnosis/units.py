"""Units that are dead, clamped, dropped or saturated."""

from __future__ import annotations

import numpy as np

from ...recording.model import Step
from .evidence import Evidence, Found
from .inputs import alike
from .words import at_line, axes_of_probabilities, number, range_of, whole

DROPOUTS = {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"}


def dead(e: Evidence) -> Found:
    """A relu that passes nothing on, a clamp at its bound, or a dropout that drops everything."""
    for step, seen in e.observed("dead", "clamped"):
        low, high = range_of(e.operands(step)[0].value)
        if seen.sign == "clamped":
            yield e.found(
                "clamped",
                f"{at_line(step)} holds {seen.size / seen.total:.0%} of its numbers at a bound, where the gradient "
                f"is 0: its inputs lie between {number(low)} and {number(high)}.",
                "Widen the bounds, or use a smooth function such as sigmoid or softplus.",
                at=step,
            )
        elif (seen.size == seen.total or (seen.total >= 4 and seen.size >= 0.9 * seen.total)) and not any(
            alike(e, o) for o in e.objectives[:1]
        ):
            yield e.found(
                "dead_units",
                f"{at_line(step)} is 0 for every example in {seen.size:.0f} of {seen.total} units: its inputs are at "
                f"most {number(high)}, so no gradient gets through.",
                "Look at the bias, the initialisation and the learning rate; leaky_relu keeps a slope.",
                at=step,
            )
    yield from _dropped(e)


def _dropped(e: Evidence) -> Found:
    for step in [s for s in e.trained if s.function in DROPOUTS]:
        value, given = whole(step.value), whole(e.operands(step)[0].value)
        share = 0.0 if value is None or given is None or not given.any() else float((value[given != 0] == 0).mean())
        if value is None or value.size < 2 or share < (0.85 if value.size >= 64 else 1):
            continue
        yield (e.found if share == 1 else e.suspect)(
            "dropout",
            f"{at_line(step)} sets {share:.0%} of {value.size} numbers to 0: what follows learns from the rest alone.",
            "The rate is the share that is dropped: use a number such as 0.1 to 0.5.",
            at=step,
        )


def saturated(e: Evidence) -> Found:
    """Saturated sigmoids and tanhs, whose slope is almost 0."""
    for step, seen in e.observed("saturated"):
        given, near = e.operands(step)[0].value, seen.size / seen.total
        is_last = any(e.made_by(o.prediction) is step for o in e.objectives)
        if given is None or given.minimum is None or given.maximum is None or (is_last and near < 0.98):
            continue
        yield e.suspect(
            "saturated",
            f"{at_line(step)} is saturated in {near:.0%} of its numbers: its inputs go from {number(given.minimum)} to "
            f"{number(given.maximum)}, where the slope is almost 0.",
            "Make weights and inputs smaller: a usual initialisation, inputs of mean 0 and standard deviation 1.",
            at=step,
        )
    for step in [s for s in e.trained if s.function == "softmax"]:
        value = whole(step.value)
        for axis in [] if value is None else axes_of_probabilities(value)[-1:]:
            yield from _one_hot(e, step, axis)


def _one_hot(e: Evidence, step: Step, axis: int) -> Found:
    """A softmax inside a model that chooses a single entry in every row by a wide margin."""
    scores = whole(e.operands(step)[0].value)
    if scores is None or any(e.made_by(o.prediction) is step for o in e.objectives):
        return
    second, first = np.moveaxis(np.sort(scores, axis=axis), axis, 0)[-2:]
    open_ = second > -1e4  # a row with only one entry that is not masked has no choice
    if open_.sum() >= 4 and float(np.median((first - second)[open_])) > 5:
        yield e.suspect(
            "saturated",
            f"{at_line(step)} gives nearly all weight to one of {scores.shape[axis]} in most rows: its scores go from "
            f"{number(scores[scores > -1e4].min())} to {number(scores.max())}, where the slope is almost 0.",
            "Make the scores smaller: divide those of attention by sqrt(d), and normalise what they are made of.",
            at=step,
        )
