"""Functions that return more in PyTorch than in NumPy: ``x.max(dim=1)`` gives the values and their indices.

The keyword ``dim`` selects PyTorch's meaning: ``x.max(axis=1)`` and ``x.max(1)`` have NumPy's, as do
``F.max(x, axis=1)`` and ``F.max(x, 1)``. `OTHER_FORMS` in ``engine/habit_tables.py`` says which functions that are.
`compat.torch` calls the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ..engine import get_array_module, in_own_words, takes_other_words, unwrap
from ..engine.arrays import plain
from .arrays.axes import squeeze as without_axes
from .arrays.indexing import take_along_axis
from .arrays.joining import along, place_of
from .arrays.shape import reshape
from .reductions.extrema import max as largest_of
from .reductions.extrema import min as smallest_of
from .reductions.reduce import std as deviation
from .reductions.reduce import var as variance


class ValuesAndIndices(NamedTuple):
    """A named pair; the indices are a plain array, not part of the graph."""

    values: Any
    indices: Any


def _at(x: Any, places: Any, dim: int, keepdim: bool = True) -> ValuesAndIndices:
    if not x.ndim:
        return ValuesAndIndices(x, plain(places.reshape(())))
    values = take_along_axis(x, places, axis=dim)
    found = [y if keepdim else without_axes(y, axis=dim) for y in (values, places)]
    return ValuesAndIndices(found[0], plain(found[1]))


def _along(function: str, x: Any, dim: Any, least: int = 1) -> int:
    """The axis from the front, if it is one and has elements; 0 or -1 of a value without axes."""
    shape = x.shape or (1,)
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"{function}: dim is {dim!r:.60}; expected one axis")
    place = place_of(function, index(dim), shape)
    if shape[place] < least:
        raise IndexError(f"{function}: axis {dim} of shape {shape} is empty; expected at least one element")
    return place


def order(function: str, x: Any, dim: int, descending: bool) -> Any:
    """The indices that sort the elements; equal ones keep their order, and NaN counts as larger than all numbers."""
    data = unwrap(x if hasattr(x, "ndim") else np.asarray(x))
    xp, place = get_array_module(data), _along(function, data, dim, least=0)
    if not data.ndim:
        return xp.zeros((), np.int64)
    if not descending:
        return xp.argsort(data, axis=place, kind="stable")
    back = xp.argsort(xp.flip(data, place), axis=place, kind="stable")  # not of -data: there is no -128 of int8
    return data.shape[place] - 1 - xp.flip(back, place)


def _extreme(function: str, reduce: Callable[..., Any], x: Any, dim: Any, keepdim: bool) -> Any:
    if dim is None:
        return reduce(x)
    data, place = unwrap(x), _along(function, x, dim)
    if not data.ndim:
        return _at(x, np.zeros((), np.int64), 0)
    places = getattr(get_array_module(data), f"arg{function}")(data, axis=place, keepdims=True)
    return _at(x, places, place, keepdim)


@takes_other_words
def max(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The largest elements along an axis and their indices; the first of equal ones, or NaN."""
    return _extreme("max", largest_of, x, dim, keepdim)


@takes_other_words
def min(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest elements along an axis and their indices; the first of equal ones, or NaN."""
    return _extreme("min", smallest_of, x, dim, keepdim)


@takes_other_words
def median(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median along an axis and its index, or of all elements; the first NaN, if there is one."""
    data = unwrap(x)
    if dim is None and not data.size:
        return np.asarray(np.nan, data.dtype)
    if dim is None:
        return median(reshape(x, shape=(-1,)), 0).values
    place = _along("median", x, dim)
    if not data.ndim:
        return _at(x, np.zeros((), np.int64), 0)
    middle = order("median", data, place, False).take([(data.shape[place] - 1) // 2], axis=place)
    unknown = data != data
    first_unknown = unknown.argmax(axis=place, keepdims=True)
    return _at(x, np.where(unknown.any(axis=place, keepdims=True), first_unknown, middle), place, keepdim)


@takes_other_words
def sort(x: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> ValuesAndIndices:
    """The sorted elements along an axis and their indices; equal elements keep their order."""
    return _at(x, order("sort", x, dim, descending), dim)


def _spread(function: str, reduce: Callable[..., Any], x: Any, dim: Any, *how: Any) -> Any:
    unbiased, keepdim, correction = how
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        raise TypeError(f"{function}: got unbiased and correction; expected one of them")
    dim = (tuple(dim) or None) if isinstance(dim, list | tuple) else None if not x.ndim and dim in (0, -1) else dim
    less = 0 if unbiased is False else 1 if correction is None else correction
    return reduce(x, axis=dim, ddof=less, keepdims=keepdim)


@takes_other_words
def std(x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: float | None = None) -> Any:
    """The standard deviation, the square root of `var`."""
    return _spread("std", deviation, x, dim, unbiased, keepdim, correction)


@takes_other_words
def var(x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: float | None = None) -> Any:
    """The variance with the divisor ``n - correction``; ``correction`` is 1 by default."""
    return _spread("var", variance, x, dim, unbiased, keepdim, correction)


@takes_other_words
def squeeze(x: Any, dim: Any = None) -> Any:
    """Remove the axes ``dim``, or all, but only those of length 1."""
    shape = x.shape
    asked = range(len(shape)) if dim is None else dim if isinstance(dim, list | tuple) else [dim]
    gone = {place_of("squeeze", d, shape) for d in asked} if shape else ()
    return reshape(x, shape=tuple([n for i, n in enumerate(shape) if n != 1 or i not in gone]))


@takes_other_words
def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
    """The ``k`` largest elements along an axis, or the smallest with ``largest=False``, and their indices.

    NaN counts as larger than all numbers. The result is sorted in any case.

    Examples
    --------
    >>> import autolab
    >>> autolab.topk(autolab.Variable([1.0, 5.0, 3.0]), 2)
    ValuesAndIndices(values=variable([5. 3.]), indices=array([1, 2]))
    """
    x = x if hasattr(x, "ndim") else np.asarray(x)
    places = order("topk", x, dim, largest).reshape(x.shape or 1)
    axis = place_of("topk", dim, places.shape)
    if not 0 <= k <= places.shape[axis]:
        raise ValueError(f"topk: k is {k!r:.60}; expected 0 to {places.shape[axis]}, the length of axis {dim}")
    return _at(x, places[along(axis, slice(k))], dim)


@takes_other_words
def argsort(a: Any, axis: int | None = -1, descending: bool = False, stable: bool = True, kind: Any = None) -> Any:
    """The indices that sort the elements along an axis; equal elements keep their order."""
    return plain(
        order("argsort", reshape(a, shape=(-1,)) if axis is None else a, -1 if axis is None else axis, descending)
    )


def _numpys(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    @wraps(function)
    def with_dim(a: Any, *args: Any, **options: Any) -> Any:
        return function(a, *args, **in_own_words(name, ("axis", "keepdims"), options))

    return with_dim


all, any, amax, amin, argmax, argmin, count_nonzero, diff, nanmean, nansum = map(
    _numpys, ("all", "any", "amax", "amin", "argmax", "argmin", "count_nonzero", "diff", "nanmean", "nansum")
)
