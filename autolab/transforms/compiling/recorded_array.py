"""Recorded arrays: NumPy computes as usual, and each call is recorded on a tape, exactly as it was made.

While `tracing` breaks NumPy functions down into steps that a web page can evaluate, a tape keeps the calls themselves,
which give the same bits when repeated. A recorded array never refuses: whatever a program could not do is noted on the
tape, and the function continues with the true values.

Whose code is running: the user's, AutoLab's or NumPy's.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import backend, backward
from ...engine.gradient_arrays import SlicedGradient
from ...engine.source import is_own
from ...shared.operators import operator_methods
from ..tracing.module import NumpysNames

if TYPE_CHECKING:
    from .call_tape import CallTape


_NUMPY = np.__path__[0]


def is_library(frame: FrameType) -> bool:
    """Whether a frame belongs to AutoLab or NumPy."""
    return is_own(frame) or frame.f_code.co_filename.startswith(_NUMPY)


def line_of(frame: FrameType | None) -> tuple[str, int] | None:
    """The file and line of a frame."""
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that belongs to neither AutoLab nor NumPy."""
    while frame is not None and is_library(frame):
        frame = frame.f_back
    return frame


def pulled(frame: FrameType | None) -> Any:
    """The node whose backward makes a call; None if no backward pass of AutoLab does."""
    while frame is not None and is_library(frame):
        if frame.f_code in _SWEEPS:
            return frame.f_locals.get("node")  # none yet while it adds up what is given for the same result
        frame = frame.f_back
    return None


_SWEEPS = {backward._sweep.__code__, backward._sweep_observed.__code__}


open_tape: ContextVar[CallTape | None] = ContextVar("open_tape", default=None)


@contextmanager
def taped(tape: CallTape | None) -> Iterator[None]:
    """A context in which calls are recorded on this tape, or on none."""
    token = open_tape.set(tape)
    try:
        yield
    finally:
        open_tape.reset(token)


