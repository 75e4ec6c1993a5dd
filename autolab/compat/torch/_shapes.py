"""Reshaping, indexing and joining tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np  # noqa: F401  # for table.txt

from ... import functions as F
from ...engine import get_array_module
from ...functions import pytorch_names as _names  # noqa: F401  # for table.txt
from ...functions.arrays.joining import flat_shape, place_of
from ...functions.arrays.joining import in_sizes as _in_sizes
from ...functions.numpy_names import copy as _copy  # noqa: F401  # for table.txt
from ...functions.values_and_places import squeeze as _squeezed  # noqa: F401  # for table.txt
from ..table import fill
from ._arguments import axes, cast, common_dtype, tensor_of  # noqa: F401  # axes is for table.txt
from ._tensor import constant, dressed, plain


def _lengths(shape: Sequence[Any]) -> tuple[int, ...]:
    """``f(2, 3)`` or ``f((2, 3))``"""
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    return tuple([int(n) for n in given])


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Flatten the axes from ``start_dim`` to ``end_dim`` into one."""
    shape = tensor_of("flatten", input)._data.shape
    return dressed(F.reshape(input, flat_shape(shape, start_dim, end_dim)))


def t(input: Any) -> Any:
    """Transpose a matrix; a vector is returned unchanged."""
    if tensor_of("t", input)._data.ndim > 2:
        raise RuntimeError(f"t: input has {input._data.ndim} axes; expected at most 2: transpose(0, 1) swaps two")
    return dressed(F.transpose(input))


def repeat_interleave(input: Any, repeats: Any, dim: int | None = None) -> Any:
    """Repeat each element, along ``dim`` or in the flattened tensor."""
    times = repeats if isinstance(repeats, int) else plain(repeats).tolist()
    return dressed(F.repeat(tensor_of("repeat_interleave", input), times, dim))


# ---------------------------------------------------------------------- parts
def _places(function: str, input: Any, dim: int, index: Any) -> Any:
    """The array of ``index``, which holds indices along ``dim``; negative ones are refused."""
    places, shape = plain(index), input._data.shape
    length = shape[place_of(function, dim, shape)] if shape else 1
    if places.size and (places.min() < 0 or places.max() >= length):
        raise IndexError(f"{function}: index goes from {places.min()} to {places.max()}; expected 0 to {length - 1}")
    return places


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Split along ``dim`` into parts of equal length (the last may be shorter), or of the lengths in a list."""
    sizes, shape = split_size_or_sections, tensor_of("split", tensor, "tensor")._data.shape
    length = shape[place_of("split", dim, shape)]
    if not isinstance(sizes, int) and sum(sizes) != length:
        raise RuntimeError(f"split: the lengths {sizes} make {sum(sizes)}; expected {length}, that of the axis")
    return tuple([dressed(part) for part in _in_sizes(tensor, sizes, dim)])


# ---------------------------------------------------------------------- joining tensors
def _apart(view: Any) -> Any:
    """A copy of what is a view in NumPy and a copy in PyTorch, so that changing one does not change the other."""
    y = dressed(view)
    y._data = y._data.copy()
    return y


def _alike(tensors: Sequence[Any]) -> list[Any]:
    common = common_dtype(*[x._data for x in tensors])
    return [cast(x, common) for x in tensors]


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """The coordinates of all points of a grid."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    return tuple([dressed(x) for x in F.meshgrid(*given, indexing=indexing)])


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not 0."""
    data = tensor_of("nonzero", input)._data
    found = data.reshape(data.shape or 1).nonzero()
    if as_tuple:
        return tuple([constant(i) for i in found])
    return constant(get_array_module(*found).stack(found, axis=1)[:, : data.ndim])


__getattr__ = fill(__name__)
