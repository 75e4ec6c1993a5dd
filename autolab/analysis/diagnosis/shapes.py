"""Shapes that broadcast unintentionally, and class indices that are compared as quantities."""

from __future__ import annotations

import math

import numpy as np

from ...recording.model import Step
from .comparisons import AFTER_DIFFERENCE
from .evidence import Evidence, Found
from .linear_layers import weight_of
from .report import at_line, number, shape_of, whole

ELEMENTWISE = ("regression", "bce", "bce_logits")
"""The kinds of losses that compare elementwise."""


def broadcasts(e: Evidence) -> Found:
    """(N, 1) against (N,): every prediction is compared with every target."""
    for step in [s for s in e.calls if s.id in e.used and _compares(e, s)]:
        made = [e.made_by(o, frozenset({"broadcast_in_dim", "broadcast_to"})) for o in e.operands(step)]
        given = [o for o in made if o.value is not None]
        if len(given) < 2:
            continue
        a, b = map(shape_of, given[:2])
        one, other = (a, b) if len(a) > len(b) else (b, a)
        ones = [k for k, n in enumerate(one) if n == 1 and k and (*one[:k], *one[k + 1 :]) == other]
        count, wrong = math.prod(other), math.prod(np.broadcast_shapes(a, b)) if ones else 0
        is_target = any(o.id not in e.learning for o in given[:2])  # of all pairs, both sides are often computed
        if ones and (ones[-1] == len(other) or is_target) and max(count, 1) < wrong:
            shapes = f"{e.called(given[0])} has shape {a} and {e.called(given[1])} has {b}"
            yield e.found(
                "broadcast_loss",
                f"{at_line(step)} compares all with all: {shapes}, so there are {wrong} differences instead of "
                f"{count}.",
                f"Bring both to one shape, for example with prediction.squeeze({-1 if ones[-1] == len(other) else 1}).",
                at=step,
            )


def _compares(e: Evidence, step: Step) -> bool:
    """Whether a step compares a prediction with something."""
    if any(o.step is step and o.kind in ELEMENTWISE for o in e.objectives):
        return True
    return step.function in ("sub", "mul") and step.id in e.learning and _is_averaged(e, step)


def _is_averaged(e: Evidence, step: Step) -> bool:
    """Whether a whole result is reduced to one number, with only elementwise steps on the way."""
    shape = None if step.value is None else step.value.shape
    for _ in range(6):
        user = e.only_user(step)
        if user is None or user.value is None:
            return False
        if user.value.shape == ():
            return user.function in ("mean", "sum")
        if user.value.shape != shape:
            return False
        step = user
    return False


def labels(e: Evidence) -> Found:
    """Class indices that are compared as quantities, and one-hot targets where indices belong."""
    for o in [o for o in e.objectives if o.kind == "regression"]:
        shape, values, maker = shape_of(o.prediction), whole(o.target.value), e.made_by(o.target).value
        classes = shape[-1] if len(shape) == 2 and shape != shape_of(o.target) else 0
        is_index = maker is not None and maker.values.dtype.kind in "iu"
        if is_index and values is not None and values.max() < classes > 2:
            yield e.found(
                "one_hot_target",
                f"{at_line(o.step)} compares {classes} scores per example with class indices (0 to "
                f"{int(values.max())}) as if they were quantities.",
                "Use cross_entropy with the indices, or one-hot targets of the scores' shape.",
                at=o.step,
            )


def reduced(e: Evidence) -> Found:
    """Reductions along the batch axis instead of the feature axis."""
    counts = {len(array) for array in e.data.values() if len(array) > 2}
    yield from [*_one_for_all(e, counts)] or [*_similarities(e, counts)]


