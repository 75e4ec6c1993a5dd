"""Sorting and partitioning. The gradient goes back to where each element was."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine import Array, numpy_protocol, takes_other_words
from ...engine.declare import primitive
from ..working_precision import given_arrays
from .indexing import take_along_axis
from .joining import place_of
from .shape import reshape


@primitive(numpy=np.sort)
def sort(xp: Any, a: Array, *, axis: int | None = -1, kind: str | None = None) -> Array:
    """A sorted copy, ascending along an axis; NaN comes last. The gradient goes back to where each element was.

    For the gradient the sort is stable: equal elements keep their order.

    Parameters
    ----------
    a : Variable or array
    axis : int or None
        None sorts the flattened input.
    kind : str, optional
        NumPy's algorithm, which makes no difference to the result.

    Raises
    ------
    ValueError
        If the axis or the algorithm does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([3.0, 1.0, 2.0])
    >>> (F.sort(x) * [1.0, 10.0, 100.0]).sum().backward()
    >>> x.grad
    variable([100.   1.  10.])
    """
    return xp.sort(a, axis=axis, kind=kind)


@sort.vjp("a")
def _sort_x(g: Any, a: Any, axis: int | None) -> Any:
    """g[the place of each element in the order]"""
    place = 0 if axis is None else axis
    order = np.argsort(a, axis=axis, kind="stable")  # an array, also for a Variable
    return reshape(take_along_axis(g, indices=np.argsort(order, axis=place), axis=place), shape=a.shape)


@numpy_protocol.adapt(np.partition)
@takes_other_words
def partition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """Move the elements ``kth`` to their sorted positions, smaller ones before and larger ones after them.

    The implementation sorts completely, which is a valid partition; NumPy's may be another. The gradient goes back to
    where each element was.

    Parameters
    ----------
    a : Variable or array
    kth : int or sequence of ints
        Negative ones count from the end.
    axis : int or None
        None flattens the input first.

    Raises
    ------
    ValueError
        If the element or the axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.partition(Variable([3.0, 1.0, 2.0]), 0)[0]
    variable(1.0)
    """
    shape = given_arrays("partition", a=a)[0].shape
    length = prod(shape) if axis is None else shape[place_of("partition", axis, shape)]
    places = np.asarray(kth)
    if places.dtype.kind not in "iu" or places.ndim > 1:
        raise TypeError(f"partition: kth is {kth!r:.60}; expected integers, one or a sequence")
    if not ((places >= -length) & (places < length)).all():
        raise ValueError(f"partition: kth is {kth!r:.60}; expected numbers from {-length} to {length - 1}")
    return sort(a, axis=axis)
