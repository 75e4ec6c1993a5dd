"""The third array type: a NumPy array that records what is computed from it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NoReturn
from weakref import ref

import numpy as np

from .buffer import Buffer

made_here: ContextVar[list[ref[TracedArray]] | None] = ContextVar("made_here", default=None)
"""The traced arrays made since a trace began."""


class TracedArray:
    """An array that carries its value; NumPy computes it, so shapes, dtypes and errors are NumPy's own.

    It is a view of a `Buffer`, as its value is a view of the buffer's memory: what NumPy does without copying is not a
    step. If it depends on an input, its truth value is recorded as a guard, and its numbers cannot be taken out.
    `methods` adds what computes: operators, indexing, NumPy's protocols and methods.
    """

    __slots__ = ("__weakref__", "_buffer", "_value")
    __array_priority__ = 100
    _value: np.ndarray
    _buffer: Buffer
    __getitem__: Callable[..., Any]
    __setitem__: Callable[..., None]
    copy: Callable[..., Any]
    reshape: Callable[..., Any]

    device = "cpu"

    @staticmethod
    def of(value: np.ndarray, buffer: Buffer | None = None) -> TracedArray:
        """A view of a buffer, or of a new, constant one with a copy of ``value``."""
        array = object.__new__(TracedArray)
        if buffer is None:
            value = np.array(value, order="C")
            buffer = Buffer(value.reshape(-1))
        array._value, array._buffer = value, buffer
        if (made := made_here.get()) is not None:
            made.append(ref(array))
        return array

    # ------------------------------------------------------------------ properties
    shape = property(lambda self: self._value.shape)
    ndim = property(lambda self: self._value.ndim)
    size = property(lambda self: self._value.size)
    dtype = property(lambda self: self._value.dtype)
    itemsize = property(lambda self: self._value.itemsize)
    nbytes = property(lambda self: self._value.nbytes)
    strides = property(lambda self: self._value.strides)
    flags = property(lambda self: self._value.flags)
    base = property(lambda self: None if self._value.size == self._buffer.flat.size else self._buffer)
    flat = property(lambda self: _number(self, ".flat").flat)

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self._value))])

    # ------------------------------------------------------------------ conversions to numbers
    def __bool__(self) -> bool:
        answer = bool(self._value)
        if self._buffer.trace is not None:
            self._buffer.trace.guard(self, answer)
        return answer

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(_number(self, "np.asarray of a traced array"), dtype=dtype)

    def __hash__(self) -> NoReturn:
        raise TypeError("unhashable type: an array")

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __reduce__(self) -> Any:
        return np.asarray, (_number(self, "pickle"),)

    # ------------------------------------------------------------------ methods that are not NumPy functions
    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def kept(self, what: str) -> np.ndarray:
        """The value, for something that outlives the function; raises if it depends on an input."""
        return _number(self, what)

    def view(self, dtype: Any = None) -> Any:
        if dtype is None or self.dtype == dtype:
            return self[...]
        return TracedArray.of(_number(self, "an array seen as another dtype").view(dtype))

    def fill(self, value: Any) -> None:
        self[...] = value


def _number(array: TracedArray, what: str) -> np.ndarray:
    """The value, for a use that is not recorded; only constants are given out."""
    if array._buffer.trace is not None:
        raise array._buffer.trace.refuse(what)
    return array._value


def _leaving(name: str, convert: Callable[..., Any]) -> Callable[..., Any]:
    def leave(self: TracedArray, *args: Any) -> Any:
        return convert(_number(self, name), *args)

    return leave


_LEAVING: dict[str, Callable[..., Any]] = {
    **{f"__{kind.__name__}__": kind for kind in (float, int, complex, repr, str, format, round, operator.index)},
    **{name: getattr(np.ndarray, name) for name in ("item", "tolist", "tobytes")},
}
for _name, _convert in _LEAVING.items():
    setattr(TracedArray, _name, _leaving(_name.strip("_"), _convert))
