"""``chainer.functions.activation``"""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ... import missing
from ..variable import as_array
from ._adapt import adapted, composed

elu = adapted(F.elu)
leaky_relu = adapted(F.leaky_relu)
prelu = adapted(F.prelu)
relu = adapted(F.relu)
relu6 = adapted(F.relu6)
sigmoid = adapted(F.sigmoid)
tanh = adapted(F.tanh)


@adapted
def log_softmax(x: Any, axis: int = 1) -> Any:
    """The logarithm of `softmax`."""
    return F.log_softmax(x, axis=axis)


@adapted
def softmax(x: Any, axis: int = 1) -> Any:
    """``exp(x)``, scaled to the sum 1 along an axis."""
    return F.softmax(x, axis=axis)


@adapted
def clipped_relu(x: Any, z: float = 20.0) -> Any:
    """``min(max(x, 0), z)``."""
    return F.clip(x, 0.0, z)


@composed
def crelu(x: Any, axis: int = 1) -> Any:
    """``relu(x)`` and ``relu(-x)``, joined along an axis."""
    return F.concatenate([F.relu(x), F.relu(F.neg(x))], axis=axis)


@composed
def hard_sigmoid(x: Any) -> Any:
    """``0.2 * x + 0.5`` between 0 and 1."""
    return F.clip(F.add(F.mul(x, 0.2), 0.5), 0.0, 1.0)


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
def selu(x: Any, alpha: float = 1.6732632423543772, scale: float = 1.0507009873554805) -> Any:
    """``scale * elu(x, alpha)``."""
    return F.mul(F.elu(x, alpha=alpha), scale)


@composed
def softplus(x: Any, beta: float = 1.0) -> Any:
    """``log(1 + exp(beta * x)) / beta``."""
    return F.softplus(x) if beta == 1 else F.div(F.softplus(F.mul(x, beta)), beta)


@composed
def swish(x: Any, beta: Any) -> Any:
    """``x * sigmoid(beta * x)``; ``beta`` may have a number for each channel."""
    shape = as_array(beta).shape
    if shape:
        beta = F.reshape(beta, (1, *shape, *([1] * (as_array(x).ndim - len(shape) - 1))))
    return F.mul(x, F.sigmoid(F.mul(x, beta)))


__getattr__ = missing(__name__)
