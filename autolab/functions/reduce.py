"""Functions that reduce axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from .shape import broadcast_to, reshape

Axis = int | tuple[int, ...] | None


@primitive(numpy=np.sum)
def sum(xp: Any, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Sum over all elements, or over one axis or several.

    Parameters
    ----------
    x : Variable or array
    axis : int, tuple of int or None
        Negative ones count from the end; None sums over all.
    keepdims : bool
        Leave the summed axes with length 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sum(Variable([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    variable([4. 6.])
    """
    return x.sum(axis=axis, keepdims=keepdims)


@sum.vjp("x")
def _sum_x(g: Any, x_shape: tuple[int, ...], axis: Axis) -> Any:
    """broadcast_to(g, shape=x_shape)"""
    return broadcast_to(reshape(g, shape=_kept(x_shape, axis)), shape=x_shape)


def _kept(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """``shape`` with length 1 at the reduced axes."""
    if axis is None:
        return (1,) * len(shape)
    axes = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])
