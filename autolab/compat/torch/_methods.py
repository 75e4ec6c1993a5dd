"""Tensors' operators, and PyTorch's functions as methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isfunction, unwrap
from typing import Any

import numpy as np

from ... import functions as F  # for table.txt
from ..dressing import dress
from ..raw_errors import explained
from ..table import called, made_by
from . import _creation, _elementwise, _inplace, _products, _reductions, _shapes  # noqa: F401  # for table.txt
from ._arguments import cast, index_of, without_gradient  # noqa: F401  # for table.txt, as are the next
from ._creation import to  # noqa: F401  # for table.txt
from ._elementwise import COMPARISONS, QUESTIONS, UNARY
from ._tensor import Tensor, constant, dressed, plain, result  # noqa: F401  # for table.txt
from ._types import SHORT, numpy_dtype

_COMPARED = {"eq", "ne", "lt", "le", "gt", "ge"}
_BITS = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
_MODULES = (_elementwise, _reductions, _shapes, _products)
_NO_METHODS = {"where", "cat", "stack", "hstack", "vstack", "meshgrid", "gradient", "binary", "einsum", "tensordot"}
_WRITTEN = """
add sub mul div pow clamp clamp_min clamp_max floor_divide remainder lerp addcmul addcdiv masked_fill round rsqrt sign
square trunc scatter scatter_add scatter_reduce index_add index_copy index_fill index_put
"""


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """PyTorch's functions whose first argument is a tensor, by name."""
    found: dict[str, Callable[..., Any]] = {**UNARY, **COMPARISONS, **QUESTIONS}
    for module in _MODULES:
        for name, one in vars(module).items():
            ours = isfunction(one) and one.__module__ in _HOMES
            if ours and not name.startswith("_") and one is not _elementwise.binary:
                written = unwrap(one)
                takes_dim = "dim" in written.__code__.co_varnames
                found[name] = explained(written, _NUMPYS) if takes_dim else one
    return found


_NUMPYS = {"axis": "dim", "keepdims": "keepdim"}
"""PyTorch's functions of ``dim`` take NumPy's names as well."""

_HOMES = {module.__name__ for module in _MODULES}


# ---------------------------------------------------------------------- methods that take more than a line of the table
def _iterate(self: Any) -> Any:
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter([self[i] for i in range(len(self._data))])


def _view(self: Any, *shape: Any) -> Any:
    """The same memory with another shape, or reinterpreted as another type."""
    if len(shape) != 1 or isinstance(shape[0], int | tuple | list):
        y = _shapes.reshape(self, *shape)
        if not self._data.flags.c_contiguous and not np.may_share_memory(y._data, self._data):
            strides = "its elements do not lie in that order in memory"
            raise RuntimeError(f"view: {tuple(self.shape)} as {tuple(y.shape)}: {strides}; use reshape, which may copy")
        return y
    kind = numpy_dtype("view", shape[0])
    try:
        return constant(self._data.view(kind))
    except ValueError as error:
        raise RuntimeError(f"view: {tuple(self.shape)} of {self.dtype} as {kind}: {error!s:.150}") from None


def _item(self: Any, index: Any) -> Any:
    """Index the tensor. A single element is a view too: writing to it changes the tensor."""
    parts = index if type(index) is tuple else (index,)
    if len(parts) == self._data.ndim and all([type(i) is int for i in parts]):
        index = (*parts, ...)
    return dressed(F.getitem(self, index_of(index)))


def _repeat(self: Any, *sizes: Any) -> Any:
    times = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
    if len(times) < self._data.ndim:
        raise RuntimeError(f"repeat: got {tuple(times)}; expected at least {self._data.ndim} numbers, one an axis")
    return _shapes.tile(self, times)


_KINDS = {**SHORT, "byte": "uint8", "char": "int8", "bool": "bool"}
_NAMES = {np.dtype(long): f"torch.{name.capitalize()}Tensor" for name, long in _KINDS.items()}


def _detached(self: Any) -> Any:
    self.node = None
    return self


def _converting(name: str) -> Callable[..., Any]:
    def method(self: Any) -> Any:
        return cast(self, np.dtype(SHORT[name]))

    return called(method, name, f"The same numbers as torch.{SHORT[name]}.")


def install() -> None:
    """Add the operators and methods to the tensor class."""
    for name, function in made_by("torch.Tensor.operators", __name__):
        setattr(Tensor, f"__{name}__", function)
        setattr(Tensor, f"__r{name}__", _swapped(function))
        setattr(Tensor, f"__i{name}__", _inplace.in_place(f"Tensor: {name} in place", function, True))
    for name in _COMPARED:
        setattr(Tensor, f"__{name}__", COMPARISONS[name])
    for name, bits in _BITS.items():
        setattr(Tensor, f"__{name}__", COMPARISONS[bits])
        setattr(Tensor, f"__r{name}__", COMPARISONS[bits])
    for name, function in functions().items():
        if name not in _NO_METHODS:
            setattr(Tensor, name, function)
    for name in (*UNARY, *_WRITTEN.split()):
        setattr(Tensor, f"{name}_", _inplace.in_place(f"{name}_", functions()[name]))
    for name, function in (*_inplace.FILLING.items(), *made_by("torch.Tensor", __name__)):
        setattr(Tensor, name, function)
    for name in SHORT:
        setattr(Tensor, name, _converting(name))
    dress(Tensor, ["argpartition", "astype", "at", "copy", "searchsorted"], result)


install()
