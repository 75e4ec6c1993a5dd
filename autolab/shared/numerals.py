"""How AutoLab formats numbers in all its texts: with a true minus sign, ∞, and NaN.

`views.draw.numbers` shortens numbers for pictures; the messages of checks have more digits. Both use these functions.

The sentences that AutoLab says, and how it lists several names in one.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from pathlib import Path


def sentences(module: str) -> dict[str, str]:
    """The sentences in the TOML files beside a module, by key; ``module`` is its ``__file__``."""
    files = sorted(Path(module).parent.glob("*.toml"))
    return tomllib.loads("\n".join([file.read_text("utf-8") for file in files]))


def listed(names: Iterable[str], most: int = 6) -> str:
    """Names as an enumeration; if there are many, only the first.

    Examples
    --------
    >>> listed(["x"]), listed(["x", "y", "z"]), listed(["a", "b", "c"], most=2)
    ('x', 'x, y and z', 'a, b and 1 more')
    """
    every = list(names)
    shown = every[:most] + ([f"{len(every) - most} more"] if len(every) > most else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


MINUS = "\N{MINUS SIGN}"


def signed(text: str) -> str:
    """A number formatted by Python, with true minus signs, at which a line of text does not break.

    Examples
    --------
    >>> signed("-1/2"), signed("-1.2e-05")
    ('−1/2', '−1.2e−05')
    """
    return text.replace("-", MINUS)


def no_digits(value: float) -> str | None:
    """The text for a number that has no digits, NaN or an infinity; None for any other.

    Examples
    --------
    >>> no_digits(float("nan")), no_digits(float("-inf")), no_digits(2.0)
    ('NaN', '−∞', None)
    """
    if math.isnan(value):
        return "NaN"
    return signed("-∞" if value < 0 else "∞") if math.isinf(value) else None


def precise(value: float, digits: int = 6) -> str:
    """A number with up to ``digits`` significant digits, for comparing numbers by eye; a zero has no sign.

    Examples
    --------
    >>> precise(0.1 + 0.2), precise(-2.0), precise(float("inf")), precise(-0.0)
    ('0.3', '−2', '∞', '0')
    """
    return no_digits(value) or signed(f"{value + 0.0:.{digits}g}")


def round_up(size: float, steps: tuple[int, ...] = (1, 2, 5)) -> float:
    """Round up to the next of the steps times a power of ten; 0, and numbers too large for that, are returned as is.

    Examples
    --------
    >>> [round_up(size) for size in (0.0, 1.0, 13.0, 0.021, 7e-5)]
    [0.0, 1.0, 20.0, 0.05, 0.0001]
    >>> round_up(4.0, (1, 2, 4, 5)), round_up(5e-324), round_up(1.7e308)
    (4.0, 5e-324, 1.7e+308)
    """
    if not size:
        return size
    power = math.floor(math.log10(size))
    ends = [*[float(f"{step}e{power}") for step in steps], float(f"1e{power + 1}")]
    return next((end for end in ends if size <= end < math.inf), size)
