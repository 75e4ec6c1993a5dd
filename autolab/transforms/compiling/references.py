"""The arguments of calls as recorded on a tape: arrays are referred to by their slots."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, NamedTuple

import numpy as np

from .recorded_array import Recorded, RecordedScalar


class Ref(NamedTuple):
    """A reference to the array in a slot, among the arguments of a call."""

    slot: int


_NESTED = frozenset([list, tuple, dict, slice])
_RECORDED = frozenset([Recorded, RecordedScalar])

# A trace asks these for each call, under a profiling hook that every other call inside makes slower: hence the loops.


def mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Arguments with each item replaced by ``leaf(item)``, at any depth of lists, tuples, dicts and slices."""
    kind = type(value)
    if kind not in _NESTED:
        return leaf(value)
    if kind is dict:
        return dict(zip(value, mapped(tuple(value.values()), leaf), strict=True)) if value else {}
    if kind is slice:
        return slice(*mapped((value.start, value.stop, value.step), leaf))
    items: list[Any] = []
    for item in value:
        items += (mapped(item, leaf) if type(item) in _NESTED else leaf(item),)
    return items if kind is list else tuple(items)


def plain(value: Any) -> Any:
    """Arguments with NumPy arrays instead of recorded ones."""
    kind = type(value)
    if kind in _RECORDED:
        return value._value
    if kind not in _NESTED:
        return value
    if kind is dict:
        return dict(zip(value, plain(tuple(value.values())), strict=True)) if value else {}
    if kind is slice:
        return slice(*plain((value.start, value.stop, value.step)))
    items: list[Any] = []
    for item in value:
        of = type(item)
        items += (item._value if of in _RECORDED else plain(item) if of in _NESTED else item,)
    return items if kind is list else tuple(items)


def resolved(value: Any, found: Callable[[int], Any]) -> Any:
    """Recorded arguments with each `Ref` replaced by ``found(slot)``."""
    return mapped(value, lambda item: found(item.slot) if type(item) is Ref else item)


def slots_in(value: Any) -> list[int]:
    """The slots that recorded arguments refer to."""
    return [one.slot for one in _of_kinds(value, (Ref,))]


def recorded_in(value: Any) -> list[Recorded]:
    """The recorded arrays among arguments."""
    return _of_kinds(value, _RECORDED)


def _of_kinds(value: Any, kinds: Container[Any]) -> list[Any]:
    """The items of these types, at any depth, in order."""
    found: list[Any] = []
    _collect(value, kinds, found)
    return found


def _collect(value: Any, kinds: Container[Any], found: list[Any]) -> None:
    kind = type(value)
    if kind in kinds:
        found += (value,)
    elif kind is list or kind is tuple:
        for item in value:
            of = type(item)
            if of in kinds:
                found += (item,)
            elif of in _NESTED:
                _collect(item, kinds, found)
    elif kind is dict:
        for item in value.values():
            _collect(item, kinds, found)
    elif kind is slice:
        _collect((value.start, value.stop, value.step), kinds, found)


def memory(array: np.ndarray) -> Any:
    """The array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
