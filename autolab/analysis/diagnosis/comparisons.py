"""Where a program compares predictions with targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...recording.model import Operand, Step
from .program_graph import ProgramGraph

LOSSES = {
    **dict.fromkeys(("cross_entropy", "softmax_cross_entropy"), "cross_entropy"),
    "nll_loss": "nll",
    "kl_div": "kl",
    "binary_cross_entropy": "bce",
    **dict.fromkeys(("binary_cross_entropy_with_logits", "sigmoid_cross_entropy"), "bce_logits"),
    **dict.fromkeys(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"), "regression"),
    **dict.fromkeys(("mean_squared_error", "mean_absolute_error", "smooth_l1", "huber"), "regression"),
}
PICKING = {"gather", "take_along_axis", "getitem", "mul"}
AFTER_DIFFERENCE = {"pow", "square", "abs", "mul", "norm", "integer_pow"}
_TARGETS = ("target", "t", "y")


@dataclass(frozen=True)
class Objective:
    """A step that compares a prediction with a target. ``kind`` is one of the values of `LOSSES`."""

    step: Step
    kind: str
    prediction: Step
    target: Step


def objectives(e: ProgramGraph) -> Iterator[Objective]:
    """The steps that compare predictions with targets."""
    for step in e.calls:
        kind, operands = LOSSES.get(step.function or ""), [o for o in step.operands if o.step is not None]
        if step.function in ("sub", "subtract") and len(operands) == 2 and _is_error(e, step, operands):
            kind = "regression"
        if kind is None and step.function in PICKING and len(operands) > 1:
            kind = _picking(e, step, operands)
        if kind is None or len(operands) < 2:
            continue
        target = next((o for o in operands if o.parameter in _TARGETS), operands[1])
        if step.function == "sub" or kind == "picked":
            target = next(o for o in operands if o.step not in e.learning)
        prediction = next(o for o in operands if o is not target)
        assert prediction.step is not None and target.step is not None
        yield Objective(step, kind, e.steps[prediction.step], e.steps[target.step])


def _is_error(e: ProgramGraph, step: Step, operands: list[Operand]) -> bool:
    """Whether a difference is that of a prediction and a target, to be squared."""
    targets = [o for o in operands if o.step not in e.learning]
    after = [user.function for user in e.users.get(step.id, [])]
    return len(targets) == 1 and bool(AFTER_DIFFERENCE & set(after)) and step.id in e.used


def _picking(e: ProgramGraph, step: Step, operands: list[Operand]) -> str | None:
    """``picked`` if one score per example is taken, by index or with one-hot rows."""
    given = [(e.steps[o.step].value, o.step in e.learning) for o in operands if o.step is not None]
    scores = [value for value, is_learned in given if is_learned and value is not None]
    others = [value for value, is_learned in given if not is_learned]
    if len(scores) != 1 or not others or len(scores[0].shape) != 2 or step.id not in e.used:
        return None
    shape, index = scores[0].shape, others[-1]
    if index is None or not index.shape or index.shape[0] != shape[0]:
        return None
    if step.function == "mul":
        is_one_hot = index.is_whole and index.shape == shape and np.isin(index.values, (0, 1)).all()
        return "picked" if is_one_hot and (index.values.sum(axis=1) == 1).all() else None
    return "picked" if index.values.dtype.kind in "iu" else None


def picks(e: ProgramGraph, compared: list[Objective]) -> Iterator[tuple[Step, Step]]:
    """The steps that take one number per example, and what they take it from; the indices need not be a step."""
    yield from [(o.step, o.prediction) for o in compared if o.kind == "picked"]
    for step in [s for s in e.trained if s.function == "getitem"]:
        scores, taken = e.operands(step)[0], step.value
        shape = () if scores.value is None else scores.value.shape
        is_by_arrays = dict(step.attributes).get("index", "").startswith("(array([")
        if is_by_arrays and len(shape) == 2 and taken is not None and taken.shape == shape[:1]:
            yield step, scores
