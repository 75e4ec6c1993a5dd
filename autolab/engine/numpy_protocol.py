"""NumPy's own functions on Variables: ``np.exp(x)``, ``array * x``; `numpy_functions` has those that are no ufuncs.

Declared functions register themselves for the NumPy function they differentiate. NumPy's positional and keyword
arguments are mapped to theirs by name, so that ``np.sum(x, 0)`` and ``np.sum(x, axis=0)`` are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .backend import is_array
from .calls import shown
from .errors import DetachError, NoGradientError

declared: dict[Any, Callable[..., Any]] = {}
"""NumPy function or ufunc -> the declared function that differentiates it."""


adapters: dict[Any, Callable[..., Any]] = {}

# Their results are no numbers to differentiate: they take the data and give plain arrays.
_PLAIN_UFUNCS = {
    *(np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}


def register(numpy_function: Any, function: Callable[..., Any], renamed: dict[str, str] | None = None) -> None:
    """Let ``numpy_function`` on Variables call ``function``; ``renamed`` maps NumPy's argument names to the
    function's."""
    declared[numpy_function] = function
    own = getattr(function, "function", None)
    if own is not None and not isinstance(numpy_function, np.ufunc) and numpy_function.__name__ == own.name:
        own.grain, own.renamed = numpy_function, renamed or {}
        if len(own.schema.defaults) > 1:
            function.__signature__ = shown(own.schema.signature, numpy_function)  # type: ignore[attr-defined]


def adapt(numpy_function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate what ``numpy_function`` on Variables calls with its arguments as they are.

    For functions whose arguments differ from the declared function's in more than names.
    """

    def decorate(adapter: Callable[..., Any]) -> Callable[..., Any]:
        adapters[numpy_function] = adapter
        return adapter

    return decorate


def unwrap(value: Any) -> Any:
    """The data of a Variable, also inside lists and tuples; anything else as it is."""
    if hasattr(value, "requires_grad"):
        return value.array
    if type(value) in (list, tuple):
        return type(value)(unwrap(item) for item in value)
    return value


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``Variable.__array_ufunc__`` does."""
    if kwargs.get("out") is not None:
        return _into_array(ufunc, method, inputs, kwargs)
    if method == "__call__" and ufunc in _PLAIN_UFUNCS:
        return ufunc(*[unwrap(value) for value in inputs], **kwargs)
    function = declared.get(ufunc) if method == "__call__" else None
    if function is None:
        called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NoGradientError(f"numpy.{called} has no gradient in AutoLab. Apply it to x.data if none is needed.")
    if kwargs:
        raise NoGradientError(f"numpy.{ufunc.__name__} on a Variable does not take {', '.join(map(repr, kwargs))}")
    return function(*inputs)


def _into_array(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``x.data -= lr * x.grad``: an update of an array, allowed where no gradient is lost by it."""
    if not all(is_array(out) for out in kwargs["out"]):
        raise DetachError(f"numpy.{ufunc.__name__}: out= cannot be a Variable; write y = numpy.{ufunc.__name__}(...)")
    if any(getattr(value, "requires_grad", False) for value in inputs):
        raise DetachError(
            f"numpy.{ufunc.__name__}: changing an array in place by a Variable that requires a gradient "
            f"would drop the gradient; write y = numpy.{ufunc.__name__}(...). An update by numbers alone takes x.data"
        )
    return getattr(ufunc, method)(*[unwrap(value) for value in inputs], **kwargs)
