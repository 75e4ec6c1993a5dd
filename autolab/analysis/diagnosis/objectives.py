"""What a loss is given: a softmax or a sigmoid that it already contains, a relu, no logarithm, or targets that an
output cannot reach."""

from __future__ import annotations

import numpy as np

from ...recording.model import Snapshot, Step
from .evidence import Evidence, Found
from .linear_layers import weight_of
from .program_graph import RESHAPES
from .report import ProgramFinding, at_line, axes_of_probabilities, called, ends, number, whole

AVERAGING = RESHAPES | {"mean", "sum", "div", "neg", "mul"}
_SOFTMAX = {"softmax", "log_softmax", "logsumexp"}
_SCALING = RESHAPES | {"mul", "div", "identity"}
_RANGES = {
    **dict.fromkeys(("sigmoid", "logistic", "hardsigmoid", "softmax"), (0.0, 1.0)),
    **dict.fromkeys(("tanh", "hardtanh", "softsign"), (-1.0, 1.0)),
    **dict.fromkeys(("relu", "softplus", "exp", "square", "abs", "sqrt"), (0.0, np.inf)),
    "elu": (-1.0, np.inf),
}


def sums_to_one(value: Snapshot | None, axis: int) -> bool:
    """Whether the numbers are probabilities along an axis of length greater than 1."""
    array = whole(value)
    if array is None or array.ndim == 0 or array.min() < 0:
        return False
    return axis % array.ndim in axes_of_probabilities(array)


def _class_axis(value: Snapshot | None) -> int:
    return 1 if value is not None and len(value.shape) > 2 else -1


def doubled(e: Evidence) -> Found:
    """A softmax or a sigmoid before a loss that contains one, or a missing logarithm."""
    for o in e.objectives:
        maker, axis = e.made_by(o.prediction), _class_axis(o.prediction.value)
        value = whole(o.prediction.value)
        scaled = e.made_by(o.prediction, _SCALING)
        if o.kind == "cross_entropy" and (sums_to_one(o.prediction.value, axis) or _is_softmax(e, scaled)):
            yield _double_softmax(e, scaled, o.step)
        if o.kind == "bce_logits" and _is_sigmoid(e, maker):
            yield _double_sigmoid(e, maker, o.step)
        is_other = (
            value is not None and value.ndim > 2 and bool(axes_of_probabilities(np.exp(value)))
        )  # of another axis
        if o.kind in ("nll", "kl") and value is not None and value.ndim and not is_log(value, axis) and not is_other:
            is_probable = sums_to_one(o.prediction.value, axis)
            if o.kind == "nll" or is_probable:
                what = "probabilities" if is_probable else "raw scores"
                yield e.found(
                    "missing_log",
                    f"Line {o.step.line}, `{o.step.function}`, expects log probabilities and gets {what}: "
                    f"{called(o.prediction)} lies between {ends(o.prediction)}.",
                    "Use log_softmax before it, or cross_entropy on the scores.",
                    at=o.step,
                )
        if o.kind in ("cross_entropy", "bce_logits") and _is_rectified(e, maker):
            yield _rectified(e, maker, o.step)
    yield from _written_out(e)


def _written_out(e: Evidence) -> Found:
    """The same for a loss written out in parts: log_softmax and picking, log_sigmoid, or exp and log."""
    for step in [s for s in e.trained if e.operands(s)]:
        maker = e.made_by(e.operands(step)[0], _SCALING)
        summed = _summed_exp(e, step)
        if (step.function in _SOFTMAX and _is_softmax(e, maker)) or (summed and _is_softmax(e, summed)):
            yield _double_softmax(e, summed or maker, step)
        elif step.function == "log_softmax" and _is_rectified(e, maker):
            yield _rectified(e, maker, step)
        logit = _logit(e, step)
        if logit is not None and _is_sigmoid(e, logit):
            yield _double_sigmoid(e, logit, step)
    for step, scores in e.picks:
        if sums_to_one(scores.value, -1) and e.ends_in(step, AVERAGING):
            yield e.suspect(
                "missing_log",
                f"{at_line(step)} picks one probability per example, and the loss is their mean, without a "
                f"logarithm: they lie between {ends(scores)}.",
                "Use the mean of -log(p), from log_softmax of the scores.",
                at=step,
            )


def _double_softmax(e: Evidence, maker: Step, loss: Step) -> ProgramFinding:
    value = whole(maker.value)
    top = "" if value is None else f": they lie between {number(value.min())} and {number(value.max())} and sum to 1"
    return e.found(
        "double_softmax",
        f"{at_line(maker)} makes probabilities, and line {loss.line}, `{loss.function}`, applies softmax to them "
        f"again{top}. Gradients get small, and the loss cannot reach 0.",
        "Give the loss the scores, without the softmax.",
        at=maker,
    )


def _double_sigmoid(e: Evidence, maker: Step, loss: Step) -> ProgramFinding:
    is_helper = maker.line == loss.line and maker.outer_line != loss.outer_line
    again = loss.outer_line if is_helper else loss.line
    return e.found(
        "double_sigmoid",
        f"{at_line(maker)} is a sigmoid, and line {again}, `{loss.function}`, applies another: the numbers that it "
        f"takes for logits lie between {ends(maker)}.",
        "Give the loss the logits, without the sigmoid.",
        at=maker,
        told_at=e.outer(maker) if is_helper else None,
    )


