"""DeZero's classes of functions: ``F.ReLU()`` gives a function that may stand in a list of layers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def applied(name: str, function: Callable[..., Any], *settings: str) -> type:
    """A class whose objects, made with ``settings``, call ``function`` with them. They may be called again and again.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import functions as F
    >>> F.LeakyReLU(0.5)(np.array([-2.0, 2.0]))
    variable([-1.  2.])
    """
    known = inspect.signature(function).parameters
    signature = inspect.Signature([known[setting] for setting in settings])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        self.settings = dict(signature.bind(*args, **kwargs).arguments)
        vars(self).update(self.settings)

    def __call__(self: Any, *inputs: Any) -> Any:
        return function(*inputs, **self.settings)

    body = {"__init__": __init__, "__call__": __call__, "__doc__": f"`{function.__name__}` with its settings."}
    return type(name, (), body)


def capitalized(*functions: Callable[..., Any]) -> list[type]:
    """Classes without settings, whose names are those of the functions with a capital.

    Examples
    --------
    >>> from autolab.compat.dezero import functions as F
    >>> F.Sin()(0.0)
    variable(0.0)
    """
    return [applied(function.__name__.capitalize(), function) for function in functions]
