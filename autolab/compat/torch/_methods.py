"""What tensors can do: their operators, and PyTorch's functions as methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import functions as F
from . import _creation, _elementwise, _inplace, _products, _reductions, _shapes
from ._arguments import cast, index_of
from ._elementwise import COMPARISONS, QUESTIONS, UNARY
from ._tensor import Engine, Tensor, constant, dressed
from ._types import SHORT, numpy_dtype, of_array

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": _elementwise._add,
    "sub": _elementwise._sub,
    "mul": _elementwise.mul,
    "truediv": _elementwise.true_divide,
    "pow": _elementwise.pow,
    "floordiv": _elementwise.floor_divide,
    "mod": _elementwise.remainder,
    "matmul": _products.matmul,
}
_COMPARED = {"eq", "ne", "lt", "le", "gt", "ge"}
_BITS = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
_MODULES = (_elementwise, _reductions, _shapes, _products)
_NO_METHODS = {"where", "cat", "stack", "hstack", "vstack", "meshgrid", "gradient", "binary", "einsum", "tensordot"}
_WRITTEN = [
    "add",
    "sub",
    "mul",
    "div",
    "pow",
    "clamp",
    "floor_divide",
    "remainder",
    "lerp",
    "addcmul",
    "addcdiv",
    "masked_fill",
    "round",
]
_WRITTEN += [*UNARY, "rsqrt", "trunc"]
_RESHAPED = ("squeeze", "unsqueeze", "transpose", "t")


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def functions() -> dict[str, Callable[..., Any]]:
    """PyTorch's functions whose first argument is a tensor, by name."""
    found: dict[str, Callable[..., Any]] = {**UNARY, **COMPARISONS, **QUESTIONS}
    for module in _MODULES:
        for name, one in vars(module).items():
            if callable(one) and not name.startswith("_") and not isinstance(one, type) and name not in _NOT_OURS:
                found[name] = one
    return found


_NOT_OURS = {"binary", "get_array_module", "a_kind", "cast", "common_dtype", "floats", "tensor_of", "together"}
_NOT_OURS |= {"constant", "dressed", "plain", "result", "axes", "dim_and_keep", "numpy_dtype", "Any", "Callable"}
_NOT_OURS |= {"Sequence", "NamedTuple"}


# ---------------------------------------------------------------------- methods that have no function
def _item(self: Any, index: Any) -> Any:
    y = F.getitem(self, index_of(index))
    if type(y) is Engine:
        y.__class__ = Tensor
    return y


def _iterate(self: Any) -> Any:
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter([self[i] for i in range(len(self._data))])


def _view(self: Any, *shape: Any) -> Any:
    if len(shape) == 1 and not isinstance(shape[0], int | tuple | list):
        return cast(self, numpy_dtype("view", shape[0]))
    return _shapes.reshape(self, *shape)


def _repeat(self: Any, *sizes: Any) -> Any:
    return _shapes.tile(self, sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes)


def _type(self: Any, dtype: Any = None) -> Any:
    return f"torch.{of_array(self._data).name.capitalize()}Tensor" if dtype is None else self.to(dtype)


def _new(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        return getattr(_creation, name)(*args, **{"dtype": self._data.dtype, **options})

    method.__name__, method.__doc__ = f"new_{name}", f"``torch.{name}`` of this tensor's type."
    return method


def _where(self: Any, condition: Any, other: Any) -> Any:
    """Its elements where ``condition`` holds, else those of ``other``."""
    return _elementwise.where(condition, self, other)


def _detached(self: Any) -> Any:
    self.node = None
    return self


OWN: dict[str, Callable[..., Any]] = {
    "__getitem__": _item,
    "__iter__": _iterate,
    "__setitem__": _inplace.set_item,
    "__neg__": UNARY["neg"],
    "__abs__": UNARY["abs"],
    "__invert__": lambda self: constant(~self._data),
    "__round__": lambda self, ndigits=0: _elementwise.round(self, decimals=ndigits),
    "view": _view,
    "view_as": lambda self, other: _shapes.reshape(self, *other._data.shape),
    "reshape_as": lambda self, other: _shapes.reshape(self, *other._data.shape),
    "expand_as": lambda self, other: _shapes.expand(self, *other._data.shape),
    "repeat": _repeat,
    "type": _type,
    "type_as": lambda self, other: cast(self, other._data.dtype),
    "contiguous": lambda self: self,
    "is_contiguous": lambda self: True,
    "dim": lambda self: self._data.ndim,
    "ndimension": lambda self: self._data.ndim,
    "nelement": _reductions.numel,
    "element_size": lambda self: self._data.itemsize,
    "is_floating_point": lambda self: self._data.dtype.kind == "f",
    "masked_fill": _shapes.masked_fill,
    "where": _where,
    "detach_": _detached,
    "copy_": _inplace.copy_,
    "data_ptr": lambda self: self._data.ctypes.data,
    "bool": lambda self: cast(self, np.dtype(bool)),
    "swapaxes": _shapes.transpose,
    "swapdims": _shapes.transpose,
    "inverse": _products.inverse,
    **{name: _new(name) for name in ("zeros", "ones", "empty", "full")},
}
for _name in ("zeros", "ones", "empty", "full"):
    OWN[f"new_{_name}"] = OWN.pop(_name)


def _converting(name: str) -> Callable[..., Any]:
    def method(self: Any) -> Any:
        return cast(self, np.dtype(SHORT[name]))

    method.__name__, method.__doc__ = name, f"The same numbers as torch.{SHORT[name]}."
    return method


def install() -> None:
    """Give tensors their operators and methods."""
    for name, function in _OPERATORS.items():
        setattr(Tensor, f"__{name}__", function)
        setattr(Tensor, f"__r{name}__", _swapped(function))
        setattr(Tensor, f"__i{name}__", _inplace.in_place(f"Tensor: {name} in place", function))
    for name in _COMPARED:
        setattr(Tensor, f"__{name}__", COMPARISONS[name])
    for name, bits in _BITS.items():
        setattr(Tensor, f"__{name}__", COMPARISONS[bits])
        setattr(Tensor, f"__r{name}__", COMPARISONS[bits])
    for name, function in functions().items():
        if name not in _NO_METHODS:
            setattr(Tensor, name, function)
    for name in _WRITTEN:
        setattr(Tensor, f"{name}_", _inplace.in_place(f"{name}_", functions()[name]))
    for name, function in {**_inplace.FILLING, **OWN}.items():
        setattr(Tensor, name, function)
    for name in SHORT:
        setattr(Tensor, name, _converting(name))
    Tensor.T = property(lambda self: dressed(F.transpose(self)), doc="With the axes in reverse order.")  # type: ignore[assignment]
    Tensor.mT = property(lambda self: dressed(F.swapaxes(self, -1, -2)), doc="Matrices transposed.")  # type: ignore[assignment]


install()
