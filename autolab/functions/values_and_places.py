"""Functions that return more in PyTorch than in NumPy: ``x.max(dim=1)`` gives the values and their indices.

The keyword ``dim`` selects PyTorch's meaning: ``x.max(axis=1)`` and ``x.max(1)`` have NumPy's, as do
``F.max(x, axis=1)`` and ``F.max(x, 1)``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from ..engine import in_own_words, unwrap
from ..engine.calls import by_dim
from ..engine.plain_arrays import plain
from .arrays.axes import squeeze
from .arrays.indexing import take_along_axis
from .arrays.joining import along, place_of
from .arrays.sorting import sort
from .reductions.extrema import max, min
from .reductions.reduce import std, var


class ValuesAndIndices(NamedTuple):
    """A named pair; the indices are a plain array, not part of the graph."""

    values: Any
    indices: Any


def _at(x: Any, places: np.ndarray, dim: int, keepdim: bool = True) -> ValuesAndIndices:
    values = take_along_axis(x, places, axis=dim)
    found = [y if keepdim else squeeze(y, axis=dim) for y in (values, places)]
    return ValuesAndIndices(found[0], plain(found[1]))


def _order(x: Any, dim: int, descending: bool) -> np.ndarray:
    """The indices that sort the elements; equal ones keep their order."""
    data = unwrap(x)
    return np.argsort(-data if descending else data, axis=dim, kind="stable")


def _extreme(pick: Callable[..., Any]) -> Callable[..., ValuesAndIndices]:
    return lambda x, dim, keepdim=False: _at(x, pick(unwrap(x), axis=dim, keepdims=True), dim, keepdim)


def _sort(x: Any, dim: int = -1, descending: bool = False) -> ValuesAndIndices:
    return _at(x, _order(x, dim, descending), dim)


def _spread(reduce: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any, dim: Any, unbiased: bool = True, keepdim: bool = False, correction: int = 1) -> Any:
        dim = tuple(dim) if isinstance(dim, list) else dim
        return reduce(x, axis=dim, ddof=correction if unbiased else 0, keepdims=keepdim)

    return function


def topk(x: Any, k: int, dim: int = -1, largest: bool = True) -> ValuesAndIndices:
    """The ``k`` largest elements along an axis, or the smallest with ``largest=False``, and their indices.

    Examples
    --------
    >>> import autolab
    >>> autolab.topk(autolab.Variable([1.0, 5.0, 3.0]), 2)
    ValuesAndIndices(values=variable([5. 3.]), indices=array([1, 2]))
    """
    return _at(x, first(_order(x, dim, largest), k, dim), dim)


def first(places: Any, k: int, dim: int) -> Any:
    """The first ``k`` elements along an axis, for `topk`."""
    axis = place_of("topk", dim, places.shape)
    if not 0 <= k <= places.shape[axis]:
        raise ValueError(f"topk: k is {k!r:.60}; expected 0 to {places.shape[axis]}, the length of axis {dim}")
    return places[along(axis, slice(k))]


for _own, _pytorchs in (
    (max, _extreme(np.argmax)),
    (min, _extreme(np.argmin)),
    (sort, _sort),
    (std, _spread(std)),
    (var, _spread(var)),
):
    by_dim[_own.function] = _pytorchs


def _numpys(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    @wraps(function)
    def with_dim(a: Any, *args: Any, **options: Any) -> Any:
        return function(a, *args, **in_own_words(name, ("axis", "keepdims"), options))

    return with_dim


all, any, amax, amin, argmax, argmin, argsort, count_nonzero = map(
    _numpys, ("all", "any", "amax", "amin", "argmax", "argmin", "argsort", "count_nonzero")
)
