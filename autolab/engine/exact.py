"""Keys for what depends on a value to the last bit, such as the trace of a function that took the value as a
constant."""

from __future__ import annotations

from collections.abc import Hashable
from types import NoneType
from typing import Any

import numpy as np

_PLAIN = (bool, int, str, bytes, NoneType)


def exact(value: Any) -> Hashable:
    """What stands for ``value`` in a key: two are equal only if no computation can tell the values apart.

    As keys, ``1 == 1.0 == True`` and ``0.0 == -0.0``, also inside tuples, and NaN is never found again. Anything but
    numbers, strings and tuples of them stands for itself alone, whatever it calls equal.

    Raises
    ------
    TypeError
        If it cannot be hashed, as it may change.

    Examples
    --------
    >>> exact(1) == exact(1.0), exact((0.0,)) == exact((-0.0,)), exact(float("nan")) == exact(float("nan"))
    (False, False, True)
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if kind is float:
        return kind, value.hex()
    if kind is complex:
        return kind, value.real.hex(), value.imag.hex()
    if kind is tuple:
        return kind, *[exact(item) for item in value]
    hash(value)
    return _Same(value)


class _Same:
    """Equal to what holds the very same object, which it keeps alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
