"""The engine's own exceptions. Each is also the built-in kind that a caller would expect to catch."""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import Any

import numpy as np


class GradientShapeError(ValueError):
    """A backward returned a gradient whose shape is not the shape of the input it belongs to.

    ``got`` and ``expected`` are the two shapes.
    """

    def __init__(
        self, message: str, got: tuple[int, ...] | None = None, expected: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(message)
        self.got, self.expected = got, expected


class GradientCountError(ValueError):
    """A backward returned another number of gradients than the function has inputs (or inputs that need one)."""


class DeclarationError(TypeError):
    """A function was declared wrongly: an unknown rule name, or a backward with an old signature."""


class FusionError(TypeError):
    """A function cannot be fused: it does more than compute each element from those of its inputs."""


class NoGradientError(TypeError):
    """A NumPy function that has no gradient here was applied to a Variable."""


class DetachError(TypeError):
    """An operation would have dropped a gradient silently: a conversion to a plain array, or a change in place."""


class DamagedValueError(RuntimeError):
    """A value that backward needs was changed in place after the forward pass; see `autolab.check_inplace`.

    ``file`` and ``line`` say where the step stands that needs it; None and 0 where that is not known.
    """

    def __init__(self, message: str, file: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.file, self.line = file, line


class ReuseError(RuntimeError):
    """One function object was applied twice; it can appear in only one place of a graph."""


def counted(gradients: Sized) -> str:
    """How many gradients these are, for messages.

    Examples
    --------
    >>> counted([1.0]), counted([])
    ('1 gradient', '0 gradients')
    """
    return f"{len(gradients)} gradient{'s' * (len(gradients) != 1)}"


_SPELLED = "AEFHILMNORSXn"  # letters whose names begin with a vowel's sound: an MLP, an ndarray


def a_kind(value: object) -> str:
    """The name of a value's type with its article, for messages.

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


def no_switch(function: str, **switches: Any) -> TypeError:
    """What is raised where something else than True or False came for a keyword of a backward pass."""
    given = ", ".join([f"{name} is {a_kind(value)}" for name, value in switches.items()])
    where = "gradient=" if function == "backward" else "grad_outputs"
    return TypeError(f"{function}: {given}; expected True or False. An upstream gradient goes to {where}")
