"""A context manager as a decorator: each call of the function runs inside its own block."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any


def inside(block: Callable[[], AbstractContextManager[Any]], function: Callable[..., Any], name: str) -> Any:
    """``function``, with each call inside its own ``block()``.

    Raises
    ------
    TypeError
        If it is not a function, or is a generator function: its steps run wherever the next value is requested.
    """
    if not callable(function):
        raise TypeError(f"{name}: got {function!r:.60}; expected a function to decorate, or nothing")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{name}: {function.__name__} is a generator: the block would be left between its values; write "
            f"`with {name}():` inside it"
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
