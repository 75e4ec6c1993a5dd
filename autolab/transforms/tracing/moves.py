"""Functions that compute nothing: they make views of elements or move them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from .array import Buffer, TracedArray
from .module import lifted
from .program import View
from .signatures import Traced, handles, handles_each, known_trace
from .trace import ArrayTrace

_EXACT = 2**53
"""Up to here all integers are exact floating-point numbers, the only ones of an evaluator in a page."""


def places(array: TracedArray) -> np.ndarray:
    """The position of each element in the array's slot."""
    return known_trace(array).view(array).places()


def seen(array: TracedArray, function: Callable[[np.ndarray], Any]) -> Any:
    """``function`` of an array, which returns either a view of it or its elements in another order."""
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
    """The elements at the given positions of an array's slot."""
    trace = array._buffer.trace
    if trace is None:
        return TracedArray.of(value)
    made: TracedArray = trace.step("pick", [_whole(trace, array)], value.shape, value, base=where.reshape(-1).tolist())
    return made


def _whole(trace: ArrayTrace, array: TracedArray) -> View:
    """The slot of an array as a view of all its elements."""
    slot = trace.view(array).slot
    return View(slot, 0, (trace.slots[slot][0],), (1,))


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
    trace = array._buffer.trace
    if trace is not None:
        trace.watch()
    if dtype.kind not in "biufc":
        raise (trace or ArrayTrace()).refuse(f"the dtype {dtype}")
    if trace is not None and dtype.kind in "iu" and not _are_held(array, dtype):
        raise trace.refuse(f"a number that {dtype} does not hold")
    with trace.listening() if trace is not None else nullcontext():
        held = np.array(array._value.astype(dtype), order="C")
    return copied(array, held)


def _are_held(array: Any, dtype: np.dtype) -> bool:
    """Whether an integer dtype can hold all elements, recorded as guards: the cast of others is undefined in NumPy."""
    if array.dtype.kind == "b" or (array.dtype.kind in "iu" and np.can_cast(array.dtype, dtype)):
        return True
    limits = np.iinfo(dtype)
    low, high = max(int(limits.min), -_EXACT), min(int(limits.max), _EXACT)
    if array.dtype.kind in "iu":
        own = np.iinfo(array.dtype)
        low, high = max(low, int(own.min)), min(high, int(own.max))
        return bool((array >= low).all()) and bool((array <= high).all())
    return bool((array >= low if low else array > -1).all()) and bool((array < high + 1).all())


def element(array: TracedArray, value: np.ndarray) -> TracedArray:
    """A single element, as NumPy returns it: it does not change when the array is written to later."""
    buffer = array._buffer
    if buffer.trace is None:
        return TracedArray.of(value)
    held = np.array(value)
    view = buffer.trace.view(TracedArray.of(value, buffer))
    return TracedArray.of(held, Buffer(held.reshape(-1), buffer.trace, view.slot, view.offset))


# ------------------------------------------------------------------------------------------------ NumPy's functions
_MOVES = """
transpose swapaxes moveaxis rollaxis squeeze expand_dims broadcast_to flip fliplr flipud rot90 diagonal roll tile repeat
split array_split hsplit vsplit dsplit matrix_transpose permute_dims resize linalg.matrix_transpose linalg.diagonal
"""


@handles_each(*_MOVES.split())
def _move(function: Any, a: Traced, *args: Any, **options: Any) -> Any:
    return seen(lifted(a), lambda value: function(value, *args, **options))


@handles("lib.stride_tricks.as_strided")
def _as_strided(x: Traced, shape: Any = None, strides: Any = None, writeable: bool = True) -> Any:
    if not x._value.flags.c_contiguous and not x._buffer.holds(x._value):
        x = copied(x)
    return seen(x, lambda value: np.lib.stride_tricks.as_strided(value, shape, _scaled(strides, x, value)))


def _scaled(strides: Any, x: TracedArray, value: np.ndarray) -> Any:
    return None if strides is None else tuple([s // x.itemsize * value.itemsize for s in strides])


@handles("lib.stride_tricks.sliding_window_view")
def _windows(x: Traced, window_shape: Any, axis: Any = None) -> Any:
    return seen(x, lambda value: np.lib.stride_tricks.sliding_window_view(value, window_shape, axis))


@handles("broadcast_arrays")
def _broadcast_arrays(*arrays: Traced) -> Any:
    found = [lifted(a) for a in arrays]
    shape = np.broadcast_shapes(*[a.shape for a in found])
    return tuple([seen(a, lambda value: np.broadcast_to(value, shape)) for a in found])


@handles("reshape")
def _reshape(a: Traced, shape: Any, copy: Any = None) -> Any:
    if copy:
        a = copied(a)
    value = a._value.reshape(shape)
    if not a._buffer.holds(value):
        a = copied(a)
        value = a._value.reshape(shape)
    return TracedArray.of(value, a._buffer) if value.size else copied(a, value)


@handles("ravel")
def _ravel(a: Traced) -> Any:
    return _reshape(lifted(a), -1)


@handles("copy")
def _copy(a: Traced) -> Any:
    return copied(a)


def contiguous(a: TracedArray) -> TracedArray:
    return a if a._value.flags.c_contiguous else copied(a)
