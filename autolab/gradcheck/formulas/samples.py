"""The local derivatives of a function at many points: of an elementwise one, or of a reduction along axes.

All elements of an elementwise function are moved at once. Those of a reduction (a sum, a norm, a loss) are moved alone,
for the others count too; what formulas may use there besides the inputs and the result are the statistics of a row, and
how many elements it has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from ..judging.case import Case, CheckedInput
from ..measuring.numeric_slopes import KINK
from ..measuring.point import Direction, MovableArrays, Shape, attempted, largest

_SPREADS = (0.0, 0.4, 0.4, 0.1, 0.1, 0.02, 0.02)
"""How far the points are from the given one, relative to each element: farther away a loss may be undefined."""

_ROUNDS = 12
_MORE_ROUNDS = 48
_WIDE = 0.4
"""How many points of an elementwise function are tried, more if only wrong elements count, and how far away."""

_ENOUGH = 24
LEAST = 8
"""How many samples of two points, or of three for a reduction, suffice; fewer than the second are useless."""

_ELEMENTS = 8
_MOST = 512
"""The most elements of a reduction that are moved at each point, and the most samples that are taken."""

_LARGEST = 2**16
_STEP = 2.0**-7
_SETTLED = 1e-3
_SAME = 1e-5
_APART = 1e-9
"""If an element moves another row's result by this fraction of its own share, the function is not a plain reduction."""

_LETTERS = "xzwuv"
UPSTREAM, RESULT = ("g", "upstream", "upstream_"), ("y", "out", "out_")

_STATISTICS: dict[str, Callable[[np.ndarray, Shape], np.ndarray]] = {
    "mean({x}{along})": lambda x, axes: x.mean(axis=axes, keepdims=True),
    "sqrt(sum({x} * {x}{along}))": lambda x, axes: np.sqrt((x * x).sum(axis=axes, keepdims=True)),
    "std({x}{along})": lambda x, axes: x.std(axis=axes, keepdims=True),
    "sum(exp({x}){along})": lambda x, axes: np.exp(x).sum(axis=axes, keepdims=True),
    "max({x}{along})": lambda x, axes: x.max(axis=axes, keepdims=True),
}

Named = dict[str, np.ndarray]
"""What formulas are made of: texts, each with its values."""

Points = list[tuple[list[np.ndarray], np.ndarray]]
"""Inputs of the function, each time with which elements of the one that moves count."""


@dataclass(frozen=True, eq=False)
class Samples:
    """At many points: the named values, the result last; the local derivative of backward, the measured one.

    ``name`` is that of the input, and ``upstream`` what formulas call the upstream gradient. ``points`` are the inputs
    that they are from, each with which of its elements are good. A reduction has also the statistics of each one's row,
    and the number of elements in it.
    """

    name: str
    upstream: str
    names: Named
    written: np.ndarray
    measured: np.ndarray
    points: Points
    statistics: Named = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)

    @property
    def is_reduction(self) -> bool:
        return bool(self.counts)

    def where(self, mask: np.ndarray) -> Samples:
        """The marked samples of an elementwise function, from all points."""
        names = {name: v[mask] for name, v in self.names.items()}
        return replace(self, names=names, written=self.written[mask], measured=self.measured[mask], points=[])


def letters(case: Case) -> list[str]:
    """The names of the inputs; letters for those without a valid name."""
    names = case.subject.names
    if all([name.isidentifier() for name in names]):
        return list(names)
    return [_LETTERS[k] if k < len(_LETTERS) else f"x{k}" for k in range(len(names))]


def symbols(case: Case) -> tuple[str, str]:
    """The names of the upstream gradient and the result in formulas: ``g`` and ``y``, unless an input has that name."""
    return free(UPSTREAM, case.subject.names), free(RESULT, case.subject.names)


def free(names: Sequence[str], taken: Collection[str]) -> str:
    """The first of the names that is not taken."""
    return next(name for name in names if name not in taken)


