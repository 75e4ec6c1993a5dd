"""What a second run shows: whether examples influence one another, whether a sequence sees its future, whether the
inputs matter at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ...recording.model import Recording, Step
from .evidence import LOSSES, RESHAPES, Evidence, Objective, at_line, called
from .objectives import whole
from .report import ProgramFinding

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
_PICKING = {"gather", "take_along_axis", "getitem", *LOSSES}
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
    pair = _two_runs(e, name, array, _with_other(array, axis, k))
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


def _two_runs(e: Evidence, name: str, array: np.ndarray, changed: np.ndarray) -> tuple[Recording, Recording] | None:
    """The program as it is, and with the change; None where their steps are not those of the recording."""
    before = e.plain_run
    after = None if before is None else e.rerun(name, changed)
    if before is None or after is None:
        return None
    kinds = [[step.function for step in found.steps[: len(e.steps)]] for found in (before, after)]
    return (before, after) if kinds[0] == kinds[1] == [step.function for step in e.steps.values()] else None


def _difference(before: Recording, after: Recording, step: int) -> np.ndarray | None:
    """Which numbers of a step's value differ."""
    a, b = whole(before.steps[step].value), whole(after.steps[step].value)
    if a is None or b is None or a.shape != b.shape:
        return None
    with np.errstate(all="ignore"):
        scale = max(np.abs(a[np.isfinite(a)]).max(initial=0.0), 1e-30)
        return np.asarray(~((np.abs(a - b) <= _SAME * 10 * scale) | (a == b)))


