"""What a second run shows: whether examples influence one another, and whether the inputs matter at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...recording.model import Recording, Step
from .comparisons import Objective
from .evidence import RESHAPES, Evidence
from .report import ProgramFinding
from .words import at_line, called, whole

Found = Iterator[ProgramFinding]

_SEQUENCES = {
    "lstm",
    "gru",
    "rnn_tanh",
    "rnn_relu",
    "multi_head_attention_forward",
    "scaled_dot_product_attention",
    "attention",
}
_REDUCTIONS = {"mean", "sum", "max", "amax", "norm", "normalize", "std", "var", "layer_norm"}
_SAME = 1e-6


def examples(e: Evidence) -> Found:
    """Change one example: only its own prediction may change, and in its own row."""
    for o in e.objectives[:1]:
        shapes = [s.value.shape for s in (o.prediction, o.target) if s.value is not None]
        if len(shapes) < 2 or not all(shapes) or shapes[0][0] != shapes[1][0]:
            continue
        for name, array in e.data.items():
            found = _of_input(e, o, name, array)
            if found is not None:
                yield found
                return


def _of_input(e: Evidence, o: Objective, name: str, array: np.ndarray) -> ProgramFinding | None:
    given = next((s for s in e.steps.values() if s.name == name and s.kind in ("input", "constant")), None)
    assert o.prediction.value is not None and o.target.value is not None
    if given is None or given.id not in e.behind([o.prediction]) or given.id in e.behind([o.target]):
        return None
    rows, count = o.prediction.value.shape[0], o.target.value.shape[0]
    axes = [
        a
        for a in (0, 1)
        if a < array.ndim and array.shape[a] > 1 and not (rows % array.shape[a] or count % array.shape[a])
    ]
    if any(array.shape[axis] == count for axis in axes):
        axes = [axis for axis in axes if array.shape[axis] == count]
    first = _along(e, o, name, array, axes[0]) if axes else None
    if first is None or all(_along(e, o, name, array, axis) for axis in axes[1:]):
        return first
    # where a sequence is on the first axis, the second has the examples; it is rarely as long as the batch is large
    return replace(first, certainty="suspicious") if first.kind == "wrong_axis" else None


def _along(e: Evidence, o: Objective, name: str, array: np.ndarray, axis: int) -> ProgramFinding | None:
    k = array.shape[axis] // 2
    pair = two_runs(e, name, array, _with_other(array, axis, k))
    if pair is None:
        return None
    before, after = pair
    n = array.shape[axis]
    changed = _rows(before, after, o.prediction.id, n)
    if changed is None or not changed:
        return None
    if changed == {k}:
        return None
    if len(changed) == 1:
        return _permuted(e, o, name, k, min(changed))
    culprit = _culprit(e, before, after, o.prediction, n, k)
    return None if culprit is None else _mixed(e, o, culprit, name, array, k, sorted(changed))


def _with_other(array: np.ndarray, axis: int, k: int) -> np.ndarray:
    """The array with other numbers in the example number ``k``."""
    changed = array.copy()
    own = np.take(array, k, axis=axis)
    others = [np.take(array, i, axis=axis) for i in range(array.shape[axis]) if i != k]
    different = next((other for other in others if not np.array_equal(other, own)), own)
    place = (slice(None),) * axis + (k,)
    changed[place] = (
        different if array.dtype.kind in "iub" else different * array.dtype.type(0.7) + own * array.dtype.type(-0.6)
    )
    return changed


def two_runs(e: Evidence, name: str, array: np.ndarray, changed: np.ndarray) -> tuple[Recording, Recording] | None:
    """The program as it is, and with the change; None where their steps are not those of the recording."""
    before = e.plain_run
    after = None if before is None else e.rerun(name, changed)
    if before is None or after is None:
        return None
    kinds = [[step.function for step in found.steps[: len(e.steps)]] for found in (before, after)]
    return (before, after) if kinds[0] == kinds[1] == [step.function for step in e.steps.values()] else None


def difference(before: Recording, after: Recording, step: int) -> np.ndarray | None:
    """Which numbers of a step's value differ."""
    a, b = whole(before.steps[step].value), whole(after.steps[step].value)
    if a is None or b is None or a.shape != b.shape:
        return None
    with np.errstate(all="ignore"):
        scale = max(np.abs(a[np.isfinite(a)]).max(initial=0.0), 1e-30)
        return np.asarray(~((np.abs(a - b) <= _SAME * 10 * scale) | (a == b)))


