"""The local derivatives of a reduction at many points: of a sum, a norm, a loss, over all elements or along axes.

Each element is moved alone, for the others count too. What formulas may use besides the inputs and the result are the
statistics of a row, and how many elements it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..judging.case import Case, wrong_somewhere
from .elementwise_formulas import LEAST, Samples, are_good, extrapolated, letters, symbols

_SPREADS = (0.0, 0.4, 0.4, 0.1, 0.1, 0.02, 0.02)
"""The points are so far from the given one, relative to each element: a loss may be undefined not far away."""

_ENOUGH = 24
_ELEMENTS = 8
"""So many samples are enough if they are of three points; at each at most so many elements are moved."""

_LARGEST = 2**16

_STEP = 2.0**-7
_APART = 1e-9
"""An element that moves another result than its own by this fraction of its share is in no plain reduction."""


_STATISTICS: dict[str, Callable[[np.ndarray, tuple[int, ...]], np.ndarray]] = {
    "mean({x}{along})": lambda x, axes: x.mean(axis=axes, keepdims=True),
    "sqrt(sum({x} * {x}{along}))": lambda x, axes: np.sqrt((x * x).sum(axis=axes, keepdims=True)),
    "std({x}{along})": lambda x, axes: x.std(axis=axes, keepdims=True),
    "sum(exp({x}){along})": lambda x, axes: np.exp(x).sum(axis=axes, keepdims=True),
    "max({x}{along})": lambda x, axes: x.max(axis=axes, keepdims=True),
}


@dataclass(frozen=True, eq=False)
class ReductionSamples(Samples):
    """Samples of a reduction, with the statistics of each one's row and the number of elements in it."""

    statistics: dict[str, np.ndarray]
    counts: dict[str, float]


def sampled_reduction(case: Case, i: int, wrong_alone: bool) -> ReductionSamples | None:
    """The samples of input ``i``, or only those at which backward is wrong; None where the function is no reduction of
    it, or cannot be measured.
    """
    try:
        found = [_samples(case, i, axes, wrong_alone) for axes in _reduced_axes(case, i)]
    except Exception:  # away from the given point the function may be undefined
        return None
    return next((samples for samples in found if samples is not None), None)


def _reduced_axes(case: Case, i: int) -> Iterator[tuple[int, ...]]:
    """The axes of input ``i`` without which, or with length 1, its shape is that of the result."""
    outputs, shape = case.exam.upstreams[0], case.shapes[i]
    if len(outputs) != 1:
        return
    for count in range(len(shape), 0, -1):
        for axes in combinations(range(len(shape)), count):
            gone = tuple([n for k, n in enumerate(shape) if k not in axes])
            if outputs[0].shape in (gone, _kept(shape, axes)) and outputs[0].shape != shape:
                yield axes


def _kept(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([1 if k in axes else n for k, n in enumerate(shape)])


def _samples(case: Case, i: int, axes: tuple[int, ...], wrong_alone: bool) -> ReductionSamples | None:
    shape = case.shapes[i]
    is_large = case.subject.arrays[i].size > _LARGEST
    if is_large or any(np.broadcast_shapes(other, shape) != shape for other in case.shapes):
        return None
    wanted = wrong_somewhere(case, i) if wrong_alone else True
    rng = np.random.default_rng(0)
    points: list[tuple[list[np.ndarray], np.ndarray]] = []
    columns: list[list[np.ndarray]] = []
    for spread in _SPREADS:
        arrays = [a * rng.uniform(1 - spread, 1 + spread, a.shape) for a in case.subject.arrays]
        movable = np.flatnonzero((arrays[i].ravel() != 0) & wanted)
        elements = np.sort(rng.permutation(movable)[:_ELEMENTS])
        found = _local(case, i, axes, arrays, elements, rng)
        if found is None:
            return None
        good = are_good(found[0], found[1], wrong_alone)
        if good.any():
            mask = np.zeros(arrays[i].size, bool)
            mask[elements[good]] = True
            points.append((arrays, mask))
            columns.append([v[good] for v in found])
        if len(points) > 2 and sum([c[0].size for c in columns]) >= _ENOUGH:
            break
    written, measured, *values = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
    if written.size < LEAST:
        return None
    names = [*letters(case), symbols(case)[1]]
    statistics = dict(zip(_STATISTICS, values[len(names) :], strict=True))
    shares = {text: v / values[len(names) - 1] for text, v in statistics.items()}  # the result has a name
    words = {"x": letters(case)[i], "along": _along(shape, axes)}
    other = {text.format(**words): statistics[text] for text, v in shares.items() if np.ptp(v) > _APART * abs(v[0])}
    return ReductionSamples(
        dict(zip(names, values, strict=False)), written, measured, points, other, _counts(case, i, axes)
    )


def _local(
    case: Case, i: int, axes: tuple[int, ...], arrays: list[np.ndarray], elements: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray] | None:
    """At some elements of an input: the local derivative of backward, the measured one, the inputs, the result, the
    statistics. None where an element has a share in the result of another row.
    """
    run, shape = case.subject.run(arrays), case.shapes[i]
    (y,) = run.values()
    g = rng.uniform(0.5, 1.5, y.shape).astype(y.dtype)
    given = case.subject.gradients(run, (g,))[i]
    rows = _kept(shape, axes)

    def spread(a: np.ndarray) -> np.ndarray:
        return np.broadcast_to(a, shape).ravel()[elements]

    own = spread(np.arange(y.size).reshape(rows))
    written = np.zeros(elements.size) if given is None else given.ravel()[elements] / spread(g.reshape(rows))
    slopes = np.stack([_slopes(case, i, arrays, int(k)) for k in elements])
    measured = slopes[np.arange(elements.size), own]
    others = np.abs(np.where(np.arange(y.size) == own[:, None], 0.0, slopes))
    if (others > _APART * np.max(np.abs(measured))).any():
        return None
    with np.errstate(all="ignore"):
        statistics = [compute(arrays[i], axes) for compute in _STATISTICS.values()]
    return [written, measured, *[spread(a).astype(float) for a in (*arrays, y.reshape(rows), *statistics)]]


def _slopes(case: Case, i: int, arrays: list[np.ndarray], element: int) -> np.ndarray:
    """How fast every result changes with one element."""
    step = _STEP * abs(float(arrays[i].flat[element]))

    def difference(size: float) -> np.ndarray:
        ends = []
        for sign in (size, -size):
            moved = [a.copy() if k == i else a for k, a in enumerate(arrays)]
            moved[i].flat[element] += sign * step
            ends.append(case.subject.run(moved).values()[0].ravel())
        return (ends[0] - ends[1]) / (2 * size * step)

    return extrapolated(difference)


def _along(shape: tuple[int, ...], axes: tuple[int, ...]) -> str:
    """How a formula says that a sum is over these axes; nothing where it is over all."""
    return "" if len(axes) == len(shape) else f", axis={axes[0] if len(axes) == 1 else axes}"


def _counts(case: Case, i: int, axes: tuple[int, ...]) -> dict[str, float]:
    name, shape = letters(case)[i], case.shapes[i]
    count = float(np.prod([shape[k] for k in axes]))
    text = f"{name}.size" if len(axes) == len(shape) else " * ".join([f"{name}.shape[{k}]" for k in axes])
    return {text: count, **({f"({text} - 1)": count - 1} if count > 1 else {})}
