"""The computing methods of traced arrays: operators, indexing, NumPy's protocols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...shared.operators import operator_methods
from .array import TracedArray
from .module import call, lifted, module, ufunc, ufunc_method
from .moves import _whole, cast, contiguous, copied, element, gathered, places
from .program import View
from .signatures import Traced, handles, plain, trace_of
from .trace import ArrayTrace

# Indexing: reading, writing, and adding at positions, which may be computed ones.


def getitem(array: TracedArray, index: Any) -> Any:
    """``array[index]``: a view, elements in another order, or elements at computed positions."""
    trace = trace_of(array, index)
    if trace_of(index) is not None:
        assert trace is not None
        lookup = Lookup(trace, array, index)
        operands = [_whole(trace, array), *lookup.operands]
        return trace.step("pick", operands, lookup.shape, array._value[plain(index)], **lookup.attributes)
    found = plain(index)
    items = found if isinstance(found, tuple) else (found,)
    value = array._value[found]
    if isinstance(value, np.generic):  # a 0-d view, so that a step knows its position
        value = array._value[items if any([item is ... for item in items]) else (*items, ...)]
        if array._buffer.holds(value):
            return element(array, value)
    if array._buffer.holds(value):
        return TracedArray.of(value, array._buffer)
    return TracedArray.of(value) if trace is None else gathered(array, value, places(array)[found])


def _items(trace: ArrayTrace, index: Any) -> tuple[Any, ...]:
    items = index if isinstance(index, tuple) else (index,)
    for item in items:
        if isinstance(item, TracedArray) and item._buffer.trace is not None and item.dtype.kind not in "iu":
            raise trace.refuse("a computed mask as an index")
        if isinstance(item, slice) and trace_of(item) is not None:
            raise trace.refuse("a slice with computed ends")
    return items


class Lookup:
    """The positions selected by an index: ``base + sum(stride * wrapped(array)[which])``, over its computed arrays."""

    def __init__(self, trace: ArrayTrace, array: TracedArray, index: Any) -> None:
        items, view = _items(trace, index), trace.view(array)
        axes = _axes(items, array.ndim)
        computed = [i for i, item in enumerate(items) if trace_of(item) is not None]
        zero = tuple([np.zeros(item.shape, np.intp) if i in computed else plain(item) for i, item in enumerate(items)])
        base = np.asarray(view.places()[zero])
        self.shape, parts = base.shape, []
        self.operands = [trace.view(contiguous(items[i])) for i in computed]
        for i in computed:
            axis, item = axes[i], items[i]
            along = np.arange(item.size).reshape([-1 if j == axis else 1 for j in range(array.ndim)])
            spread = np.broadcast_to(along, [item.size if j == axis else n for j, n in enumerate(array.shape)])
            own = tuple([np.arange(item.size).reshape(item.shape) if j == i else z for j, z in enumerate(zero)])
            parts.append([view.strides[axis], array.shape[axis], spread[own].reshape(-1).tolist()])
        self.attributes = {"base": base.reshape(-1).tolist()} | ({"parts": parts} if parts else {})


def _axes(items: tuple[Any, ...], ndim: int) -> list[int]:
    """The axis of the array that each item of an index refers to."""
    used = sum([item is not None and item is not ... for item in items])
    found, axis = [], 0
    for item in items:
        found.append(axis)
        axis += ndim - used if item is ... else item is not None
    return found


def setitem(array: TracedArray, index: Any, value: Any) -> None:
    """``array[index] = value``: the whole buffer gets a new slot, which all its views see."""
    trace = trace_of(array, index, value)
    if trace is None:
        array._buffer.slot = None
        array._value[plain(index)] = plain(value)
        return
    given = cast(lifted(value), array.dtype, False)
    view = _owned(trace, array)
    target = array._value[plain(index)] if trace_of(index) is None else None
    if isinstance(target, np.ndarray) and array._buffer.holds(target):
        region = trace.view(TracedArray.of(target, array._buffer))
        source = trace.view(given if given.ndim <= target.ndim else given.reshape(target.shape), target.shape)
        array._value[plain(index)] = given._value
        attributes = {"offset": region.offset, "strides": list(region.strides)}
        _written(trace, array, "put", [view, source], target.shape, attributes)
    else:
        _dropped(trace, array, index, given, "set")


@handles("add.at")
def add_at(a: Traced, index: Traced, values: Traced) -> None:
    """``np.add.at``: like ``a[index] += values``, but repeated positions accumulate."""
    trace = trace_of(a, index, values)
    if trace is None:
        a._buffer.slot = None
        return np.add.at(a._value, plain(index), plain(values))
    given = cast(lifted(values), a.dtype, False)
    _owned(trace, a)
    return _dropped(trace, a, index, given, "add")


def _owned(trace: ArrayTrace, array: TracedArray) -> View:
    """The whole slot of an array that is about to be written to; copied if the slot holds more than its buffer."""
    buffer = array._buffer
    whole = TracedArray.of(buffer.flat, buffer)
    view = trace.view(whole)
    if buffer.start or trace.slots[view.slot][0] != buffer.flat.size:
        held = copied(whole)._buffer
        buffer.slot, buffer.start, view = held.slot, 0, trace.view(TracedArray.of(held.flat, held))
    buffer.own = trace
    return view


def _written(
    trace: ArrayTrace, array: TracedArray, name: str, operands: list[View], shape: Any, attributes: dict[str, Any]
) -> None:
    buffer = array._buffer
    buffer.slot = trace.write(name, operands, shape, buffer.flat, **attributes)


def _dropped(trace: ArrayTrace, array: TracedArray, index: Any, given: TracedArray, mode: str) -> None:
    lookup = Lookup(trace, array, index)
    operands = [_whole(trace, array), trace.view(given, lookup.shape), *lookup.operands]
    if mode == "add":
        np.add.at(array._value, plain(index), given._value)
    else:
        array._value[plain(index)] = given._value
    _written(trace, array, "drop", operands, lookup.shape, {**lookup.attributes, "mode": mode})


# ------------------------------------------------------------------------------------------------- NumPy's functions
@handles("take")
def _take(a: Traced, indices: Traced, axis: int | None = None, mode: str = "raise") -> Any:
    a = lifted(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    if mode != "raise":
        indices = lifted(indices) % a.shape[axis] if mode == "wrap" else np.clip(lifted(indices), 0, a.shape[axis] - 1)
    return a[(*[slice(None)] * (axis % a.ndim), indices)]


def _along(a: Any, indices: Any, axis: int | None) -> Any:
    every = np.ix_(*[np.arange(n) for n in indices.shape])
    axis = (axis if axis is not None else 0) % a.ndim
    own = [e if indices.shape[j] == a.shape[j] or j == axis else np.zeros_like(e) for j, e in enumerate(every)]
    return (*own[:axis], indices, *own[axis + 1 :])


@handles("take_along_axis")
def _take_along_axis(arr: Traced, indices: Traced, axis: int | None = -1) -> Any:
    arr = lifted(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    axis %= arr.ndim
    shape = np.broadcast_shapes(*[(*s[:axis], 1, *s[axis + 1 :]) for s in (arr.shape, indices.shape)])
    wide = (*shape[:axis], indices.shape[axis], *shape[axis + 1 :])
    arr = np.broadcast_to(arr, (*shape[:axis], arr.shape[axis], *shape[axis + 1 :]))
    return arr[_along(arr, np.broadcast_to(indices, wide), axis)]


@handles("put_along_axis")
def _put_along_axis(arr: Traced, indices: Traced, values: Traced, axis: int | None) -> None:
    if axis is None:
        arr = arr.reshape(-1)
    arr[_along(arr, indices, axis)] = values


_METHODS = """
all any argmax argmin argsort clip cumprod cumsum diagonal dot max mean min prod ravel repeat round squeeze std sum
swapaxes take trace var
"""


def _is_foreign(values: tuple[Any, ...]) -> bool:
    """Whether an operand takes precedence, such as a Variable."""
    return any([getattr(v, "__array_priority__", 0) > TracedArray.__array_priority__ for v in values])


def _array_ufunc(self: TracedArray, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    if _is_foreign((*inputs, *options.get("out", ()))):
        return NotImplemented
    if method == "__call__":
        return ufunc(function, *inputs, **options)
    return ufunc_method(function, method, inputs, options)


def _array_function(self: TracedArray, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    if not all([issubclass(kind, TracedArray | np.ndarray) for kind in types]):
        return NotImplemented
    owner = func.__module__.partition(".")[2]
    return call(f"{owner}.{func.__name__}" if owner else func.__name__, args, kwargs)


def _astype(
    self: TracedArray, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    if not np.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {np.dtype(dtype)!r} by {casting!r:.40}")
    return cast(self, np.dtype(dtype), copy)


def _copy(self: TracedArray, order: str = "C") -> Any:
    return copied(self)


def _flatten(self: TracedArray, order: str = "C") -> Any:
    return module.ravel(copied(self), order)


def _reshape(self: TracedArray, *shape: Any, **options: Any) -> Any:
    return module.reshape(self, shape[0] if len(shape) == 1 else shape, **options)


def _transpose(self: TracedArray, *axes: Any) -> Any:
    return module.transpose(self, axes[0] if len(axes) == 1 else axes or None)


def _part(name: str) -> property:
    def part(self: TracedArray) -> Any:
        return call(name, (self,), {}) if self.dtype.kind == "c" or name == "imag" else self

    return property(part)


def _computed(self: TracedArray, function: np.ufunc, operands: tuple[Any, ...], in_place: bool) -> Any:
    return ufunc(function, *operands, out=self if in_place else None)


def _method(name: str) -> Callable[..., Any]:
    def apply(self: TracedArray, *args: Any, **options: Any) -> Any:
        return getattr(module, name)(self, *args, **options)

    return apply


_ADDED: dict[str, Any] = {
    **operator_methods(_computed, lambda other: _is_foreign((other,))),
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "__copy__": _copy,
    "T": property(lambda self: module.transpose(self)),
    "mT": property(lambda self: module.swapaxes(self, -1, -2)),
    "real": _part("real"),
    "imag": _part("imag"),
    "astype": _astype,
    "copy": _copy,
    "flatten": _flatten,
    "reshape": _reshape,
    "transpose": _transpose,
    **{name: _method(name) for name in _METHODS.split()},
}
for _name, _made in _ADDED.items():
    setattr(TracedArray, _name, _made)
