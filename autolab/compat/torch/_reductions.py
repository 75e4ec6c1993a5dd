"""Sums, means, extremes and sorting along ``dim``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import functions as F
from ...engine.backend import get_array_module
from ._arguments import axes, cast, dim_and_keep, floats, tensor_of
from ._elementwise import maximum, minimum
from ._tensor import Engine, Tensor, constant, dressed
from ._types import numpy_dtype


class values_and_indices(NamedTuple):
    """What gives values and the places where they were."""

    values: Any
    indices: Any


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **others: Any) -> Any:
    """The sum along ``dim``, or of all elements; of integers and booleans an integer.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.sum(torch.ones(2, 3), dim=1, keepdim=True)
    tensor([[3.],
            [3.]])
    """
    if others:
        dim, keepdim = dim_and_keep("sum", dim, keepdim, others)
    x = tensor_of("sum", input)
    if dtype is not None:
        x = cast(x, numpy_dtype("sum", dtype))
    y = F.sum(x, axis=axes(dim) if dim != () else None, keepdims=keepdim)
    if type(y) is Engine:
        y.__class__ = Tensor
    return y


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **others: Any) -> Any:
    """The mean along ``dim``, or of all elements.

    Raises
    ------
    RuntimeError
        Of integers: their mean is no integer.
    """
    if others:
        dim, keepdim = dim_and_keep("mean", dim, keepdim, others)
    x = tensor_of("mean", input)
    if dtype is not None:
        x = cast(x, numpy_dtype("mean", dtype))
    if x._data.dtype.kind != "f":
        raise RuntimeError(f"mean: input is of {x.dtype}; expected floats, as from input.float()")
    y = F.mean(x, axis=axes(dim) if dim != () else None, keepdims=keepdim)
    if type(y) is Engine:
        y.__class__ = Tensor
    return y


def prod(input: Any, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product along ``dim``, or of all elements."""
    x = tensor_of("prod", input)
    x = x if dtype is None else cast(x, numpy_dtype("prod", dtype))
    return dressed(F.prod(x, axes(dim), keepdims=keepdim))


