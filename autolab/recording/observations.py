"""Observations about the numbers of a recording, step by step: the single list from which the marks in the graph, their
sentences and `autolab.diagnose` are all made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..engine import Array
from .model import LEAVES, Recording, Snapshot, Step

Sign = Literal[
    "nan", "infinite", "vanishing", "exploding", "dead", "saturated", "clamped", "left", "raised", "replaced"
]

VANISHED = 1e-3
EXPLODED = 1e3
ROUNDINGS = 64
"""The remainder of shares that cancel counts as 0 up to this many units in the last place of the shares."""
BOUNDS = {"sigmoid": (0.0, 1.0), "logistic": (0.0, 1.0), "hardsigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}
"""The bounds of functions that are almost flat near them."""
CLAMPS = {"clamp", "clip", "clamp_min", "clamp_max", "hardtanh"}
WHY_ZERO = {
    "dead": {"relu", "relu6"},
    "flat": {*BOUNDS, *CLAMPS, "softplus", "erf", "exp"},
    "factor": {"mul", "div", "square", "pow", "matmul", "linear"},
    "step": {"sign", "floor", "ceil", "round", "rint", "trunc"},
}
"""The reasons why a function passes no gradient on, with the functions to which each applies."""

PIECEWISE = {
    *WHY_ZERO["dead"],
    *WHY_ZERO["step"],
    *("leaky_relu", "prelu", "hardtanh", "hardsigmoid", "hardswish", "abs", "maximum", "minimum", "fmax", "fmin"),
    *("max", "min", "where", "clip", "sort", "max_pool2d", "median"),
}
"""Functions that are made of pieces, with other derivatives."""

SATURATED, CLAMPED = 0.85, 0.9
"""The fraction of the numbers that must be at a bound."""
_NEAR, _FAR = 0.01, 4.0  # distance of a saturated result from its bound, and of its argument from 0


@dataclass(frozen=True)
class Observation:
    """One thing that is wrong at one step. ``size`` is the norm of the gradient, the number of dead units among
    ``total``, or the number of elements at a bound."""

    sign: Sign
    step: int
    size: float = 0.0
    total: int = 0


def observations(recording: Recording) -> list[Observation]:
    """Everything that is wrong, and everything that was done to the values, in the order of the steps."""
    reference = reference_step(recording)
    size = 0.0 if reference is None or reference.grad is None else reference.grad.norm
    felt = _felt_infinities(recording)
    found = [[*_of_step(step, size, step.id in felt), *_of_units(step, recording.by_id)] for step in recording.steps]
    wrong = [finding for some in found for finding in some]
    vanishing = vanished(recording, {finding.step for finding in wrong if finding.sign == "vanishing"})
    wrong = [finding for finding in wrong if finding.sign != "vanishing" or finding.step in vanishing]
    return sorted([*wrong, *marked_steps(recording)], key=lambda finding: finding.step)


def reference_step(recording: Recording) -> Step | None:
    """The step whose gradient all others are compared with."""
    reached = [step for step in recording.steps if step.kind in ("call", "part") and step.grad is not None]
    arrays = [step for step in reached if step.value is not None and step.value.size > 1]
    return next(iter((arrays or reached)[::-1]), None)


def _felt_infinities(recording: Recording) -> set[int]:
    """The steps with infinite values that reach a result or a gradient, or with infinities in their own gradient. A
    minus infinity that softmax turns into 0, as in a mask, reaches neither."""
    felt = set(recording.outputs)
    for step in reversed(recording.steps):
        if any(map(_is_nonfinite, [step.grad, *[use.contribution for use in step.operands]])):
            felt.add(step.id)
        if step.id in felt and (step.value is None or _is_nonfinite(step.value)):  # a call of several results has none
            felt.update([use.step for use in step.operands if use.step is not None])
    return felt


def _is_nonfinite(kept: Snapshot | None) -> bool:
    return kept is not None and kept.nan_count + kept.inf_count > 0


def _of_step(step: Step, reference: float, is_felt: bool) -> Iterator[Observation]:
    kept = [snapshot for snapshot in (step.value, step.grad) if snapshot is not None]
    if any([snapshot.nan_count for snapshot in kept]):
        yield Observation("nan", step.id)
    if is_felt and any([snapshot.inf_count for snapshot in kept]):
        yield Observation("infinite", step.id)
    if step.grad is not None and reference > 0 and step.grad.size:
        size = step.grad.norm
        if 0 < size < VANISHED * reference:
            yield Observation("vanishing", step.id, size)
        elif size > EXPLODED * reference:
            yield Observation("exploding", step.id, size)


def _of_units(step: Step, steps: Mapping[int, Step]) -> Iterator[Observation]:
    """Units and elements that pass on no gradient, or almost none."""
    y, given = step.value, [steps[operand.step].value for operand in step.operands if operand.step is not None]
    if y is None or not given or (x := given[0]) is None:
        return
    if step.function in WHY_ZERO["dead"]:
        dead, units = dead_units(y)
        if not units and y.size > 1 and y.minimum == y.maximum == 0:  # all elements of a single example
            dead = units = y.size
        if dead:
            yield Observation("dead", step.id, float(dead), units)
    if step.grad is None or not step.grad.norm or not y.is_whole:
        return
    if step.function in BOUNDS and y.size >= 8 and max(abs(x.minimum or 0.0), abs(x.maximum or 0.0)) > _FAR:
        low, high = BOUNDS[step.function]
        near = int(((y.values - low < _NEAR) | (high - y.values < _NEAR)).sum())
        if near >= SATURATED * y.size:
            yield Observation("saturated", step.id, near, y.size)
    if step.function in CLAMPS and y.size > 1 and x.is_whole and x.shape == y.shape:
        moved = int((x.values != y.values).sum())
        if moved >= CLAMPED * y.size:
            yield Observation("clamped", step.id, moved, y.size)


def vanished(recording: Recording, small: set[int]) -> set[int]:
    """Those of the steps with a ``small`` gradient where it has vanished: nothing from which they are computed gets a
    larger one.

    A query of attention, or a branch beside a residual connection, may well get little; what is before it learns
    from the rest. A parameter is judged by the steps that use it.
    """
    small = small - cancelled(recording, small)
    reference = reference_step(recording)
    size = 0.0 if reference is None or reference.grad is None else reference.grad.norm
    steps, learning = recording.by_id, set[int]()  # with values before them that get a larger gradient
    for step in recording.steps if small else ():
        before = [steps[use.step] for use in step.operands if use.step is not None]
        computed = [s for s in before if s.kind not in LEAVES]
        if any([s.id in learning or (s.grad is not None and s.grad.norm >= VANISHED * size) for s in computed]):
            learning.add(step.id)
    found = {i for i in small - learning if steps[i].kind not in LEAVES}
    passed_by = {use.step for i in small & learning for use in steps[i].operands}
    used = {use.step for i in found for use in steps[i].operands}
    leaves = {i for i in small if steps[i].kind in LEAVES}
    return found | {i for i in leaves if (i in used if steps[i].kind == "leaf" else i not in passed_by)}


def cancelled(recording: Recording, small: set[int]) -> set[int]:
    """Those of the steps with a ``small`` gradient whose gradient is only the rounding error of larger numbers that
    cancel.

    Mathematically, their sum is 0: examples are a maximum that is subtracted before ``exp``, or the bias of attention's
    keys, which moves all scores of a query alike; so is every gradient to which such a sum is passed on.
    """
    gone: set[int] = set()
    arrived = dict.fromkeys(small, 0.0)
    for user in recording.steps[::-1] if small else ():
        grad, rounding = user.grad, 1.0
        if user.id in small and grad is not None and grad.norm <= ROUNDINGS * grad.precision * arrived[user.id]:
            gone.add(user.id)
            rounding = arrived[user.id] / grad.norm if grad.norm else 1.0
        for use in user.operands:
            if use.step in arrived and use.contribution is not None:
                parts = [part.norm for part in (use.contribution, use.product) if part is not None]
                arrived[use.step] += rounding * max(*parts, _summed(grad, use.contribution))
    return gone


def _summed(upstream: Snapshot | None, share: Snapshot) -> float:
    """The norm of the numbers summed in a share, if it is the upstream gradient summed over all axes but one, as for a
    bias; else 0."""
    if upstream is None or len(upstream.shape) < 2 or len(share.shape) != 1 or not upstream.is_whole:
        return 0.0
    for axis in [axis for axis, length in enumerate(upstream.shape) if length == share.size]:
        others = tuple([other for other in range(len(upstream.shape)) if other != axis])
        apart = upstream.values.sum(axis=others) - share.values
        if np.linalg.norm(apart) <= ROUNDINGS * share.precision * upstream.norm:
            return upstream.norm
    return 0.0


def dead_units(value: Snapshot) -> tuple[int, int]:
    """The number of units that are 0 for every example, and the number of all units; (0, 0) if that is not known.

    A unit is an element of the last axis; for images (batch, channels, height, width), a channel.

    A reduced copy suffices as long as each unit has cells of its own, since these hold the largest magnitude.
    """
    axis = 1 if len(value.shape) == 4 else len(value.shape) - 1
    if axis < 1 or value.size == 0 or value.block[axis] > 1 or value.size == value.shape[axis]:
        return 0, 0
    return zero_units(np.moveaxis(value.values, axis, 0))


def zero_units(*arrays: Array) -> tuple[int, int]:
    """The number of units that are exactly 0 in all arrays, and the number of all units, along the first axis.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.recording.observations import zero_units
    >>> zero_units(np.array([[0.0, 0.0], [0.0, 1.0], [np.nan, 0.0]]))
    (1, 3)
    """
    active = [(array.reshape(len(array), -1) != 0).any(axis=1) for array in arrays]  # NaN is not 0
    return int((~np.logical_or.reduce(active)).sum()), len(arrays[0])


def departed(recording: Recording) -> list[Observation]:
    """The steps whose values left the graph."""
    left = dict.fromkeys([step for departure in recording.departures for step in departure.steps])
    return [Observation("left", step) for step in sorted(left)]


def marked_steps(recording: Recording) -> list[Observation]:
    """The marks that every picture shows: steps that left the graph, led to an error, or were replaced."""
    replaced = [Observation("replaced", step.id) for step in recording.steps if step.replaced]
    return [*departed(recording), *raised(recording), *replaced]


def raised(recording: Recording) -> list[Observation]:
    """The operands of the call that raised, or the step whose gradient rule did."""
    return [] if recording.raised is None else [Observation("raised", step) for step in recording.raised.operands]
