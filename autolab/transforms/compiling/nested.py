"""The arrays and Variables in nested arguments and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...engine import Variable
from .call_tape import Step
from .reached_state import Effect, Out
from .recorded_array import Recorded
from .references import slots_in


def computed(spec: Any, result: Any) -> list[Any]:
    """The arrays and Variables in a result that a program computes; not those that it was given, or found."""
    if isinstance(spec, Out):
        return [result]
    if type(spec) in (list, tuple):
        return [value for one, item in zip(spec, result, strict=True) for value in computed(one, item)]
    if type(spec) is dict:
        return [value for key, one in spec.items() for value in computed(one, result[key])]
    return []


def outs(spec: Any, result: Any) -> list[Any]:
    """The arrays of the same."""
    return [getattr(value, "_data", value) for value in computed(spec, result)]


def named(result: Any, effects: Sequence[Effect], steps: Sequence[Step]) -> set[int]:
    """The slots that outlive a run: those of results, effects and reports."""
    updates = [effect for step in steps if step.kind == "update" for effect in step.args[0]]
    told = [*flat(result), *updates, *effects]
    heard = {slot for step in steps if step.kind == "tell" for slot in slots_in(step.args)}
    return heard | {slot for item in told if (slot := getattr(item, "slot", None)) is not None}


def flat(result: Any) -> list[Any]:
    """The items of a nested result, as a flat list."""
    if type(result) in (list, tuple):
        return [item for part in result for item in flat(part)]
    if type(result) is dict:
        return flat(list(result.values()))
    return [result]


def variables_in(spec: Any, result: Any) -> list[Variable]:
    """The Variables in a result that a program computes."""
    return [value for value in computed(spec, result) if isinstance(value, Variable)]


class EnteredArguments:
    """Arguments with their arrays replaced by recorded ones, for one call.

    Lists and dicts are those that were given, because the function may change them; `leave` restores their content.
    """

    def __init__(self, given: Any, arrays: dict[int, Recorded]) -> None:
        self._arrays = arrays
        self._held: list[tuple[Any, Any, Any]] = []  # a list or dict, its original content, and what was put into it
        self.values = self._entered(given)

    def _entered(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple([self._entered(item) for item in value])
        if type(value) not in (list, dict):
            return self._arrays.get(id(value), value)
        before = value.copy()
        for key, item in _items(before):
            value[key] = self._entered(item)
        self._held.append((value, before, value.copy()))
        return value

    def leave(self) -> bool:
        """Put the arrays back; returns whether the function has changed a list or a dict."""
        changed = False
        for value, before, entered in self._held:
            changed = changed or _identities(value) != _identities(entered)
            own = {id(now): was for (_, was), (_, now) in zip(_items(before), _items(entered), strict=True)}
            for key, item in _items(value):
                value[key] = own[id(item)] if id(item) in own else unwrapped(item)
        return changed


def _items(value: Any) -> list[tuple[Any, Any]]:
    """The keys or positions in a dict or a list, with their items."""
    return list(value.items() if type(value) is dict else enumerate(value))


def _identities(value: Any) -> list[tuple[Any, int]]:
    return [(key, id(item)) for key, item in _items(value)]


def unwrapped(value: Any) -> Any:
    """A result with NumPy arrays instead of recorded ones; lists and dicts stay the same objects."""
    if isinstance(value, Recorded):
        return value._value[()] if value._is_scalar else value._value
    if isinstance(value, Variable):
        if isinstance(value._data, Recorded):
            value._data = value._data._value
        return value
    if type(value) is tuple:
        return tuple([unwrapped(item) for item in value])
    if type(value) in (list, dict):
        for key, item in _items(value):
            value[key] = unwrapped(item)
    return value
