"""What counts as an input: arrays, numbers and lists of numbers, also inside lists, tuples and dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine import Variable, as_array, check_real, is_array

_MOST_AXES = 64
"""NumPy's limit."""


def is_input(value: Any, annotation: Any) -> bool:
    """Whether an argument is an input; an annotation can declare a number to be a size or a setting."""
    if isinstance(value, Variable):
        return True
    if annotation in (int, bool, str, "int", "bool", "str") or isinstance(value, bool | str | bytes) or value is None:
        return False
    return _is_array(value) or isinstance(value, int | float) or _is_numbers(value)


def _is_array(value: Any) -> bool:
    if isinstance(value, np.generic | np.ndarray):
        return value.dtype.kind in "biufc"
    return is_array(value)


def _is_numbers(value: Any) -> bool:
    """Whether it is a list of numbers, or of such lists; the fields of a named tuple are inputs of their own."""
    if not isinstance(value, list | tuple) or hasattr(value, "_fields"):
        return False
    return len(value) > 0 and all([_is_number(item) or _is_numbers(item) for item in value])


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.generic) and not isinstance(value, bool)
    return is_number or (isinstance(value, np.ndarray) and value.ndim == 0)


def is_input_inside(value: Any) -> bool:
    """Whether an element of a structure is an input; integers there count as sizes or settings."""
    if isinstance(value, int | np.integer | np.bool_):
        return False
    if isinstance(value, list | tuple):
        return _is_numbers(value) and any([isinstance(i, float | np.floating) for i in _numbers(value)])
    return is_input(value, None)


def _numbers(value: Any) -> Iterator[Any]:
    for item in value:
        yield from _numbers(item) if isinstance(item, list | tuple) else (item,)


def holds_inputs(value: Any) -> bool:
    """Whether it is a list, tuple or dict that contains inputs."""
    if not isinstance(value, list | tuple | dict):
        return False
    items = value.values() if isinstance(value, dict) else value
    return any([is_input_inside(item) or holds_inputs(item) for item in items])


def _depth(value: Any) -> int:
    """How many lists or tuples are around the first number of a nested list."""
    depth = 0
    while isinstance(value, list | tuple) and value:
        value, depth = value[0], depth + 1
    return depth


def leaf(value: Any, name: str, what: str) -> Variable:
    """A new leaf with the value's own data (not copied), its class, and its ``requires_grad``."""
    if isinstance(value, Variable):
        kind = type(value)
        return kind(value.array, name=name, requires_grad=value.requires_grad)
    if (axes := _depth(value)) > _MOST_AXES:
        raise TypeError(f"{what} is a list nested {axes} deep; an array has at most {_MOST_AXES} axes")
    check_real(as_array(value, what), what)
    return Variable(value, name=name)
