"""NumPy's own functions on Variables: which declared function each calls; `numpy_ufuncs` and `numpy_functions` call it.

Declared functions register themselves for the NumPy function they differentiate. NumPy's positional and keyword
arguments are mapped to theirs by name, so that ``np.sum(x, 0)`` and ``np.sum(x, axis=0)`` are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .calls import LateSignature, shown

declared: dict[Any, Callable[..., Any]] = {}
"""NumPy function or ufunc -> the declared function that differentiates it."""


adapters: dict[Any, Callable[..., Any]] = {}

foreign: dict[str, Callable[..., Any]] = {}
"""The name of a ufunc of another library, such as ``erf`` of scipy.special -> the function that differentiates it."""


def register(numpy_function: Any, function: Callable[..., Any], renamed: dict[str, str] | None = None) -> None:
    """Make ``numpy_function`` on Variables call ``function``; ``renamed`` maps NumPy's argument names to those of the
    function."""
    declared[numpy_function] = function
    own = getattr(function, "function", None)
    if own is not None and not isinstance(numpy_function, np.ufunc) and numpy_function.__name__ == own.name:
        own.grain, own.renamed = numpy_function, renamed or {}
        if len(own.schema.defaults) > 1:
            late = LateSignature.of(lambda: shown(own.schema.signature, numpy_function))
            function.__signature__ = late  # type: ignore[attr-defined]


def adapt(numpy_function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that ``numpy_function`` on Variables calls with its arguments unchanged.

    For NumPy functions whose arguments differ from those of the declared function in more than names.
    """

    def decorate(adapter: Callable[..., Any]) -> Callable[..., Any]:
        adapters[numpy_function] = adapter
        return adapter

    return decorate


def unwrap(value: Any) -> Any:
    """The data of a Variable, also inside lists and tuples; anything else unchanged."""
    if type(value) in (list, tuple):
        return type(value)([unwrap(item) for item in value])
    return value.array if hasattr(value, "requires_grad") else value
