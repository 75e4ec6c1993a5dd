"""Short and honest text for numbers and small arrays.

Three rules: a number that is not zero never reads as 0, and zero has no sign; trailing zeros remain if something was
rounded (``1.000`` is not 1); NaN and infinities read as words or signs that cannot be mistaken for numbers.

Marks in the place of numbers that a saved page computes itself: the page writes its own numbers there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...recording.model import Snapshot
from ...shared.numerals import MINUS, no_digits, signed

SIGN = "ꙮ"
"""The letter on both sides of a mark, which is therefore one word, as a number is."""


class MarkedNumber(float):
    """A number that texts show as a mark with its place among all numbers of a page."""

    __slots__ = ("at",)
    at: int

    @property
    def text(self) -> str:
        """The mark."""
        return f"{SIGN}{self.at}{SIGN}"

    def __format__(self, _: str) -> str:
        return self.text


def marked(snapshot: Snapshot, first: int) -> Snapshot:
    """A snapshot whose numbers are marked from the place ``first`` on."""
    values = np.empty(snapshot.size, object)
    for i, value in enumerate(snapshot.values.reshape(-1).tolist()):
        values[i] = MarkedNumber(value)
        values[i].at = first + i
    return replace(snapshot, values=values.reshape(snapshot.shape))


def place_of(snapshot: Snapshot) -> list[int] | None:
    """Where the numbers of a marked array are, arranged as rows: the first one, the steps to the one below and to the
    one on the right, rows, columns; None if they are not marked.
    """
    if snapshot.values.dtype != object or not snapshot.size:
        return None
    cells = snapshot.values.reshape(-1, snapshot.shape[-1] if snapshot.shape else 1)
    first = cells[0, 0].at
    down, right = [other[0].at - first if len(other) else 0 for other in (cells[1:, 0], cells[0, 1:])]
    return [first, down, right, *cells.shape]


def mark_of(snapshot: Snapshot, how: str, limit: int = 24) -> str | None:
    """The mark of a whole array, or None. ``how`` it is written: ``t`` as in a box, with its elements if that takes at
    most ``limit`` characters; ``s`` as it is read aloud, ``a`` the same with an article.
    """
    place = place_of(snapshot) if snapshot.shape else None
    return None if place is None else f"{SIGN}{how}{','.join(map(str, [limit, *place, *snapshot.shape]))}{SIGN}"


_PLAIN_BELOW = 1e6
_PLAIN_FROM = 1e-3


def number(value: Any) -> str:
    """A number in at most 10 characters.

    Examples
    --------
    >>> [number(v) for v in (6.0, 1 / 3, 1.2e-5, -0.0, 0.999999, 1234.5678, float("nan"), float("-inf"))]
    ['6', '0.333', '1.2e−05', '0', '1.000', '1234.6', 'NaN', '−∞']
    """
    if type(value) is MarkedNumber:
        return value.text
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{number(value.real)}{'+' if value.imag >= 0 else MINUS}{number(abs(value.imag))}j"
    if isinstance(value, (int, np.integer)):
        return _whole(int(value))
    return _real(float(value), _tolerance(value))


def _tolerance(value: object) -> float:
    """The relative difference below which text and value count as equal: a few units of the dtype's precision."""
    return 4 * float(np.finfo(type(value)).eps) if isinstance(value, np.floating) else 1e-15


def _whole(value: int) -> str:
    text = str(abs(value)) if abs(value) < 10**7 else f"{abs(value):.2e}"
    return MINUS + text if value < 0 else text


def _real(value: float, tolerance: float) -> str:
    if (words := no_digits(value)) is not None:
        return words
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if size == 0.0:
        return "0"
    if _PLAIN_FROM <= size < _PLAIN_BELOW:
        return sign + _shorten(f"{size:.{_decimals(size)}f}", "", size, tolerance)
    mantissa, exponent = f"{size:.2e}".split("e")
    return sign + signed(_shorten(mantissa, f"e{exponent}", size, tolerance))


