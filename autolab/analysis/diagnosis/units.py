"""Units that are dead, clamped, dropped or saturated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.model import Step
from ...recording.observations import dead_units
from .evidence import Evidence
from .report import ProgramFinding
from .words import at_line, number, whole

Found = Iterator[ProgramFinding]


DROPOUTS = {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"}
FLAT = {
    "sigmoid": (0.0, 1.0),
    "logistic": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "hardtanh": (-1.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
}


def dead(e: Evidence) -> Found:
    """A relu that passes nothing, a clamp at its bound, a dropout that drops all."""
    for step in e.calls:
        if step.value is None or step.id not in e.learning or step.id not in e.used or step.value.size < 2:
            continue
        value = whole(step.value)
        if step.function in ("relu", "relu6"):
            zero, units = dead_units(step.value)
            is_all = value is not None and not value.any()
            if is_all or (units >= 4 and zero >= 0.9 * units):
                zero, units = (units or 1, units or 1) if is_all else (zero, units)
                yield e.found(
                    "dead_units",
                    f"{at_line(step)} is 0 for every example in {zero} of {units} units: its inputs are at most "
                    f"{_top(e, step)}, so no gradient gets through.",
                    "Look at the bias, the initialisation and the learning rate; leaky_relu keeps a slope.",
                    at=step,
                )
        elif step.function in ("clamp", "clip", "clamp_min", "clamp_max", "hardtanh") and value is not None:
            yield from _clamped(e, step, value)
        elif step.function in DROPOUTS and value is not None and not value.any():
            given = whole(e.operands(step)[0].value)
            if given is not None and given.any():
                yield e.found(
                    "dropout",
                    f"{at_line(step)} sets all {value.size} numbers to 0, so nothing after it depends on the inputs.",
                    "The rate is the share that is dropped: use a number such as 0.1 to 0.5.",
                    at=step,
                )


def _top(e: Evidence, step: Step) -> str:
    given = e.operands(step)[0].value
    return "0" if given is None or given.maximum is None else number(given.maximum)


def _clamped(e: Evidence, step: Step, value: np.ndarray) -> Found:
    given = whole(e.operands(step)[0].value)
    if given is None or given.shape != value.shape or step.grad is None or step.grad.norm == 0:
        return
    outside = float((given != value).mean())
    if outside >= 0.9:
        yield e.found(
            "clamped",
            f"{at_line(step)} holds {outside:.0%} of its numbers at a bound: they come in between "
            f"{number(given.min())} and {number(given.max())}. There the gradient is 0.",
            "Widen the bounds, or use a smooth function such as sigmoid or softplus.",
            at=step,
        )


def saturated(e: Evidence) -> Found:
    """Sigmoids and tanhs at their ends, where the slope is almost 0."""
    for step in e.calls:
        ends, value = FLAT.get(step.function or ""), whole(step.value)
        if step.function == "softmax" and value is not None and step.id in e.learning & e.used:
            yield from _one_hot(e, step, value)
        if ends is None or value is None or value.size < 8 or step.id not in e.learning or step.id not in e.used:
            continue
        near = float(((value - ends[0] < 0.01) | (ends[1] - value < 0.01)).mean())
        given = whole(e.operands(step)[0].value)
        if near >= 0.85 and given is not None and np.abs(given).max() > 4:
            is_last = any(e.made_by(o.prediction) is step for o in e.objectives)
            if is_last and near < 0.98:
                continue
            yield e.found(
                "saturated",
                f"{at_line(step)} is saturated in {near:.0%} of its numbers: its inputs go from "
                f"{number(given.min())} to "
                f"{number(given.max())}, where the slope is almost 0.",
                "Make weights and inputs smaller: a usual initialisation, inputs of mean 0 and deviation 1.",
                at=step,
                certainty="suspicious",
            )


def _one_hot(e: Evidence, step: Step, value: np.ndarray) -> Found:
    """A softmax within a model that chooses one of several in every row, far ahead of the others."""
    axis = _axis(value)
    scores = whole(e.operands(step)[0].value)
    if axis is None or scores is None or any(e.made_by(o.prediction) is step for o in e.objectives):
        return
    second, first = np.moveaxis(np.sort(scores, axis=axis), axis, 0)[-2:]
    open_ = second > -1e4  # a row with only one place that is not masked has no choice
    if open_.sum() >= 4 and float(np.median((first - second)[open_])) > 5:
        yield e.found(
            "saturated",
            f"{at_line(step)} gives nearly all weight to one of {value.shape[axis]} in most rows: its scores go from "
            f"{number(scores[scores > -1e4].min())} to {number(scores.max())}, where the slope is almost 0.",
            "Make the scores smaller: divide those of attention by sqrt(d), and normalise what they are made of.",
            at=step,
            certainty="suspicious",
        )


def _axis(value: np.ndarray) -> int | None:
    """The axis along which probabilities sum to 1."""
    axes = [a for a in range(value.ndim) if value.shape[a] > 1 and np.allclose(value.sum(axis=a), 1, atol=1e-3)]
    return axes[-1] if axes else None
