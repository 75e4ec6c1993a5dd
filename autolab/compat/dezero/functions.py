"""``dezero.functions``: AutoLab's functions with DeZero's arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import config, get_array_module, unwrap
from ...links.functional import running_averages
from ..table import fill, made_by
from ._adapters import function, variable  # noqa: F401  # for table.txt
from ._creators import applied, traced  # noqa: F401  # for table.txt
from ._variable import Variable
from .core import *  # noqa: F403
from .core import as_variable
from .functions_conv import *  # noqa: F403


def dropout(x: Any, dropout_ratio: float = 0.5) -> Any:
    """In training, zero random elements, drawn by NumPy's global generator; otherwise ``x``."""
    if not config.train:
        return as_variable(x)
    x = as_variable(x)
    xp = get_array_module(x.data)
    mask = xp.random.rand(*x.shape) > dropout_ratio
    return x * mask / xp.array(1.0 - dropout_ratio).astype(x.dtype)


@traced
def batch_nrom(x: Any, gamma: Any, beta: Any, mean: Any, var: Any, decay: float = 0.9, eps: float = 2e-5) -> Any:
    """Normalize each feature to mean 0 and variance 1 over the batch, multiply by ``gamma`` and add ``beta``.

    In training, the arrays ``mean`` and ``var`` are moved towards those of the batch, in place; otherwise they are used
    instead of those of the batch.
    """
    averages, data = (unwrap(mean), unwrap(var)), unwrap(x)
    if not config.train:
        return variable(F.batch_norm(x, gamma, beta, *averages, eps=eps))
    for average, new in zip(averages, running_averages(averages, data, (0, *range(2, data.ndim)), decay), strict=True):
        average[...] = new
    return variable(F.batch_norm(x, gamma, beta, eps=eps))


def _tuple(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """``2, 3`` or ``(2, 3)`` or ``[2, 3]`` or ``None``, as a tuple."""
    if len(given) == 1 and (given[0] is None or isinstance(given[0], tuple | list)):
        return tuple(given[0] or ())
    return given


@traced
def mean_squared_error(x0: Any, x1: Any) -> Any:
    """The sum of all squared differences, divided by the number of rows.

    Raises
    ------
    ValueError
        If broadcasting would create more elements: shapes (N,) and (N, 1) would give a matrix.
    """
    if x0.shape != x1.shape:
        shape = np.broadcast_shapes(x0.shape, x1.shape)
        if math.prod(shape) == np.maximum(x0.size, x1.size):
            x0, x1 = F.broadcast_to(x0, shape=shape), F.broadcast_to(x1, shape=shape)
    return variable(F.mean_squared_error(x0, x1, reduction="sum") / _rows(x0))


def mean_squared_error_simple(x0: Any, x1: Any) -> Any:
    """`mean_squared_error`, written step by step."""
    diff = as_variable(x0) - as_variable(x1)
    return variable(F.sum(diff**2) / _rows(diff))


def softmax_cross_entropy_simple(x: Any, t: Any) -> Any:
    """`softmax_cross_entropy`, written step by step."""
    log_p = F.log(F.clip(F.softmax(x, axis=1), 1e-15, 1.0))
    return variable(-1 * F.sum(as_variable(log_p)[np.arange(len(log_p)), unwrap(t)]) / len(log_p))


@traced
def binary_cross_entropy(p: Any, t: Any) -> Any:
    """The cross entropy of the probabilities ``p`` and ``t``, summed and divided by the number of rows."""
    kept = F.clip(p, 1e-15, 0.999)
    return variable(F.binary_cross_entropy(kept, _shaped(t, p), reduction="sum") / _rows(t))


def _rows(x: Any) -> int:
    return x.shape[0] if x.ndim else 1


def _shaped(t: Any, like: Any) -> Any:
    return t if t.ndim == like.ndim else t.reshape(like.shape)


__getattr__ = fill(__name__, traced)
for _name, _method in made_by("dezero.Variable", __name__):
    setattr(Variable, _name, _method)
