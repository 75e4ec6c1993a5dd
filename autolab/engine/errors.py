"""The engine's exceptions. Each is a subclass of the built-in exception that a caller would expect to catch."""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import Any

import numpy as np


class GradientShapeError(ValueError):
    """A backward returned a gradient whose shape is not that of its input.

    ``got`` and ``expected`` are the two shapes.
    """

    def __init__(
        self, message: str, got: tuple[int, ...] | None = None, expected: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(message)
        self.got, self.expected = got, expected


class GradientCountError(ValueError):
    """A backward returned a number of gradients that is not that of the inputs (or of the inputs that need one)."""


class DeclarationError(TypeError):
    """A function is declared incorrectly: an unknown rule name, or a backward with an old signature."""


class FusionError(TypeError):
    """A function cannot be fused: it is not purely elementwise."""


class NoGradientError(TypeError):
    """A NumPy function that has no gradient here was applied to a Variable."""


class DetachError(TypeError):
    """An operation would silently lose a gradient: a conversion to a plain array, or a change in place."""


class DamagedValueError(RuntimeError):
    """A value that backward needs was changed in place after the forward pass; see `autolab.check_inplace`.

    ``file`` and ``line`` locate the step that needs it; None and 0 if unknown.
    """

    def __init__(self, message: str, file: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.file, self.line = file, line


class ReuseError(RuntimeError):
    """One function object was applied twice; it can appear in only one place of a graph."""


def counted(gradients: Sized) -> str:
    """The number of gradients in words, for messages.

    Examples
    --------
    >>> counted([1.0]), counted([])
    ('1 gradient', '0 gradients')
    """
    return f"{len(gradients)} gradient{'s' * (len(gradients) != 1)}"


_SPELLED = "AEFHILMNORSXn"  # letters whose names begin with a vowel's sound: an MLP, an ndarray


def a_kind(value: object) -> str:
    """The name of a value's type with an article, for messages.

    Examples
    --------
    >>> a_kind(3), a_kind([]), a_kind(None)
    ('an int', 'a list', 'None')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    vowels = _SPELLED if name[:2].isupper() or name.startswith("nd") else "AEIOaeio"
    return f"{'an' if name[0] in vowels else 'a'} {name}"


def check_number(who: str, name: str, value: Any, low: float, high: float = math.inf) -> float:
    """``value`` as a number from ``low`` to ``high``, or an error that names it."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        upto = "" if high == math.inf else f" and at most {high}"
        raise ValueError(f"{who}: {name} is {value!r:.60}; expected a number of at least {low}{upto}")
    return float(value)


def check_whole(who: str, name: str, value: Any, low: int, high: float = math.inf) -> int:
    """``value`` as a whole number from ``low`` to ``high``, or an error that names it."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= value <= high:
        expected = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
        raise ValueError(f"{who}: {name} is {value!r:.60}; expected a whole number {expected}")
    return int(value)


def no_switch(function: str, **switches: Any) -> TypeError:
    """The error for a keyword of a backward pass that is neither True nor False."""
    given = ", ".join([f"{name} is {a_kind(value)}" for name, value in switches.items()])
    where = "gradient=" if function == "backward" else "grad_outputs"
    return TypeError(f"{function}: {given}; expected True or False. An upstream gradient goes to {where}")
