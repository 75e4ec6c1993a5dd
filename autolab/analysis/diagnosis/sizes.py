"""Sizes: of gradients and values by depth and time, of initial weights, and of inputs."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from ...recording.model import Step
from ...recording.observations import BOUNDS
from .evidence import Evidence, Found
from .report import at_line, called, ends, number, whole
from .workbench import LiveParameter

_REMEDIES = {
    "exploding": "Use a usual initialisation, normalisation layers, and clip the norm of the gradient.",
    "vanishing": "Use relu or gelu with their initialisation, normalisation layers, or residual connections "
    "(x + f(x)).",
}
_LAYERS = ("linear", "matmul", "mm", "addmm", "conv1d", "conv2d", "dot_general")


def _weights(e: Evidence) -> list[tuple[Step, LiveParameter]]:
    """The weights in the order of use: matrices, and vectors that are multiplied like matrices."""
    found = [(s, p) for s in e.steps.values() if (p := e.parameter(s)) is not None and _is_weight(e, s, p)]
    return [(s, p) for s, p in found if s.id in e.used and s.id in e.learned]


def _is_weight(e: Evidence, step: Step, p: LiveParameter) -> bool:
    return len(p.value().shape) > 1 or any(user.function in ("matmul", "dot") for user in e.uses(step))


def gradients(e: Evidence) -> Found:
    """Norms of gradients relative to weights, from the first layer to the last; and values that die out."""
    yield from _dying_out(e)
    layers = []
    for step, p in _weights(e):
        g, size = e.gradient(p), _rms(p.value())
        if size and g is not None and np.isfinite(g).all() and g.any():
            layers.append((_rms(g) / size, p.name, next(iter(e.uses(step)), step)))
    if len(layers) < 3 or not e.observed("vanishing", "exploding"):
        return
    (first, name, start), (last, other, end) = layers[0], layers[-1]
    ratio, users = first / last, [user for _, _, user in layers]
    if 1e-5 <= ratio <= 1e5:
        return
    between = [s.function for s in e.calls if start.id <= s.id <= end.id and s.function in BOUNDS]
    what = f", with its {between[0]}," if between else ""
    kind = "vanishing" if ratio < 1 else "exploding"
    yield e.found(
        kind,
        f"In proportion to the weights, the gradient of {name} is {number(ratio)} times that of {other}: each of "
        f"{len(layers)} layers{what} multiplies it by about {number(ratio ** (1 / (len(layers) - 1)))}.",
        _REMEDIES[kind],
        at=_where_most_are(users),
    )


def _dying_out(e: Evidence) -> Found:
    """Values that hardly depend on the inputs after some layers, because the weights are small."""
    layers = [(step, p, users[0]) for step, p in _weights(e) if len(users := e.uses(step)) == 1]
    layers = [(step, p, user) for step, p, user in layers if user.function != "embedding" and p.value().any()]
    spreads = [(_spread(user), p, user) for _, p, user in layers]
    sizes = [(size, p, user) for size, p, user in spreads if size is not None]
    if len(sizes) < 4 or e.loss is None or any(user.function in ("add", "mul") for _, _, user in sizes):
        return
    (first, p, start), (last, q, end) = sizes[0], sizes[-2]
    falls = all(b[0] <= 10 * a[0] for a, b in pairwise(sizes[:-1]))
    if falls and first > 0 and last < 1e-6 * first and end.id in e.used and start.id in e.behind([end]):
        yield e.found(
            "vanishing",
            f"What differs between examples shrinks from {number(first)} at {p.name} to {number(last)} at {q.name}, "
            f"by about {number((max(last, 1e-45) / first) ** (1 / (len(sizes) - 2)))} with each layer.",
            "Initialise with a standard deviation of about 1/sqrt(number of inputs), or use normalisation layers.",
            at=_where_most_are([user for _, _, user in sizes]),
        )


def _where_most_are(users: list[Step]) -> Step:
    """The first layer in the line with the most layers."""
    count = Counter(user.line for user in users)
    return max(users, key=lambda user: count[user.line])


def _spread(step: Step) -> float | None:
    """How much a value differs between examples, on average."""
    value = whole(step.value)
    if value is None or value.ndim < 2 or len(value) < 3 or not np.isfinite(value).all():
        return None
    return _rms(value - value.mean(axis=0))


def _is_masked(e: Evidence, step: Step, depth: int = 4) -> bool:
    """Whether large negative numbers were inserted on purpose, so that softmax ignores these entries."""
    if step.value is None or (step.value.minimum or 0.0) > -1e4:
        return False
    if step.function in ("masked_fill", "where", "select_n", "add", "sub"):
        return True
    return depth > 0 and any(_is_masked(e, o, depth - 1) for o in e.operands(step) if o.kind == "call")


def through_time(e: Evidence) -> Found:
    """A gradient that vanishes in a loop that uses the same weights repeatedly."""
    for step, p in _weights(e):
        rounds = [u for u in e.uses(step) if u.id in e.used and u.grad is not None]
        if len(rounds) < 50:
            continue
        first, last = rounds[0].grad, rounds[-1].grad
        if first is not None and last is not None and last.norm > 0 and first.norm <= 1e-30 * last.norm:
            yield e.found(
                "vanishing",
                f"Through {len(rounds)} rounds with {p.name} the gradient shrinks from {number(last.norm)} to "
                f"{number(first.norm)}: the first rounds teach nothing.",
                "Use an LSTM or GRU, orthogonal weights, shorter sequences, or attention.",
                at=rounds[0],
            )
            return


def values(e: Evidence) -> Found:
    """Values that grow from layer to layer."""
    calls = [s for s in e.trained if not _is_masked(e, s) and not e.is_parameter(s)]
    sizes = [(s, _rms(v)) for s in calls if (v := _felt(s)) is not None and v.ndim]
    sizes = [(s, size) for s, size in sizes if 0 < size < np.inf]
    if len(sizes) < 4 or (sizes[-1][1] < 1e6 * sizes[0][1] and max(size for _, size in sizes) < 1e6 * sizes[0][1]):
        return
    top = max(sizes, key=lambda pair: pair[1])
    yield e.found(
        "exploding",
        f"The values grow from {number(sizes[0][1])} at {called(sizes[0][0])} to {number(top[1])} at {called(top[0])}, "
        f"within {len(sizes)} steps.",
        "Use a usual initialisation or normalisation layers, and sums of logarithms instead of products.",
        at=top[0],
    )


def _felt(step: Step) -> np.ndarray | None:
    """The numbers of a value that have a gradient; all, if none has one. Those that a mask has made large and negative
    have none, however it was written."""
    value, grad = whole(step.value), whole(step.grad)
    is_felt = None if value is None or grad is None or grad.shape != value.shape or not value.ndim else grad != 0
    return value if value is None or is_felt is None or not is_felt.any() else value[is_felt]


def initialisation(e: Evidence) -> Found:
    """Weights that are far too large, and units that are all identical."""
    weights = _weights(e)
    for step, p in weights:
        w, g = p.value(), e.gradient(p)
        rows = w.reshape(len(w), -1)
        users = [u for u in e.uses(step) if u.id in e.used]
        is_layer = any(u.function not in ("embedding", "take", "gather", "getitem") for u in users)
        if not users or not is_layer or w.dtype.kind != "f":
            continue
        if len(weights) > 1 and p is not weights[-1][1] and _is_alike(rows, g):
            is_row = users[0].function not in ("matmul", "dot") or users[0] not in e.users[step.id]
            units = len(rows) if is_row else w.shape[-1]
            yield e.found(
                "symmetric_units",
                f"All {units} units of {p.name} have the same weights"
                f"{' (0)' if not rows.any() else ''}, and so the same gradient: they stay alike forever.",
                "Initialise weights with random numbers; only biases may begin at 0.",
                at=users[0],
            )
            return
        yield from _large(e, p, w, users)


def _is_alike(rows: np.ndarray, g: np.ndarray | None) -> bool:
    if g is None or len(rows) < 2:
        return False
    for axis in (0, 1):
        if rows.shape[axis] < 2 or np.ptp(rows, axis=axis).max() > 0:
            continue
        flat = g.reshape(len(rows), -1)
        if np.ptp(flat, axis=axis).max() <= 1e-5 * max(float(np.abs(flat).max()), 1e-30):
            return True
    return False


def _large(e: Evidence, p: LiveParameter, w: np.ndarray, users: list[Step]) -> Found:
    for user in [] if any(u.function == "embedding" for u in users) else users:
        if user.function in ("add", "sub"):
            continue  # it does not multiply its inputs by the weights
        given = [v for o in e.operands(user) if not e.is_parameter(o) and (v := whole(o.value)) is not None]
        made = whole(user.value)
        if not given or not given[0].any() or made is None:
            continue
        grown, size = _rms(made) / max(_rms(given[0]), 1e-30), _rms(w)
        if grown > 8 and size > 0.5:
            yield e.found(
                "large_initialisation",
                f"{at_line(user)} makes its values {number(grown)} times as large as its inputs: the weights "
                f"{p.name} have a typical size of {number(size)}, where {number(size / grown)} is usual.",
                "Initialise with a standard deviation of about 1/sqrt(number of inputs).",
                at=user,
            )
            return


def _rms(array: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.mean(np.square(array.astype(np.float64))))) if array.size else 0.0


def far_targets(e: Evidence) -> Found:
    """Targets of a regression that are large beside the predictions, to which small updates hardly lead."""
    for o in [o for o in e.objectives if o.kind == "regression" and o.target.id not in e.learning]:
        target, made = whole(o.target.value), whole(o.prediction.value)
        if target is not None and made is not None and _rms(target) > max(50, 10 * _rms(made)):
            yield e.suspect(
                "output_range",
                f"{at_line(o.step)} compares predictions between {ends(o.prediction)} with targets between "
                f"{ends(o.target)}, and the loss goes from {number(e.watch.losses[0])} to "
                f"{number(e.watch.losses[-1])}: the way is too far for updates of a usual size.",
                "Train on scaled targets, t = (t - mean) / std, and scale the predictions back: y * std + mean.",
                at=o.step,
            )


def unnormalised(e: Evidence) -> Found:
    """Inputs far from 0 that a layer gets without normalisation."""
    for step in [s for s in e.steps.values() if s.kind in ("input", "constant") and s.id not in e.learned]:
        value = whole(step.value)
        if value is None or value.ndim < 2 or value.size < 8:
            continue
        users = [u for u in e.uses(step) if u.id in e.used and u.function in _LAYERS]
        size = _rms(value)
        if users and size > 50 and np.isfinite(size):
            yield e.suspect(
                "unnormalised_inputs",
                f"{e.called(step)} goes from {number(value.min())} to {number(value.max())}, its mean is "
                f"{number(value.mean())}, and line {users[0].outer_line or users[0].line} gives it to a layer.",
                "Subtract the mean and divide by the standard deviation; images: divide by 255.",
                at=users[0],
                told_at=e.outer(users[0]),
            )
            return