class Recorded:
    """An array whose uses are recorded on a tape; for `isinstance` it is a NumPy array.

    A number taken out for Python arithmetic, or for a function that does not support tapes, is the true one; the tape
    then becomes unusable, with the reason. A truth value is a branch: the tape is valid where the value is the same.
    """

    __slots__ = ("__weakref__", "_slot", "_tape", "_value")
    _is_scalar = False
    __array_priority__ = 100
    __class__ = np.ndarray  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]
    device = "cpu"

    def __init__(self, value: np.ndarray, tape: CallTape, slot: int) -> None:
        self._value, self._tape, self._slot = value, tape, slot

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self._value))])

    def __bool__(self) -> bool:
        answer = bool(self._value)
        self._tape.branch(self, answer)
        return answer

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        value = np.asarray(self._tape.leaves(self, "np.asarray"), dtype)
        return value.copy() if copy else value

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if _is_foreign((*inputs, *options.get("out", ()))):
            return NotImplemented
        return self._tape.call(getattr(function, method) if method != "__call__" else function, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if not all([issubclass(kind, Recorded | np.ndarray) for kind in types]):
            return NotImplemented
        return self._tape.call(function, args, options)

    def __getitem__(self, index: Any) -> Any:
        return self._tape.call(operator.getitem, (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._is_scalar:
            raise TypeError(f"{type(self._value[()]).__name__!r} object does not support item assignment")
        self._tape.call(operator.setitem, (self, index, value), {})

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()  # type: ignore[attr-defined]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._tape.leaves(self, "pickle").__reduce_ex__(protocol)

    def at_every_run(self, function: Callable[..., Any], values: Any, *others: Any) -> None:
        """Call ``function(values, *others)`` now and in each run: it only reports what was computed."""
        self._tape.tell(function, values, others)

    def kept(self, what: str) -> Recorded:
        """Itself: what outlives the function is collected when it ends."""
        return self


class RecordedScalar(Recorded):
    """The same for a NumPy scalar, which NumPy returns instead of an array without axes; AutoLab makes it an array."""

    __slots__ = ()
    _is_scalar = True

    def whole(self) -> Recorded:
        """The same as an array."""
        return self._tape.recorded(self._value, self._slot, False)


def _is_foreign(values: tuple[Any, ...]) -> bool:
    """Whether an operand takes precedence, such as a Variable."""
    return any(
        [type(v) is SlicedGradient or getattr(v, "__array_priority__", 0) > Recorded.__array_priority__ for v in values]
    )


def _computed(self: Recorded, function: np.ufunc, operands: tuple[Any, ...], in_place: bool) -> Any:
    """The call of an operator; a NumPy scalar is never written to."""
    return self._tape.call(function, operands, {"out": self} if in_place and not self._is_scalar else {})


def _method(name: str) -> Callable[..., Any]:
    function = getattr(np.ndarray, name)
    writes = name in ("fill", "sort", "partition", "put")

    def call(self: Any, *args: Any, **options: Any) -> Any:
        target = self.copy() if writes and self._is_scalar else self
        found = self._tape.call(function, (target, *args), options)
        return found if name == "reshape" else _of(self, found)

    return call


def _of(one: Recorded, found: Any) -> Any:
    """The result of a method: for a NumPy scalar, again a scalar."""
    is_scalar = one._is_scalar and type(found) is Recorded and not found._value.ndim
    return one._tape.recorded(found._value, found._slot, True) if is_scalar else found


def _leaving(name: str, convert: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args: convert(self._tape.leaves(self, name), *args)


def _integer(name: str, convert: Callable[..., Any]) -> Callable[..., Any]:
    """The same for an integer. If a library asks, such as for a number of classes, the tape is valid where it is the
    same."""

    def asked(self: Recorded) -> Any:
        number = convert(self._value)  # an array of several is no number, and does not leave
        if self._value.dtype.kind in "iub" and is_library(sys._getframe(1)):
            self._tape.count(self, number)
        else:
            self._tape.leaves(self, name)
        return number

    return asked


def _attribute(name: str) -> property:
    def read(self: Recorded) -> Any:
        if name in ("flags", "base") and not is_library(sys._getframe(1)):  # arrays of one kind may differ in these
            self._tape.asks(self, name)
        return getattr(self._value, name)

    return property(read)


_LEAVING: dict[str, Callable[..., Any]] = {
    **{f"__{kind.__name__}__": kind for kind in (float, complex, repr, str, format, round)},
    **{name: getattr(np.ndarray, name) for name in ("item", "tolist", "tobytes", "dump", "dumps", "tofile")},
}


_ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags", "base")
_MEMBERS: dict[str, Any] = {
    **operator_methods(_computed, lambda other: _is_foreign((other,))),
    **{name: _method(name) for name in dir(np.ndarray) if name[0] != "_" and callable(getattr(np.ndarray, name))},
    **{name: _leaving(name.strip("_"), convert) for name, convert in _LEAVING.items()},
    **{f"__{kind.__name__}__": _integer(kind.__name__, kind) for kind in (int, operator.index)},
    **{name: _attribute(name) for name in _ATTRIBUTES},
    "__copy__": _method("copy"),
    "T": property(lambda self: _of(self, self._tape.call(np.transpose, (self,), {}))),
    "mT": property(lambda self: self._tape.call(np.swapaxes, (self, -1, -2), {})),
    "real": property(lambda self: _of(self, self._tape.call(np.real, (self,), {}))),
    "imag": property(lambda self: _of(self, self._tape.call(np.imag, (self,), {}))),
    "flat": property(lambda self: self._tape.leaves(self, "flat").flat),
}
for _name, _function in _MEMBERS.items():
    setattr(Recorded, _name, _function)


class RecordedModule(NumpysNames):
    """NumPy's names, for recorded arrays: records also what takes no array, such as ``xp.zeros``."""

    draws_as_numpy = True

    def _function(self, path: str, function: Any) -> Any:
        return _Noted(function)


class _Noted:
    """A function of the module, with the methods of a ufunc."""

    def __init__(self, function: Any) -> None:
        self._function, self.__name__ = function, getattr(function, "__name__", "function")

    def __call__(self, *args: Any, **options: Any) -> Any:
        tape = open_tape.get()
        return self._function(*args, **options) if tape is None else tape.call(self._function, args, options)

    def __getattr__(self, method: str) -> Any:
        found = getattr(self._function, method)
        return _Noted(found) if callable(found) else found


module: Any = RecordedModule()
backend.modules[Recorded] = module
backend.numpys.add(Recorded)
