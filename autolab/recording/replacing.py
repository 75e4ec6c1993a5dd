"""What if an intermediate value were another one? Replaces the values of steps while the function runs.

A hook receives the same Variables that the user's code continues with, so the engine is not involved: the result gets
another array and, if it needs a gradient, the node of a leaf. Later steps are computed from it; gradients arrive there
and stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Array, ForwardEvent, Node, Variable, a_kind, get_array_module, is_array, to_cpu
from ..shared.binding import Bound
from .drafts import Draft
from .model import LEAVES, Recording

Key = int | str
"""A step's number in the recording, or the user's name for it."""


@dataclass(frozen=True, eq=False)
class Replacement:
    """A new value for a step: one number for all its elements, or an array of its shape.

    Or a function that computes it, so that gradients continue through it: it takes the original call, as a function,
    and the inputs. ``function`` is the name of the function that must compute the step; None for any.
    """

    value: np.ndarray | Callable[..., Any]
    function: str | None = None


def replacements(caller: str, given: Any) -> dict[Key, Replacement]:
    """The option ``replace``, checked as far as possible before the function runs."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{caller}: option 'replace' is {a_kind(given)}; expected a dict from steps to values")
    found = {}
    for key, value in given.items():
        if isinstance(key, bool) or not isinstance(key, int | str):
            raise TypeError(
                f"{caller}: option 'replace' has the key {key!r:.60}; expected a step's number, or a name as text"
            )
        found[key] = value if isinstance(value, Replacement) else Replacement(_numbers(caller, key, value))
    return found


def numbered(caller: str, given: Any) -> dict[int, Replacement]:
    """The same for tools that accept only the numbers of steps."""
    found = replacements(caller, given)
    for key in found:
        if not isinstance(key, int):
            raise TypeError(f"{caller}: option 'replace' has the key {key!r:.60}; expected a step's number")
    return {key: value for key, value in found.items() if isinstance(key, int)}


def replacement(caller: str, recording: Recording | None, step: int, value: Any) -> Replacement:
    """A new value for a step of a recording, checked against it.

    Raises
    ------
    TypeError
        If the value is not made of real numbers.
    ValueError
        If there is no such step, or it cannot have that value.
    """
    steps = {} if recording is None else {found.id: found for found in recording.steps}
    if type(step) is not int or step not in steps:
        raise ValueError(f"{caller}: there is no step {step!r:.60} whose value could be replaced")
    found, numbers = steps[step], _numbers(caller, step, value)
    opened = [] if recording is None else [opening.scope for opening in recording.openings]
    if found.kind not in ("call", "part") or found.value is None:
        raise ValueError(
            f"{caller}: step {step} ({found.name or found.kind}) is not one value that a function computes"
        )
    if found.scope is not None and found.scope in opened:
        raise ValueError(f"{caller}: step {step} is inside a function that is opened; close it first")
    if numbers.shape not in ((), found.value.shape):
        raise ValueError(f"{caller}: step {step} has shape {found.value.shape}, and the new value {numbers.shape}")
    return Replacement(numbers, found.function)


def _numbers(caller: str, key: Key, value: Any) -> np.ndarray:
    data = value._data if isinstance(value, Variable) else value
    try:
        numbers = np.array(to_cpu(data) if is_array(data) else data)
    except ValueError:  # lists of unequal lengths
        numbers = np.array(None)
    if numbers.dtype.kind not in "biuf":
        raise TypeError(f"{caller}: option 'replace' has {a_kind(value)} for {key!r:.60}; expected real numbers")
    return numbers


class Replacements:
    """Replaces the values of a run, for the recorder that holds it."""

    def __init__(self, bound: Bound, given: Any) -> None:
        self._bound = bound
        self._wanted = replacements(bound.caller, given)
        self.changed: set[int] = set()  # steps computed by a function instead: their shares are not the operands'
        self._done: dict[Key, int] = {}
        self._refused: dict[Key, str] = {}

    def apply(self, event: ForwardEvent, output: Variable, step: int, name: str | None) -> bool:
        """Replace the result of an event, which becomes step number ``step``, if a replacement was given for it."""
        if not self._wanted:
            return False
        keys = [key for key in (step, name) if key in self._wanted]
        for key in keys:
            wanted = self._wanted[key]
            why = self._why_not(key, wanted, event, output)
            if why is not None:
                self._refused[key] = why
                return False
            self._done[key] = step
            if callable(wanted.value):
                made = wanted.value(lambda *given: event.function.apply(given, event.attributes), *event.inputs)
                output._data, output.node = made._data, made.node
                self.changed.add(step)
                return False
            output._data = _like(wanted.value, output._data)
            output.node = None if output.node is None else Node.leaf()
        return bool(keys)

    def _why_not(self, key: Key, wanted: Replacement, event: ForwardEvent, output: Variable) -> str | None:
        made = event.function.name
        if key in self._done:
            return f"several steps are called {key!r}: numbers {self._done[key]} and on; give a number"
        if wanted.function is not None and made != wanted.function:
            return f"step {key} is now made by {made}, not by {wanted.function}: the function takes another branch here"
        if not callable(wanted.value) and wanted.value.shape not in ((), output.shape):
            return f"{_called(key)} has shape {output.shape}, and the new value {wanted.value.shape}"
        if any([output is value for value in event.inputs]):
            return f"{_called(key)} is an input that {made} changed in place"
        return None

    def close(self, steps: range, function: str) -> None:
        """Refuse replacements of these steps of an opened fused function: nothing in the run depends on them."""
        for step in steps:
            if step in self._wanted:
                self._refused[step] = f"step {step} is inside {function}, which is opened; close it, or replace another"

    def settle(self, drafts: Sequence[Draft]) -> None:
        """Once the function has returned: raise an error for replacements that could not be made.

        Raises
        ------
        ValueError
            If a value could not be replaced.
        """
        for key in self._wanted:
            why = self._refused.get(key) or (None if key in self._done else self._missing(key, drafts))
            if why is not None:
                raise ValueError(f"{self._bound.caller}: option 'replace': {why}")

    def _missing(self, key: Key, drafts: Sequence[Draft]) -> str:
        named = [draft for draft in drafts if draft.name == key or draft.id == key]
        if not named:
            return f"{self._bound.name} computed no step {key!r:.60} here"
        if named[-1].kind == "input":
            return f"{_called(key)} is an input; give it another value"
        if named[-1].kind in LEAVES:
            return f"{_called(key)} is a {named[-1].kind}, which nothing computes; change it where it is made"
        if named[-1].value is None:
            return f"{_called(key)} has several results; replace one of them: {named[-1].id + 1} and on"
        return f"{_called(key)} got its name later; give its number, {named[-1].id}"


def _called(key: Key) -> str:
    return f"step {key}" if isinstance(key, int) else repr(key)


def _like(value: np.ndarray, array: Array) -> Array:
    """A new array of these numbers, with the shape, dtype and device of ``array``."""
    with np.errstate(over="ignore", invalid="ignore"):
        full = np.broadcast_to(value, array.shape).astype(array.dtype)
    return get_array_module(array).asarray(full)
