"""DeZero's losses, which are divided by the number of rows, and its accuracy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import functions as F
from ...engine.numpy_protocol import unwrap
from ..table import fill
from ._adapters import variable
from .core import as_variable


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
