"""The third array type: a NumPy array that writes down what is computed from it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NoReturn
from weakref import ref

import numpy as np

from .trace import Buffer

_OPERATORS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "matmul": np.matmul,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


made_here: ContextVar[list[ref[TracedArray]] | None] = ContextVar("made_here", default=None)
"""The traced arrays that were made since a trace began."""


class TracedArray:
    """An array that carries its value; NumPy computes, so that shapes, dtypes and errors are NumPy's own.

    It is a view of a `Buffer`, as its value is one of the buffer's memory: what NumPy does without copying is no step.
    Its truth, where it depends on an input, is noted as a guard; a number of it is given to nobody.
    """

    __slots__ = ("__weakref__", "_buffer", "_value")
    __array_priority__ = 100
    _value: np.ndarray
    _buffer: Buffer

    device = "cpu"

    @staticmethod
    def of(value: np.ndarray, buffer: Buffer | None = None) -> TracedArray:
        """A view of a buffer, or of a new one that is constant and has a copy of ``value``."""
        array = object.__new__(TracedArray)
        if buffer is None:
            value = np.array(value, order="C")
            buffer = Buffer(value.reshape(-1))
        array._value, array._buffer = value, buffer
        if (made := made_here.get()) is not None:
            made.append(ref(array))
        return array

    # ------------------------------------------------------------------ what is known of it
    shape = property(lambda self: self._value.shape)
    ndim = property(lambda self: self._value.ndim)
    size = property(lambda self: self._value.size)
    dtype = property(lambda self: self._value.dtype)
    itemsize = property(lambda self: self._value.itemsize)
    nbytes = property(lambda self: self._value.nbytes)
    strides = property(lambda self: self._value.strides)
    flags = property(lambda self: self._value.flags)
    base = property(lambda self: None if self._value.size == self._buffer.flat.size else self._buffer)
    T = property(lambda self: _module().transpose(self))
    mT = property(lambda self: _module().swapaxes(self, -1, -2))
    real = property(lambda self: _part(self, "real"))
    imag = property(lambda self: _part(self, "imag"))
    flat = property(lambda self: _refuse(self, ".flat"))

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self._value))])

    # ------------------------------------------------------------------ what asks for a number
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

    # ------------------------------------------------------------------ elements
    def __getitem__(self, index: Any) -> Any:
        from .indexing import getitem

        return getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        from .indexing import setitem

        setitem(self, index, value)

    # ------------------------------------------------------------------ NumPy's functions
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from .module import ufunc as apply
        from .module import ufunc_method

        if _is_foreign((*inputs, *options.get("out", ()))):
            return NotImplemented
        return (
            apply(ufunc, *inputs, **options) if method == "__call__" else ufunc_method(ufunc, method, inputs, options)
        )

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .module import call

        if not all([issubclass(kind, TracedArray | np.ndarray) for kind in types]):
            return NotImplemented
        owner = func.__module__.partition(".")[2]
        return call(f"{owner}.{func.__name__}" if owner else func.__name__, args, kwargs)

    # ------------------------------------------------------------------ methods that are no functions of NumPy
    def astype(
        self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        from .moves import cast

        if not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {np.dtype(dtype)!r} by {casting!r:.40}")
        return cast(self, np.dtype(dtype), copy)

    def copy(self, order: str = "C") -> Any:
        from .moves import copied

        return copied(self)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def kept(self, what: str) -> np.ndarray:
        """The value, for something that outlives the function; an error if it depends on an input."""
        return _number(self, what)

    def view(self, dtype: Any = None) -> Any:
        if dtype is None or self.dtype == dtype:
            return self[...]
        return TracedArray.of(_number(self, "an array seen as another dtype").view(dtype))

    def fill(self, value: Any) -> None:
        self[...] = value

    def flatten(self, order: str = "C") -> Any:
        return _module().ravel(self.copy(), order)

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return _module().reshape(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> Any:
        return _module().transpose(self, axes[0] if len(axes) == 1 else axes or None)

    def dot(self, b: Any, out: Any = None) -> Any:
        return _module().dot(self, b, out)


def _module() -> Any:
    from .module import module

    return module


def _is_foreign(values: tuple[Any, ...]) -> bool:
    """Whether somebody among the operands knows better, such as a Variable."""
    return any([getattr(v, "__array_priority__", 0) > TracedArray.__array_priority__ for v in values])


def _part(array: TracedArray, name: str) -> Any:
    from .module import call

    return call(name, (array,), {}) if array.dtype.kind == "c" or name == "imag" else array


def _refuse(array: TracedArray, what: str) -> Any:
    if array._buffer.trace is not None:
        raise array._buffer.trace.refuse(what)
    return getattr(array._value, what.removeprefix("."))


def _number(array: TracedArray, what: str) -> np.ndarray:
    """The value for somebody who takes it away; only a constant may be taken."""
    if array._buffer.trace is not None:
        raise array._buffer.trace.refuse(what)
    return array._value


def _leaving(name: str, convert: Callable[..., Any]) -> Callable[..., Any]:
    def leave(self: TracedArray, *args: Any) -> Any:
        return convert(_number(self, name), *args)

    return leave


def _operator(ufunc: np.ufunc, swapped: bool = False) -> Callable[..., Any]:
    def call(self: TracedArray, other: Any) -> Any:
        from .module import ufunc as apply

        if _is_foreign((other,)):
            return NotImplemented
        return apply(ufunc, other, self) if swapped else apply(ufunc, self, other)

    return call


def _in_place(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(self: TracedArray, other: Any) -> Any:
        from .module import ufunc as apply

        return NotImplemented if _is_foreign((other,)) else apply(ufunc, self, other, out=self)

    return call


def _unary(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(self: TracedArray) -> Any:
        from .module import ufunc as apply

        return apply(ufunc, self)

    return call


def _method(name: str) -> Callable[..., Any]:
    def call(self: TracedArray, *args: Any, **options: Any) -> Any:
        return getattr(_module(), name)(self, *args, **options)

    return call


for _name, _ufunc in _OPERATORS.items():
    setattr(TracedArray, f"__{_name}__", _operator(_ufunc))
    setattr(TracedArray, f"__r{_name}__", _operator(_ufunc, swapped=True))
    setattr(TracedArray, f"__i{_name}__", _in_place(_ufunc))
for _name, _ufunc in _COMPARISONS.items():
    setattr(TracedArray, f"__{_name}__", _operator(_ufunc))
for _name, _ufunc in {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}.items():
    setattr(TracedArray, f"__{_name}__", _unary(_ufunc))
_LEAVING: dict[str, Callable[..., Any]] = {
    **{f"__{kind.__name__}__": kind for kind in (float, int, complex, repr, str, format, round, operator.index)},
    **{name: getattr(np.ndarray, name) for name in ("item", "tolist", "tobytes")},
}
for _name, _convert in _LEAVING.items():
    setattr(TracedArray, _name, _leaving(_name.strip("_"), _convert))
_METHODS = """
all any argmax argmin argsort clip cumprod cumsum diagonal max mean min prod ravel repeat round squeeze std sum swapaxes
take trace var
"""
for _name in _METHODS.split():
    setattr(TracedArray, _name, _method(_name))
