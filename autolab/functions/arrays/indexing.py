"""Indexing: ``x[index]`` for every index that NumPy supports, and its transpose, which adds at the same positions."""

from __future__ import annotations

from math import prod
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from ...engine import numpy_protocol
from ...engine.arrays import HALF, SINGLE
from ...engine.backend import Array, get_array_module, numpys, on_gpu
from ...engine.declare import primitive
from ...engine.gradient_arrays import SlicedGradient
from .shape import reshape, sum_to

_PLAIN = (int, np.integer, slice, EllipsisType, NoneType)
"""Parts of an index that cannot select an element twice."""


@primitive()
def getitem(xp: Any, x: Array, *, index: Any) -> Array:
    """``x[index]``: integers, slices, ``None``, ``...``, arrays of integers (also repeated ones) and masks.

    As in NumPy, integers and slices alone give a view. The gradient of an element that was selected several times is
    the sum over all its copies.

    Raises
    ------
    IndexError
        If the index is out of bounds. Integer arrays on a GPU are not checked, because that would synchronize with it:
        CuPy wraps out-of-bounds indices around.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable([1.0, 2.0, 3.0])
    >>> x[[0, 0, 2]].sum().backward()
    >>> x.grad
    variable([2. 0. 1.])
    """
    if type(x) not in numpys:
        _check_on_host(index, x.shape)
    return x[index]


@getitem.vjp("x")
def _getitem_x(g: Any, x_shape: tuple[int, ...], index: Any) -> Any:
    """scatter(g, index=index, shape=x_shape)"""
    if type(g) in numpys and not _may_repeat(index):
        return SlicedGradient(g, index, x_shape)
    return scatter(g, index=index, shape=x_shape)


def _check_on_host(index: Any, shape: tuple[int, ...]) -> None:
    """Refuse what NumPy refuses, if the whole index is in main memory; CuPy would wrap it around instead."""
    items = index if isinstance(index, tuple) else (index,)
    if any([isinstance(item, list | tuple | np.ndarray) for item in items]) and not any([on_gpu(i) for i in items]):
        np.broadcast_to(np.False_, shape)[index]


@primitive(g=lambda g, index: getitem(g, index=index))
def scatter(xp: Any, g: Array, *, index: Any, shape: tuple[int, ...]) -> Array:
    """Zeros of ``shape`` with ``g`` added at ``[index]``. Its gradient is `getitem`.

    Examples
    --------
    >>> from autolab.functions.arrays.indexing import scatter
    >>> scatter([1.0, 2.0, 3.0], index=[0, 0, 2], shape=(3,))
    array([3., 0., 3.])
    """
    if not _may_repeat(index):
        y = xp.zeros(shape, g.dtype)
        y[index] = g
        return y
    y = xp.zeros(shape, SINGLE if g.dtype == HALF else g.dtype)
    places = xp.arange(y.size).reshape(shape)[index]  # add.at is many times faster on one axis
    xp.add.at(y.reshape(-1), places.reshape(-1), g.reshape(-1).astype(y.dtype, copy=False))
    return y.astype(g.dtype, copy=False)


@primitive(x=lambda g, index: put(g, 0.0, index=index))
def put(xp: Any, x: Array, value: Array, *, index: Any) -> Array:
    """A copy of ``x`` with ``value`` at ``[index]``: how assignment to elements of a Variable works.

    Examples
    --------
    >>> from autolab.functions.arrays.indexing import put
    >>> put([1.0, 2.0, 3.0], 9.0, index=[0, 2])
    array([9., 2., 9.])
    """
    y = x.copy()
    y[index] = value
    return y


@put.vjp("value")
def _put_value(g: Any, value_shape: tuple[int, ...], index: Any) -> Any:
    """sum_to(getitem(g, index), shape=value_shape)"""
    at = getitem(g, index=index)
    if _may_repeat(index):  # of several values assigned to one element, the last one stays
        order = get_array_module(getattr(g, "array", g)).arange(at.size).reshape(at.shape)
        last = np.zeros_like(order, shape=g.shape)
        last[index] = order
        at = at * (last[index] == order)
    return reshape(sum_to(at, shape=value_shape[max(len(value_shape) - at.ndim, 0) :]), shape=value_shape)


def _may_repeat(index: Any) -> bool:
    """Whether an index could select an element twice: integer arrays can, and whatever NumPy converts to them."""
    items = index if isinstance(index, tuple) else (index,)
    return any([not isinstance(item, _PLAIN) and _selects_by_number(item) for item in items])


def _selects_by_number(item: Any) -> bool:
    return getattr(item, "ndim", None) != 0 and getattr(item, "dtype", None) != np.bool_


@primitive(numpy=np.take_along_axis)
def take_along_axis(xp: Any, arr: Array, *, indices: Array, axis: int | None = -1) -> Array:
    """Take the elements at ``indices`` along ``axis``, for example in the order of `numpy.argsort`.

    Parameters
    ----------
    arr : Variable or array
    indices : array of integers
        With as many axes as ``arr``; the axes other than ``axis`` broadcast.
    axis : int or None
        None takes from the flattened input.

    Raises
    ------
    IndexError
        If an index is out of bounds.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([[3.0, 1.0, 2.0]])
    >>> F.take_along_axis(x, indices=x.data.argsort(axis=1), axis=1)
    variable([[1. 2. 3.]])
    """
    return xp.take_along_axis(arr, numpy_protocol.unwrap(indices), axis)


@take_along_axis.vjp("arr")
def _take_along_axis_x(g: Any, arr_shape: tuple[int, ...], indices: Any, axis: int | None) -> Any:
    """each element of g, added where it was taken from"""
    if axis is None:
        return reshape(scatter(g, index=indices, shape=(prod(arr_shape),)), shape=arr_shape)
    return scatter(g, index=_along(numpy_protocol.unwrap(indices), axis % len(arr_shape), arr_shape), shape=arr_shape)


def _along(indices: Array, axis: int, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """The index that takes ``indices`` along ``axis`` and all elements along the other axes."""
    xp, ndim = get_array_module(indices), len(shape)
    every = [xp.arange(n).reshape([-1 if j == i else 1 for j in range(ndim)]) for i, n in enumerate(shape)]
    return (*every[:axis], indices, *every[axis + 1 :])
