"""How AutoLab lists several names in a sentence."""

from __future__ import annotations

from collections.abc import Iterable


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
