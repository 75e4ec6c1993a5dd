"""An array that behaves like CuPy's on the CPU, and gives its elements to nobody who did not ask for a copy.

`ndarray` keeps a NumPy array to itself. It computes through the functions of its own module (`strict_module`), refuses
NumPy's arrays beside it, never becomes one of them by itself, and writes down in `traffic` what is copied out with
``.get()``, ``.item()`` and the like. What is 0-d stays an array, as in CuPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import cupy_names


@dataclass
class Traffic:
    """What was copied between the device and main memory: for each copy how, and how many bytes."""

    down: list[tuple[str, int]] = field(default_factory=list)
    up: list[tuple[str, int]] = field(default_factory=list)

    def clear(self) -> None:
        self.down.clear()
        self.up.clear()

    @property
    def bytes_down(self) -> int:
        return sum(nbytes for _, nbytes in self.down)

    @property
    def largest_down(self) -> int:
        return max([nbytes for _, nbytes in self.down], default=0)


traffic = Traffic()

_listening: list[list[str]] = []

_VIEWS = {"reshape", "ravel", "transpose", "swapaxes", "squeeze", "diagonal", "view", "broadcast_to", "moveaxis"}


def note(name: str) -> None:
    """Something starts on the device; what only looks at an array another way starts nothing."""
    for names in _listening:
        names += [name] if name not in _VIEWS else []


@contextmanager
def launches() -> Iterator[list[str]]:
    """The names of what is started on the device meanwhile: kernels, and the array library's own functions."""
    names: list[str] = []
    _listening.append(names)
    try:
        yield names
    finally:
        _listening.remove(names)


_REDUCTIONS = {"sum", "prod", "max", "min", "mean", "var", "std", "all", "any"}

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
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
_COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


