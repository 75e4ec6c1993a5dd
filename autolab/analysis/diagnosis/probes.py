"""What a second run shows: whether examples influence one another, and whether their targets are their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...recording.model import Step
from .comparisons import Objective
from .evidence import Evidence
from .program_graph import RESHAPES
from .report import Found, ProgramFinding
from .reruns import changed_rows, first_bad, input_named, is_clean, two_runs, with_other
from .words import at_line, whole

_SEQUENCES = {
    "lstm",
    "gru",
    "rnn_tanh",
    "rnn_relu",
    "multi_head_attention_forward",
    "scaled_dot_product_attention",
    "attention",
}
_SEQUENCE_FIRST = "Give it batch_first=True, or put the sequence on the first axis."
_REMEDIES = {
    "softmax_over_batch": "Use the axis of the classes, the last: dim=-1 in PyTorch, axis=-1 elsewhere.",
    "mixed_examples": "Move axes with transpose or permute; view and reshape only cut the same order of numbers "
    "differently.",
    "wrong_axis": "Name the axis of the features, usually the last: dim=-1 in PyTorch, axis=-1 elsewhere.",
}
_REDUCTIONS = {
    *("mean", "sum", "max", "amax", "min", "amin", "norm", "vector_norm", "linalg_norm", "normalize", "std", "var"),
    *("var_mean", "std_mean", "layer_norm", "logsumexp", "prod", "cumsum", "cumprod", "median"),
}
_ORDERING = (RESHAPES | {"index_select", "take", "gather", "flip", "roll", "rev", "sort", "stack", "cat"}) - {"float"}


def examples(e: Evidence) -> Found:
    """Change one example: only its own prediction may change, and in its own row."""
    for o in e.objectives[:1]:
        shapes = [s.value.shape for s in (o.prediction, o.target) if s.value is not None]
        if len(shapes) < 2 or not all(s and s[0] for s in shapes) or shapes[0][0] != shapes[1][0]:
            continue
        for name, array in e.data.items():
            found = _of_input(e, o, name, array)
            if found is not None:
                yield found
                return


def _of_input(e: Evidence, o: Objective, name: str, array: np.ndarray) -> ProgramFinding | None:
    given = input_named(e, name)
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
    if first is None or first.kind == "shuffled_labels" or all(_along(e, o, name, array, axis) for axis in axes[1:]):
        return first
    # where a sequence is on the first axis, the second has the examples; it is rarely as long as the batch is large
    return replace(first, certainty="suspicious") if first.kind == "wrong_axis" else None


def _along(e: Evidence, o: Objective, name: str, array: np.ndarray, axis: int) -> ProgramFinding | None:
    n, k = array.shape[axis], array.shape[axis] // 2
    pair = two_runs(e, name, array, with_other(array, axis, k))
    rows = None if pair is None else changed_rows(*pair, o.prediction.id)
    if pair is None or not rows or rows[-1] >= n * (count := _size(o.prediction) // n):
        return None
    changed = {i // count for i in rows}
    if len(rows) < _size(o.prediction):
        found, is_same = _misplaced(e, o, name, axis, n, k, rows)
        if found is not None or is_same:
            return found
    if len(changed) == 1:
        return None
    culprit = first_bad(e, pair[0], o.prediction, lambda i: is_clean(*pair, i, n, k))
    return None if culprit is None else _mixed(e, o, culprit, name, array, k, sorted(changed))


def _size(step: Step) -> int:
    return step.value.shape[0] if step.value is not None and step.value.shape else 0


def _mixed(
    e: Evidence, o: Objective, step: Step, name: str, array: np.ndarray, k: int, changed: list[int]
) -> ProgramFinding | None:
    count = len({*changed} - {k})
    shown = f"With other numbers in example {k} of `{name}`, the predictions of {count} other examples change too"
    if step.function in ("softmax", "log_softmax") and is_over_batch(step, array.shape[0]):
        kind, what = "softmax_over_batch", "takes the softmax over the examples: columns sum to 1, not rows"
    elif step.function in RESHAPES - {"getitem"}:
        kind, what = "mixed_examples", "mixes examples: it changes the shape without moving the axes"
    elif step.function in _SEQUENCES and array.ndim > 2:
        kind, what = "mixed_examples", "takes the examples for the steps of a sequence"
    elif step.function in _REDUCTIONS and step.value is not None and not _is_normalisation(e, o, step):
        kind, what = "wrong_axis", f"works along the axis of the examples (result of shape {step.value.shape})"
    else:
        return None
    remedy = _SEQUENCE_FIRST if step.function in _SEQUENCES else _REMEDIES[kind]
    return e.found(kind, f"{at_line(step)} {what}. {shown}.", remedy, at=step)


def _is_normalisation(e: Evidence, o: Objective, step: Step) -> bool:
    """Whether a mean or deviation is taken on purpose, as batch norm does: it is kept, or the features stay apart.

    Nothing is learned behind it where inputs are standardised, and nothing after it where a loss does so.
    """
    sources = {i.id for i in e.operands(step)}
    users, behind = e.users.get(step.id, []), e.behind([o.prediction])
    is_mean = step.function in ("mean", "std", "var", "var_mean", "std_mean")
    if not is_mean or not any(user.function in ("sub", "div") and sources & e.behind([user]) for user in users):
        return False
    after = {s.id for s in e.steps.values() if step.id in e.behind([s])} & behind
    is_used_by_layers = any(e.is_parameter(i) for s in after for i in e.operands(e.steps[s]))
    value = e.operands(step)[0].value
    reduced = 0 if value is None else len(value.shape) - len(_open(step))
    return (
        step.id not in e.learning
        or not is_used_by_layers
        or step.id in e.left
        or any(user.id not in behind for user in users)
        or (reduced > 1 and bool(_open(step)))
    )


def _open(step: Step) -> list[int]:
    """The sizes above 1 of a result."""
    return [n for n in (() if step.value is None else step.value.shape) if n > 1]


def is_over_batch(step: Step, n: int) -> bool:
    """Whether the numbers sum to 1 along an axis of ``n`` alone, or their exp does."""
    array = whole(step.value)
    if array is None or array.ndim < 2 or array.shape[-1] == n:
        return False
    array = np.exp(array) if step.function == "log_softmax" else array
    sums = [a for a in range(array.ndim) if array.shape[a] > 1 and np.allclose(array.sum(axis=a), 1, atol=1e-3)]
    return bool(sums) and all(array.shape[a] == n for a in sums)


def _misplaced(
    e: Evidence, o: Objective, name: str, axis: int, n: int, k: int, rows: list[int]
) -> tuple[ProgramFinding | None, bool]:
    """Whether the rows of an example's prediction are not those of its target; and whether they are just those."""
    given = next((t for t in e.data if (s := input_named(e, t)) is not None and s.id in e.behind([o.target])), None)
    before = e.plain_run
    if given is None or before is None or o.target.value is None:
        return None, False
    array = e.data[given]
    axis = axis if axis < array.ndim and array.shape[axis] == n else 0
    if array.shape[axis] != n or o.target.id >= len(e.steps):
        return None, False
    other = e.rerun(given, with_other(array, axis, k))
    fits = other is not None and o.target.id < len(other.steps)
    moved = changed_rows(before, other, o.target.id) if fits and other is not None else None
    per, is_even = _size(o.prediction) // n, _size(o.prediction) % n == 0
    if not moved or not is_even or max(len(moved), len(rows)) > per or set(rows) <= set(moved):
        return None, bool(moved) and set(rows) <= set(moved or ())
    side = o.target if rows == list(range(k * per, (k + 1) * per)) else o.prediction
    steps = [s for s in e.calls if s.id in e.behind([side]) and s.function in _ORDERING]
    return e.found(
        "shuffled_labels",
        f"Example {k} of `{name}` becomes prediction {rows[0]}, and its target {e.called(o.target)} is compared as "
        f"number {moved[0]}: inputs and targets are in different orders.",
        "Use the same order for both: perm = randperm(n); x, t = x[perm], t[perm].",
        at=steps[-1] if steps else o.step,
    ), False
