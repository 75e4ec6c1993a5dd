"""Names of the constants that a gradient has too many or too few."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

_CLOSE = 1e-6
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
    for text, constant in (*_NAMED.items(), *[(f"√{n}", math.sqrt(n)) for n in lengths]):
        yield text, constant
        yield _inverse(text), 1 / constant


def _inverse(text: str) -> str:
    above, slash, below = text.partition("/")
    return f"{below}/{above}" if slash and "(" not in text else f"1/{text}" if "/" not in text else f"1/({text})"