def _rows(before: Recording, after: Recording, step: int, n: int, axis: int = 0) -> set[int] | None:
    """Which of ``n`` examples have another value along an axis."""
    found = difference(before, after, step)
    if found is None or found.ndim <= axis or found.shape[axis] % n:
        return None
    per = found.shape[axis] // n
    flat = np.moveaxis(found, axis, 0).reshape(found.shape[axis], -1).any(axis=1)
    return {int(i) // per for i in np.flatnonzero(flat)}


def _is_clean(before: Recording, after: Recording, step: int, n: int, k: int) -> bool:
    """Whether only what belongs to example ``k`` differs, along some axis."""
    found = difference(before, after, step)
    if found is None or not found.any():
        return True
    for axis in range(found.ndim):
        if found.shape[axis] == n and _rows(before, after, step, n, axis) == {k}:
            return True
        if found.shape[axis] != n and found.shape[axis] % n == 0:
            flat = np.moveaxis(found, axis, 0).reshape(found.shape[axis], -1).any(axis=1)
            places = np.flatnonzero(flat)
            if {int(i) // (found.shape[axis] // n) for i in places} == {k} or {int(i) % n for i in places} == {k}:
                return True
    return False


def _culprit(e: Evidence, before: Recording, after: Recording, end: Step, n: int, k: int) -> Step | None:
    """From the prediction back: the step that mixes although its operands do not."""
    return first_bad(e, before, end, lambda i: _is_clean(before, after, i, n, k))


def first_bad(e: Evidence, before: Recording, end: Step, is_good: Callable[[int], bool]) -> Step | None:
    """From a bad step back: the one that is bad although nothing that it was computed from is."""
    step = before.steps[end.id]
    while True:
        sources = [o.step for o in step.operands if o.step is not None]
        if step.kind == "part":
            sources = [o.step for i in sources for o in before.steps[i].operands if o.step is not None]
        bad = [i for i in sources if not is_good(i)]
        if not bad:
            return e.steps.get(step.id)
        step = before.steps[bad[0]]


def _mixed(
    e: Evidence, o: Objective, step: Step, name: str, array: np.ndarray, k: int, changed: list[int]
) -> ProgramFinding | None:
    others = [i for i in changed if i != k]
    shown = f"With other numbers in example {k} of `{name}`, the predictions of {len(others)} other examples change too"
    if step.function in ("softmax", "log_softmax") and is_over_batch(e, step, array.shape[0]):
        return e.found(
            "softmax_over_batch",
            f"{at_line(step)} takes the softmax over the examples: columns sum to 1, not rows. {shown}.",
            "Use the class axis: softmax(..., dim=1), or dim=-1.",
            at=step,
        )
    if step.function in RESHAPES - {"getitem"}:
        return e.found(
            "mixed_examples",
            f"{at_line(step)} mixes examples: it changes the shape without moving the axes. {shown}.",
            "Move axes with transpose or permute; view and reshape only cut the same order of numbers differently.",
            at=step,
        )
    if step.function in _SEQUENCES and array.ndim > 2:
        return e.found(
            "mixed_examples",
            f"{at_line(step)} takes the examples for the steps of a sequence. {shown}.",
            "Give it batch_first=True, or put the sequence on the first axis.",
            at=step,
        )
    if step.function in _REDUCTIONS and step.value is not None and not _is_normalisation(e, step):
        return e.found(
            "wrong_axis",
            f"{at_line(step)} works along the axis of the examples (result of shape {step.value.shape}). {shown}.",
            "Name the axis of the features, such as dim=1 or dim=-1.",
            at=step,
        )
    return None


def _is_normalisation(e: Evidence, step: Step) -> bool:
    """Whether a mean or deviation is subtracted from what it was taken of, as batch norm does."""
    sources = {o.id for o in e.operands(step)}
    users = e.users.get(step.id, [])
    return step.function in ("mean", "std", "var") and any(
        user.function in ("sub", "div") and sources & e.behind([user]) for user in users
    )


def is_over_batch(e: Evidence, step: Step, n: int) -> bool:
    value = step.value
    if value is None or len(value.shape) != 2 or value.shape[0] != n or value.shape[1] < 2:
        return False
    array = whole(value)
    if array is None:
        return False
    array = np.exp(array) if step.function == "log_softmax" else array
    return bool(np.allclose(array.sum(axis=0), 1, atol=1e-3) and not np.allclose(array.sum(axis=1), 1, atol=1e-3))


def _permuted(e: Evidence, o: Objective, name: str, k: int, row: int) -> ProgramFinding | None:
    """The row of the prediction is another than that of its input; so may be the row of its target."""
    target = next(
        (n for n, _ in e.data.items() if (s := input_named(e, n)) is not None and s.id in e.behind([o.target])), None
    )
    if target is None or e.plain_run is None:
        return None
    array = e.data[target]
    other = e.rerun(target, _with_other(array, 0, k))
    assert o.target.value is not None
    moved = (
        None if other is None or o.target.id >= len(other.steps) else _rows(e.plain_run, other, o.target.id, len(array))
    )
    if not moved or moved == {row}:
        return None
    steps = [
        s for s in e.calls if s.id in e.behind([o.prediction]) and s.function in ("getitem", "index_select", "take")
    ]
    return e.found(
        "shuffled_labels",
        f"Example {k} of `{name}` becomes prediction {row}, and its target {called(o.target)} is compared as number "
        f"{min(moved)}: inputs and targets are in different orders.",
        "Use the same order for both: perm = randperm(n); x, t = x[perm], t[perm].",
        at=steps[0] if steps else o.step,
    )


def input_named(e: Evidence, name: str) -> Step | None:
    return next((s for s in e.steps.values() if s.name == name and s.kind in ("input", "constant")), None)


def inputs(e: Evidence) -> Found:
    """Predictions that are the same for all examples, or do not depend on the inputs."""
    for o in e.objectives[:1]:
        behind = e.behind([o.prediction])
        shape = () if o.prediction.value is None else o.prediction.value.shape
        if o.kind == "cross_entropy" and len(shape) == 2 and shape[1] == 1 and shape[0] > 1:
            yield e.found(
                "constant_output",
                f"{at_line(o.step)} gets one score per example (shape {shape}): its softmax is always 1, and the "
                "loss 0.",
                "Give it one score for each of at least two classes, or use binary_cross_entropy_with_logits.",
                at=o.step,
            )
            return
        targets = e.behind([o.target])
        free = [
            n
            for n in e.data
            if (s := input_named(e, n)) is not None and s.id not in behind | targets and s.kind == "input"
        ]
        is_fed = any(
            s.id in behind and s.id not in e.learned and s.kind != "call" and s.kind != "part" for s in e.steps.values()
        )
        if free and not is_fed:
            yield e.found(
                "ignores_inputs",
                f"The prediction {called(o.prediction)} does not depend on `{free[0]}`: no step on the way uses it.",
                "Compute the prediction from the inputs.",
                at=o.prediction,
            )
            continue
        value = whole(o.prediction.value)
        if value is None or value.ndim < 1 or len(value) < 3 or not np.isfinite(value).all() or not is_fed:
            continue
        spread, size = float(np.ptp(value, axis=0).max()), float(np.abs(value).max())
        same = [n for n, a in e.data.items() if len(a) == len(value) and len(np.unique(a, axis=0)) < 2]
        if size and spread <= 1e-6 * size and not same:
            yield e.found(
                "constant_output",
                f"{at_line(o.prediction)} is the same for all {len(value)} examples, up to {spread:.1g}.",
                "Look at what is before it: units that are dead or saturated, a softmax over one class, inputs not "
                "used.",
                at=o.prediction,
            )
