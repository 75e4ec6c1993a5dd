"""``chainer.functions.math``"""

from __future__ import annotations

from typing import Any

import numpy as np  # noqa: F401  # for table.txt

from .... import functions as F
from ....engine import get_array_module
from ...table import fill
from ..variable import as_array, as_variable
from ._adapt import adapted, composed


@adapted
def add(*xs: Any) -> Any:
    """The sum of all arguments."""
    total = xs[0] if len(xs) > 1 else as_variable(xs[0])
    for x in xs[1:]:
        total = F.add(total, x)
    return total


def _position(found: Any) -> Any:
    return get_array_module(found).asarray(found, dtype="int32")


@composed
def batch_l2_norm_squared(x: Any) -> Any:
    """The sum of the squares of each example."""
    data = as_array(x)
    if data.ndim < 2 or data.dtype.kind != "f":
        raise TypeError(f"batch_l2_norm_squared: x is {data.dtype} {data.shape}; expected floats of two axes or more")
    return F.sum(F.square(x), axis=tuple(range(1, data.ndim)))


def _turned(a: Any, is_turned: bool) -> Any:
    return F.swapaxes(a, -1, -2) if is_turned and as_array(a).ndim > 1 else a


@composed
def batch_matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Any:
    """Batched matrix product; an array with two axes is a batch of column vectors."""
    a, b = [F.expand_dims(x, 2) if as_array(x).ndim == 2 else x for x in (a, b)]
    return F.matmul(_turned(a, transa), _turned(b, transb))


def _from_axis(x: Any, y: Any, axis: int) -> Any:
    there, own = as_array(x).shape, as_array(y).shape
    if there[axis : axis + len(own)] != own:
        raise ValueError(f"y has shape {own}; expected that of x from axis {axis} on, which has shape {there}")
    return F.reshape(y, (*[1] * axis, *own, *[1] * (len(there) - axis - len(own))))


__getattr__ = fill(__name__, adapted, composed)
