"""What a row of the function table says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helpers.cases import Case


@dataclass(frozen=True)
class Bad:
    """A call that must raise ``error`` with a message that matches ``message``."""

    call: Callable[[], Any]
    error: type[Exception]
    message: str


@dataclass(frozen=True)
class Row:
    """``reference`` is the same function on plain arrays, written so that HIPS autograd can follow it.

    Order 0 says that the function has no gradient.
    """

    function: Callable[..., Any]
    reference: Callable[..., Any]
    cases: tuple[Case, ...]
    errors: tuple[Bad, ...] = ()
    slope: Callable[[Any], Any] | None = None  # closed form of the derivative, for values that are out of the ordinary
    awkward: Callable[[Any], Any] | None = None  # for these, where the reference is not good enough
    order: int = 2
    mixed: bool = False  # whether inputs of different dtypes make sense
    exact: bool = True  # whether forward agrees with the reference to the last bit
    rounding: int = 8  # if it does not: by how many units in the last place of the greatest element it may differ
    digits: Callable[[Any], tuple[Any, Any]] | None = None  # from mpmath's `mp`, the function of a number and its slope

    @property
    def name(self) -> str:
        return self.function.__name__
