"""Whether the inputs matter: predictions that do not depend on them or are the same for all examples."""

from __future__ import annotations

import numpy as np

from .comparisons import Objective
from .evidence import Evidence, Found
from .linear_layers import LINEAR
from .reruns import input_named
from .words import at_line, called, listed, shape_of, whole

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