def sampled(checked: CheckedInput, wrong_alone: bool = False, scale: float = 1.0) -> Samples | None:
    """The samples of an input, or only those at which backward is wrong, around ``scale`` times its values; None where
    the function is neither elementwise in it nor a reduction of it, or cannot be measured.
    """
    found = attempted(lambda: [_samples(checked, axes, wrong_alone, scale) for axes in _reduced_axes(checked)])
    return next((samples for samples in found or () if samples is not None), None)


def _reduced_axes(checked: CheckedInput) -> Iterator[Shape]:
    """The axes of the input without which, or with length 1, its shape is that of the result; none of them if it is the
    same shape."""
    outputs, shape = checked.case.upstreams, checked.shape
    is_stretched = any(np.broadcast_shapes(other.shape, shape) != shape for other in checked.case.inputs)
    if len(outputs) != 1 or is_stretched or not 0 < checked.value.size <= _LARGEST:
        return
    if outputs[0].shape == shape:
        yield ()
        return
    for count in range(len(shape), 0, -1):
        for axes in combinations(range(len(shape)), count):
            gone = tuple([n for k, n in enumerate(shape) if k not in axes])
            if outputs[0].shape in (gone, _kept(shape, axes)):
                yield axes


def _kept(shape: Shape, axes: Shape) -> Shape:
    return tuple([1 if k in axes else n for k, n in enumerate(shape)])


def _samples(checked: CheckedInput, axes: Shape, wrong_alone: bool, scale: float) -> Samples | None:
    case, i, rng = checked.case, checked.place, np.random.default_rng(0)
    wide = (0.0, *[_WIDE] * ((_MORE_ROUNDS if wrong_alone else _ROUNDS) - 1))
    wanted = checked.wrong if wrong_alone and axes else True
    points: Points = []
    columns: list[list[np.ndarray]] = []
    for spread in _SPREADS if axes else wide:
        arrays = [a * rng.uniform(1 - spread, 1 + spread, a.shape) for a in case.subject.arrays]
        arrays[i] = scale * arrays[i]
        elements = np.flatnonzero((arrays[i].ravel() != 0) & wanted)
        elements = np.sort(rng.permutation(elements)[:_ELEMENTS]) if axes else elements
        found = _local(checked, axes, arrays, elements, rng)
        is_given = not axes and spread == 0 and scale == 1.0
        if found is None or (is_given and not _is_elementwise(checked, elements, found[1])):
            return None
        good = _are_good(found[0], found[1], wrong_alone)
        good[rng.permutation(np.flatnonzero(good))[_MOST:]] = False
        if good.any():
            points.append((arrays, np.isin(np.arange(arrays[i].size), elements[good])))
            columns.append([v[good] for v in found])
        if len(points) > (2 if axes else 1) and sum([c[0].size for c in columns]) >= _ENOUGH:
            break
    written, measured, *values = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
    if written.size < LEAST:
        return None
    inputs, (upstream, result) = letters(case), symbols(case)
    names = dict(zip([*inputs, result], values, strict=False))
    samples = Samples(inputs[i], upstream, names, written, measured, points)
    return _with_rows(checked.shape, axes, samples, values[len(names) :]) if axes else samples


def _are_good(written: np.ndarray, measured: np.ndarray, wrong_alone: bool) -> np.ndarray:
    """Which samples are finite and, with ``wrong_alone``, wrong."""
    good = np.isfinite(written) & np.isfinite(measured)
    if not wrong_alone:
        return good
    sizes = np.maximum(np.abs(written), np.abs(measured))
    return good & (np.abs(written - measured) > _SAME * np.max(sizes, where=good, initial=0.0))


def _is_elementwise(checked: CheckedInput, elements: np.ndarray, measured: np.ndarray) -> bool:
    """Whether moving all elements at once gives the same slopes as moving each one alone."""
    e = checked.here.elements[elements]
    known = checked.here.sure[elements] & (e.kind != KINK) & np.isfinite(measured)
    slopes = checked.case.upstreams[0].ravel()[elements] * measured
    size = np.max(np.abs(e.numeric[known]), initial=0.0)
    return bool(known.any() and (np.abs(slopes - e.numeric)[known] <= _SAME * size).all())


