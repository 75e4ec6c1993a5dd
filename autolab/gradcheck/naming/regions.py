"""Which elements of a gradient are wrong, in words, if something distinguishes them from the right ones."""

from __future__ import annotations

import math

import numpy as np

from ...shared.words import listed
from ..judging.case import CheckedInput
from ..measuring.point import Shape
from ..messages import say, shown, told_apart

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
