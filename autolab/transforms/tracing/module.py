"""NumPy's functions for traced arrays: the module that `get_array_module` returns for them."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .array import TracedArray
from .program import UFUNCS
from .signatures import arrays_in, handlers, numpys, plain, trace_of, understood
from .trace import ArrayTrace, Untraceable

_TELLING = {
    *("shape", "ndim", "size", "result_type", "can_cast", "iscomplexobj", "isrealobj", "may_share_memory"),
    "shares_memory",
}
"""Functions that do not depend on elements."""

_SAME = {"positive": "copy", "fabs": "absolute", "conjugate": "copy", "true_divide": "divide", "mod": "remainder"}
_OF_BOOLEANS = {"bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "not_equal"}


def lifted(value: Any, dtype: np.dtype | None = None) -> Any:
    """A traced array unchanged, anything else as a constant traced array."""
    return value if isinstance(value, TracedArray) else TracedArray.of(np.asarray(value, dtype))


def constant(result: Any, given: Sequence[TracedArray] = ()) -> Any:
    """A NumPy result for constants, as traced arrays; a view of a constant stays a view."""
    if isinstance(result, np.ndarray | np.generic):
        buffers = [array._buffer for array in given if array._buffer.holds(np.asarray(result))]
        return TracedArray.of(np.asarray(result), buffers[0] if buffers else None)
    if isinstance(result, tuple | list):
        parts = [constant(part, given) for part in result]
        return parts if type(result) is list else tuple(parts)
    return result


def call(name: str, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """Call a NumPy function, given by its name below ``numpy``."""
    trace = trace_of(list(args), options)
    function = numpys(name)
    if name in _TELLING:
        return function(*plain(tuple(args)), **plain(options))
    if trace is None:
        given = list(arrays_in([*args, options]))
        found = function(*plain(tuple(args)), **plain(options))
        for array in given:
            array._buffer.slot = None  # NumPy may have written to it
        return constant(found, given)
    trace.watch()
    handler = handlers.get(name)
    if handler is None:
        raise trace.refuse(f"numpy.{name}")
    bound = understood(name, handler, args, options, trace)
    out = bound.pop("out", None)
    with trace.listening():
        found = handler(*bound.pop(""), **bound)
    return found if out is None else written(name, found, out[0] if isinstance(out, tuple) else out, trace)


def written(name: str, found: Any, out: Any, trace: ArrayTrace | None, where: Any = True) -> Any:
    """Write a result to ``out``, where a mask is true."""
    if not isinstance(out, TracedArray):
        raise (trace or ArrayTrace()).refuse(f"numpy.{name} into a NumPy array")
    if not np.can_cast(found.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast ufunc {name!r} output from {found.dtype!r} to {out.dtype!r}")
    out[...] = found if where is True else call("where", (where, found, out), {})
    return out


# ---------------------------------------------------------------------------------------------- universal functions
def ufunc(
    function: np.ufunc, *inputs: Any, out: Any = None, dtype: Any = None, where: Any = True, **options: Any
) -> Any:
    """Call a ufunc; Python numbers take the dtype of the arrays, as in NumPy."""
    name = function.__name__
    out = out[0] if isinstance(out, tuple) else out
    if len(inputs) > function.nin:  # ``np.exp(x, y)`` writes to y
        *inputs, out = inputs  # type: ignore[assignment]
    trace = trace_of(inputs, out, where, options)
    if trace is None:
        found = constant(function(*plain(list(inputs)), dtype=dtype, **plain(options)))
    else:
        trace.watch()
        if options or (where is not True and out is None):
            raise trace.refuse(f"numpy.{name} with {next(iter(options), 'where')}=")
        own = handlers.get(name) if dtype is None else None
        with trace.listening():
            found = own(*inputs) if own else _elementwise(trace, function, inputs, dtype)
    return found if out is None else written(name, found, out, trace, where)


def _elementwise(trace: ArrayTrace, function: np.ufunc, inputs: Sequence[Any], dtype: Any) -> Any:
    name = _SAME.get(function.__name__, function.__name__)
    if dtype is not None:
        if function.nout > 1 or np.asarray(function(*plain(list(inputs)), dtype=dtype)).dtype != dtype:
            raise trace.refuse(f"numpy.{function.__name__} with dtype=")
        inputs = [lifted(i).astype(dtype, copy=False) for i in inputs]
    values = plain(list(inputs))
    kinds = [v if isinstance(v, int | float) and not isinstance(v, bool) else np.asarray(v).dtype for v in values]
    common = np.result_type(*kinds)
    if common.kind == "b":
        name = _OF_BOOLEANS.get(name, "logical_not" if name == "invert" else name)
    if name not in UFUNCS or function.nout > 1 or (common.kind == "c" and function is np.conjugate):
        raise trace.refuse(f"numpy.{function.__name__}")
    value = np.asarray(function(*values))
    weak = [type(v) in (int, float) for v in inputs]
    arrays = [lifted(v, common if is_weak else None) for v, is_weak in zip(inputs, weak, strict=True)]
    return trace.step(name, [trace.view(a, value.shape) for a in arrays], value.shape, value)


def ufunc_method(function: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """``np.add.reduce`` and the like."""
    known = {("add", "reduce"): "sum", ("multiply", "reduce"): "prod", ("maximum", "reduce"): "max"}
    known |= {("minimum", "reduce"): "min", ("add", "accumulate"): "cumsum", ("multiply", "accumulate"): "cumprod"}
    name, trace = function.__name__, trace_of(list(inputs), options)
    if method == "at":
        return handlers[f"{name}.at"](*inputs) if f"{name}.at" in handlers else _refused(trace, f"numpy.{name}.at")
    if method == "outer":
        a, b = map(lifted, inputs)
        return ufunc(function, a.reshape(*a.shape, *[1] * b.ndim), b, **options)
    if trace is None:
        return call(f"{name}.{method}", inputs, options)
    if (name, method) not in known:
        return _refused(trace, f"numpy.{name}.{method}")
    array, *others = inputs
    named = dict(zip(("axis", "dtype", "out", "keepdims", "initial", "where"), others, strict=False))
    named = {"axis": 0, **named, **options}
    return call(known[name, method], (array,), {key: value for key, value in named.items() if value is not None})


def _refused(trace: ArrayTrace | None, what: str) -> Any:
    raise (trace or ArrayTrace()).refuse(what)


class Ufunc:
    """A ufunc of the module, with its methods."""

    def __init__(self, function: np.ufunc) -> None:
        self._function, self.__name__ = function, function.__name__

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return ufunc(self._function, *inputs, **options)

    def __getattr__(self, method: str) -> Any:
        return lambda *inputs, **options: ufunc_method(self._function, method, inputs, options)


class NumpysNames:
    """NumPy's names for another kind of array: modules and functions are replaced, all else is unchanged."""

    takes_numpy = True  # NumPy arrays may be mixed with such arrays, as constants

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name in ("cuda", "ElementwiseKernel"):
            raise AttributeError(name)
        path = f"{self._path}{name}"
        made = numpys(path)
        if isinstance(made, ModuleType):
            made = type(self)(f"{path}.")
        elif callable(made) and not isinstance(made, type):
            made = self._function(path, made)
        self.__dict__[name] = made
        return made

    def _function(self, path: str, function: Any) -> Any:
        """The replacement of a NumPy function."""
        raise NotImplementedError


class Module(NumpysNames):
    """NumPy's names, for traced arrays. It has neither random numbers nor a device."""

    def __getattr__(self, name: str) -> Any:
        if name == "random" and not self._path:
            raise Untraceable("random numbers")
        return super().__getattr__(name)

    def _function(self, path: str, function: Any) -> Any:
        if isinstance(function, np.ufunc):
            return Ufunc(function)
        return lambda *args, **options: call(path, args, options)


module: Any = Module()
