"""Functions that compute nothing: they look at elements in another way, or put them elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array import TracedArray
from .module import handles, lifted, plain, trace_of
from .trace import Buffer


def places(array: TracedArray) -> np.ndarray:
    """The place of each element in the array's slot."""
    trace = array._buffer.trace
    assert trace is not None
    return trace.view(array).places()


def seen(array: TracedArray, function: Callable[[np.ndarray], Any]) -> Any:
    """``function`` of an array: what it gives is either a view of it, or elements of it in another order."""
    value = function(array._value)
    if not isinstance(value, list | tuple):
        return _seen_one(array, value, lambda: function(places(array)))
    return type(value)(
        [_seen_one(array, part, lambda i=i: function(places(array))[i]) for i, part in enumerate(value)]  # type: ignore[misc]
    )


def _seen_one(array: TracedArray, value: Any, where: Callable[[], Any]) -> TracedArray:
    buffer = array._buffer
    if isinstance(value, np.ndarray) and buffer.holds(value):
        return TracedArray.of(value, buffer)
    if buffer.trace is None:
        return TracedArray.of(np.asarray(value))
    return gathered(array, np.asarray(value), np.asarray(where()))


def gathered(array: TracedArray, value: np.ndarray, where: np.ndarray) -> TracedArray:
    """The elements at some places of an array's slot."""
    trace = array._buffer.trace
    if trace is None:
        return TracedArray.of(value)
    made: TracedArray = trace.step("pick", [_whole(array)], value.shape, value, base=where.reshape(-1).tolist())
    return made


def _whole(array: TracedArray) -> Any:
    """The slot of an array as a view of all its elements."""
    buffer = array._buffer
    trace = buffer.trace
    assert trace is not None
    view = trace.view(array)
    size = trace.slots[view.slot][0]
    return type(view)(view.slot, 0, (size,), (1,))


def copied(array: TracedArray, value: np.ndarray | None = None) -> TracedArray:
    """A copy in C order, cast to the dtype of ``value`` if that is given."""
    trace = array._buffer.trace
    held = np.array(array._value, order="C") if value is None else value
    if trace is None:
        return TracedArray.of(held)
    made: TracedArray = trace.step("copy", [trace.view(array)], held.shape, held)
    return made


def cast(array: TracedArray, dtype: np.dtype, copy: bool = True) -> TracedArray:
    if array.dtype == dtype and not copy:
        return array
    if dtype.kind not in "biufc":
        raise (array._buffer.trace or _nowhere()).refuse(f"the dtype {dtype}")
    return copied(array, np.array(array._value.astype(dtype), order="C"))


def _nowhere() -> Any:
    from .trace import ArrayTrace

    return ArrayTrace()


def element(array: TracedArray, value: np.ndarray) -> TracedArray:
    """One element as NumPy gives it: it does not change any more when the array is written to."""
    buffer = array._buffer
    if buffer.trace is None:
        return TracedArray.of(value)
    held = np.array(value)
    view = buffer.trace.view(TracedArray.of(value, buffer))
    return TracedArray.of(held, Buffer(held.reshape(-1), buffer.trace, view.slot, view.offset))


# ------------------------------------------------------------------------------------------------ NumPy's functions
def _move(name: str) -> None:
    function = getattr(np, name)

    def handler(a: Any, *args: Any, **options: Any) -> Any:
        if trace_of(list(args), options) is not None:
            raise trace_of(list(args), options).refuse(f"numpy.{name} by computed numbers")  # type: ignore[union-attr]
        return seen(lifted(a), lambda value: function(value, *plain(args), **plain(options)))

    handles(name)(handler)


_MOVES = """
transpose swapaxes moveaxis rollaxis squeeze expand_dims broadcast_to flip fliplr flipud rot90 diagonal roll tile repeat
split array_split hsplit vsplit dsplit atleast_1d atleast_2d atleast_3d matrix_transpose resize
"""
for _name in _MOVES.split():
    _move(_name)


@handles("permute_dims")
def _permute(a: Any, axes: Any = None) -> Any:
    return seen(a, lambda value: value.transpose(axes))


@handles("linalg.matrix_transpose")
def _matrix_transpose(a: Any) -> Any:
    return seen(a, lambda value: value.swapaxes(-1, -2))


@handles("linalg.diagonal")
def _matrix_diagonal(a: Any, *, offset: int = 0) -> Any:
    return seen(a, lambda value: np.linalg.diagonal(value, offset=offset))


@handles("lib.stride_tricks.as_strided")
def _as_strided(x: Any, shape: Any = None, strides: Any = None, **options: Any) -> Any:
    if not x._value.flags.c_contiguous and not x._buffer.holds(x._value):
        x = copied(x)
    return seen(x, lambda value: np.lib.stride_tricks.as_strided(value, shape, _scaled(strides, x, value)))


