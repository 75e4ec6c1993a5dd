"""Errors that Python or NumPy raise inside a facade's function, restated for the function that was called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from types import TracebackType
from typing import Any

from ..engine import a_kind
from ..engine.errors import LIMIT, expectation

RAW = (TypeError, ValueError, IndexError, AttributeError, KeyError, OverflowError, ZeroDivisionError)
"""What Python and NumPy raise for arguments that a function cannot use."""

_NAMES_A_FUNCTION = re.compile(r"[A-Za-z_][\w.]*: ")
_LACKS = re.compile(r"'([\w.]+)' object has no attribute '\w+'")
_KINDS = (IndexError, TypeError, ValueError, OverflowError, ZeroDivisionError)


def restated(function: str, error: Exception, given: Mapping[str, Any]) -> Exception | None:
    """The error with the function and its arguments named; None if it names a function, or comes from user code.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.argmax(torch.ones(2), dim="rows")
    Traceback (most recent call last):
    TypeError: argmax: input has shape (2,), dim='rows': expected integers
    """
    said = str(error)
    if _is_own(error, said) or _is_users(error.__traceback__):
        return None
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), TypeError)
    lacking = _LACKS.match(said)
    what = expectation(said) or (f"{lacking[1]} is not what it takes" if lacking else said)
    what = f": {what[: LIMIT // 2]}"
    seen = [_seen(name, value) for name, value in given.items() if value is not None and value is not False]
    text = f"{function}: {', '.join(seen)}"
    return kind((text if len(text + what) <= LIMIT else text[: LIMIT - len(what) - 1] + "…") + what)


def explained(function: Callable[..., Any], words: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """A function that restates what Python or NumPy raise inside it; one from a table does that by itself.

    It also takes its keywords under other names: ``words`` has the own name of each.
    """
    names, words = function.__code__.co_varnames[: function.__code__.co_argcount], words or {}

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        if words and not words.keys().isdisjoint(given):
            given = _in_own_words(function.__name__, words, given)
        try:
            return function(*args, **given)
        except RAW as error:
            other = restated(function.__name__, error, {**dict(zip(names, args, strict=False)), **given})
            if other is None:
                raise
            raise other from None

    return call


def _in_own_words(function: str, words: Mapping[str, str], given: dict[str, Any]) -> dict[str, Any]:
    found = {words.get(name, name): value for name, value in given.items()}
    if len(found) < len(given):
        raise TypeError(f"{function}: got {', '.join(given)}; expected one name for each argument")
    return found


def _is_own(error: Exception, said: str) -> bool:
    """Whether the message, or the class, is one of AutoLab's."""
    module = type(error).__module__
    if module != "builtins" and not module.startswith("numpy"):
        return True
    if isinstance(error, AttributeError):
        return _LACKS.match(said) is None
    return _NAMES_A_FUNCTION.match(said) is not None


def _is_users(trace: TracebackType | None) -> bool:
    """Whether a function that the user wrote was running."""
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in ("autolab", "numpy"):
            return True
        trace = trace.tb_next
    return False


def _seen(name: str, value: Any) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{name} has shape {tuple(shape)}"
    plain = isinstance(value, bool | int | float | str | tuple | list)
    return f"{name}={value!r:.40}" if plain else f"{name} is {a_kind(value)}"
