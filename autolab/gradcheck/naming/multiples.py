"""Gradients that are a multiple of the right one, or belong to another input; and names for factors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from ...shared.numerals import listed, signed
from ..judging.case import Case, CheckedInput, Comparison
from ..judging.finding import Explanation
from ..measuring.numeric_slopes import KINK
from ..messages import number, shown

SIGNAL = 10.0
"""A match means something only where what is matched is this many times the tolerance."""

_CLOSE = 1e-6
_MANY, _APART = 6, 1e-3
"""With this many elements a common factor is no accident, even one without a name; and its least distance from 1."""

_LARGEST_TERM = 12
_NAMED = {
    "ln 10": math.log(10),
    "ln 2": math.log(2),
    "π": math.pi,
    "2π": 2 * math.pi,
    "√(2π)": math.sqrt(2 * math.pi),
    "√π": math.sqrt(math.pi),
    "2/√π": 2 / math.sqrt(math.pi),
    "√(2/π)": math.sqrt(2 / math.pi),
    "√2": math.sqrt(2),
    "√3": math.sqrt(3),
    "180/π": 180 / math.pi,
    "e": math.e,
}


def swapped(checked: CheckedInput) -> Explanation | None:
    """Whether inputs got each other's gradients: two of them, or more in a cycle."""
    ring, wrong = [checked], [other for other in checked.case.inputs if other.wrong.any()]
    while (x := next((other for other in wrong if _gets(ring[-1], other)), None)) is not None and x not in ring:
        ring.append(x)
    if x != checked:
        return None
    names = [shown(x.name) for x in ring]
    if len(ring) == 2:
        return Explanation("swapped_inputs", {"other": names[1]}, {"other": ring[1].name})
    gets = ", ".join(f"{a} gets what belongs to {b}" for a, b in zip(names, [*names[1:], names[0]], strict=True))
    words = {"gets": gets, "everyone": listed(names, len(names))}
    return Explanation("swapped_inputs", words, {"others": [x.name for x in ring]}, "rotated")


def _gets(checked: CheckedInput, other: CheckedInput) -> bool:
    """Whether an input got the gradient of another one."""
    is_like = other != checked and other.shape == checked.shape
    return is_like and _fits([(t.inputs[checked.place], t.inputs[other.place]) for t in checked.case.tables], 1.0)


def factor(checked: CheckedInput) -> Explanation | None:
    """A wrong factor, or only a wrong sign."""
    pairs = [(c, c) for c in checked.points]
    if not _is_evident(checked):
        return None
    if _fits(pairs, -1.0):
        return Explanation("wrong_sign")
    ratio = _ratio(checked.points)
    known = named(ratio, lengths_of(checked.case))
    if known is None and checked.value.size >= _MANY and abs(ratio - 1.0) > _APART:
        known = number(ratio), ratio
    if known is None or not _fits(pairs, known[1]):
        return None
    text, value = known
    return Explanation("wrong_factor", {"factor": signed(text)}, {"factor": value})


def _fits(pairs: Sequence[tuple[Comparison, Comparison]], factor: float) -> bool:
    """Whether, at every point, the analytic gradient of the first is ``factor`` times the numeric one of the second.

    A match with values below their own tolerance says nothing, so some value must exceed it.
    """
    signal = False
    for first, second in pairs:
        a, b = first.elements, second.elements
        known = first.sure & second.sure & (a.kind != KINK) & (b.kind != KINK)
        target, slack = factor * b.numeric[known], abs(factor) * b.tolerance[known]
        if (np.abs(a.analytic[known] - target) > slack + a.tolerance[known]).any():
            return False
        signal |= bool((np.abs(target) > SIGNAL * slack).any())
    return signal


def _is_evident(checked: CheckedInput) -> bool:
    """Whether there are two points, or three elements of different slopes: a single number is always some multiple."""
    e = checked.here.elements
    return len(checked.points) > 1 or np.unique(np.round(np.abs(e.numeric[e.wrong]), 6)).size >= 3


def _ratio(comparisons: Sequence[Comparison]) -> float:
    """Analytic over numeric at the element with the largest slope."""
    analytic = np.concatenate([c.elements.analytic[c.measured] for c in comparisons])
    numeric = np.concatenate([c.elements.numeric[c.measured] for c in comparisons])
    if not np.isfinite(numeric).any() or not np.nanmax(np.abs(numeric)) > 0:
        return float("nan")
    k = int(np.nanargmax(np.abs(numeric)))
    return float(analytic[k] / numeric[k])


def lengths_of(case: Case) -> set[int]:
    """The lengths and sizes of the inputs and results, which a gradient may be divided by."""
    shapes = [array.shape for array in (*case.subject.arrays, *case.upstreams)]
    return {int(n) for shape in shapes for n in (*shape, np.prod(shape)) if n > 1}


# ---------------------------------------------------------------------- names for factors
def named(value: float, lengths: Iterable[int] = ()) -> tuple[str, float] | None:
    """``value`` as a small fraction, a known constant, or made of the lengths of an array, with its exact value; None
    if it is none of these.

    Examples
    --------
    >>> import math
    >>> named(0.5000000001)
    ('1/2', 0.5)
    >>> [named(x, (7, 13))[0] for x in (math.log(10), math.pi / 180, math.sqrt(7), -7 / 13)]
    ['ln 10', 'π/180', '√7', '-7/13']
    >>> named(1.2345)
    """
    if not math.isfinite(value) or value == 0:
        return None
    sign, size = ("-", -1.0) if value < 0 else ("", 1.0)
    for text, constant in _candidates(abs(value), sorted(set(lengths))):
        if abs(abs(value) - constant) <= _CLOSE * abs(value) and (sign or text != "1"):
            return sign + text, size * constant
    return None


def _candidates(value: float, lengths: list[int]) -> Iterator[tuple[str, float]]:
    fraction = Fraction(value).limit_denominator(_LARGEST_TERM)
    if 0 < fraction.numerator <= _LARGEST_TERM:
        yield str(fraction), float(fraction)
    for n, m in product((1, *lengths), repeat=2):
        yield str(Fraction(n, m)), n / m
    root = Fraction(value * value).limit_denominator(_LARGEST_TERM)
    if 1 < root.numerator <= _LARGEST_TERM and root.denominator > 1:
        yield f"√({root})", math.sqrt(root)
    for text, constant in (*_NAMED.items(), *[(f"√{n}", math.sqrt(n)) for n in lengths]):
        yield text, constant
        yield _inverse(text), 1 / constant


def _inverse(text: str) -> str:
    above, slash, below = text.partition("/")
    return f"{below}/{above}" if slash and "(" not in text else f"1/{text}" if "/" not in text else f"1/({text})"
