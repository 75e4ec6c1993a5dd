"""Sums, means, maxima and minima, and sorting, along ``dim``."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import get_array_module
from ...functions import values_and_places as _pairs
from ...functions.arrays.joining import place_of
from ..table import fill
from ._arguments import axes, cast, floats, is_whole, of_floats, reduced, tensor_of, without_gradient
from ._elementwise import maximum, minimum  # noqa: F401  # for table.txt
from ._tensor import Engine, constant, dressed, plain  # noqa: F401  # plain is for table.txt
from ._types import numpy_dtype

values_and_indices = namedtuple("values_and_indices", "values indices")
"""What gives values and the places where they were."""


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum along ``dim``, or of all elements; an integer for integers and booleans.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.sum(torch.ones(2, 3), dim=1, keepdim=True)
    tensor([[3.],
            [3.]])
    """
    if not isinstance(input, Engine) or dtype is not None or input._data.dtype.kind != "f":
        return _gathered("sum", input, dtype, lambda x: F.sum(x, axis=reduced(dim), keepdims=keepdim))
    return dressed(F.sum(input, axis=reduced(dim), keepdims=keepdim))


def _gathered(name: str, input: Any, dtype: Any, gather: Callable[[Any], Any]) -> Any:
    """A reduction computed in ``dtype``; by default, integers and booleans are reduced as int64."""
    x = tensor_of(name, input)
    if dtype is not None:
        kind = numpy_dtype(name, dtype)
    else:
        kind = x._data.dtype if x._data.dtype.kind == "f" else np.dtype(np.int64)
    return cast(dressed(gather(cast(x, kind))), kind)


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean along ``dim``, or of all elements.

    Raises
    ------
    RuntimeError
        If the tensor holds integers: their mean is not an integer.
    """
    x = tensor_of("mean", input)
    if dtype is not None:
        x = cast(x, numpy_dtype("mean", dtype))
    return dressed(F.mean(of_floats("mean", x), axis=reduced(dim, x), keepdims=keepdim))


def prod(input: Any, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product along ``dim``, or of all elements."""
    if not isinstance(dim, int | None):
        raise TypeError(f"prod: dim is {dim!r:.60}; expected one axis")
    return _gathered("prod", input, dtype, lambda x: F.prod(x, dim, keepdims=keepdim))


def _axis(function: str, dim: Any) -> int:
    if not isinstance(dim, int | np.integer):
        raise TypeError(f"{function}: dim is {dim!r:.60}; expected an axis")
    return int(dim)


def _spread(name: str, input: Any, dim: Any, *how: Any) -> Any:
    over = dim if isinstance(dim, bool) else reduced(reduced(dim, input))
    return dressed(getattr(_pairs, name)(of_floats(name, input), over, *how))


def _extreme(name: str, engine: Any, of_two: Any, input: Any, dim: Any, keepdim: bool, other: Any) -> Any:
    x = tensor_of(name, input)
    if isinstance(dim, Engine) or other is not None:
        return of_two(x, dim if isinstance(dim, Engine) else other)
    return dressed(engine(x)) if dim is None else pair(getattr(_pairs, name)(x, reduced(dim), keepdim))


def pair(found: _pairs.ValuesAndIndices) -> values_and_indices:
    """What AutoLab finds, as tensors."""
    return values_and_indices(dressed(found.values), constant(found.indices))


def _place(name: str, x: Any, dim: int | None, keepdim: bool) -> Any:
    return constant(getattr(get_array_module(x._data), name)(tensor_of(name, x)._data, axis=dim, keepdims=keepdim))


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, the lower of the two for an even number of elements; along ``dim``, with its index."""
    found = _pairs.median(tensor_of("median", input), dim, keepdim)
    if isinstance(found, np.ndarray):  # of no elements
        return constant(found)
    return dressed(found) if dim is None else pair(found)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The ``p``-norm along ``dim``, or of all elements."""
    x = of_floats("norm", input if dtype is None else cast(input, numpy_dtype("norm", dtype)))
    order, shape, x = None if p in ("fro", 2) else p, x._data.shape, x.detach() if p == 0 else x
    dims = range(len(shape)) if reduced(dim, x) is None else [dim] if isinstance(dim, int) else dim
    over = [place_of("norm", d, shape) for d in dims]
    if len(over) != 1:
        kept = [d for d in range(len(shape)) if d not in over]
        x = F.reshape(F.transpose(x, axes=(*kept, *over)), (*[shape[d] for d in kept], -1))
    y = F.norm(x, order, -1 if len(over) != 1 else over[0], False)
    return dressed(F.reshape(y, tuple([1 if d in over else n for d, n in enumerate(shape)])) if keepdim else y)


def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    """The numeric gradient of samples along each dimension in ``dim``: always a tuple.

    ``spacing`` is a distance, or a list with a distance or the coordinates of the samples for each dimension.
    """
    x = floats(tensor_of("gradient", input))
    given = spacing if isinstance(spacing, list | tuple) else (spacing,)
    found = F.gradient(x, *given, axis=axes(dim), edge_order=edge_order)
    return tuple([dressed(y) for y in (found if isinstance(found, list | tuple) else (found,))])


def _truth(name: str, x: Any, dim: Any, keepdim: bool) -> Any:
    data = tensor_of(name, x)._data
    found = getattr(get_array_module(data), name)(data, axis=axes(dim), keepdims=keepdim)
    return constant(found.astype(np.uint8) if data.dtype == np.uint8 else found)


def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The distinct elements, sorted; on request also the index of each element among them, and their counts."""
    data = without_gradient("unique", "input", tensor_of("unique", input))
    found: Any = np.unique(data, False, return_inverse, return_counts)  # type: ignore[call-overload]
    return tuple([constant(one) for one in found]) if isinstance(found, tuple) else constant(found)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each integer occurs, from 0 on; with ``weights``, the sum of its weights."""
    if weights is None:
        return constant(np.bincount(input._data, None, minlength))
    weighed = np.bincount(input._data, without_gradient("bincount", "weights", weights), minlength)
    return constant(weighed.astype(float if is_whole(weights) else np.result_type(weights._data, np.float32)))


__getattr__ = fill(__name__)
