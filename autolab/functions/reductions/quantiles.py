"""Median and quantiles. The gradient goes to the elements that were selected."""

from __future__ import annotations

from math import floor, prod
from typing import Any

import numpy as np

from ...engine import Variable, as_array, get_array_module, numpy_protocol, takes_other_words
from ..arrays.axes import other_axes
from ..arrays.joining import place_of, stack
from ..arrays.shape import reshape, transpose
from ..arrays.sorting import sort
from ..elementwise.selection import where
from ..working_precision import given_arrays, in_full
from .reduce import Axis, mean


@numpy_protocol.adapt(np.median)
@takes_other_words
def median(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Median: the middle element in ascending order, or the mean of the two middle ones; NaN if an element is NaN.

    Parameters
    ----------
    a : Variable or array
    axis : int, tuple of int or None
        Axes to reduce; None reduces all.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Raises
    ------
    ValueError
        If an axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.median(Variable([[3.0, 1.0, 2.0], [6.0, 5.0, 7.0]]), 1)
    variable([2. 6.])
    """
    lines, shape = merged_axes("median", a, axis, keepdims)
    n = lines.shape[-1]
    if not n:
        return reshape(mean(lines, axis=-1), shape=shape)
    ranked = sort(lines)
    return reshape(_or_nan(ranked, mean(ranked[..., (n - 1) // 2 : n // 2 + 1], axis=-1)), shape=shape)


@numpy_protocol.adapt(np.quantile)
@takes_other_words
def quantile(a: Any, q: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Quantile: the value below which a fraction ``q`` of the elements lies, interpolated linearly; NaN if one is NaN.

    Parameters
    ----------
    a : Variable or array
    q : float or array of floats
        From 0 to 1. The axes of an array come first in the result.
    axis : int, tuple of int or None
        Axes to reduce; None reduces all.
    keepdims : bool
        Keep the reduced axes, with length 1.

    Raises
    ------
    ValueError
        If ``q`` is out of range, an axis does not exist, or there are no elements.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.quantile(Variable([4.0, 1.0, 2.0]), [0.5, 0.75])
    variable([2. 3.])
    """
    return _quantiles("quantile", a, q, 1, axis, keepdims)


@numpy_protocol.adapt(np.percentile)
@takes_other_words
def percentile(a: Any, q: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """`quantile` with ``q`` from 0 to 100; the other parameters are the same.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.percentile(Variable([4.0, 1.0, 2.0]), 75)
    variable(3.0)
    """
    return _quantiles("percentile", a, q, 100, axis, keepdims)


def _quantiles(function: str, a: Any, q: Any, whole: int, axis: Axis, keepdims: bool) -> Any:
    if isinstance(q, Variable):
        raise TypeError(f"{function}: q is a Variable, which would get no gradient; expected its data, or numbers")
    shares = np.asarray(as_array(q, f"{function}: q"), np.float64) / whole
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(f"{function}: q is {q!r:.60}; expected numbers from 0 to {whole}")
    (a,), rounded = in_full(function, a=a)
    lines, shape = merged_axes(function, a, axis, keepdims)
    if not lines.shape[-1]:
        raise ValueError(f"{function}: a has shape {np.shape(a)}; expected at least one element")
    ranked = sort(lines)
    found = [reshape(_or_nan(ranked, _between(ranked, float(share))), shape=shape) for share in shares.ravel()]
    if not shares.ndim:
        return rounded(found[0])
    if not found:
        raise ValueError(f"{function}: q is empty; expected at least one number")
    return rounded(reshape(stack(found), shape=(*shares.shape, *shape)))


def _between(ranked: Any, share: float) -> Any:
    """Linear interpolation between two neighbours, starting from the nearer one."""
    place = share * (ranked.shape[-1] - 1)
    low = min(floor(place), max(ranked.shape[-1] - 2, 0))
    part = place - low
    below, above = ranked[..., low], ranked[..., min(low + 1, ranked.shape[-1] - 1)]
    if part == 0:
        return below
    return below + (above - below) * part if part < 0.5 else above - (above - below) * (1 - part)


def _or_nan(ranked: Any, value: Any) -> Any:
    """``value``, or NaN if there is one: it sorts last and leaves all ranks undefined."""
    last = ranked[..., -1]
    data = numpy_protocol.unwrap(last)
    if data.dtype.kind != "f":
        return value
    return where(get_array_module(data).isnan(data), last, value)


def merged_axes(function: str, a: Any, axis: Axis, keepdims: bool) -> tuple[Any, tuple[int, ...]]:
    """``a`` with the axes to reduce merged into a last one, and the shape of the result."""
    (a,) = given_arrays(function, a=a)
    shape = a.shape
    wanted = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple([place_of(function, i, shape) for i in wanted])
    if len(set(axes)) < len(axes):
        raise ValueError(f"{function}: axis={axis!r:.60}; expected each axis once")
    rest = other_axes(axes, len(shape))
    kept = tuple([shape[i] for i in rest])
    lines = reshape(transpose(a, axes=rest + axes), shape=(*kept, prod([shape[i] for i in axes])))
    return lines, tuple([1 if i in axes else n for i, n in enumerate(shape)]) if keepdims else kept
