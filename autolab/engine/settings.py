"""What a class is made with, looked at before its ``__init__`` would complain in the words of Python."""

from __future__ import annotations

import inspect
from typing import Any

from .complaints import LIMIT
from .habits import instead


def check_settings(cls: type, args: tuple[Any, ...], settings: dict[str, Any]) -> None:
    """Raise a TypeError that names the class if its ``__init__`` does not take these arguments.

    Examples
    --------
    >>> from autolab import links as L
    >>> L.Conv2D(1, 8)
    Traceback (most recent call last):
    TypeError: Conv2D: ksize is missing; expected Conv2D(in_channels, out_channels, ksize)
    """
    made: Any = cls
    signature = inspect.signature(made.__init__)
    try:
        signature.bind(None, *args, **settings)
    except TypeError as error:
        raise TypeError(f"{cls.__name__}: {_said(cls, signature, settings, str(error))}"[:LIMIT]) from None


def _said(cls: type, signature: inspect.Signature, settings: dict[str, Any], error: str) -> str:
    parameters = list(signature.parameters.values())[1:]
    names = [p.name for p in parameters]
    for name in settings:
        if name not in names:
            return f"got a keyword {name!r}; expected {', '.join(names) or 'none'}{instead('keywords', name)}"
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    name = error.partition("'")[2].partition("'")[0]
    if "missing" in error:
        return f"{name} is missing; expected {cls.__name__}({', '.join(needed)})"
    if "multiple" in error:
        return f"{name} was given twice"
    return f"got too many arguments; expected at most {len(names)}: {', '.join(names) or 'none'}"
