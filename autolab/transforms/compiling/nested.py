"""Arguments and results however they are nested: the arrays and Variables in them."""

from __future__ import annotations

from typing import Any

from ...engine.variable import Variable
from .recorded import Recorded
from .state import Out


def outs(spec: Any, result: Any) -> list[Any]:
    """The arrays of a result that a program computes."""
    if isinstance(spec, Out):
        return [result._data if spec.is_variable else result]
    if type(spec) in (list, tuple):
        return [array for one, item in zip(spec, result, strict=True) for array in outs(one, item)]
    if type(spec) is dict:
        return [array for key, one in spec.items() for array in outs(one, result[key])]
    return []


def variables_in(result: Any) -> list[Variable]:
    """The Variables in what a function returned."""
    if isinstance(result, Variable):
        return [result]
    if type(result) is dict:
        return variables_in(list(result.values()))
    return [v for item in result for v in variables_in(item)] if type(result) in (list, tuple) else []


def swapped(value: Any, others: dict[int, Any]) -> Any:
    """Arguments with others in the place of some."""
    if id(value) in others:
        return others[id(value)]
    if type(value) in (list, tuple):
        return type(value)([swapped(item, others) for item in value])
    if type(value) is dict:
        return {key: swapped(item, others) for key, item in value.items()}
    return value


def unwrapped(value: Any) -> Any:
    """A result with NumPy's arrays."""
    if type(value) is Recorded:
        return value._value[()] if value._is_scalar else value._value
    if isinstance(value, Variable):
        if type(value._data) is Recorded:
            value._data = value._data._value
        return value
    if type(value) in (list, tuple):
        return type(value)([unwrapped(item) for item in value])
    if type(value) is dict:
        return {key: unwrapped(item) for key, item in value.items()}
    return value