class ndarray:
    """Stands for ``cupy.ndarray``."""

    __slots__ = ("__weakref__", "_host")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]
    _host: np.ndarray

    device = SimpleNamespace(id=0)

    def __init__(self, shape: Any, dtype: Any = float) -> None:
        self._host = np.empty(shape, dtype)

    # ------------------------------------------------------------------ out of the device, on request
    def get(self) -> np.ndarray:
        return self._copied("get")

    def item(self) -> Any:
        return self._copied("item").item()

    def tolist(self) -> Any:
        return self._copied("tolist").tolist()

    def tobytes(self) -> bytes:
        return self._copied("tobytes").tobytes()

    def __bool__(self) -> bool:
        return bool(self._copied("bool"))

    def __int__(self) -> int:
        return int(self._copied("int"))

    def __float__(self) -> float:
        return float(self._copied("float"))

    def __repr__(self) -> str:
        return repr(self._copied("repr"))

    def __str__(self) -> str:
        return str(self._copied("str"))

    def __reduce__(self) -> Any:
        return uploaded, (self._copied("pickle"),)

    def _copied(self, how: str) -> np.ndarray:
        traffic.down.append((how, self._host.nbytes))
        return self._host.copy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError("implicit conversion to a NumPy array is not allowed: use .get()")

    # ------------------------------------------------------------------ what is known without looking
    shape = property(lambda self: self._host.shape)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    dtype = property(lambda self: self._host.dtype)
    itemsize = property(lambda self: self._host.itemsize)
    nbytes = property(lambda self: self._host.nbytes)
    strides = property(lambda self: self._host.strides)
    base = property(lambda self: self._host.base)
    T = property(lambda self: wrapped(self._host.T))
    real = property(lambda self: wrapped(self._host.real))
    data = property(lambda self: SimpleNamespace(ptr=self._host.ctypes.data))

    @property
    def flags(self) -> Any:
        """Without ``writeable``: no memory on the device is read-only."""
        flags = self._host.flags
        return SimpleNamespace(c_contiguous=flags.c_contiguous, f_contiguous=flags.f_contiguous, owndata=flags.owndata)

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Iterator[ndarray]:
        return iter([self[i] for i in range(len(self))])

    # ------------------------------------------------------------------ elements
    def __getitem__(self, index: Any) -> ndarray:
        items = index if isinstance(index, tuple) else (index,)
        if any(getattr(item, "dtype", None) == np.bool_ for item in items):
            traffic.down.append(("count of a mask", 4))  # how many elements there are is known only afterwards
        host = tuple([_index(item) for item in items])
        if len(host) == 1 and isinstance(host[0], list) and host[0] and type(host[0][0]) is int:
            return wrapped(self._host.take(host[0], axis=0, mode="wrap"))  # out of bounds, CuPy counts round
        return wrapped(self._host[host if any(item is ... for item in host) else (*host, ...)])

    def __setitem__(self, index: Any, value: Any) -> None:
        items = index if isinstance(index, tuple) else (index,)
        self._host[tuple([_index(item) for item in items])] = unwrapped(value)

    def __copy__(self) -> ndarray:
        return wrapped(self._host.copy())

    @property
    def imag(self) -> ndarray:
        return wrapped(self._host.imag)

    def __deepcopy__(self, memo: Any) -> ndarray:
        return wrapped(self._host.copy())

    def fill(self, value: Any) -> None:
        self._host.fill(unwrapped(value))

    # ------------------------------------------------------------------ NumPy's functions, as CuPy takes them
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from . import strict_module

        function = strict_module.cupy.__getattr__(ufunc.__name__)
        if "out" in options:
            options["out"] = options["out"][0]
        return (function if method == "__call__" else getattr(function, method))(*inputs, **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from . import strict_module

        if not all(issubclass(kind, ndarray) for kind in types):
            return NotImplemented
        try:
            return strict_module.of_numpy(func)(*args, **kwargs)
        except AttributeError:
            return NotImplemented


def wrapped(result: Any) -> Any:
    """What NumPy gave, on the device: scalars too, as CuPy knows none of its own."""
    if isinstance(result, np.ndarray | np.generic):
        array = object.__new__(ndarray)
        array._host = np.asarray(result)
        return array
    if isinstance(result, tuple | list):
        return type(result)([wrapped(item) for item in result]) if type(result) in (tuple, list) else _parts(result)
    return result


def _parts(result: Any) -> tuple[Any, ...]:
    return tuple([wrapped(item) for item in result])


def uploaded(host: Any, **options: Any) -> ndarray:
    """A copy on the device."""
    copy = np.array(host, **options)
    traffic.up.append(("asarray", copy.nbytes))
    array: ndarray = wrapped(copy)
    return array


def unwrapped(value: Any) -> Any:
    """What a function of the device may be given, for NumPy: everything but NumPy's arrays."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if type(value) in (list, tuple):
        return type(value)([unwrapped(item) for item in value])
    return value


def _index(item: Any) -> Any:
    """One part of an index; an array of NumPy's goes to the device, as CuPy lets it."""
    if isinstance(item, np.ndarray):
        traffic.up.append(("index", item.nbytes))
        return item
    return unwrapped(item)


def _method(name: str) -> Callable[..., Any]:
    def call(self: ndarray, *args: Any, **options: Any) -> Any:
        given = cupy_names.checked("ndarray", name, args, options)
        if not self.ndim and name in _REDUCTIONS and given.get("axis") not in (None, ()):
            raise np.exceptions.AxisError(given["axis"], 0)  # NumPy lets it pass
        if "copy" in options and options["copy"] is None:
            del options["copy"]
        if name != "astype" or self._host.dtype != (args or [options.get("dtype")])[0]:
            note(name)
        given = {k: unwrapped(v) for k, v in options.items() if not (k in ("order", "casting") and v is None)}
        return wrapped(getattr(self._host, name)(*[unwrapped(a) for a in args], **given))

    return call


def _operator(ufunc: np.ufunc, swapped: bool = False) -> Callable[..., Any]:
    def call(self: ndarray, other: Any) -> Any:
        if getattr(other, "__array_priority__", -math.inf) > ndarray.__array_priority__:
            return NotImplemented  # a Variable, which knows better
        a, b = (other, self) if swapped else (self, other)
        if ufunc is np.matmul:
            from . import strict_module

            return strict_module.cupy.matmul(a, b)
        note(ufunc.__name__)
        return wrapped(ufunc(unwrapped(a), unwrapped(b)))

    return call


def _in_place(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(self: ndarray, other: Any) -> Any:
        note(ufunc.__name__)
        ufunc(self._host, unwrapped(other), out=self._host, casting="same_kind")
        return self

    return call


def _unary(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(self: ndarray) -> Any:
        note(ufunc.__name__)
        return wrapped(ufunc(self._host))

    return call


for _name, _parameters in cupy_names.names("ndarray").items():
    if _parameters is not None and hasattr(np.ndarray, _name) and not hasattr(ndarray, _name):
        setattr(ndarray, _name, _method(_name))
for _name, _ufunc in _OPERATORS.items():
    setattr(ndarray, f"__{_name}__", _operator(_ufunc))
    setattr(ndarray, f"__r{_name}__", _operator(_ufunc, swapped=True))
    if _name != "matmul":
        setattr(ndarray, f"__i{_name}__", _in_place(_ufunc))
for _name, _ufunc in _COMPARISONS.items():
    setattr(ndarray, f"__{_name}__", _operator(_ufunc))
for _name, _ufunc in {"neg": np.negative, "abs": np.absolute, "invert": np.invert}.items():
    setattr(ndarray, f"__{_name}__", _unary(_ufunc))
ndarray.__module__ = "cupy"
