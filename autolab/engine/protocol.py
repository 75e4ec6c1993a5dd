"""NumPy's own functions on Variables: ``np.exp(x)``, ``np.sum(x, 0)``, ``array * x``.

Declared functions register themselves for the NumPy function they differentiate. NumPy's positional and keyword
arguments are mapped to theirs by name, so that ``np.sum(x, 0)`` and ``np.sum(x, axis=0)`` are the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .backend import is_array
from .calls import in_grain, shown, signature_of
from .complaints import COMPLAINTS, LIMIT
from .errors import DetachError, NoGradientError
from .leaving import is_drawn
from .remedies import INTO_ARRAY

declared: dict[Any, Callable[..., Any]] = {}
"""NumPy function or ufunc -> the declared function that differentiates it."""

_NAMED = re.compile(r"[A-Za-z_][\w.]*(\([\w.]+\))?: |numpy\.")
"""How a message begins that says which function it is about."""

_adapters: dict[Any, Callable[..., Any]] = {}

# Their results are no numbers to differentiate: they take the data and give plain arrays.
_PLAIN_UFUNCS = {
    *(np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}
_PLAIN_FUNCTIONS = {
    *(np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.iscomplexobj, np.isrealobj),
    *(np.argmax, np.argmin, np.argsort, np.searchsorted, np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero),
    *(np.any, np.all, np.isclose, np.allclose, np.array_equal, np.array_equiv),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.ix_, np.may_share_memory, np.shares_memory),
    *(np.array_repr, np.array_str, np.array2string),
}

_WRITES = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}


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
        _adapters[numpy_function] = adapter
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


def array_function(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``Variable.__array_function__`` does."""
    if func in _PLAIN_FUNCTIONS:
        return func(*[unwrap(value) for value in args], **{k: unwrap(v) for k, v in kwargs.items()})
    if func in _WRITES and any([getattr(value, "requires_grad", False) for value in (*args, *kwargs.values())]):
        raise DetachError(f"{_full_name(func)}: {INTO_ARRAY}")
    try:
        return _called(func, args, kwargs)
    except (*COMPLAINTS, AttributeError) as error:
        if is_drawn(sys._getframe(1)):  # matplotlib may ask for what has no gradient
            return func(*[unwrap(value) for value in args], **{k: unwrap(v) for k, v in kwargs.items()})
        if type(error) not in (*COMPLAINTS, AttributeError) or _NAMED.match(str(error)):
            raise
        kind = TypeError if isinstance(error, AttributeError) else type(error)  # it is no array
        told = "".join([f" {name}={value!r:.40}:" for name, value in _settings(func, args, kwargs)])
        raise kind(f"{_full_name(func)}:{told} {error}"[:LIMIT]).with_traceback(error.__traceback__) from None


def _called(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    adapter, function = _adapters.get(func), declared.get(func)
    if adapter is not None:
        return _adapted(func, adapter, args, kwargs)
    if function is None:
        raise NoGradientError(f"{_full_name(func)} has no gradient in AutoLab. Apply it to x.data if none is needed.")
    try:
        arrays, attributes = in_grain(function.function, func, args, kwargs)  # type: ignore[attr-defined]
    except NoGradientError as error:
        raise NoGradientError(f"{_full_name(func)} on a Variable {error}"[:LIMIT]) from None
    except TypeError as error:
        raise NoGradientError(f"{_full_name(func)} on a Variable: {error}"[:LIMIT]) from None
    return function(*arrays, **attributes)


def _adapted(func: Any, adapter: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        given = signature_of(adapter).bind(*args, **kwargs)
    except TypeError as error:
        raise NoGradientError(f"{_full_name(func)} on a Variable: {error}") from None
    return adapter(*given.args, **given.kwargs)


def _settings(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
    """The arguments that say how, and are no Variables or arrays or lists of them, for messages."""
    try:
        given = signature_of(func).bind_partial(*args, **kwargs).arguments
    except (TypeError, ValueError):  # it does not take them
        return []
    return [(k, v) for k, v in given.items() if not (is_array(v) or hasattr(v, "requires_grad") or _holds(v))]


def _holds(value: Any) -> bool:
    return isinstance(value, list | tuple) and any([is_array(v) or hasattr(v, "requires_grad") for v in value])


def _full_name(func: Any) -> str:
    """As one calls it: ``numpy.sum``, ``numpy.linalg.eig``."""
    return f"{getattr(func, '__module__', None) or 'numpy'}.{func.__name__}"
