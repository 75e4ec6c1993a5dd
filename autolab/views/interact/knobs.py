"""Knobs: the controls of `interact`. A number gets a slider, a list a choice, a random generator a button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..draw import clean
from ..live.controls import control, is_finite

_NUMBER = (int, float, np.integer, np.floating)


@dataclass
class Slider:
    """A number between two ends; an integer if all three numbers are integers."""

    value: float
    start: float
    ends: tuple[float, float] | None

    def set(self, value: Any) -> None:
        """Set the number; an invalid one raises an error that says why."""
        if type(value) not in (int, float) or not is_finite(value):
            raise ValueError(f"interact: got {value!r:.60}; expected a finite number")
        self.value = round(value) if isinstance(self.start, int) else float(value)

    def argument(self) -> float:
        """What the function gets."""
        return self.value

    def entry(self, name: str) -> dict[str, Any]:
        """The control as plain data."""
        return control(name, name, np.array(self.value), np.array(self.start), self.ends)


@dataclass
class Choice:
    """One of several words."""

    value: str
    values: tuple[str, ...]

    def set(self, value: Any) -> None:
        """Choose a word; an unknown one raises an error that says why."""
        if value not in self.values:
            raise ValueError(f"interact: got {value!r:.60}; expected one of {', '.join(self.values):.150}")
        self.value = value

    def argument(self) -> str:
        """What the function gets."""
        return self.value

    def entry(self, name: str) -> dict[str, Any]:
        """The choice as plain data."""
        return {"name": clean(name), "label": clean(name), "value": self.value, "values": list(self.values)}


class Dice:
    """A random number generator that gives the same numbers in every run until it is thrown again."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._seeds = np.random.default_rng(rng.integers(2**63))
        self.throw()

    def throw(self) -> None:
        """Draw other numbers from now on."""
        self._seed = int(self._seeds.integers(2**63))

    def argument(self) -> np.random.Generator:
        """What the function gets."""
        return np.random.default_rng(self._seed)


Knob = Slider | Choice | Dice


def knobs(inputs: Mapping[str, Any]) -> dict[str, Knob]:
    """The control of each argument.

    Raises
    ------
    TypeError
        If there is no control for an argument of that type.
    ValueError
        If a tuple is not in ascending order, or there are no words to choose from.

    Examples
    --------
    >>> knobs({"scale": (0.5, 1.0, 3.0)})["scale"].argument()
    1.0
    """
    return {name: _knob(name, given) for name, given in inputs.items()}


def _knob(name: str, given: Any) -> Knob:
    if isinstance(given, np.random.Generator):
        return Dice(given)
    if isinstance(given, list) and given and all([isinstance(word, str) for word in given]):
        words = tuple([clean(word) for word in given])
        return Choice(words[0], words)
    numbers = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(numbers) <= 3 or not all([_is_number(v) for v in numbers]):
        expected = "a number, a tuple (low, high) or (low, start, high), a list of words, or a numpy Generator"
        raise TypeError(f"interact: {name:.60} is {given!r:.60}; expected {expected}")
    plain = [v.item() if isinstance(v, np.generic) else v for v in numbers]
    if not all([type(v) is int for v in plain]):
        plain = [float(v) for v in plain]
    if len(plain) == 1:
        return Slider(plain[0], plain[0], None)
    low, start, high = plain[0], plain[len(plain) // 2 if len(plain) == 3 else 0], plain[-1]
    if not low <= start <= high or low == high:
        raise ValueError(f"interact: {name:.60} is {given!r:.60}; expected (low, start, high) in this order")
    return Slider(start, start, (low, high))


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBER) and not isinstance(value, bool) and is_finite(value)
