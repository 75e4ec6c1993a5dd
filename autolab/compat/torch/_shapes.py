"""Reshaping, indexing and joining tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import get_array_module
from ...functions import pytorch_names as _names
from ...functions.arrays.indexing import put  # noqa: F401  # for table.txt
from ...functions.arrays.indexing import scatter as _added
from ...functions.arrays.joining import along, flat_shape, place_of
from ...functions.arrays.joining import in_sizes as _in_sizes
from ...functions.numpy_names import copy as _copy  # noqa: F401  # for table.txt
from ...functions.values_and_places import squeeze as _squeezed  # noqa: F401  # for table.txt
from ..table import fill
from ._arguments import axes, cast, common_dtype, index_of, tensor_of  # noqa: F401  # for table.txt too
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


def _filled(tensors: list[Any]) -> list[Any]:
    """All but those of shape ``(0,)``, which PyTorch joins to tensors of any shape."""
    return [x for x in tensors if x._data.shape != (0,)] or tensors[:1]


def _added_at(input: Any, value: Any, index: Any) -> Any:
    places = np.empty(input.shape, bool)[index].shape
    return input + _added(F.broadcast_to(value, places), index=index, shape=input.shape)


def _along(function: str, input: Any, dim: int, index: Any) -> Any:
    """A full index for the slices at several indices along ``dim``."""
    shape = tensor_of(function, input)._data.shape
    return along(place_of(function, dim, shape), _places(function, input, dim, index))


def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """A copy with the sums, or means, of all values for the same place in ``index``, an index along ``dim``."""
    x, ones = tensor_of("scatter_reduce", input), np.ones(plain(index).shape, input._data.dtype)
    if reduce not in ("sum", "mean"):
        raise NotImplementedError(
            f"scatter_reduce: reduce is {reduce!r:.60}; expected 'sum' or 'mean'. Otherwise reduce each group: "
            "torch.stack([src[index == i].amax() for i in range(n)])"
        )
    counts = _names.scatter_add(constant(np.zeros_like(x._data)), dim, plain(index), ones)._data
    start = x if include_self else F.where(counts > 0, 0, x)
    total = _names.scatter_add(start, dim, plain(index), tensor_of("scatter_reduce", src, "src"))
    if reduce == "sum":
        return dressed(total)
    return dressed(F.div(total, np.maximum(counts + bool(include_self), 1)))


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
