"""NumPy functions other than ufuncs on Variables: ``np.sum(x, 0)``, ``np.stack([x, y])``.

NumPy's ufuncs on Variables, ``np.exp(x)``, ``array * x``, and those of other libraries: ``scipy.special.erf(x)``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import plain
from .backend import is_array
from .calls import in_grain, refusal, signature_of
from .errors import COMPLAINTS, INTO_ARRAY, LIMIT, DetachError, NoGradientError
from .leaving import is_drawn
from .modes import backprop_enabled
from .numpy_protocol import adapters, declared, foreign, unwrap
from .parts import rewrite

_NAMED = r"[A-Za-z_][\w.]*(\([\w.]+\))?: |numpy\."
"""How a message that names its function begins."""


_PLAIN_FUNCTIONS = {
    *(np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.iscomplexobj, np.isrealobj),
    *(np.argmax, np.argmin, np.argsort, np.searchsorted, np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero),
    *(np.histogram, np.digitize, np.bincount, np.isin, np.linalg.matrix_rank, np.histogram2d, np.lexsort),
    *(np.argpartition, np.nanargmax, np.nanargmin, np.isposinf, np.isneginf, np.isreal, np.iscomplex),
    *(np.tril_indices_from, np.triu_indices_from, np.diag_indices_from, np.unravel_index, np.histogram_bin_edges),
    *(np.any, np.all, np.isclose, np.allclose, np.array_equal, np.array_equiv),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.may_share_memory, np.shares_memory),
    *(np.array_repr, np.array_str, np.array2string, np.save, np.savetxt, np.savez, np.savez_compressed),
}


_SUMMED = "F.index_add(np.zeros(n), 0, places, weights), with F = autolab.functions, keeps it"
_TAKES_VALUES = {
    np.full_like: "np.broadcast_to(value, x.shape) keeps it",
    **dict.fromkeys((np.bincount, np.histogram), _SUMMED),
}
"""Plain functions whose result depends on values after the first argument, and how to write them."""

_WRITES = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}

_WRITTEN = {
    "numpy.fft.rfft": "Write real, imag = F.rfft(x), with F = autolab.functions",
    "numpy.fft.irfft": "Write F.irfft(real, imag), with F = autolab.functions",
    "numpy.fft.fft": "Write real, imag = F.fft(x, np.zeros(x.shape)), with F = autolab.functions",
    "numpy.fft.ifft": "Write real, imag = F.ifft(real, imag), with F = autolab.functions",
}
"""Functions with complex results -> how to write them with two real arrays."""

_JOINS = {np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack}


def array_function(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The implementation of ``Variable.__array_function__``."""
    if func in _PLAIN_FUNCTIONS:
        values = [*args[1:], kwargs.get("fill_value"), kwargs.get("weights")]
        if func in _TAKES_VALUES and requires(values):
            raise DetachError(f"{_full_name(func)}: a plain array would drop the gradient; {_TAKES_VALUES[func]}")
        return plain(_of_arrays(func, args, kwargs))
    if func in _WRITES:
        return _write(func, args, kwargs)
    try:
        return _called(func, args, kwargs)
    except (*COMPLAINTS, AttributeError) as error:
        if is_drawn(sys._getframe(1)):  # matplotlib may ask for what has no gradient
            return _of_arrays(func, args, kwargs)
        if type(error) not in (*COMPLAINTS, AttributeError) or re.match(_NAMED, str(error)):
            raise
        kind = TypeError if isinstance(error, AttributeError) else type(error)  # it is no array
        told = "".join([f" {name}={value!r:.40}:" for name, value in _settings(func, args, kwargs)])
        raise kind(f"{_full_name(func)}:{told} {error}"[:LIMIT]).with_traceback(error.__traceback__) from None