def _decimals(size: float) -> int:
    """Number of decimals: three; fewer, but at least one, to stay within five digits; below 0.1, three that count."""
    before_point = math.floor(math.log10(size)) + 1
    return 3 - before_point if before_point < 0 else max(1, min(3, 5 - before_point))


def _shorten(digits: str, exponent: str, value: float, tolerance: float) -> str:
    """Drop trailing zeros if the text is exact."""
    exact = abs(float(digits + exponent) - value) <= tolerance * value
    return (digits.rstrip("0").rstrip(".") if exact and "." in digits else digits) + exponent


def in_cell(value: float, room: int = 5) -> str:
    """A finite number for a narrow cell: three digits that count, or fewer if they need more than ``room`` characters.

    Examples
    --------
    >>> [in_cell(v) for v in (0.25, -1 / 3, -0.0054, 1234.4, -1.6e-5, 2e10, 0.0)]
    ['0.25', '−0.33', '−5e−3', '1234', '−2e−5', '2e10', '0']
    """
    texts = [_real(value, 1e-15)] if value == 0 else [_significant(value, digits) for digits in (3, 2, 1)]
    if (fitting := next((text for text in texts if len(text) <= room), None)) is not None:
        return fitting
    mantissa, exponent = f"{value:.0e}".split("e")
    return signed(f"{mantissa}e{int(exponent)}")


def _significant(value: float, digits: int) -> str:
    """A number rounded to some significant digits, without trailing zeros if the text is exact."""
    size, sign = abs(value), MINUS if value < 0 else ""
    mantissa, power = f"{size:.{digits - 1}e}".split("e")
    exponent = int(power)
    if -4 <= exponent < 5:
        return sign + _shorten(f"{size:.{max(0, digits - 1 - exponent)}f}", "", size, 1e-15)
    return sign + signed(_shorten(mantissa, f"e{exponent}", size, 1e-15))


def inline(values: np.ndarray, limit: int = 24) -> str | None:
    """A small array written out, ``[[1, 2], [3, 4]]``; None if that takes more than ``limit`` characters."""
    if 3 * values.size > limit or values.size == 0:  # at least a digit and a separator for each
        return None
    kind, texts, room = values.dtype.type, [], limit
    for value in values.reshape(-1).tolist():
        texts.append(number(kind(value)))
        room -= len(texts[-1]) + 2
        if room < 0:
            return None
    text = _nested(values.tolist(), iter(texts))
    return text if len(text) <= limit else None


def _nested(values: object, texts: Iterator[str]) -> str:
    if isinstance(values, list):
        return "[" + ", ".join([_nested(value, texts) for value in values]) + "]"
    return next(texts)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as Python writes it.

    Examples
    --------
    >>> shape_text((3,)), shape_text(())
    ('(3,)', '()')
    """
    return str(tuple(int(n) for n in shape))


def short_count(count: int) -> str:
    """A count in few characters: ``9,999``, ``198k``, ``1.19M``.

    Examples
    --------
    >>> short_count(8320), short_count(198272), short_count(124_439_808)
    ('8,320', '198k', '124M')
    """
    if count < 10_000:
        return f"{count:,}"
    rounded = float(f"{count:.3g}")
    power = min(4, (len(f"{rounded:.0f}") - 1) // 3)
    return f"{rounded / 1000**power:g}{' kMGT'[power]}"


def bytes_unit(count: int) -> tuple[str, float]:
    """The largest unit of which a number of bytes has at least one, and the bytes in it.

    Examples
    --------
    >>> bytes_unit(168), bytes_unit(4_000_000)
    (('bytes', 1.0), ('MB', 1000000.0))
    """
    units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)]
    return next((found for found in units if count >= found[1]), units[-1])


def bytes_text(count: int) -> str:
    """A number of bytes in readable units."""
    unit, size = bytes_unit(count)
    return f"{number(round(count / size, 1))} {unit}"


def seconds_text(seconds: float) -> str:
    """A duration in readable units."""
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{number(float(f'{seconds * factor:.3g}'))} {unit}"
    return f"{number(float(f'{seconds:.3g}'))} s"
