"""What a rerun shows: whether examples influence one another, whether each is compared with its own target, and whether
the outputs of a sequence depend on later inputs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice, permutations

import numpy as np

from ...recording.model import Recording, Step
from .comparisons import Objective
from .evidence import Evidence, Found
from .loss_terms import EMBEDDING
from .program_graph import RESHAPES
from .report import ProgramFinding, at_line, axes_of_probabilities, called, shape_of, whole
from .reruns import Fed, changed_rows, difference, fed, first_bad, is_clean, two_runs, uncut, with_other

_SEQUENCES = {
    *("lstm", "gru", "rnn_tanh", "rnn_relu"),
    *("attention", "multi_head_attention_forward", "scaled_dot_product_attention"),
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
_ADDING = ("add", "add_", "lerp", "lerp_")
_ORDERING = (RESHAPES | {"index_select", "take", "gather", "flip", "roll", "rev", "sort", "stack", "cat"}) - {"float"}


def examples(e: Evidence) -> Found:
    """Change one example: only its own prediction may change, and in its own row."""
    for step in [s for s in e.trained if dict(s.attributes).get("batch_first") == "False"]:
        shape = shape_of(e.operands(step)[0])
        if len(shape) == 3 and shape[0] != 1:
            e.facts.append(
                f"{at_line(step)} takes the first axis of shape {shape} for the {shape[0]} places of a sequence, and "
                f"the second for the {shape[1]} examples: with batch_first=True it is the other way round."
            )
    for o in e.objectives[:1]:
        if 0 < _rows(o.prediction) == _rows(o.target):
            found = (_of_input(e, o, given) for given in fed(e))
            yield from islice(filter(None, found), 1)
    for step in [s for s in e.calls if s.function in ("reshape", "view") and s.id in e.used - e.learning]:
        before, after = ([n for n in shape_of(s) if n > 1] for s in (*e.operands(step)[:1], step))
        if before != after and sorted(before) == sorted(after):
            told = f"{at_line(step)} turns shape {shape_of(e.operands(step)[0])} into {shape_of(step)} without moving "
            told += "the axes: the numbers keep their order, so each gets to a place that belongs to another one."
            yield e.suspect("mixed_examples", told, _REMEDIES["mixed_examples"], at=step)


def unprobed(e: Evidence) -> str:
    """Why no example could get other numbers; empty if one did."""
    o = e.objectives[0] if e.objectives else None
    if o is None or not 0 < _rows(o.prediction) == _rows(o.target):
        return "predictions and targets have no axis of examples in common"
    behind, targets = e.behind([o.prediction]), e.behind([o.target])
    if not any(given.step.id in behind - targets for given in fed(e)):
        return "no array of examples was found on the way to the predictions"
    return "" if e.plain_run is not None and e.has_same_steps(e.plain_run) else "a second run took other steps"


def _rows(step: Step) -> int:
    return shape_of(step)[0] if shape_of(step) else 0


def _of_input(e: Evidence, o: Objective, given: Fed) -> ProgramFinding | None:
    shape, count = given.array.shape, _rows(o.prediction)
    if given.step.id not in e.behind([o.prediction]) or given.step.id in e.behind([o.target]):
        return None
    axes = [axis for axis, n in enumerate(shape[:2]) if n > 1 and count % n == 0]
    if not given.is_given:
        axes = [axis for axis in axes if shape[axis] in map(_rows, uncut(e, o.target))]
    axes = [axis for axis in axes if shape[axis] == count] or axes
    first = _along(e, o, given, axes[0]) if axes else None
    if first is None or first.kind == "shuffled_labels" or all(_along(e, o, given, axis) for axis in axes[1:]):
        return first
    # if the sequence is on the first axis, the examples are on the second; the two rarely have the same length
    return replace(first, certainty="suspicious") if first.kind == "wrong_axis" else None


def _along(e: Evidence, o: Objective, given: Fed, axis: int) -> ProgramFinding | None:
    n, k = given.array.shape[axis], given.array.shape[axis] // 2
    pair = two_runs(e, given, with_other(given.array, axis, k))
    rows = None if pair is None else changed_rows(*pair, o.prediction.id)
    count = _rows(o.prediction) // n
    if pair is not None and rows == [] and axis == 0 and given.is_given:
        return _one_for_all(e, o, given)
    if pair is None or not rows or rows[-1] >= n * count:
        return None
    if len(rows) < _rows(o.prediction):
        moved = _rows_of_target(e, o, given, axis, n, k)
        if set(rows) <= set(moved) or _are_of_same(rows, moved, n, count):
            return None
        if given.is_given and moved and _rows(o.prediction) % n == 0 and max(len(moved), len(rows)) <= count:
            side = o.target if rows == list(range(k * count, (k + 1) * count)) else o.prediction
            return _shuffled(e, o, side, given.name, k, rows[0], moved[0])
    changed = {row // count for row in rows}
    if len(changed) == 1:
        return None
    culprit = first_bad(e, pair[0], o.prediction, lambda i: is_clean(*pair, i, n, k))
    others = len(changed - {k})
    name = f"`{given.name}`" if given.is_given or given.step.name else given.name
    shown = f"With other numbers in example {k} of {name}, the predictions of {others} other examples change too"
    return None if culprit is None else _mixed(e, o, culprit, given, shown)


def _one_for_all(e: Evidence, o: Objective, given: Fed) -> ProgramFinding | None:
    """The finding that all predictions are made of the first or the last example, as by h[-1] where examples come
    before the places of a sequence."""
    n = len(given.array)
    for k in (n - 1, 0) if n == _rows(o.prediction) and given.array.ndim > 2 else ():
        pair = two_runs(e, given, with_other(given.array, 0, k))
        rows = None if pair is None else changed_rows(*pair, o.prediction.id)
        if pair is None or rows != list(range(n)):
            continue
        before, after = pair
        taken = [s for i in sorted(e.behind([o.prediction])) if (s := e.steps[i]).function in ("getitem", "select")]
        for step in [s for s in taken if s.value is not None and e.operands(s)[0].value is not None]:
            whole_rows = changed_rows(before, after, e.operands(step)[0].id)
            if whole_rows == [k] and changed_rows(before, after, step.id) == list(range(n)):
                return e.found(
                    "mixed_examples",
                    f"{at_line(step)} takes what belongs to example {k} of `{given.name}`, and makes the predictions "
                    f"for all {n} of it: with other numbers there, all change, and with other numbers in the others, "
                    "none.",
                    "The examples are on the first axis: h[:, -1] takes the last place of each.",
                    at=step,
                )
    return None


def _are_of_same(rows: list[int], moved: list[int], n: int, count: int) -> bool:
    """Whether rows of predictions and of targets belong to the same of ``n`` examples, each with ``count`` rows. Within
    an example, targets may have other places, as words that are shifted by one."""
    places = [[{row // count for row in given}, {row % n for row in given}] for given in (rows, moved)]
    return any(len(a) == 1 and a == b for a, b in zip(*places, strict=True))


def _mixed(e: Evidence, o: Objective, step: Step, given: Fed, shown: str) -> ProgramFinding | None:
    array, remedy = given.array, None
    if step.function in ("softmax", "log_softmax") and is_over_batch(step, array.shape[0]):
        kind, what = "softmax_over_batch", "takes the softmax over the examples: columns sum to 1, not rows"
    elif step.function in RESHAPES - {"getitem"}:
        kind, what = "mixed_examples", "mixes examples: it changes the shape without moving the axes"
    elif step.function in _SEQUENCES and (array.ndim > 2 or _is_of_words(e, o, step, given)):
        kind, what = "mixed_examples", "takes the examples for the steps of a sequence"
    elif (vector := _spread(e, step, len(array))) is not None:
        kind, what = "wrong_axis", f"takes {called(vector)}, one number for each of {len(array)} examples, for a row"
        remedy = "Keep the axis that the reduction takes away: keepdims=True, or keepdim=True in PyTorch."
    elif step.function in _REDUCTIONS and step.value is not None and not _is_normalisation(e, o, step):
        kind, what = "wrong_axis", f"works along the axis of the examples (result of shape {step.value.shape})"
    else:
        return None
    remedy = remedy or (_SEQUENCE_FIRST if step.function in _SEQUENCES else _REMEDIES[kind])
    return e.found(kind, f"{at_line(step)} {what}. {shown}.", remedy, at=step)


def _spread(e: Evidence, step: Step, n: int) -> Step | None:
    """A vector with a number for each example that an elementwise step combines with the columns of a matrix."""
    given, shape = e.operands(step), shape_of(step)
    vectors = [o for o in given if shape_of(o) == (n,) and o.id in e.learning]
    is_mixed = len(shape) > 1 and shape[-1] == n and any(shape_of(o) == shape for o in given)
    return vectors[0] if step.function in ("add", "sub", "mul", "div") and is_mixed and vectors else None


def _is_of_words(e: Evidence, o: Objective, step: Step, given: Fed) -> bool:
    """Whether a layer gets sequences of words (examples, words), and not (words, examples) on purpose: then the
    predictions for the examples of the second axis are separate."""
    if given.array.ndim != 2 or len(shape_of(step)) < 3:
        return False
    n, k = given.array.shape[1], given.array.shape[1] // 2
    pair = two_runs(e, given, with_other(given.array, 1, k))
    found = None if pair is None else difference(*pair, o.prediction.id)
    return pair is not None and found is not None and not (found.any() and is_clean(*pair, o.prediction.id, n, k))


def _is_normalisation(e: Evidence, o: Objective, step: Step) -> bool:
    """Whether a mean or deviation is intended, as in batch norm: it is stored, or the features stay separate.

    No parameters come before it if inputs are standardised, and none after it if a loss standardises.
    """
    if _is_averaged(e, step):
        return True
    sources = {i.id for i in e.operands(step)}
    users, behind = e.users.get(step.id, []), e.behind([o.prediction])
    is_mean = step.function in ("mean", "std", "var", "var_mean", "std_mean")
    if not is_mean or not any(user.function in ("sub", "div") and sources & e.behind([user]) for user in users):
        return False
    after = e.after({step.id}) & behind
    is_used_by_layers = any(e.is_parameter(i) for s in after for i in e.operands(e.steps[s]))
    kept = [n for n in shape_of(step) if n > 1]
    reduced = len(shape_of(e.operands(step)[0])) - len(kept)
    return (
        step.id not in e.learning
        or not is_used_by_layers
        or step.id in e.left
        or any(user.id not in behind for user in users)
        or (reduced > 1 and bool(kept))
    )


def _is_averaged(e: Evidence, step: Step) -> bool:
    """Whether a value goes into a running average, an array of the same shape that a layer holds."""
    held = [a for a in e.bench.held_arrays(e.program.named) if a.shape == shape_of(step)]
    users = e.users.get(step.id, [])
    users = [*users, *[v for u in users if u.function in ("mul", "div") for v in e.users.get(u.id, [])]]
    added = [e.steps[i] for u in users if held and u.function in _ADDING for i in e.behind(e.operands(u))]
    return any(not s.operands and e.is_array(s, a) for s in added for a in held)


def is_over_batch(step: Step, n: int) -> bool:
    """Whether the numbers, or their exponentials, sum to 1 along an axis of length ``n`` only."""
    array = whole(step.value)
    if array is None or array.ndim < 2 or array.shape[-1] == n:
        return False
    axes = axes_of_probabilities(np.exp(array) if step.function == "log_softmax" else array)
    return bool(axes) and all(array.shape[axis] == n for axis in axes)


def _rows_of_target(e: Evidence, o: Objective, given: Fed, axis: int, n: int, k: int) -> list[int]:
    """The rows of the target that change when example ``k`` of its source changes. Beside an array that was taken from
    another one, the source is what was taken with it."""
    targets = e.behind([o.target])
    found = [other for other in fed(e) if other.step.id in targets] if given.is_given else []
    if not given.is_given:
        cut = [s for s in uncut(e, o.target) if n in shape_of(s)[:2] and s.value is not None and s.value.is_whole]
        found = [Fed("", s.value.values, s, partial(e.refed, s), False) for s in cut if s.value is not None]
    if not found or e.plain_run is None:
        return []
    source = found[0]
    axis = axis if axis < source.array.ndim and source.array.shape[axis] == n else 0
    if source.array.shape[axis] != n:
        return []
    other = with_other(source.array, axis, k)
    if source.step is o.target and not source.is_given:
        return [int(row) for row in np.flatnonzero((other != source.array).reshape(len(other), -1).any(axis=1))]
    run = source.rerun(other)
    return [] if run is None or o.target.id >= len(run.steps) else changed_rows(e.plain_run, run, o.target.id) or []


def _shuffled(e: Evidence, o: Objective, side: Step, name: str, k: int, row: int, moved: int) -> ProgramFinding:
    """The finding that example ``k`` has another row in the prediction than in the target; ``side`` was reordered."""
    steps = [s for s in e.calls if s.id in e.behind([side]) and s.function in _ORDERING]
    return e.found(
        "shuffled_labels",
        f"Example {k} of `{name}` becomes prediction {row}, and its target {e.called(o.target)} is compared as "
        f"number {moved}: inputs and targets are in different orders.",
        "Use the same order for both: perm = randperm(n); x, t = x[perm], t[perm].",
        at=steps[-1] if steps else o.step,
    )


# ---------------------------------------------------------------------- sequences
def future(e: Evidence) -> Found:
    """Change the second half of a sequence: the outputs for the first half must not change."""
    if not e.is_causal:
        return
    end = e.objectives[0].prediction if e.objectives else e.picks[0][1] if e.picks else e.loss
    if end is None or end.value is None:
        return
    # the axis of time, one longer or shorter where words are compared with the next ones; a state has no such axis
    targets = [shape_of(s) for o in e.objectives[:1] for s in uncut(e, o.target) if len(shape_of(s)) > 1]
    lengths = {n + k for _, n, *_ in targets for k in (-1, 0, 1)}
    for given in fed(e):
        array, axis = given.array, 0 if given.array.ndim == 1 else 1
        if given.step.id not in e.behind([end]) or not array.ndim or (lengths and array.shape[axis] not in lengths):
            continue
        half = array.shape[axis] // 2
        pair = two_runs(e, given, with_other(array, axis, slice(half, None)))
        sizes = (array.shape[axis], array.shape[axis] - 1)
        if pair is None or _is_causal(*pair, sizes, half, end.id):
            continue
        at = first_bad(e, pair[0], end, partial(_is_causal, *pair, sizes, half))
        at = None if at is None else _mask_before(e, at)
        if at is not None:
            yield e.found(
                "causal_leak",
                f"{at_line(at)} lets the output at a position depend on later inputs: with other numbers in "
                f"`{given.name}` from position {half} on, outputs before it change.",
                "Mask the scores above the diagonal with -inf before the softmax; pad convolutions on the left only.",
                at=at,
            )
            return


def _is_causal(before: Recording, after: Recording, sizes: tuple[int, ...], half: int, step: int) -> bool:
    """Whether a value differs only at late positions, along one of its axes."""
    found = difference(before, after, step)
    if found is None or not found.any():
        return True
    firsts = []
    for axis, size in enumerate(found.shape):
        places = np.flatnonzero(np.moveaxis(found, axis, 0).reshape(size, -1).any(axis=1))
        fitting = [n for n in sizes if n > 1 and size % n == 0 and (size == n or axis == 0)]
        firsts += [int((places % n).min()) for n in fitting]
    for a, b in permutations(range(found.ndim), 2):  # attention scores: early queries may depend on late keys
        early = np.moveaxis(found, (a, b), (0, 1))[:half]
        if found.shape[a] == found.shape[b] in sizes and not early[:, :half].any():
            return True
    return not firsts or max(firsts) >= half


def _mask_before(e: Evidence, step: Step) -> Step:
    """The step that should mask the scores of a softmax but does not, if there is one."""
    for given in e.operands(step)[:1] if step.function == "softmax" else []:
        if given.function in ("masked_fill", "where") or (given.function == "add" and len(e.operands(given)) == 2):
            return given
    return step


def unordered(e: Evidence) -> Found:
    """Words of which attention predicts something at each place, and which it takes for a set: in another order, they
    give the same predictions, in that order."""
    if not e.objectives or not any(attends(e, s) for s in e.trained):
        return
    flat, users = e.objectives[0].prediction, {user.id for user in e.calls if user.function in EMBEDDING}
    for given in fed(e):
        ids, is_read = given.array, any(user.id in users for user in e.uses(given.step))
        if not is_read or ids.ndim != 2 or ids.shape[1] < 4 or ids.dtype.kind not in "iu":
            continue
        # words of all sequences are often put into one axis, for the loss
        end = next((s for s in uncut(e, flat) if ids.shape[1] in shape_of(s)[1:]), flat)
        pair = two_runs(e, given, np.ascontiguousarray(ids[:, ::-1]))
        before, after = (None, None) if pair is None else (whole(run.steps[end.id].value) for run in pair)
        if before is None or after is None or before.shape != after.shape or np.ptp(before, axis=0).max() == 0:
            continue
        if np.allclose(after, before, rtol=1e-4, atol=1e-5 * np.abs(before).max()):
            e.facts.append(f"The predictions do not depend on the order of the words of `{given.name}`.")
        along = [k for k, n in enumerate(before.shape) if k and n == ids.shape[1]]
        if any(np.allclose(np.flip(after, k), before, rtol=1e-4, atol=1e-5 * np.abs(before).max()) for k in along):
            yield e.suspect(
                "no_positions",
                f"With the words of `{given.name}` in reverse order, the prediction at each place goes with its word "
                "and stays the same: nothing tells attention where a word stands, or what is next to it.",
                "Add an embedding of the positions to that of the words.",
                at=next(user for user in e.uses(given.step) if user.id in users),
            )
            return


def attends(e: Evidence, step: Step) -> bool:
    """Whether a step is attention, by one function or by a softmax whose result is multiplied."""
    users = {user.function for user in e.users.get(step.id, [])} if step.function == "softmax" else set()
    return (step.function in _SEQUENCES and "attention" in (step.function or "")) or bool(users & {"matmul", "bmm"})