def _write(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Call a NumPy function that writes to its first argument, an array or a Variable without a gradient."""
    given = _given(func, args, kwargs)
    first, *others = given
    target, rest = given[first], {name: given[name] for name in others}
    if requires([*rest.values()]) and backprop_enabled():
        raise DetachError(f"{_full_name(func)}: {INTO_ARRAY}")
    values = {name: unwrap(value) for name, value in rest.items()}
    if hasattr(target, "requires_grad"):
        rewrite(target, _full_name(func), lambda array: func(array, **values))
    else:
        func(target, **values)


def _of_arrays(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the NumPy function on the arrays of Variables; a Variable cannot be its output."""
    if ("out" in kwargs or len(args) > 2) and hasattr(_given(func, args, kwargs).get("out"), "requires_grad"):
        name = _full_name(func)
        raise DetachError(f"{name}: out= cannot be a Variable; write y = {name}(...)")
    return func(*[unwrap(value) for value in args], **{k: unwrap(v) for k, v in kwargs.items()})


def _called(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    adapter, function = adapters.get(func), declared.get(func)
    if func in _JOINS and args and isinstance(args[0], list | tuple):
        args = ([np.stack(x) if isinstance(x, list) and requires(x) else x for x in args[0]], *args[1:])
    if adapter is not None:
        return _adapted(func, adapter, args, kwargs)
    if function is None and not requires([*args, *kwargs.values()]):
        return _of_arrays(func, args, kwargs)
    if function is None:
        written = _WRITTEN.get(_full_name(func), "Apply it to x.data if none is needed")
        raise NoGradientError(f"{_full_name(func)} has no gradient in AutoLab. {written}.")
    try:
        arrays, attributes = in_grain(function.function, func, args, kwargs)  # type: ignore[attr-defined]
    except NoGradientError as error:
        raise NoGradientError(f"{_full_name(func)} on a Variable {error}"[:LIMIT]) from None
    except TypeError as error:
        raise NoGradientError(f"{_full_name(func)} on a Variable: {error}"[:LIMIT]) from None
    return function(*arrays, **attributes)


def _adapted(func: Any, adapter: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Bind the arguments to NumPy's own parameters, and hand each to the one of the adapter that has its name."""
    own = signature_of(adapter)
    try:
        theirs = signature_of(func)
    except ValueError:  # in C, before NumPy 2.4
        theirs = own
    try:
        given = theirs.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise NoGradientError(f"{_full_name(func)} on a Variable: {error}") from None
    places, inputs = [*own.parameters], list[Any]()
    options: dict[str, Any] = {}
    for name, value in given.items():
        p = theirs.parameters[name]
        if p.kind is p.VAR_POSITIONAL:
            inputs += value
        elif p.kind is p.VAR_KEYWORD:
            options |= value
        elif p.default is p.empty:
            inputs.append(value)
        elif value is np._NoValue or (value is p.default and name not in places):
            continue
        elif name not in places:
            raise NoGradientError(f"{_full_name(func)} on a Variable {refusal(func.__name__, name)}"[:LIMIT])
        elif own.parameters[name].kind is p.POSITIONAL_ONLY:
            inputs.append(value)
        else:
            options[name] = value
    return adapter(*inputs, **options)


def _settings(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
    """The arguments that are options, not Variables, arrays or lists of them, for messages."""
    given = _given(func, args, kwargs).items()
    return [(k, v) for k, v in given if not (is_array(v) or hasattr(v, "requires_grad") or _holds(v))]


def _given(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name; empty if the function does not accept them."""
    try:
        return signature_of(func).bind_partial(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {}


def requires(value: Any) -> bool:
    """Whether a Variable that requires a gradient is among values, also inside lists and tuples."""
    if isinstance(value, list | tuple):
        return any([requires(item) for item in value])
    return bool(getattr(value, "requires_grad", False))


def _holds(value: Any) -> bool:
    return isinstance(value, list | tuple) and any([is_array(v) or hasattr(v, "requires_grad") for v in value])


def _full_name(func: Any) -> str:
    """The full name: ``numpy.sum``, ``numpy.linalg.eig``."""
    return f"{getattr(func, '__module__', None) or 'numpy'}.{func.__name__}"


# Their results are not differentiable: they use the data and return plain arrays.
_PLAIN_UFUNCS = {
    *(np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit),
    *(np.bitwise_and, np.bitwise_or, np.invert),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}


_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
}


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The implementation of ``Variable.__array_ufunc__``."""
    if kwargs.get("out") is not None:
        return _into_array(ufunc, method, inputs, kwargs)
    if method == "__call__" and ufunc in _PLAIN_UFUNCS:
        return plain(ufunc(*[unwrap(value) for value in inputs], **kwargs))
    if method == "outer" and len(inputs) == 2:
        a, b = inputs
        return ufunc(np.reshape(a, (*np.shape(a), *[1] * np.ndim(b))), b, **kwargs)
    if method == "reduce" and ufunc in _REDUCTIONS:
        return _REDUCTIONS[ufunc](*inputs, **{"axis": 0, **kwargs})
    if method == "at" and hasattr(inputs[0], "requires_grad") and not (backprop_enabled() and requires(inputs[1:])):
        target, *rest = inputs
        return rewrite(target, f"numpy.{ufunc.__name__}.at", lambda array: ufunc.at(array, *map(unwrap, rest)))
    function = _declared(ufunc) if method == "__call__" else None
    if function is None and not requires([*inputs, *kwargs.values()]):
        return getattr(ufunc, method)(*[unwrap(value) for value in inputs], **kwargs)
    if function is None:
        library = "numpy." if getattr(np, ufunc.__name__, None) is ufunc else "ufunc "
        called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NoGradientError(f"{library}{called} has no gradient in AutoLab. Apply it to x.data if none is needed.")
    if kwargs:
        raise NoGradientError(f"numpy.{ufunc.__name__} on a Variable does not take {', '.join(map(repr, kwargs))}")
    return function(*inputs)


def _declared(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """The declared function of a ufunc; for other libraries it is found by name."""
    found = declared.get(ufunc)
    is_numpys = getattr(np, ufunc.__name__, None) is ufunc
    return found if found is not None or is_numpys else foreign.get(ufunc.__name__)


def _into_array(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``x.data -= lr * x.grad``: an update of an array, allowed if no gradient is lost."""
    if not all(is_array(out) for out in kwargs["out"]):
        raise DetachError(f"numpy.{ufunc.__name__}: out= cannot be a Variable; write y = numpy.{ufunc.__name__}(...)")
    if any(getattr(value, "requires_grad", False) for value in inputs):
        raise DetachError(
            f"numpy.{ufunc.__name__}: changing an array in place by a Variable that requires a gradient "
            f"would drop the gradient; write y = numpy.{ufunc.__name__}(...). An update by numbers alone takes x.data"
        )
    return getattr(ufunc, method)(*[unwrap(value) for value in inputs], **kwargs)
