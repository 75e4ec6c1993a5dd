"""``dezero.functions``: AutoLab's functions with DeZero's arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import functions as F
from ...engine.configuration import config
from ...engine.numpy_protocol import unwrap
from ..table import fill
from ._adapters import applied, capitalized, function, of_one, of_two, variable  # noqa: F401  # for table.txt
from ._variable import Variable
from .core import *  # noqa: F403
from .core import add, as_variable
from .functions_conv import *  # noqa: F403

sin = of_one(F.sin)
cos = of_one(F.cos)
tanh = of_one(F.tanh)
exp = of_one(F.exp)
log = of_one(F.log)
relu = of_one(F.relu)
sigmoid = of_one(F.sigmoid)
matmul = of_two(F.matmul, whole=True)

_sum = function(F.sum, whole=True)
_reshape = function(F.reshape, whole=True)
_transpose = function(F.transpose, whole=True)
_broadcast_to = function(F.broadcast_to, whole=True)
_sum_to = function(F.sum_to, whole=True)
_getitem = function(F.getitem, whole=True)
_max = function(F.max, whole=True)
_min = function(F.min, whole=True)


# ---------------------------------------------------------------------- shapes and sums
def reshape(x: Any, shape: Any) -> Any:
    """The same elements in another shape; of the same shape, ``x`` itself."""
    return as_variable(x) if x.shape == shape else _reshape(x, shape=shape)


def expand_dims(x: Any, axis: int) -> Any:
    """One more axis, of length 1, at ``axis``."""
    shape = list(x.shape)
    shape.insert(axis, 1)
    return reshape(x, tuple(shape))


def transpose(x: Any, axes: Any = None) -> Any:
    """The axes in another order; by default reversed."""
    return _transpose(x, axes=axes)


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum over all axes, one or several."""
    return _sum(x, axis=axis, keepdims=keepdims)


def get_item(x: Any, slices: Any) -> Any:
    """``x[slices]``"""
    return _getitem(x, index=unwrap(slices))


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element, of all or along axes."""
    return _max(x, axis=axis, keepdims=keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The least element, of all or along axes."""
    return _min(x, axis=axis, keepdims=keepdims)


# ---------------------------------------------------------------------- layers
def linear(x: Any, W: Any, b: Any = None) -> Any:
    """``x @ W + b`` with ``W`` of shape ``(in, out)``. The products are not kept."""
    return variable(F.linear(x, F.transpose(W)) if b is None else F.linear(x, F.transpose(W), b))


def linear_simple(x: Any, W: Any, b: Any = None) -> Any:
    """The same in two steps."""
    y = matmul(x, W)
    return y if b is None else add(y, b)


def softmax_simple(x: Any, axis: int = 1) -> Any:
    """The same, step by step."""
    y = exp(x)
    return y / sum(y, axis=axis, keepdims=True)


def dropout(x: Any, dropout_ratio: float = 0.5) -> Any:
    """In training, elements set to 0 at random, as NumPy's global generator draws; otherwise ``x``."""
    if not config.train:
        return as_variable(x)
    drawn: Any = np.random  # whose stubs do not know it
    return variable(F.dropout(x, dropout_ratio, rng=np.random.Generator(drawn.get_bit_generator())))


def batch_nrom(x: Any, gamma: Any, beta: Any, mean: Any, var: Any, decay: float = 0.9, eps: float = 2e-5) -> Any:
    """Every feature with mean 0 and variance 1 over the batch, times ``gamma``, plus ``beta``.

    In training the arrays ``mean`` and ``var`` are moved towards those of the batch, in place; otherwise they are what
    is used.
    """
    if not config.train:
        return variable(F.batch_norm(x, gamma, beta, unwrap(mean), unwrap(var), eps=eps))
    data = unwrap(x)
    axes = (0, *range(2, data.ndim))
    count = data.size // data.shape[1]
    for average, now in ((mean, data.mean(axis=axes)), (var, data.var(axis=axes) * (count / np.maximum(count - 1, 1)))):
        average *= decay
        average += (1 - decay) * now
    return variable(F.batch_norm(x, gamma, beta, eps=eps))


# ---------------------------------------------------------------------- the classes
Sin, Cos, Tanh, Exp, Log, Sigmoid, Linear = capitalized(sin, cos, tanh, exp, log, sigmoid, linear)


def _install() -> None:
    """The methods of Variable."""
    Variable.__getitem__ = get_item  # type: ignore[method-assign]
    for name, method in {
        "matmul": matmul,
        "matmaul": matmul,
        "dot": matmul,
        "max": max,
        "min": min,
        "sum": sum,
    }.items():
        setattr(Variable, name, method)
    Variable.reshape = lambda self, *shape: reshape(self, _tuple(shape))  # type: ignore[method-assign]
    Variable.transpose = lambda self, *axes: transpose(self, _tuple(axes) or None)  # type: ignore[method-assign]
    Variable.T = property(transpose)  # type: ignore[assignment]


def _tuple(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """``2, 3`` or ``(2, 3)`` or ``[2, 3]`` or ``None``, as one tuple."""
    if len(given) == 1 and (given[0] is None or isinstance(given[0], tuple | list)):
        return tuple(given[0] or ())
    return given


_install()


def mean_squared_error(x0: Any, x1: Any) -> Any:
    """The sum of all squared differences, divided by the number of rows.

    Raises
    ------
    ValueError
        If broadcasting would make more elements than there are: of (N,) beside (N, 1) a matrix.
    """
    if x0.shape != x1.shape:
        shape = np.broadcast_shapes(x0.shape, x1.shape)
        if math.prod(shape) == np.maximum(x0.size, x1.size):
            x0, x1 = F.broadcast_to(x0, shape=shape), F.broadcast_to(x1, shape=shape)
    return variable(F.mean_squared_error(x0, x1, reduction="sum") / _rows(x0))


def mean_squared_error_simple(x0: Any, x1: Any) -> Any:
    """The same, step by step."""
    diff = as_variable(x0) - as_variable(x1)
    return variable(F.sum(diff**2) / _rows(diff))


def softmax_cross_entropy_simple(x: Any, t: Any) -> Any:
    """The same, step by step."""
    log_p = F.log(F.clip(F.softmax(x, axis=1), 1e-15, 1.0))
    return variable(-1 * F.sum(as_variable(log_p)[np.arange(len(log_p)), unwrap(t)]) / len(log_p))


def binary_cross_entropy(p: Any, t: Any) -> Any:
    """The cross entropy of the probabilities ``p`` and ``t``, summed and divided by the number of rows."""
    kept = F.clip(p, 1e-15, 0.999)
    return variable(F.binary_cross_entropy(kept, _shaped(t, p), reduction="sum") / _rows(t))


def _rows(x: Any) -> int:
    return x.shape[0] if x.ndim else 1


def _shaped(t: Any, like: Any) -> Any:
    return t if t.ndim == like.ndim else t.reshape(like.shape)


__getattr__ = fill(__name__)