def _spread(engine: Callable[..., Any], name: str, x: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`var` and `std`, whose second argument may be ``unbiased``."""
    names = ("unbiased", "keepdim") if args and isinstance(args[0], bool) else ("dim", "unbiased", "keepdim")
    options = {**dict(zip(names, args, strict=False)), **options}
    correction = options.pop("correction", 1)
    if options.pop("unbiased", None) is False:
        correction = 0
    dim, keepdim = dim_and_keep(name, options.pop("dim", None), options.pop("keepdim", False), options)
    return dressed(engine(tensor_of(name, x), dim, ddof=correction, keepdims=keepdim))


def var(input: Any, *args: Any, **options: Any) -> Any:
    """The variance along ``dim``, divided by the number of elements less ``correction``, which is 1."""
    return _spread(F.var, "var", input, args, options)


def std(input: Any, *args: Any, **options: Any) -> Any:
    """The standard deviation: the root of `var`."""
    return _spread(F.std, "std", input, args, options)


def _extreme(name: str, engine: Any, of_two: Any, places: str) -> Callable[..., Any]:
    def call(input: Any, dim: Any = None, keepdim: bool = False, **others: Any) -> Any:
        x = tensor_of(name, input)
        if isinstance(dim, Engine) or "other" in others:
            return of_two(x, dim if isinstance(dim, Engine) else others["other"])
        if others:
            dim, keepdim = dim_and_keep(name, dim, keepdim, others)
        if dim is None:
            return dressed(engine(x))
        return _picked(x, getattr(x._data, places)(axis=dim), dim, keepdim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"The {name}imum of all elements; along ``dim`` with its places, as ``(values, indices)``; of two tensors, of "
        "each pair. Along ``dim`` the gradient goes to the place that is told, else equal elements share it."
    )
    return call


def _picked(x: Any, indices: Any, dim: int, keepdim: bool = False) -> values_and_indices:
    """The elements at one place each along ``dim``."""
    at = get_array_module(indices).expand_dims(indices, dim)
    values = F.take_along_axis(x, at, dim) if x.ndim else x
    if not keepdim and x.ndim:
        values = F.squeeze(values, dim)
    return values_and_indices(dressed(values), constant(at if keepdim else indices))


max = _extreme("max", F.max, maximum, "argmax")
min = _extreme("min", F.min, minimum, "argmin")


def amax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The maximum along ``dim``, or of all elements; equal elements share its gradient."""
    return dressed(F.max(tensor_of("amax", input), axes(dim), keepdims=keepdim))


def amin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The minimum along ``dim``, or of all elements; equal elements share its gradient."""
    return dressed(F.min(tensor_of("amin", input), axes(dim), keepdims=keepdim))


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the greatest element is along ``dim``, or in the flat tensor."""
    return _place("argmax", input, dim, keepdim)


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the least element is along ``dim``, or in the flat tensor."""
    return _place("argmin", input, dim, keepdim)


def _place(name: str, x: Any, dim: int | None, keepdim: bool) -> Any:
    found = getattr(tensor_of(name, x)._data, name)(axis=dim)
    xp = get_array_module(x._data)
    return constant(xp.expand_dims(found, dim) if keepdim and dim is not None else xp.asarray(found))


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The elements in order along ``dim``, and where they were."""
    order = argsort(input, dim, descending)._data
    return values_and_indices(dressed(F.take_along_axis(input, order, dim)), constant(order))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Where the elements in order along ``dim`` are; equal ones stay in their order."""
    data = tensor_of("argsort", input)._data
    xp = get_array_module(data)
    if not descending:
        return constant(xp.argsort(data, axis=dim, kind="stable"))
    back = xp.argsort(xp.flip(data, dim), axis=dim, kind="stable")
    return constant(data.shape[dim] - 1 - xp.flip(back, dim))


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The ``k`` greatest elements along ``dim`` in falling order, and where they were."""
    order = argsort(input, dim, largest)._data
    first = get_array_module(order).take(order, range(k), axis=dim)
    return values_and_indices(dressed(F.take_along_axis(input, first, dim)), constant(first))


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The element in the middle; of an even number the lower of the two. Along ``dim`` with its place."""
    x = tensor_of("median", input)
    flat, along = (F.reshape(x, (-1,)), 0) if dim is None else (x, dim)
    order = get_array_module(x._data).argsort(flat._data, axis=along, kind="stable")
    middle = order.take((flat._data.shape[along] - 1) // 2, axis=along)
    found = _picked(flat, np.asarray(middle), along, keepdim and dim is not None)
    return found.values if dim is None else found


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Any:
    """The ``p`` norm along ``dim``, or of all elements."""
    x = floats(tensor_of("norm", input))
    order = None if p in ("fro", 2) else p
    if dim is None:
        x, dim = F.reshape(x, (-1,)), 0
    return dressed(F.norm(x, order, axes(dim), keepdim))


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of the exponentials along ``dim``."""
    return dressed(F.logsumexp(floats(tensor_of("logsumexp", input)), axes(dim), keepdim))


def cumsum(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The sums up to each element along ``dim``."""
    return dressed(F.cumsum(tensor_of("cumsum", input), dim))


def cumprod(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The products up to each element along ``dim``."""
    return dressed(F.cumprod(tensor_of("cumprod", input), dim))


def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    """The slopes of samples along each of ``dim``: a tuple, also for one.

    ``spacing`` is a distance, or a list with a distance or the places of the samples for each dimension.
    """
    x = floats(tensor_of("gradient", input))
    given = spacing if isinstance(spacing, list | tuple) else (spacing,)
    found = F.gradient(x, *given, axis=axes(dim), edge_order=edge_order)
    return tuple([dressed(y) for y in (found if isinstance(found, list | tuple) else (found,))])


def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether all elements along ``dim`` are true."""
    return _truth("all", input, dim, keepdim)


def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether an element along ``dim`` is true."""
    return _truth("any", input, dim, keepdim)


def _truth(name: str, x: Any, dim: Any, keepdim: bool) -> Any:
    data = tensor_of(name, x)._data
    return constant(getattr(get_array_module(data), name)(data, axis=axes(dim), keepdims=keepdim))


def count_nonzero(input: Any, dim: Any = None) -> Any:
    """How many elements along ``dim`` are not 0."""
    return constant(np.asarray(np.count_nonzero(tensor_of("count_nonzero", input)._data, axis=axes(dim))))


def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements in order; on request where each element is among them, and how often each is there."""
    data = tensor_of("unique", input)._data
    found: Any = np.unique(data, False, return_inverse, return_counts)  # type: ignore[call-overload]
    return tuple([constant(one) for one in found]) if isinstance(found, tuple) else constant(found)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number is there, from 0 on."""
    return constant(np.bincount(input._data, None if weights is None else weights._data, minlength))


def numel(input: Any) -> int:
    """The number of elements."""
    return math.prod(tensor_of("numel", input)._data.shape)
