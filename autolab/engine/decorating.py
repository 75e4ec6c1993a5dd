"""A ``with`` block as a decorator: each call of the function runs inside a block of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any


def inside(block: Callable[[], AbstractContextManager[Any]], function: Callable[..., Any], name: str) -> Any:
    """``function``, each call of which runs inside a ``block()`` of its own.

    Raises
    ------
    TypeError
        If it is no function, or one that yields: its steps run wherever it is asked for the next value.
    """
    if not callable(function):
        raise TypeError(f"{name}: got {function!r:.60}; expected a function to decorate, or nothing")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{name}: {function.__name__} yields values, between which the block would be left; write `with {name}():` "
            "inside it"
        )
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def awaited(*args: Any, **keywords: Any) -> Any:
            with block():
                return await function(*args, **keywords)

        return awaited

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        with block():
            return function(*args, **keywords)

    return called
