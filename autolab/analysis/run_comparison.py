"""compare(): align two runs, and find the first steps at which their values and their gradients differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any, Literal

import numpy as np

from ..engine import Savable, a_kind, show
from ..recording.gradient_flow import LayerNames
from ..recording.model import LEAVES, Recording, Snapshot, Step

# Which steps of two runs correspond: those with the same function and shape, in order; if the functions have
# different names, as in another library, those with the same numbers.

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


ROUNDINGS = 4096
"""Numbers agree if they differ by fewer units in the last place of the largest number in their array."""
FLOOR = 1e-2
"""A gradient smaller than this fraction of the median one counts as a zero gradient with rounding errors."""

Relation = Literal["", "transposed", "scaled"]

_Apart = tuple[float, float, bool]


@dataclass(frozen=True)
class StepDifference:
    """A step at which two runs differ.

    ``a`` and ``b`` are its ids in the two runs, ``size`` is the largest difference between elements and ``scale`` the
    largest magnitude in ``a``. ``relation`` says whether one array is the other ``transposed``, or ``scaled`` by
    ``factor``. For a value, ``because`` lists the differences in what the step is given: an input, a weight or a
    constant. ``missing_a`` and ``missing_b`` are the ids of the steps just before it that the other run does not have.
    """

    a: int
    b: int
    layer: str
    size: float
    scale: float
    relation: Relation = ""
    factor: float = 1.0
    because: tuple[StepDifference, ...] = ()
    missing_a: tuple[int, ...] = ()
    missing_b: tuple[int, ...] = ()


@dataclass(frozen=True, repr=False)
class RunComparison(Savable):
    """A comparison of two runs, created by `compare`. It displays itself as a plot, and as sentences when printed.

    ``pairs`` are the ids of aligned steps, ``only_a`` and ``only_b`` those of steps without a counterpart. ``value`` is
    the first step whose values differ by more than rounding, ``gradient`` the first step on the backward pass whose
    gradients do; None if all agree. ``values`` and ``gradients`` hold the difference of each pair, relative to the
    largest number there; NaN where there is nothing to compare.
    """

    a: Recording = field(compare=False)
    b: Recording = field(compare=False)
    pairs: tuple[tuple[int, int], ...]
    only_a: tuple[int, ...]
    only_b: tuple[int, ...]
    value: StepDifference | None
    gradient: StepDifference | None
    values: tuple[float, ...]
    gradients: tuple[float, ...]

    @property
    def agree(self) -> bool:
        """Whether all values and gradients are equal up to rounding."""
        return self.value is None and self.gradient is None

    @property
    def recording(self) -> Recording:
        """The second run, the one that `explore` opens."""
        return self.b

    @property
    def function(self) -> str:
        """The names of both functions."""
        return f"{self.a.function}, {self.b.function}"

    def explore(self) -> Any:
        """Open the live graph of the second run at the first step whose value or, failing that, gradient differs."""
        found = self.value or self.gradient
        return show(self, "live", None if found is None else found.b)

    def __repr__(self) -> str:
        return str(show(self, "text"))


def compare(a: Recording, b: Recording, tolerance: float | None = None) -> RunComparison:
    """Compare two runs step by step, and find where their values and their gradients begin to differ.

    The runs may be of the same function, with other numbers or before and after a change, or of two functions that
    should do the same: yours and a reference, or one in AutoLab and one in PyTorch. Steps are aligned by function,
    shape and order; weights that one run stores transposed do not count as a difference if the results agree.

    Parameters
    ----------
    a, b : Recording
        The reference and the run to examine, with the same inputs and the same upstream gradients.
    tolerance : float, optional
        How much two numbers may differ, relative to the largest in their array; by default, as much as rounding
        explains in the less precise of the two dtypes.

    Returns
    -------
    RunComparison

    Raises
    ------
    TypeError
        If ``a`` or ``b`` is not a recording.
    ValueError
        If ``tolerance`` is not a positive number.

    Examples
    --------
    >>> import autolab
    >>> def right(x, w):
    ...     h = x @ w
    ...     return (h / 2.0).sum()
    >>> def wrong(x, w):
    ...     h = x @ w.T
    ...     return (h / 2.0).sum()
    >>> x, w = [[1.0, 2.0]], [[3.0, 1.0], [0.0, 2.0]]
    >>> found = autolab.compare(autolab.record(right, x, w), autolab.record(wrong, x, w))
    >>> found.b.steps[found.value.b].name, found.value.size, [found.b.steps[i].source for i in found.only_b]
    ('h', 2.0, ['w.T'])
    """
    for name, given in (("a", a), ("b", b)):
        if not isinstance(given, Recording):
            raise TypeError(f"compare: {name} is {a_kind(given)}; expected a Recording, as record(fn, ...) returns")
    if tolerance is not None and not tolerance > 0:
        raise ValueError(f"compare: tolerance is {tolerance!r:.60}; expected a positive number")
    return _Comparing(a, b, tolerance).result()


class _Comparing:
    """Compares the aligned steps of two runs."""

    def __init__(self, a: Recording, b: Recording, tolerance: float | None) -> None:
        self._a, self._b, self._tolerance = a, b, tolerance
        self._steps = a.by_id, b.by_id
        self._names = LayerNames(b)
        self._pairs = aligned(a, b)
        norms = [np.abs(step.grad.values).max() for step in a.steps if step.grad is not None and step.grad.size]
        self._floor = FLOOR * float(np.median(norms)) if norms else 0.0

    def result(self) -> RunComparison:
        a, b = self._steps
        pairs = [(a[i], b[j]) for i, j in self._pairs]
        met = [{i for i, _ in self._pairs}, {j for _, j in self._pairs}]
        only = [
            tuple([step.id for step in run.steps if step.kind in ("call", "part") and step.id not in seen])
            for run, seen in zip((self._a, self._b), met, strict=True)
        ]
        values = [self._apart(x.value, y.value) for x, y in pairs]
        gradients = [self._apart(x.grad, y.grad, self._floor, x.kind in LEAVES) for x, y in pairs]
        first = next((k for k, (x, _) in enumerate(pairs) if x.kind not in LEAVES and values[k][2]), None)
        last = next((k for k in range(len(pairs))[::-1] if gradients[k][2]), None)
        return RunComparison(
            a=self._a,
            b=self._b,
            pairs=tuple(self._pairs),
            only_a=only[0],
            only_b=only[1],
            value=None if first is None else self._of_value(first, pairs, values[first], only),
            gradient=None if last is None else self._told(*pairs[last], *gradients[last][:2], grad=True),
            values=_relative(values),
            gradients=_relative(gradients),
        )

    def _of_value(
        self, k: int, pairs: Sequence[tuple[Step, Step]], apart: _Apart, only: Sequence[Sequence[int]]
    ) -> StepDifference:
        """The first difference between values; that of an input or a weight counts where it is used."""
        x, y = pairs[k]
        because = tuple(self._given(x, y))
        calls = [pair for pair in pairs[:k] if pair[0].kind not in LEAVES]
        before = [max([pair[run].id for pair in calls], default=-1) for run in (0, 1)]
        missing = [
            tuple([i for i in ids if low < i < step.id]) for ids, low, step in zip(only, before, (x, y), strict=True)
        ]
        return self._told(x, y, *apart[:2], because=because, missing_a=missing[0], missing_b=missing[1])

    def _given(self, x: Step, y: Step) -> Iterator[StepDifference]:
        """The differences in what was given to a step, not computed."""
        for i, j in pairs_given(self._steps, x, y, LEAVES):
            one, other = self._steps[0][i], self._steps[1][j]
            size, scale, differs = self._apart(one.value, other.value)
            if differs:
                yield self._told(one, other, size, scale)

    def _told(self, x: Step, y: Step, size: float, scale: float, grad: bool = False, **more: Any) -> StepDifference:
        arrays = (x.grad, y.grad) if grad else (x.value, y.value)
        relation, factor = _relation(*arrays)
        return StepDifference(x.id, y.id, self._names.of(y), size, scale, relation, factor, **more)

    def _apart(self, x: Snapshot | None, y: Snapshot | None, floor: float = 0.0, either_way: bool = False) -> _Apart:
        """The largest difference, the largest number, and whether that is more than rounding. With ``either_way``, for
        a weight that one run may store transposed, the smaller of both differences."""
        if either_way and x is not None and y is not None and len(x.shape) == 2:
            turned = replace(y, shape=y.shape[::-1], values=y.values.T, block=y.block[::-1])
            return min(self._apart(x, y, floor), self._apart(x, turned, floor), key=lambda found: found[0])
        if x is None or y is None:
            return (np.nan, np.nan, False) if (x is None) == (y is None) else (np.inf, 1.0, True)
        found = _numbers(x, y)
        if found is None:  # other shapes
            return np.inf, 1.0, True
        one, other = found
        scale = float(np.abs(one[np.isfinite(one)]).max(initial=0.0))
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        with np.errstate(invalid="ignore"):
            size = float(np.where(same, 0.0, np.abs(one - other)).max(initial=0.0))
        size = np.inf if np.isnan(size) else size
        allowed = self._tolerance or ROUNDINGS * max(x.precision, y.precision)
        return size, scale, size > allowed * max(scale, floor)


def _relative(column: Sequence[_Apart]) -> tuple[float, ...]:
    return tuple([size / scale if scale else size for size, scale, _ in column])


def _numbers(x: Snapshot, y: Snapshot) -> tuple[np.ndarray, np.ndarray] | None:
    """The comparable numbers of two arrays: all, or only magnitudes for reduced copies; None if their shapes differ."""
    if x.shape != y.shape:
        return None
    one, other = x.values.astype(float), y.values.astype(float)
    if x.is_whole and y.is_whole:
        return one, other
    if one.shape == other.shape:
        return np.abs(one), np.abs(other)
    ends = [[kept.minimum or 0.0, kept.maximum or 0.0, kept.norm] for kept in (x, y)]
    return np.array(ends[0]), np.array(ends[1])


def _relation(x: Snapshot | None, y: Snapshot | None) -> tuple[Relation, float]:
    """How one array follows from the other, in simple cases."""
    if x is None or y is None or not (x.is_whole and y.is_whole):
        return "", 1.0
    one, other = x.values.astype(float), y.values.astype(float)
    small = 1e-5 * float(np.abs(one[np.isfinite(one)]).max(initial=0.0))
    is_turned = one.ndim == 2 and one.shape == other.shape[::-1] and one.size > 1
    if is_turned and np.allclose(one.T, other, rtol=1e-3, atol=small):
        return "transposed", 1.0
    if one.shape != other.shape or one.size < 2:
        return "", 1.0
    known = np.isfinite(one)
    if (known != np.isfinite(other)).any():
        return "", 1.0
    top = float((one[known] ** 2).sum())
    factor = float((one[known] * other[known]).sum()) / top if top else 0.0
    is_scaled = factor and np.allclose(factor * one[known], other[known], rtol=1e-3, atol=abs(factor) * small)
    return ("scaled", factor) if is_scaled else ("", 1.0)
