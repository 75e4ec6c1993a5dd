"""The third array type: a NumPy array that records what is computed from it.

The memory that traced arrays are views of, and what a trace knows about it.

Traced arrays that a function keeps, in a list or on an object, become NumPy arrays when the trace ends.
"""

from __future__ import annotations

import contextlib
import gc
import operator
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from types import CellType, FrameType
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

import numpy as np

if TYPE_CHECKING:
    from .trace import ArrayTrace


@dataclass(eq=False)
class Buffer:
    """Memory that arrays are views of, and the slot of the trace that currently holds its elements.

    ``trace`` is None as long as nothing in it depends on an input; ``slot`` is then that of a constant, if any.
    ``start`` is the position in the slot of the first element of ``flat``.
    """

    flat: np.ndarray
    own: ArrayTrace | None = None
    slot: int | None = None
    start: int = 0
    owner: ArrayTrace | None = None
    """The trace that the slot of a constant belongs to."""

    @property
    def trace(self) -> ArrayTrace | None:
        """The trace that this depends on, as long as the trace is open."""
        if self.own is not None and not self.own.is_open:
            self.own, self.slot, self.start = None, None, 0  # a value that a function kept for itself
        return self.own

    def offset(self, value: np.ndarray) -> int:
        """The position in the slot of the first element of a view of ``flat``."""
        if not value.size:
            return self.start
        return self.start + (_address(value) - _address(self.flat)) // self.flat.itemsize

    def holds(self, value: np.ndarray) -> bool:
        """Whether an array is a view of this memory."""
        return bool(value.size) and value.dtype == self.flat.dtype and np.may_share_memory(value, self.flat)


def _address(value: np.ndarray) -> int:
    return int(value.__array_interface__["data"][0])


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


@contextlib.contextmanager
def nothing_kept() -> Iterator[None]:
    """At the end, replace traced arrays made inside by their values, wherever they are referenced."""
    token = made_here.set([])
    try:
        yield
    finally:
        made = made_here.get() or []
        made_here.reset(token)
        replaced([array for one in made if (array := one()) is not None])


def replaced(kept: list[Any]) -> None:
    """Replace arrays that carry a value by that value, wherever they are referenced."""
    values: dict[int, Any] = {id(array): array._value for array in kept}
    while kept:
        held: list[Any] = []
        asked = tuple(kept)  # since Python 3.13 it is among the referrers of its own items
        for holder in gc.get_referrers(*asked):
            if holder is asked:
                continue
            if type(holder) is tuple:  # immutable: a new one replaces it
                held.append(holder)
                values[id(holder)] = tuple([values.get(id(item), item) for item in holder])
            elif holder is not kept and not isinstance(holder, FrameType | TracedArray):
                _replace_in(holder, values)
        kept = held


def _replace_in(holder: Any, values: dict[int, Any]) -> None:
    if isinstance(holder, list | deque | dict):
        pairs = list(holder.items() if isinstance(holder, dict) else enumerate(holder))
        for key, item in pairs:
            if id(item) in values:
                holder[key] = values[id(item)]
    elif isinstance(holder, CellType):
        holder.cell_contents = values.get(id(holder.cell_contents), holder.cell_contents)
    else:
        names = [name for kind in type(holder).__mro__ for name in kind.__dict__.get("__slots__", ())]
        for name in [*names, *getattr(holder, "__dict__", ())]:
            item = getattr(holder, name, None)
            if id(item) in values:
                with contextlib.suppress(AttributeError, TypeError):
                    object.__setattr__(holder, name, values[id(item)])
