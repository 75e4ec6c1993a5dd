"""The arguments of calls as a tape notes them: arrays by the slots in which they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .recorded import Recorded


class Ref(NamedTuple):
    """The array in a slot, among the arguments of a call."""

    slot: int


def plain(value: Any) -> Any:
    """Arguments with NumPy's arrays in the place of recorded ones."""
    if type(value) is Recorded:
        return value._value
    if type(value) in (list, tuple):
        return type(value)([plain(item) for item in value])
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    if type(value) is slice:
        return slice(plain(value.start), plain(value.stop), plain(value.step))
    return value


def mapped(value: Any, function: Callable[[Ref], Any]) -> Any:
    """Noted arguments with something else in the place of each `Ref`."""
    if type(value) is Ref:
        return function(value)
    if type(value) in (list, tuple):
        return type(value)([mapped(item, function) for item in value])
    if type(value) is dict:
        return {key: mapped(item, function) for key, item in value.items()}
    if type(value) is slice:
        return slice(*[mapped(part, function) for part in (value.start, value.stop, value.step)])
    return value


def slots_in(value: Any) -> list[int]:
    """The slots that noted arguments name."""
    found: list[int] = []
    mapped(value, lambda ref: found.append(ref.slot))
    return found


def recorded_in(values: Sequence[Any]) -> list[Recorded]:
    found = []
    for value in values:
        if type(value) is Recorded:
            found.append(value)
        elif type(value) in (list, tuple):
            found += recorded_in(value)
    return found


def memory(array: np.ndarray) -> Any:
    """The array that owns the memory of one."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