def cancelling(e: Evidence) -> Found:
    """Differences that are averaged before they are squared."""
    ends = [s for s in e.trained if s.function in ("mean", "sum") and shape_of(s) == ()]
    for step in ends if not e.objectives else ():  # beside others, what is the same on average may be wanted as well
        error, user = e.made_by(e.operands(step)[0]), e.only_user(step)
        given, n = e.operands(error), math.prod(shape_of(error))
        targets = [o for o in given if o.id not in e.learning and math.prod(shape_of(o)) == n > 1]
        is_error = error.function in ("sub", "subtract") and (len(given), len(targets)) == (2, 1)
        if is_error and step is e.loss and _is_endless(e, next(o for o in given if o not in targets)):
            yield e.suspect(
                "cancelling_errors",
                f"{at_line(step)} is the loss, and nothing squares the {n} differences from {e.called(targets[0])}: it "
                f"falls without end, here to {number(e.watch.losses[-1])}, while all predictions move one way.",
                "Take the square or the absolute value of each difference first, and then the mean.",
                at=step,
            )
        elif is_error and user and user.function in AFTER_DIFFERENCE and e.only_user(error) is step:
            yield e.suspect(
                "cancelling_errors",
                f"{at_line(step)} adds up {n} differences from {e.called(targets[0])} before `{user.function}`: those "
                "of one sign make up for those of the other, so the loss can be 0 where no prediction is right.",
                "Take the square or the absolute value of each difference first, and then the mean.",
                at=step,
            )


def _is_endless(e: Evidence, prediction: Step) -> bool:
    """Whether a loss falls below 0 as the result of a linear layer, which has no bounds, gets smaller or larger."""
    made, (*before, last) = e.made_by(prediction), e.watch.losses or [0.0]
    layers = [made, *(e.made_by(o) for o in e.operands(made) if made.function == "add")]
    return any(weight_of(e, layer) is not None for layer in layers) and last < min([0.0, *before])


def _one_for_all(e: Evidence, counts: set[int]) -> Found:
    """A single prediction that is compared with the targets of all examples."""
    for o in [o for o in e.objectives if o.kind in ELEMENTWISE and o.target.value and o.prediction.value]:
        shape, targets = shape_of(o.prediction), shape_of(o.target)
        n = targets[0] if targets else 0
        if n not in counts or shape[:1] == (n,) or len(shape) > len(targets):
            continue
        if len(shape) == len(targets) - 1 and shape[:1] == targets[-1:] == (n,):
            continue
        lost = [s for i in sorted(e.behind([o.prediction]) & e.learning) if _loses(e, s := e.steps[i], n)]
        if lost:
            yield e.found(
                "wrong_axis",
                f"{at_line(lost[-1])} reduces the axis of the {n} examples: one prediction of shape {shape} is "
                f"compared with {n} targets of shape {targets}.",
                "Reduce the other axes only, such as mean(dim=1), or none.",
                at=lost[-1],
            )
            return


def _similarities(e: Evidence, counts: set[int]) -> Found:
    """Norms and cosines of the columns instead of the rows."""
    for step in [s for s in e.calls if s.function in ("cosine_similarity", "normalize") and s.id in e.used]:
        shape = next((shape_of(i) for i in e.operands(step) if i.id in e.learning), ())
        values = [whole(i.value) for i in e.operands(step) if len(shape_of(i)) == 2]
        if len(shape) != 2 or shape[0] not in counts or shape[0] == shape[1]:
            continue
        if _is_along_examples(step, shape) and not all(_is_centred(v) for v in values):
            yield e.found(
                "wrong_axis",
                f"{at_line(step)} works along the axis of the {shape[0]} examples: from shape {shape} it makes "
                f"{shape_of(step)}.",
                "Name the axis of the features: dim=1 or dim=-1.",
                at=step,
            )
            return


def _loses(e: Evidence, step: Step, n: int) -> bool:
    """Whether a reduction gets ``n`` examples on the first axis and returns fewer."""
    given = [i.value.shape for i in e.operands(step) if i.id in e.learning and i.value is not None]
    is_reduction = step.function in ("mean", "sum", "max", "amax", "min", "amin", "median", "prod", "logsumexp")
    leaves_all = step.value is None or step.value.shape[:1] == (n,)
    return is_reduction and not leaves_all and bool(given) and given[0][:1] == (n,)


def _is_along_examples(step: Step, given: tuple[int, ...]) -> bool:
    value = whole(step.value)
    if value is None or step.function == "cosine_similarity":
        return value is not None and value.shape == (given[1],)
    return bool(np.allclose(np.linalg.norm(value, axis=0), 1, atol=1e-3))


def _is_centred(value: np.ndarray | None) -> bool:
    return value is not None and bool(np.abs(value.mean(axis=0)).max() < 1e-4 * max(np.abs(value).max(), 1e-30))
