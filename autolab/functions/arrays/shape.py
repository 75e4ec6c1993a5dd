"""Reshaping, transposing, broadcasting, and casts between dtypes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine import Primitive, numpy_protocol
from ...engine.arrays import HALF, SINGLE
from ...engine.backend import Array, numpys
from ...engine.declare import elementwise, primitive
from ..working_precision import FULL


@primitive(a=lambda g, a_shape: reshape(g, shape=a_shape))
def reshape(xp: Any, a: Array, *, shape: Any) -> Array:
    """Give an array a new shape with the same elements; one length may be -1 and is then inferred from the others.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.reshape(Variable([1.0, 2.0, 3.0, 4.0]), shape=(2, -1)).shape
    (2, 2)
    """
    return a.reshape(shape)


numpy_protocol.register(np.reshape, reshape, renamed={"newshape": "shape"})  # its name in NumPy 2.0


@primitive(a=lambda g, axes: transpose(g, axes=inverse(axes)), numpy=np.transpose)
def transpose(xp: Any, a: Array, *, axes: tuple[int, ...] | None = None) -> Array:
    """Permute the axes; by default, reverse their order. Negative ``axes`` count from the end.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.transpose(Variable([[1.0, 2.0, 3.0]])).shape
    (3, 1)
    """
    return a.transpose(axes)


def inverse(axes: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """The inverse of a permutation of axes."""
    if axes is None:
        return None
    return tuple(np.argsort([axis % len(axes) for axis in axes]).tolist())


@primitive(array=lambda g, array_shape: sum_to(g, shape=array_shape), numpy=np.broadcast_to)
def broadcast_to(xp: Any, array: Array, *, shape: tuple[int, ...]) -> Array:
    """Broadcast an array to a shape without a copy. Its gradient is `sum_to`.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.broadcast_to(Variable([1.0, 2.0]), shape=(2, 2))
    variable([[1. 2.]
              [1. 2.]])
    """
    lead = len(shape) - array.ndim if type(shape) is tuple else -1
    if xp is np and lead >= 0 and array.flags.c_contiguous:  # building the view here takes a third of the time
        steps = zip(array.shape, shape[lead:], array.strides, strict=True)
        strides = [0] * lead + [stride if n == m else 0 if n == 1 else -1 for n, m, stride in steps]
        if -1 not in strides and -1 not in shape:  # np.ndarray would take -1 for 1
            view = np.ndarray(shape, array.dtype, array, 0, strides)
            view.setflags(write=False)
            return view
    return xp.broadcast_to(array, shape)


@primitive(x=lambda g, x_shape: broadcast_to(g, shape=x_shape))
def sum_to(xp: Any, x: Array, *, shape: tuple[int, ...]) -> Array:
    """Sum over the axes along which ``shape`` would have been broadcast to ``x.shape``. Its gradient is `broadcast_to`.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sum_to(Variable([[1.0, 2.0], [3.0, 4.0]]), shape=(2,))
    variable([4. 6.])
    """
    if x.dtype is HALF and xp is np:  # CuPy already sums in float32
        return sum_to(x.astype(SINGLE), shape=shape).astype(HALF)
    lead = x.ndim - len(shape)
    if lead > 0 and len(shape) == 1 and x.shape[lead:] == shape:  # the gradient of a bias
        return over_rows(x)
    stretched = tuple([lead + i for i, n in enumerate(shape) if n == 1 != x.shape[lead + i]])
    if stretched:
        x = x.sum(axis=stretched, keepdims=True)
    y = x.sum(axis=tuple(range(lead))) if lead > 0 else x
    if y.shape != tuple(shape):
        raise ValueError(f"it cannot be summed to shape {shape}, which does not broadcast to it")
    return y


def over_rows(x: Any) -> Any:
    """Sum over all axes but the last; for NumPy's floats, a product with ones, which takes a fraction of the time."""
    if type(x) in numpys and x.dtype in FULL:
        rows = x if x.ndim == 2 else x.reshape(prod(x.shape[:-1]), x.shape[-1])
        count = len(rows)
        ones = _ONES[x.dtype][:count] if count <= _MOST_ONES else np.ones(count, x.dtype)
        return ones.dot(rows) if type(x) is np.ndarray else np.dot(ones, rows)  # the method refuses recorded arrays
    return x.sum(axis=0 if x.ndim == 2 else tuple(range(x.ndim - 1)))


_MOST_ONES = 1 << 14
_ONES = {dtype: np.ones(_MOST_ONES, dtype) for dtype in FULL}


@elementwise(x=lambda g: g)
def cast(xp: Any, x: Array, *, dtype: Any) -> Array:
    """Cast to another floating-point dtype; the gradient has the dtype of the input.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cast(Variable(1.0), dtype="float32").dtype
    dtype('float32')
    """
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"cast: dtype is {np.dtype(dtype)}; expected a floating-point dtype")
    return x.astype(dtype)


Primitive.sum_to, Primitive.cast = staticmethod(sum_to), staticmethod(cast)  # what `Primitive.fit` calls