def _scaled(strides: Any, x: TracedArray, value: np.ndarray) -> Any:
    return None if strides is None else tuple([s // x.itemsize * value.itemsize for s in strides])


@handles("lib.stride_tricks.sliding_window_view")
def _windows(x: Any, window_shape: Any, axis: Any = None, **options: Any) -> Any:
    return seen(x, lambda value: np.lib.stride_tricks.sliding_window_view(value, window_shape, axis))


@handles("broadcast_arrays")
def _broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    found = [lifted(a) for a in arrays]
    shape = np.broadcast_shapes(*[a.shape for a in found])
    return tuple([seen(a, lambda value: np.broadcast_to(value, shape)) for a in found])


@handles("reshape")
def _reshape(a: Any, shape: Any = None, order: str = "C", **options: Any) -> Any:
    shape = options.get("newshape", shape)
    if order != "C":
        raise a._buffer.trace.refuse(f"numpy.reshape in order {order}")
    value = a._value.reshape(shape)
    if not a._buffer.holds(value):
        a = copied(a)
        value = a._value.reshape(shape)
    return TracedArray.of(value, a._buffer) if value.size else copied(a, value)


@handles("ravel")
def _ravel(a: Any, order: str = "C") -> Any:
    return _reshape(a, -1, order)


@handles("copy")
def _copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    return copied(a)


@handles("asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "array", "require")
def _asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, ndmin: int = 0, **options: Any) -> Any:
    if not isinstance(a, TracedArray):
        a = stack([_asarray(item) if isinstance(item, list | tuple) else lifted(item) for item in a])
    found = a if dtype is None else cast(a, np.dtype(dtype), False)
    if copy or (order == "C" and not found._value.flags.c_contiguous):
        found = copied(found)
    return found.reshape(*[1] * (ndmin - found.ndim), *found.shape) if ndmin > found.ndim else found


def contiguous(a: TracedArray) -> TracedArray:
    return a if a._value.flags.c_contiguous else copied(a)


handles("ascontiguousarray")(lambda a, dtype=None, **options: contiguous(_asarray(a, dtype)))


# ------------------------------------------------------------------------------------------------- several into one
@handles("concatenate")
def concatenate(
    arrays: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    parts = [lifted(a) for a in arrays]
    trace = trace_of(parts, out)
    assert trace is not None
    if out is not None:
        raise trace.refuse("numpy.concatenate into an array")
    if axis is None:
        parts, axis = [part.reshape(-1) for part in parts], 0
    value = np.concatenate([part._value for part in parts], axis, dtype=dtype)
    turned = np.ascontiguousarray(np.moveaxis(value, axis, 0))
    views = [trace.view(seen(part, lambda v: np.moveaxis(v, axis, 0))) for part in parts]
    joined: TracedArray = trace.step("join", views, turned.shape, turned)
    return (
        TracedArray.of(np.moveaxis(joined._value, 0, axis), joined._buffer)
        if turned.size
        else joined.reshape(value.shape)
    )


@handles("stack")
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    parts = [lifted(a) for a in arrays]
    return concatenate([seen(part, lambda v: np.expand_dims(v, axis)) for part in parts], axis, out, dtype=dtype)


def _at_least(ndim: int) -> Callable[[Any], TracedArray]:
    function = (np.atleast_1d, np.atleast_2d, np.atleast_3d)[ndim - 1]
    return lambda a: seen(lifted(a), function)


@handles("vstack", "row_stack")
def _vstack(tup: Any, **options: Any) -> Any:
    return concatenate([_at_least(2)(a) for a in tup], 0, **options)


@handles("hstack")
def _hstack(tup: Any, **options: Any) -> Any:
    parts = [_at_least(1)(a) for a in tup]
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1, **options)


@handles("dstack")
def _dstack(tup: Any) -> Any:
    return concatenate([_at_least(3)(a) for a in tup], 2)


@handles("column_stack")
def _column_stack(tup: Any) -> Any:
    parts = [lifted(a) for a in tup]
    return concatenate([p.reshape(-1, 1) if p.ndim < 2 else p for p in parts], 1)


@handles("append")
def _append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return concatenate([arr, values], axis)


@handles("pad")
def _pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0, **options: Any) -> Any:
    if mode in ("edge", "wrap", "symmetric", "reflect"):
        return seen(array, lambda value: np.pad(value, pad_width, mode, **options))
    trace = trace_of(array, constant_values)
    assert trace is not None
    if mode != "constant" or trace_of(constant_values) is not None:
        raise trace.refuse(f"numpy.pad with mode={mode!r}")
    whole = np.pad(array._value, pad_width, constant_values=constant_values)
    if not array.size:
        return TracedArray.of(whole)
    inside = np.pad(np.ones(array.shape, bool), pad_width)
    corner = [
        int(np.argmax(inside.any(axis=tuple([j for j in range(inside.ndim) if j != i])))) for i in range(inside.ndim)
    ]
    result = TracedArray.of(np.where(inside, np.zeros_like(whole), whole))
    result[tuple([slice(c, c + n) for c, n in zip(corner, array.shape, strict=True)])] = array
    return result


@handles("diag", "diagflat")
def _diag(v: Any, k: int = 0) -> Any:
    if v.ndim == 2:
        return seen(v, lambda value: np.diagonal(value, k))
    n = v.size + abs(k)
    result = TracedArray.of(np.zeros((n, n), v.dtype))
    rows = np.arange(v.size) + max(-k, 0)
    result[rows, rows + k] = v.reshape(-1)
    return result


@handles("full")
def _full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    filled = lifted(fill_value)
    filled = filled if dtype is None else cast(filled, np.dtype(dtype), False)
    return copied(seen(filled, lambda value: np.broadcast_to(value, shape)))


@handles("full_like")
def _full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, **options: Any) -> Any:
    return _full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


def _like(name: str) -> None:
    function = getattr(np, name)
    handles(name)(lambda a, *args, **options: TracedArray.of(function(plain(a), *args, **options)))


for _name in ("zeros_like", "ones_like", "empty_like"):
    _like(_name)