def _rows(before: Recording, after: Recording, step: int, n: int, axis: int = 0) -> set[int] | None:
    """Which of ``n`` examples have another value along an axis."""
    found = _difference(before, after, step)
    if found is None or found.ndim <= axis or found.shape[axis] % n:
        return None
    per = found.shape[axis] // n
    flat = np.moveaxis(found, axis, 0).reshape(found.shape[axis], -1).any(axis=1)
    return {int(i) // per for i in np.flatnonzero(flat)}


def _is_clean(before: Recording, after: Recording, step: int, n: int, k: int) -> bool:
    """Whether only what belongs to example ``k`` differs, along some axis."""
    found = _difference(before, after, step)
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
    return _first_bad(e, before, end, lambda i: _is_clean(before, after, i, n, k))


def _first_bad(e: Evidence, before: Recording, end: Step, is_good: Callable[[int], bool]) -> Step | None:
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
    if step.function in ("softmax", "log_softmax") and _is_over_batch(e, step, array.shape[0]):
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


def _is_over_batch(e: Evidence, step: Step, n: int) -> bool:
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
        (n for n, _ in e.data.items() if (s := _input(e, n)) is not None and s.id in e.behind([o.target])), None
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


def _input(e: Evidence, name: str) -> Step | None:
    return next((s for s in e.steps.values() if s.name == name and s.kind in ("input", "constant")), None)


def permuted(e: Evidence) -> Found:
    """Inputs that are taken in another order, by indices, and targets that are not; or the reverse."""
    for o in e.objectives[:1]:
        for side, other in ((o.prediction, o.target), (o.target, o.prediction)):
            indices = [whole(i.value) for s in e.behind([other]) for i in e.operands(e.steps[s])]
            for step in [e.steps[i] for i in sorted(e.behind([side]))]:
                order = _order(e, step)
                if order is None or any(i is not None and np.array_equal(i, order) for i in indices):
                    continue
                yield e.found(
                    "shuffled_labels",
                    f"{at_line(step)} puts {len(order)} {'inputs' if side is o.prediction else 'targets'} into another "
                    f"order, and {called(other)} keeps the old one: number {int(order[0])} is compared with number 0.",
                    "Use the same order for both: perm = randperm(n); x, t = x[perm], t[perm].",
                    at=step,
                )
                return


def _order(e: Evidence, step: Step) -> np.ndarray | None:
    """The new order of what a step takes by indices, if it takes all examples and nothing else uses them."""
    given = e.operands(step)
    if (
        step.function not in ("getitem", "index_select", "take", "gather")
        or len(given) < 2
        or given[0].id in e.learning
    ):
        return None
    order, taken = whole(given[1].value), given[0].value
    order = None if order is None else order.reshape(-1)
    if order is None or taken is None or not taken.shape or taken.shape[0] != len(order) or len(order) < 3:
        return None
    is_order = np.array_equal(np.sort(order), np.arange(len(order))) and not np.array_equal(
        order, np.arange(len(order))
    )
    return order if is_order and not _is_used_otherwise(e, given[0], step) else None


def _is_used_otherwise(e: Evidence, given: Step, by: Step) -> bool:
    return any(user.id != by.id and user.id in e.used for user in e.users.get(given.id, []))


# ---------------------------------------------------------------------------------------------- the softmax alone
def over_batch(e: Evidence) -> Found:
    """A softmax over the examples, of which one number is picked or compared per example."""
    counts = {array.shape[0] for array in e.data.values()}
    for step in e.calls:
        if step.function not in ("softmax", "log_softmax") or step.id not in e.used or step.id not in e.learning:
            continue
        shape = () if step.value is None else step.value.shape
        after = list(e.users.get(step.id, []))
        after += [v for u in after for v in e.users.get(u.id, [])]
        fits = len(shape) == 2 and shape[0] != shape[1] and shape[0] in counts and _is_over_batch(e, step, shape[0])
        if fits and {u.function for u in after} & _PICKING:
            yield e.found(
                "softmax_over_batch",
                f"{at_line(step)} takes the softmax over the {shape[0]} examples: its columns sum to 1, not its rows.",
                "Use the class axis: softmax(..., dim=1), or dim=-1.",
                at=step,
            )


# ---------------------------------------------------------------------------------------------- causality
def future(e: Evidence) -> Found:
    """Change the second half of a sequence: what comes out for the first half must not change."""
    if not e.is_causal:
        return
    end = e.objectives[0].prediction if e.objectives else e.loss
    if end is None or end.value is None:
        return
    for name, array in e.data.items():
        given = _input(e, name)
        if given is None or given.id not in e.behind([end]) or not array.ndim:
            continue
        axis = 0 if array.ndim == 1 else 1
        half = array.shape[axis] // 2
        late = array.copy()
        place = (slice(None),) * axis + (slice(half, None),)
        late[place] = _others(array[place], array)
        pair = _two_runs(e, name, array, late)
        sizes = (array.shape[axis], array.shape[axis] - 1)
        if pair is None or _is_causal(*pair, sizes, half, end.id):
            continue
        at = _first_bad(e, pair[0], end, partial(_is_causal, *pair, sizes, half))
        at = None if at is None else _mask_before(e, at)
        if at is not None:
            yield e.found(
                "causal_leak",
                f"{at_line(at)} lets the output at a position depend on later inputs: with other numbers in `{name}` "
                f"from position {half} on, outputs before it change.",
                "Mask the scores above the diagonal with -inf before the softmax; pad convolutions on the left only.",
                at=at,
            )
            return


def _others(part: np.ndarray, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind in "iub":
        values = np.unique(array)
        return values[(np.searchsorted(values, part) + 1) % len(values)].astype(array.dtype)
    return (part * array.dtype.type(-0.7) + array.dtype.type(0.5 * (array.std() or 1.0))).astype(array.dtype)


def _is_causal(before: Recording, after: Recording, sizes: tuple[int, ...], half: int, step: int) -> bool:
    """Whether a value differs at late positions only, along one of its axes."""
    found = _difference(before, after, step)
    if found is None or not found.any():
        return True
    firsts = []
    for axis, size in enumerate(found.shape):
        n = next((n for n in sizes if n > 1 and size % n == 0), 0)
        if n and (size == n or axis == 0):
            places = np.flatnonzero(np.moveaxis(found, axis, 0).reshape(size, -1).any(axis=1))
            firsts.append(int((places % n).min()))
    pairs = [
        (a, b) for a in range(found.ndim) for b in range(found.ndim) if a != b and found.shape[a] == found.shape[b]
    ]
    for a, b in pairs:  # scores of attention: early queries may see that late keys are others
        early = np.moveaxis(found, (a, b), (0, 1))[:half]
        if found.shape[a] in sizes and not early[:, :half].any():
            return True
    return not firsts or max(firsts) >= half


def _mask_before(e: Evidence, step: Step) -> Step:
    """The masking that does not mask, where the scores of a softmax have one."""
    for given in e.operands(step)[:1] if step.function == "softmax" else []:
        if given.function in ("masked_fill", "where") or (given.function == "add" and len(e.operands(given)) == 2):
            return given
    return step


# ---------------------------------------------------------------------------------------------- inputs
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
            n for n in e.data if (s := _input(e, n)) is not None and s.id not in behind | targets and s.kind == "input"
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
