"""``chainer.functions.activation``"""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ...table import fill
from ..variable import as_array
from ._adapt import adapted, composed


@composed
def maxout(x: Any, pool_size: int, axis: int = 1) -> Any:
    """The largest of each ``pool_size`` neighbours along an axis."""
    shape = as_array(x).shape
    if pool_size <= 0 or shape[axis] % pool_size:
        raise ValueError(f"maxout: pool_size is {pool_size}; expected a divisor of {shape[axis]}, the length of axis")
    axis %= len(shape)
    parts = F.reshape(x, (*shape[:axis], shape[axis] // pool_size, pool_size, *shape[axis + 1 :]))
    return F.max(parts, axis=axis + 1)


@composed
def swish(x: Any, beta: Any) -> Any:
    """``x * sigmoid(beta * x)``; ``beta`` may have a number for each channel."""
    shape = as_array(beta).shape
    if shape:
        beta = F.reshape(beta, (1, *shape, *([1] * (as_array(x).ndim - len(shape) - 1))))
    return F.mul(x, F.sigmoid(F.mul(x, beta)))


__getattr__ = fill(__name__, adapted, composed)
