"""The computing methods of traced arrays: operators, indexing, NumPy's protocols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...shared.operators import operator_methods
from .array import TracedArray
from .indexing import getitem, setitem
from .module import call, module, ufunc, ufunc_method
from .moves import cast, copied

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
