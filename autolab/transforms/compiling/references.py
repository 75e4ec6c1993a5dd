"""The arguments of calls as recorded on a tape: arrays are referred to by their slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .recorded_array import Recorded


class Ref(NamedTuple):
    """A reference to the array in a slot, among the arguments of a call."""

    slot: int


def mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Arguments with each item replaced by ``leaf(item)``, at any depth of lists, tuples, dicts and slices."""
    if type(value) in (list, tuple):
        return type(value)([mapped(item, leaf) for item in value])
    if type(value) is dict:
        return {key: mapped(item, leaf) for key, item in value.items()}
    if type(value) is slice:
        return slice(*[mapped(part, leaf) for part in (value.start, value.stop, value.step)])
    return leaf(value)


def plain(value: Any) -> Any:
    """Arguments with NumPy arrays instead of recorded ones."""
    return mapped(value, lambda item: item._value if isinstance(item, Recorded) else item)


def resolved(value: Any, found: Callable[[int], Any]) -> Any:
    """Recorded arguments with each `Ref` replaced by ``found(slot)``."""
    return mapped(value, lambda item: found(item.slot) if type(item) is Ref else item)


def slots_in(value: Any) -> list[int]:
    """The slots that recorded arguments refer to."""
    found: list[int] = []
    resolved(value, found.append)
    return found


def recorded_in(value: Any) -> list[Recorded]:
    """The recorded arrays among arguments."""
    found: list[Recorded] = []
    mapped(value, lambda item: found.append(item) if isinstance(item, Recorded) else None)
    return found


def memory(array: np.ndarray) -> Any:
    """The array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