def _rectified(e: Evidence, maker: Step, loss: Step) -> ProgramFinding:
    value = whole(maker.value)
    share = 0.0 if value is None else float((value == 0).mean())
    return (e.found if share else e.suspect)(
        "rectified_logits",
        f"{at_line(maker)} cuts off the negative scores before `{loss.function}`: {share:.0%} of them are 0.",
        "Leave the last layer without a relu.",
        at=maker,
    )


def _is_softmax(e: Evidence, step: Step) -> bool:
    """Whether a step computes probabilities, by softmax or by exp and a division."""
    return step.function in ("softmax", "div", "exp") and sums_to_one(step.value, _class_axis(step.value))


def _is_rectified(e: Evidence, step: Step) -> bool:
    """Whether a step is the maximum of its input and 0, by any function."""
    if step.function in ("relu", "relu6"):
        return True
    y, given = whole(step.value), [whole(o.value) for o in e.operands(step) if o.id in e.learning]
    return y is not None and any(x is not None and (x < 0).any() and np.array_equal(y, np.maximum(x, 0)) for x in given)


def _inside(e: Evidence, step: Step, names: tuple[str, ...]) -> Step | None:
    """The z of ``log(sum(exp(z)))`` and such, if a step is computed by these functions, outermost first; else None."""
    for name in names:
        given = e.operands(step)
        if step.function != name or not given:
            return None
        step = e.made_by(given[0], RESHAPES | {"abs"})
    return given[0]


def _summed_exp(e: Evidence, step: Step) -> Step | None:
    """The z of log(sum(exp(z))), even if a maximum is subtracted from it."""
    z = _inside(e, step, ("log", "sum", "exp"))
    given = [] if z is None or z.function != "sub" else e.operands(z)
    return z if z is None else e.made_by(given[0] if given else z)


def _logit(e: Evidence, step: Step) -> Step | None:
    """What a step uses as a logit: the argument of a sigmoid or of log(1 + exp(z)), however it is written."""
    given = e.operands(step)
    if step.function in ("sigmoid", "logistic", "log_sigmoid", "logsigmoid", "softplus", "logaddexp"):
        return e.made_by(given[0])
    written = (("log1p", "exp"), ("reciprocal", "add", "exp"), ("div", "add", "exp"), ("log", "add", "exp"))
    found = [_inside(e, step, names) for names in written if len(given) == 1]
    return next((e.made_by(z, RESHAPES | {"neg", "abs", "mul"}) for z in found if z is not None), None)


def _is_sigmoid(e: Evidence, step: Step) -> bool:
    x, y = _logit(e, step), whole(step.value)
    given = None if x is None else whole(x.value)
    if x is None or y is None or given is None or given.shape != y.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(np.allclose(y, 1 / (1 + np.exp(-given)), atol=1e-3))


def is_log(value: np.ndarray, axis: int) -> bool:
    with np.errstate(all="ignore"):
        return bool(value.max() <= 1e-3 and (value.shape[axis] < 2 or np.exp(value).sum(axis=axis).max() <= 1.01))


# ---------------------------------------------------------------------- targets
def unreachable(e: Evidence) -> Found:
    """Targets that a prediction cannot reach."""
    for o in e.objectives:
        target, maker = whole(o.target.value), e.made_by(o.prediction)
        even = maker.function in ("pow", "integer_pow") and (maker.value is None or (maker.value.minimum or 0.0) >= 0)
        if target is None or not target.size or o.target.id in e.learning:
            continue
        low, high = float(target.min()), float(target.max())
        given = whole(o.prediction.value)
        is_outside = given is not None and bool(((given < -1e-6) | (given > 1 + 1e-6)).any())
        if o.kind == "bce" and (is_outside or weight_of(e, maker) is not None):
            yield (e.found if is_outside else e.suspect)(
                "output_range",
                f"`{o.step.function}` expects probabilities, and gets any numbers from {called(o.prediction)}: here "
                f"between {ends(o.prediction)}.",
                "Apply a sigmoid first, or use binary_cross_entropy_with_logits.",
                at=o.step,
            )
            continue
        if o.kind in ("bce", "bce_logits") and (low < -1e-6 or high > 1 + 1e-6):
            what, reach = f"`{o.step.function}`", (0.0, 1.0)
        elif o.kind == "regression" and (even or maker.function in _RANGES):
            what, reach = at_line(maker), _RANGES["square" if even else maker.function or ""]
        else:
            continue
        outside = float(((target < reach[0] - 0.01) | (target > reach[1] + 0.01)).mean())
        if outside > 0.02:
            yield e.found(
                "output_range",
                f"{what} gives numbers between {number(reach[0])} and {number(reach[1])}, and {outside:.0%} of the "
                f"targets {e.called(o.target)} lie outside: they go from {number(low)} to {number(high)}.",
                "Leave the last layer without it, or scale the targets.",
                at=maker if o.kind == "regression" else o.step,
            )
