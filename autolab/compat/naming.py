"""Functions that a facade makes of others: what they are called, and what they take."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def called(function: Any, name: str, said: str) -> Any:
    """The function, or the class, itself, with its name and its docstring.

    Examples
    --------
    >>> twice = called(lambda x: 2 * x, "twice", "Two times a number.")
    >>> twice.__name__, twice.__doc__
    ('twice', 'Two times a number.')
    """
    function.__name__ = function.__qualname__ = name
    function.__doc__ = said
    return function


def with_defaults(function: Callable[..., Any], **defaults: Any) -> Any:
    """A copy of a function some of whose parameters have other defaults.

    Examples
    --------
    >>> def power(x, n=2):
    ...     return x**n
    >>> with_defaults(power, n=3)(2)
    8
    """
    assert isinstance(function, FunctionType)
    code, usual = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(usual) : code.co_argcount]
    values = tuple([defaults.get(name, value) for name, value in zip(names, usual, strict=True)])
    copy = FunctionType(code, function.__globals__, function.__name__, values, function.__closure__)
    copy.__annotations__, copy.__kwdefaults__ = function.__annotations__, function.__kwdefaults__
    return copy
