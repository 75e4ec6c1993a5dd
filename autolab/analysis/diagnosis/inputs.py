"""Whether the inputs matter: predictions that do not depend on them or are the same for all examples.

Units that are dead, clamped, dropped or saturated.
"""

from __future__ import annotations

import numpy as np

from ...recording.model import Step
from .comparisons import Objective
from .evidence import Evidence, Found
from .linear_layers import LINEAR
from .report import at_line, axes_of_probabilities, called, listed, number, range_of, shape_of, whole
from .reruns import input_named

_PRODUCTS = LINEAR | {"mul"}


def without_effect(e: Evidence) -> Found:
    """Predictions that do not depend on the inputs: the first such mistake."""
    for o in e.objectives[:1]:
        yield from [*_single_score(e, o)] or [*_without_inputs(e, o)] or [*_constant(e, o)]


def _single_score(e: Evidence, o: Objective) -> Found:
    shape = shape_of(o.prediction)
    if o.kind == "cross_entropy" and len(shape) == 2 and shape[1] == 1 and shape[0] > 1:
        yield e.found(
            "constant_output",
            f"{at_line(o.step)} gets one score per example (shape {shape}): its softmax is always 1, and the loss 0.",
            "Give it one score for each of at least two classes, or use binary_cross_entropy_with_logits.",
            at=o.step,
        )


def _without_inputs(e: Evidence, o: Objective) -> Found:
    """A prediction computed only from parameters, although the program has an input that nothing uses."""
    both = e.behind([o.prediction, o.target])
    given = {name: step for name in e.data if (step := input_named(e, name)) is not None and step.kind == "input"}
    free = [name for name, step in given.items() if step.id not in both and not e.after({step.id}) & e.left]
    if free and not _is_fed(e, o):
        yield e.found(
            "ignores_inputs",
            f"The prediction {called(o.prediction)} does not depend on `{free[0]}`: no step on the way uses it.",
            "Compute the prediction from the inputs.",
            at=o.prediction,
        )


def _is_fed(e: Evidence, o: Objective) -> bool:
    """Whether a prediction depends on anything but parameters."""
    behind = e.behind([o.prediction]) - e.learned
    return any(e.steps[i].kind not in ("call", "part") for i in behind)


def alike(e: Evidence, o: Objective) -> list[str]:
    """The arrays with one row for each example, if they have the same numbers in each; but for those of targets."""
    targets, count = e.behind([o.target]), shape_of(o.prediction)[:1]
    own = [name for name in e.data if (step := input_named(e, name)) is None or step.id not in targets]
    own = [name for name in own if e.data[name].shape[:1] == count]
    return own if all(len(np.unique(e.data[name], axis=0)) < 2 for name in own) else []


def _constant(e: Evidence, o: Objective) -> Found:
    """A prediction that is the same for all examples, and still will be after the next update."""
    value = whole(o.prediction.value)
    if value is None or value.ndim < 1 or len(value) < 3 or not np.isfinite(value).all() or not _is_fed(e, o):
        return
    spread, size = float(np.ptp(value, axis=0).max()), float(np.abs(value).max())
    if spread > 1e-6 * size or _starts_at_zero(e, e.behind([o.prediction])):
        return
    same = alike(e, o)
    told = f"{at_line(o.prediction)} is the same for all {len(value)} examples"
    if same:
        told += f", and so is all that they are given: {listed(same)}."
        remedy = "Look at how the examples are made: each is to have its own numbers."
        yield e.suspect("constant_output", told, remedy, at=o.prediction)
    else:
        remedy = "Look at what is before it: dead or saturated units, a softmax over one class, unused inputs."
        yield e.found("constant_output", f"{told}.", remedy, at=o.prediction)


def _starts_at_zero(e: Evidence, behind: set[int]) -> bool:
    """Whether the weights of a layer are all 0 but will not be after the first update."""
    pairs = [(e.steps[i], p) for i in behind & e.learned if (p := e.parameter(e.steps[i])) is not None]
    weights = [p for s, p in pairs if p.value().ndim > 1 or _PRODUCTS & {user.function for user in e.uses(s)}]
    return any(not p.value().any() and (g := e.gradient(p)) is not None and g.any() for p in weights)


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
