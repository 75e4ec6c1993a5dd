"""Right numbers in wrong places, and sums with missing terms.

First the gradient alone is rearranged and compared. Then the Jacobian of the failing input is measured, result by
result: it tells which part of the sum over results is there, or which other product with it.

Which elements of a gradient are wrong, in words, if something distinguishes them from the right ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, combinations, permutations, product

import numpy as np

from ...shared.numerals import listed
from ..judging.case import CheckedInput, Comparison
from ..judging.compare import ELEMENTS
from ..judging.contracts import is_broadcast
from ..judging.finding import Explanation, because
from ..measuring.point import Point, Shape, attempted, index_of
from ..messages import Kind, number, say, shown, told_apart

_REGIONS = {"< 0": np.less, "> 0": np.greater, "= 0": np.equal}
_FEW = 6
"""With fewer elements, or fewer than two wrong and two right ones, nothing is said about where the wrong ones are."""

_CLEARLY = 200
"""A threshold of an input or of its size parts wrong from right in at most four of all ways to choose which elements
are wrong: if there are so many ways, that is no chance."""


def region_of(checked: CheckedInput, wrong: np.ndarray, known: np.ndarray) -> str:
    """Which elements are wrong, in words, if something distinguishes them from the right ones: the sign of the input, a
    threshold, or that their gradient should be 0."""
    x, name = checked.value.ravel(), shown(checked.name)
    for text, belongs in _REGIONS.items():
        if np.array_equal(wrong[known], belongs(x, 0)[known]):
            return say("local_error.sign", input=name, sign=text)
    right = known & ~wrong
    place, left_out = placed(checked.shape, wrong, right), is_left_out(checked, wrong)
    if place and left_out:
        return say("local_error.left_out", place=place)
    if place and len(checked.shape) > 1:
        return say("local_error.place", place=place)
    are_enough = min(wrong.sum(), right.sum()) >= 2 and known.sum() >= _FEW
    is_clear = are_enough and math.comb(int(known.sum()), int(wrong.sum())) >= _CLEARLY
    for text, size in ((name, x), (f"|{name}|", np.abs(x))) if is_clear else ():
        if size[wrong].min() > size[right].max():
            return say("local_error.above", size=text, **told_apart(bound=size[wrong].min(), right=size[right].max()))
        if size[wrong].max() < size[right].min():
            return say("local_error.below", size=text, **told_apart(bound=size[wrong].max(), right=size[right].min()))
    if left_out:
        return say("local_error.forgotten")
    e = checked.here.elements
    should_be_zero = wrong.sum() > 1 and (np.abs(e.numeric[wrong]) <= e.tolerance[wrong]).all()
    return say("local_error.zero") if should_be_zero else ""


def is_left_out(checked: CheckedInput, wrong: np.ndarray) -> bool:
    """Whether the gradient of the wrong elements is 0, as if it had never been assigned."""
    return bool(wrong.any()) and not any([c.elements.analytic[wrong & c.measured].any() for c in checked.points])


def placed(shape: Shape, wrong: np.ndarray, right: np.ndarray) -> str:
    """The slices along one axis that hold all wrong elements and no right one; empty if there are none.

    Examples
    --------
    >>> wrong = np.array([0, 0, 0, 1, 1, 1], bool)
    >>> placed((2, 3), wrong, ~wrong)
    'row 1'
    """
    bad, good = wrong.reshape(shape), right.reshape(shape)
    for axis in range(len(shape)):
        others = tuple([k for k in range(len(shape)) if k != axis])
        hit, spared = bad.any(axis=others), good.any(axis=others)
        if hit.any() and spared.any() and not (hit & spared).any():
            return f"{_kind(axis, shape, int(hit.sum()))} {in_words(np.flatnonzero(hit))}"
    return ""


def _kind(axis: int, shape: Shape, count: int) -> str:
    word = ("row", "column")[axis] if len(shape) == 2 else "place"
    along = f" along axis {axis}:" if len(shape) > 2 else ""
    return f"{word}{'s' if count > 1 else ''}{along}"


def in_words(places: np.ndarray) -> str:
    """Places along an axis, in words.

    Examples
    --------
    >>> in_words(np.array([0, 1, 2])), in_words(np.array([0, 2, 4])), in_words(np.array([3]))
    ('0 to 2', '0, 2 and 4', '3')
    """
    if places.size > 2 and (np.diff(places) == 1).all():
        return f"{places[0]} to {places[-1]}"
    return listed(map(str, places[:6].tolist())) + (", …" if places.size > 6 else "")


_STEP = 2.0**-10
_CLOSE = 1e-4
"""A difference of one step is good to about six digits: closer than this fraction of the largest is a match."""

_CLOSER = 1e-2
"""How many times closer to the gradient than the right values a match must be; otherwise it explains nothing."""

_LARGEST = 2**20
_DISTINCT = 3
_DIFFERENT = 5
_LONG = 12
"""Along a longer axis not every shift is tried."""

Arrange = Callable[[np.ndarray], np.ndarray]
Candidates = Iterator[tuple[Explanation, np.ndarray]]


def arrangements(shape: Shape) -> Iterator[tuple[Explanation, Arrange]]:
    """Rearrangements of the elements of an array of that shape: axes exchanged, reversed, shifted."""
    axes = range(len(shape))
    for order in permutations(axes):
        if order != tuple(axes) and tuple([shape[k] for k in order]) == shape:
            key = "transposed" if len(shape) == 2 else "axes"
            yield because("rearranged", key, order=order), partial(np.transpose, axes=order)
    long = [k for k in axes if shape[k] > 1]
    for chosen in product((False, True), repeat=len(long)):
        flipped = tuple([k for k, is_chosen in zip(long, chosen, strict=True) if is_chosen])
        if flipped:
            yield because("rearranged", "flipped", axes=_named(flipped)), partial(np.flip, axis=flipped)
    for k in long:
        for by in sorted({1, -1, shape[k] // 2}, key=abs) if shape[k] > _LONG else range(1, shape[k]):
            if shape[k] > 2 and by % shape[k]:
                yield because("rearranged", "shifted", axis=k, by=number(by)), partial(np.roll, shift=by, axis=k)


def _named(axes: Shape) -> str:
    return ("axis " if len(axes) == 1 else "axes ") + listed(map(str, axes))


def rearranged(checked: CheckedInput) -> Explanation | None:
    """Whether the gradient is the right one with its elements in other places, at every point."""
    shape, e = checked.shape, checked.here.elements
    values = np.unique(np.round(e.numeric[checked.here.measured], 9))
    has_gaps = 0.0 in values  # as that of a slice has: its other values may be few, and were hardly reversed
    if values.size < (_DISTINCT - 1 if has_gaps and e.numeric.size >= _DISTINCT else _DISTINCT):
        return None
    if all([_agrees(c, np.arange(e.analytic.size)) for c in checked.points]):
        return None  # what is off by so little is where it belongs
    ways = list(arrangements(shape))
    if has_gaps:
        ways.sort(key=lambda way: getattr(way[1], "func", None) is not np.roll)
    for explanation, arrange in ways:
        places = arrange(np.arange(e.analytic.size).reshape(shape)).ravel()
        if all([_agrees(c, places) for c in checked.points]):
            return explanation
    if _reordered(checked):
        return because("rearranged", "reordered")
    for explanation, places in _cut_off(shape):
        told_apart = np.unique(np.round(e.numeric[checked.here.sure & (places >= 0)], 9))
        if told_apart.size >= _DIFFERENT and all([_agrees(c, places) for c in checked.points]):
            return explanation
    return None


def _agrees(c: Comparison, places: np.ndarray) -> bool:
    """Whether element ``places[n]`` of the gradient is what belongs to element n, wherever that was measured; a place
    below 0 is none."""
    e, known = c.elements, c.sure & (places >= 0)
    return bool((np.abs(e.analytic[places] - e.numeric)[known] <= 2 * e.tolerance[known]).all())


def _cut_off(shape: Shape) -> Candidates:
    """Shifts at which one end is pushed out and the other filled with something else, as padding is."""
    long = [k for k, n in enumerate(shape) if n > 2]
    subsets = [axes for count in range(1, len(long) + 1) for axes in combinations(long, count)]
    for width, axes, sign in product((1, 2), subsets, (1, -1)):
        widths = [width * (k in axes) for k in range(len(shape))]
        padded = np.pad(np.arange(np.prod(shape)).reshape(shape), [(w, w) for w in widths], constant_values=-1)
        starts = [w * (1 + sign) for w in widths]
        places = padded[tuple([slice(start, start + n) for start, n in zip(starts, shape, strict=True)])]
        yield because("rearranged", "cut_off", axes=_named(axes), by=number(sign * width)), places.ravel()


def _reordered(checked: CheckedInput) -> bool:
    """Whether all the right numbers are there, and most of them differ, in an order that has no name."""
    e = checked.here.elements
    if not checked.here.sure.all() or not np.isfinite([e.analytic, e.numeric]).all():
        return False
    given, order = np.argsort(e.analytic), np.argsort(e.numeric)
    steps, slack = np.diff(e.numeric[order]), 2 * e.tolerance[order]
    if (steps > slack[1:] + slack[:-1]).sum() < _DIFFERENT or len(checked.points) < 2:
        return False
    return bool((np.abs(e.analytic[given] - e.numeric[order]) <= slack).all())


# ---------------------------------------------------------------------- with the Jacobian
def partial_sums(checked: CheckedInput) -> Explanation | None:
    """Whether the gradient is another product with the Jacobian: a part of the sum, its transpose ..."""
    if not is_measurable(checked):
        return None
    point, g, analytic = (gauge := checked.case.survey.gauge).point, gauge.weights, checked.here.elements.analytic
    right = g @ (jacobian := jacobian_of(point, checked))
    candidates = chain(_candidates(checked, jacobian, g), _of_another_order(checked, point, g))
    return next((why for why, candidate in candidates if _matches(candidate, analytic, right)), None)


def _of_another_order(checked: CheckedInput, point: Point, g: np.ndarray) -> Candidates:
    """The gradient with another input in another order: a kernel that is not flipped, a matrix that is not
    transposed. One direction tells whether all of it is worth measuring."""
    all_of_it = point.moving(checked.place)
    rise = checked.here.elements.analytic @ all_of_it.step
    for other in [x for x in checked.case.inputs if x.place != checked.place]:
        for way, arrange in arrangements(other.shape):
            arrays = [arrange(other.value) if k == other.place else a for k, a in enumerate(point.arrays)]
            elsewhere = attempted(point.with_arrays, arrays)
            if elsewhere is None or not elsewhere.is_finite:
                continue
            above, below = elsewhere.pair(all_of_it, _STEP)
            if abs(g @ (above - below) / (2 * _STEP) - rise) <= _CLOSER * abs(rise):
                words = {"other": shown(other.name), "how": way.words["how"]}
                yield Explanation("rearranged", words, words, "other"), g @ jacobian_of(elsewhere, checked)


def untransposed_jacobian(checked: CheckedInput) -> Explanation | None:
    """Whether a gradient that is right by chance at some elements is the product with the Jacobian itself, as where a
    rotation is turned the same way again."""
    e, weights = checked.here.elements, checked.case.survey.gauge.weights
    if 2 * e.wrong.sum() <= e.size or weights.size != e.size or not is_measurable(checked):
        return None
    jacobian = jacobian_of(checked.case.survey.gauge.point, checked)
    is_it = _matches(jacobian @ weights, e.analytic, weights @ jacobian)
    return because("rearranged", "jacobian") if is_it else None


def one_place_of_several(checked: CheckedInput) -> Explanation | None:
    """Whether elements that are used in several places get the share of one alone, and all others are right."""
    e = checked.here.elements
    if not is_measurable(checked) or e.wrong.all():
        return None
    gauge = checked.case.survey.gauge
    shares = gauge.weights[:, None] * jacobian_of(gauge.point, checked)
    for found, single in _of_one_place(shares, e.wrong):
        if _matches(np.where(e.wrong, single, e.numeric), e.analytic, e.numeric):
            return found
    return None


def _of_one_place(shares: np.ndarray, among: np.ndarray | slice) -> Candidates:
    """The first and the last share of each element, where those ``among`` all have several."""
    used = shares != 0
    if (used.sum(axis=0)[among] > 1).all():
        for which, row in (("last", len(used) - 1 - np.argmax(used[::-1], axis=0)), ("first", np.argmax(used, axis=0))):
            single = shares[row, np.arange(shares.shape[1])]
            yield because("local_error", "one_place", "repeated", which=which), single


def is_measurable(checked: CheckedInput) -> bool:
    """Whether a Jacobian is worth measuring, element by element."""
    analytic, gauge = checked.here.elements.analytic, checked.case.survey.gauge
    is_small = analytic.size <= ELEMENTS and analytic.size * gauge.weights.size <= _LARGEST
    return is_small and gauge.point.is_finite and bool(np.isfinite(analytic).all())


def jacobian_of(point: Point, checked: CheckedInput) -> np.ndarray:
    """Slopes of every result by every element of the input."""
    directions = [point.moving(checked.place, k) for k in range(checked.value.size)]
    return np.stack([point.slope(direction, _STEP) for direction in directions], axis=1)


def _matches(candidate: np.ndarray, analytic: np.ndarray, right: np.ndarray) -> bool:
    gap = np.max(np.abs(candidate - analytic))
    close = _CLOSE if analytic.size >= _DISTINCT else _CLOSE / 10  # a single number matches too easily
    return bool(gap <= close * np.max(np.abs(analytic)) and gap <= _CLOSER * np.max(np.abs(right - analytic)))


def _candidates(checked: CheckedInput, jacobian: np.ndarray, g: np.ndarray) -> Candidates:
    outputs = [y.shape for y in checked.case.upstreams]
    if len(outputs) > 1:
        yield from _without_a_result(outputs, jacobian, g)
    else:
        yield from _offset(outputs[0], jacobian, g)
        yield from _slices(checked.shape, outputs[0], jacobian, g)
        for way, arrange in arrangements(outputs[0]):
            moved = arrange(g.reshape(outputs[0])).ravel()
            yield because("rearranged", "upstream", how=way.words["how"]), moved @ jacobian
        yield from _of_one_place(g[:, None] * jacobian, slice(None))
    if jacobian.shape[0] == jacobian.shape[1]:
        yield because("rearranged", "jacobian"), jacobian @ g
        yield because("missing_term", "diagonal"), g * np.diagonal(jacobian)


def _offset(output: Shape, jacobian: np.ndarray, g: np.ndarray) -> Candidates:
    """The results that the input reaches, read from shifted positions along an axis of the upstream gradient."""
    reached = (jacobian != 0).any(axis=1).reshape(output)
    for axis, length in enumerate(output):
        places = np.flatnonzero(reached.any(axis=tuple([k for k in range(len(output)) if k != axis])))
        if not 0 < places.size < length or places[-1] - places[0] != places.size - 1:
            continue
        for first in range(length - places.size + 1):
            if first != places[0]:
                moved = np.roll(g.reshape(output), int(places[0]) - first, axis=axis).ravel()
                found = because("rearranged", "offset", axis=axis, first=first, right=int(places[0]))
                yield found, moved @ jacobian


def _without_a_result(outputs: list[Shape], jacobian: np.ndarray, g: np.ndarray) -> Candidates:
    first = 0
    for k, shape in enumerate(outputs):
        part = slice(first, first + int(np.prod(shape)))
        first = part.stop
        share = g[part] @ jacobian[part]
        yield because("missing_term", "result", result=k), g @ jacobian - share
        yield because("missing_term", "sign", result=k), g @ jacobian - 2 * share


def _slices(shape: Shape, output: Shape, jacobian: np.ndarray, g: np.ndarray) -> Candidates:
    """Sums over only some of the results, where all of them should count."""
    shares = (g[:, None] * jacobian).reshape(*output, -1)
    kind: Kind = "unreduced_broadcast" if is_broadcast(shape, output) else "missing_term"
    for axis, length in enumerate(output):
        along = shares.sum(axis=tuple([k for k in range(len(output)) if k != axis]))
        for key, places in _some_of(length):
            part = along[places].sum(axis=0)
            found = because(kind, key, axis=axis, place=in_words(np.array(places)))
            yield found, along.sum(axis=0) - part if key == "without" else part
    for place in (0, -1) if len(output) > 1 and shares.shape[-1] == 1 else ():
        yield because(kind, "element", place=list(index_of(place % g.size, output))), g[place] * jacobian[place]
    if kind == "unreduced_broadcast" and ((jacobian != 0).sum(axis=1) <= 1).all():
        yield from _other_axes(shape, shares.sum(axis=-1))


def _some_of(length: int) -> Iterator[tuple[str, list[int]]]:
    """Positions along an axis to which a loop or an index may be restricted, or which it may omit."""
    places = list(range(length))
    if 1 < length <= _LONG:
        yield from [("slice", [k]) for k in places]
        yield from [("without", [k]) for k in places if length > 2]
        yield from [("slices", places[:k]) for k in range(2, length - 1)]
        yield from [("slices", places[k:]) for k in range(2, length - 1)]
        yield from [("slices", places[k::2]) for k in (0, 1) if length > 3]


def _other_axes(shape: Shape, shares: np.ndarray) -> Candidates:
    """The copies of a broadcast input summed over other axes than those along which it was broadcast."""
    lead = shares.ndim - len(shape)
    stretched = tuple([k for k, n in enumerate(shares.shape) if k < lead or shape[k - lead] != n])
    for axes in combinations(range(shares.ndim), len(stretched)):
        total = shares.sum(axis=axes)
        if axes != stretched and total.size == np.prod(shape):
            yield because("unreduced_broadcast", "axis", axes=_named(axes), right=_named(stretched)), total.ravel()
