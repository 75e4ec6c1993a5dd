"""How a number is written, wherever AutoLab speaks of one: a true minus sign, ∞, and NaN.

`views.draw.numbers` shortens numbers for pictures; the sentences of a check have more digits. Both begin here.
"""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"


def signed(text: str) -> str:
    """A number that Python wrote, with true minus signs: a line of text does not end in the middle of ``1.2e−05``.

    Examples
    --------
    >>> signed("-1/2"), signed("-1.2e-05")
    ('−1/2', '−1.2e−05')
    """
    return text.replace("-", MINUS)


def no_digits(value: float) -> str | None:
    """What stands for a number that digits cannot write; None for any other.

    Examples
    --------
    >>> no_digits(float("nan")), no_digits(float("-inf")), no_digits(2.0)
    ('NaN', '−∞', None)
    """
    if math.isnan(value):
        return "NaN"
    return signed("-∞" if value < 0 else "∞") if math.isinf(value) else None


def precise(value: float, digits: int = 6) -> str:
    """A number with up to so many digits, so that two of them can be compared by eye; a zero has no sign.

    Examples
    --------
    >>> precise(0.1 + 0.2), precise(-2.0), precise(float("inf")), precise(-0.0)
    ('0.3', '−2', '∞', '0')
    """
    return no_digits(value) or signed(f"{value + 0.0:.{digits}g}")


def round_up(size: float, steps: tuple[int, ...] = (1, 2, 5, 10)) -> float:
    """The next of the steps times a power of ten, which is none of those beside which the digits of a float end.

    Examples
    --------
    >>> round_up(0.3), round_up(4.0), round_up(4.0, (1, 2, 4, 5, 10)), round_up(5e-324)
    (0.5, 5.0, 4.0, 1e-300)
    """
    size = min(max(size, 1e-300), 1e300)
    power = float(f"1e{math.floor(math.log10(size))}")
    return next(power * n for n in steps if power * n >= size * (1 - 1e-12))
