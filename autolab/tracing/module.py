"""NumPy's functions on traced arrays: the module that `get_array_module` gives for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .array import TracedArray
from .operations import UFUNCS
from .trace import ArrayTrace, Untraceable

Handler = Callable[..., Any]
handlers: dict[str, Handler] = {}
"""Name of a function of NumPy's -> what it is for traced arrays."""

_TELLING = {
    *("shape", "ndim", "size", "result_type", "can_cast", "iscomplexobj", "isrealobj", "may_share_memory"),
    "shares_memory",
}
"""Functions that look at no element."""

_SAME = {"positive": "copy", "fabs": "absolute", "conjugate": "copy", "true_divide": "divide", "mod": "remainder"}
_OF_BOOLEANS = {"bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "not_equal"}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Declare what functions of NumPy's are for traced arrays."""

    def declare(handler: Handler) -> Handler:
        handlers.update(dict.fromkeys(names, handler))
        return handler

    return declare


def arrays_in(value: Any) -> Iterator[TracedArray]:
    """The traced arrays among arguments, however they are nested."""
    if isinstance(value, TracedArray):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))
    elif isinstance(value, slice):
        yield from arrays_in([value.start, value.stop, value.step])


def trace_of(*values: Any) -> ArrayTrace | None:
    """The trace on which one of them depends; None if all are constant."""
    return next((array._buffer.trace for array in arrays_in(values) if array._buffer.trace is not None), None)


def plain(value: Any) -> Any:
    """Arguments with NumPy's arrays in the place of traced ones."""
    if isinstance(value, TracedArray):
        return value._value
    if type(value) in (list, tuple):
        return type(value)([plain(item) for item in value])
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def lifted(value: Any, dtype: np.dtype | None = None) -> Any:
    """A traced array as it is, anything else as a constant one."""
    return value if isinstance(value, TracedArray) else TracedArray.of(np.asarray(value, dtype))


def constant(result: Any, given: Sequence[TracedArray] = ()) -> Any:
    """What NumPy gave for constants; a view of one of them stays a view."""
    if isinstance(result, np.ndarray | np.generic):
        buffers = [array._buffer for array in given if array._buffer.holds(np.asarray(result))]
        return TracedArray.of(np.asarray(result), buffers[0] if buffers else None)
    if isinstance(result, tuple | list):
        parts = [constant(part, given) for part in result]
        return parts if type(result) is list else tuple(parts)
    return result


def call(name: str, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """A function of NumPy's, by its name below ``numpy``."""
    trace = trace_of(list(args), options)
    function = _numpy(name)
    if name in _TELLING:
        return function(*plain(tuple(args)), **plain(options))
    if trace is None:
        given = list(arrays_in(list(args)))
        out = options.get("out")
        if out is not None:
            (out[0] if isinstance(out, tuple) else out)[...] = function(
                *plain(tuple(args)), **plain({k: v for k, v in options.items() if k != "out"})
            )
            return out
        return constant(function(*plain(tuple(args)), **plain(options)), given)
    handler = handlers.get(name)
    if handler is None:
        raise trace.refuse(f"numpy.{name}")
    return handler(*args, **options)


def _numpy(name: str) -> Any:
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


# ---------------------------------------------------------------------------------------------- universal functions
def ufunc(
    function: np.ufunc, *inputs: Any, out: Any = None, dtype: Any = None, where: Any = True, **options: Any
) -> Any:
    """A universal function; a number beside arrays takes their dtype, as in NumPy."""
    name = function.__name__
    out = out[0] if isinstance(out, tuple) else out
    if len(inputs) > function.nin:  # ``np.exp(x, y)`` writes to y
        *inputs, out = inputs  # type: ignore[assignment]
    trace = trace_of(inputs, out)
    if name in ("matmul", "vecdot") and trace is not None:
        found = handlers[name](*inputs)
    elif trace is None:
        found = constant(function(*plain(list(inputs)), dtype=dtype, **options))
    else:
        if where is not True:
            raise trace.refuse(f"numpy.{name} with where=")
        found = _elementwise(trace, function, inputs, dtype)
    if out is None:
        return found
    if not isinstance(out, TracedArray):
        raise (trace or ArrayTrace()).refuse(f"numpy.{name} into a NumPy array")
    if not np.can_cast(found.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast ufunc {name!r} output from {found.dtype!r} to {out.dtype!r}")
    out[...] = found
    return out


def _elementwise(trace: ArrayTrace, function: np.ufunc, inputs: Sequence[Any], dtype: Any) -> Any:
    name = _SAME.get(function.__name__, function.__name__)
    if dtype is not None:
        inputs = [lifted(i).astype(dtype, copy=False) for i in inputs]
    values = plain(list(inputs))
    kinds = [v if isinstance(v, int | float) and not isinstance(v, bool) else np.asarray(v).dtype for v in values]
    common = np.result_type(*kinds)
    if common.kind == "b":
        name = _OF_BOOLEANS.get(name, "logical_not" if name == "invert" else name)
    if name not in UFUNCS or function.nout > 1:
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
        return constant(getattr(function, method)(*plain(list(inputs)), **plain(options)))
    if (name, method) not in known:
        return _refused(trace, f"numpy.{name}.{method}")
    axis = options.pop("axis", inputs[1] if len(inputs) > 1 else 0)
    return handlers[known[name, method]](inputs[0], axis=axis, **options)


def _refused(trace: ArrayTrace | None, what: str) -> Any:
    raise (trace or ArrayTrace()).refuse(what)


class Ufunc:
    """A universal function of the module, with its methods."""

    def __init__(self, function: np.ufunc) -> None:
        self._function, self.__name__ = function, function.__name__

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return ufunc(self._function, *inputs, **options)

    def __getattr__(self, method: str) -> Any:
        return lambda *inputs, **options: ufunc_method(self._function, method, inputs, options)


class Module:
    """NumPy's names, for traced arrays. It has neither random numbers nor a device."""

    takes_numpy = True  # NumPy's arrays may stand beside traced ones, as constants

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name in ("cuda", "ElementwiseKernel"):
            raise AttributeError(name)
        path = f"{self._path}{name}"
        if path == "random":
            raise Untraceable("random numbers")
        found = _numpy(path)
        made: Any = found
        if isinstance(found, np.ufunc):
            made = Ufunc(found)
        elif isinstance(found, ModuleType):
            made = Module(f"{path}.")
        elif callable(found) and not isinstance(found, type):
            made = lambda *args, **options: call(path, args, options)  # noqa: E731
        self.__dict__[name] = made
        return made


module: Any = Module()