def _local(
    checked: CheckedInput, axes: Shape, arrays: list[np.ndarray], elements: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray] | None:
    """At some elements of an input: the local derivative of backward, the measured one, the inputs, the result, the
    statistics of a reduction. None where an element has a share in the result of another row.
    """
    subject, i, shape = checked.case.subject, checked.place, checked.shape
    run = subject.run(arrays)
    (y,) = run.values()
    g = rng.uniform(0.5, 1.5, y.shape).astype(y.dtype)
    given = subject.gradients(run, (g,))[i]
    rows = _kept(shape, axes)

    def spread(a: np.ndarray) -> np.ndarray:
        return np.broadcast_to(a, shape).ravel()[elements]

    copies = [np.array(a, order="C") for a in arrays]
    place = MovableArrays(lambda: subject.run(copies).values()[0].ravel(), [a.reshape(-1) for a in copies])
    step = _STEP * np.abs(spread(arrays[i]))
    own = spread(np.arange(y.size).reshape(rows))
    written = np.zeros(elements.size) if given is None else given.ravel()[elements] / spread(g.reshape(rows))
    if axes:
        measured = _alone(place, [Direction(i, k, s) for k, s in zip(elements, step, strict=True)], own)
    else:
        measured = _slopes(place, Direction(i, elements, step), elements)
    if measured is None:
        return None
    statistics = [compute(arrays[i], axes) for compute in (_STATISTICS.values() if axes else ())]
    return [written, measured, *[spread(a).astype(float) for a in (*arrays, y.reshape(rows), *statistics)]]


def _alone(place: MovableArrays, directions: list[Direction], own: np.ndarray) -> np.ndarray | None:
    """How fast each element's own result changes with it; None if other results change as well."""
    slopes = np.stack([_slopes(place, direction) for direction in directions])
    measured = slopes[np.arange(len(directions)), own]
    others = np.abs(np.where(np.arange(slopes.shape[1]) == own[:, None], 0.0, slopes))
    return None if (others > _APART * np.max(np.abs(measured))).any() else measured


def _slopes(place: MovableArrays, direction: Direction, seen: Any = ...) -> np.ndarray:
    """How fast the results that are ``seen`` change with the elements that move.

    The errors of second and fourth order are removed, from central differences of three sizes; NaN where these do not
    approach anything: at a kink.
    """

    def difference(size: float) -> np.ndarray:
        above, below = place.pair(direction, size)
        return (above[seen] - below[seen]) / (2 * size * direction.step)

    one, two, four = difference(1.0), difference(0.5), difference(0.25)
    better, best = (4 * two - one) / 3, (4 * four - two) / 3
    size = largest(best)
    return np.where(np.abs(best - better) <= _SETTLED * size, (16 * best - better) / 15, np.nan)


def _with_rows(shape: Shape, axes: Shape, samples: Samples, values: list[np.ndarray]) -> Samples:
    """The samples with what is known of their rows: those of the statistics that are no multiples of the result, as
    that has a name, and how many elements there are."""
    name, is_all = samples.name, len(axes) == len(shape)
    along = "" if is_all else f", axis={axes[0] if len(axes) == 1 else axes}"
    *_, result = samples.names.values()
    statistics = {}
    for text, v in zip(_STATISTICS, values, strict=True):
        share = v / result
        if np.ptp(share) > _APART * abs(share[0]):
            statistics[text.format(x=name, along=along)] = v
    count = float(np.prod([shape[k] for k in axes]))
    text = f"{name}.size" if is_all else " * ".join([f"{name}.shape[{k}]" for k in axes])
    counts = {text: count, **({f"({text} - 1)": count - 1} if count > 1 else {})}
    return replace(samples, statistics=statistics, counts=counts)
