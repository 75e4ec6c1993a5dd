"""Which steps of two runs correspond: those with the same function and shape, in order; if the functions have different
names, as in another library, those with the same numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from ..recording.model import LEAVES, Recording, Step

_SAME = {
    **dict.fromkeys(("view", "flatten", "contiguous", "unsqueeze", "squeeze"), "reshape"),
    "masked_fill": "where",
    "permute": "transpose",
    "square": "pow",
    "chunk": "split",
    "softmax_cross_entropy": "cross_entropy",
}
"""Functions that go by several names, and the name that is compared."""
MOST_CELLS = 300_000
"""The most pairs of steps to compare by numbers; with more, runs are aligned by function and shape alone."""
_NEAR = 1e-3

Key = tuple[str, tuple[int, ...]]
Pairs = list[tuple[int, int]]
Runs = Sequence[Sequence[Step] | Mapping[int, Step]]


def aligned(a: Recording, b: Recording) -> Pairs:
    """The ids of corresponding steps, in the order of the runs; inputs are paired by name or position."""
    runs = [[step for step in run.steps if step.kind not in LEAVES and step.value is not None] for run in (a, b)]
    keys = [[_key(step) for step in run] for run in runs]
    start = 0
    while start < min(map(len, keys)) and keys[0][start] == keys[1][start]:
        start += 1
    end = 0
    while end < min(map(len, keys)) - start and keys[0][-1 - end] == keys[1][-1 - end]:
        end += 1
    middle = [run[start : len(run) - end] for run in runs]
    is_small = len(middle[0]) * len(middle[1]) <= MOST_CELLS
    found = (_by_numbers if is_small else _by_keys)(*middle)
    pairs = [
        *zip(runs[0][:start], runs[1][:start], strict=True),
        *[(middle[0][i], middle[1][j]) for i, j in found],
        *zip(runs[0][len(runs[0]) - end :], runs[1][len(runs[1]) - end :], strict=True),
    ]
    found = [pair for x, y in pairs for pair in (*pairs_given((a.steps, b.steps), x, y, LEAVES[1:]), (x.id, y.id))]
    return list(dict.fromkeys([*_inputs(a, b), *found]))


def _inputs(a: Recording, b: Recording) -> Pairs:
    names = [{a_run.steps[i].name: i for i in a_run.inputs} for a_run in (a, b)]
    if set(names[0]) == set(names[1]):
        return [(i, names[1][name]) for name, i in names[0].items()]
    return list(zip(a.inputs, b.inputs, strict=False)) if len(a.inputs) == len(b.inputs) else []


def pairs_given(runs: Runs, x: Step, y: Step, kinds: Sequence[str]) -> Pairs:
    """The operands of ``kinds`` that two corresponding steps are given, paired, if there are equally many."""
    given = [
        [i for operand in step.operands if (i := operand.step) is not None and run[i].kind in kinds]
        for run, step in zip(runs, (x, y), strict=True)
    ]
    return list(zip(*given, strict=True)) if len(given[0]) == len(given[1]) else []


def _key(step: Step) -> Key:
    name = (step.function or "").removesuffix("_")
    return _SAME.get(name, name), step.value.shape if step.value is not None else ()


def _by_keys(a: list[Step], b: list[Step]) -> Pairs:
    """The alignment of long runs: by function and shape."""
    blocks = SequenceMatcher(None, [_key(step) for step in a], [_key(step) for step in b]).get_matching_blocks()
    return [(i + k, j + k) for i, j, size in blocks for k in range(size)]


def _by_numbers(a: list[Step], b: list[Step]) -> Pairs:
    """The alignment with the highest score, for equal shapes: the same function counts 3, the same numbers 2."""
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    marks, others = [_mark(step) for step in a], [_mark(step) for step in b]
    keys, other_keys = [_key(step) for step in a], [_key(step) for step in b]
    score = [[_score(keys[i], other_keys[j], marks[i], others[j]) for j in range(len(b))] for i in range(len(a))]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            met = score[i][j] + best[i + 1][j + 1] if score[i][j] else 0
            best[i][j] = max(met, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if score[i][j] and best[i][j] == score[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _score(key: Key, other: Key, mark: tuple[float, ...], other_mark: tuple[float, ...]) -> int:
    if key[1] != other[1]:
        return 0
    near = {"rel_tol": _NEAR, "abs_tol": _NEAR * mark[-1]}
    is_same = all([math.isclose(x, y, **near) for x, y in zip(mark, other_mark, strict=True)])
    return (3 if key[0] == other[0] else 0) + 2 * is_same


def _mark(step: Step) -> tuple[float, ...]:
    """A few numbers by which equal arrays are recognised."""
    kept = step.value
    assert kept is not None
    first = float(kept.values.ravel()[0]) if kept.values.size and kept.is_whole else 0.0
    return kept.minimum or 0.0, kept.maximum or 0.0, first if math.isfinite(first) else 0.0, kept.norm
