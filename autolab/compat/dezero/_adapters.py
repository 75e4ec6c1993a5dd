"""Adapters: the engine's functions, returning DeZero's Variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ...engine import array_of
from ...engine.variable import Variable as Engine
from ._variable import Variable, Whole, dressed


def variable(found: Any) -> Any:
    """The argument, with arrays and numbers converted to Variables."""
    return dressed(found) if isinstance(found, Engine) else Variable(array_of(found))


def function(engine: Callable[..., Any], whole: bool = False) -> Callable[..., Any]:
    """A function of the engine that returns DeZero's Variables; with ``whole``, integers give integers."""

    @wraps(engine)
    def call(*args: Any, **settings: Any) -> Any:
        y = engine(*args, **settings)
        if type(y) is not Engine:
            return NotImplemented if y is NotImplemented else variable(y)
        y.__class__ = Whole if whole and Whole in map(type, args) and all(map(_is_integer, args)) else Variable
        return y

    return call


def _is_integer(x: Any) -> bool:
    return type(x) is Whole or (not isinstance(x, Engine) and array_of(x).dtype.kind in "iu")
