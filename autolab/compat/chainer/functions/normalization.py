"""``chainer.functions.normalization``"""

from __future__ import annotations

import math
from typing import Any

from .... import functions as F
from ...table import fill, signed
from ..variable import as_array
from ._adapt import adapted, composed


def _axes(x: Any, gamma: Any, axis: Any) -> tuple[int, ...]:
    """What is normalized over: by default the examples, and what is behind the axes of ``gamma``."""
    if axis is not None:
        return (axis,) if isinstance(axis, int) else tuple(axis)
    return (0, *range(as_array(gamma).ndim + 1, as_array(x).ndim))


@adapted
@signed
def batch_normalization(x, gamma, beta, *, eps, running_mean, running_var, decay, axis):
    """Each feature with mean 0 and variance 1 over the batch, then scaled and moved.

    ``running_mean`` and ``running_var`` are arrays, which follow those of the batches.
    """
    axes = _axes(x, gamma, axis)
    if running_mean is not None or running_var is not None:
        data = as_array(x)
        count = math.prod([data.shape[i] for i in axes])
        unbiased = count / max(count - 1, 1)
        for kept, new in ((running_mean, data.mean(axes)), (running_var, data.var(axes) * unbiased)):
            if kept is not None:
                kept *= decay
                kept += (1 - decay) * new
    return F.batch_norm(x, gamma, beta, axis=axes, eps=eps)


@composed
def group_normalization(x: Any, groups: int, gamma: Any, beta: Any, eps: float = 1e-5) -> Any:
    """Each group of channels of each example with mean 0 and variance 1, then scaled and moved by channels."""
    shape = as_array(x).shape
    if len(shape) < 2 or shape[1] % groups:
        raise ValueError(f"group_normalization: x has shape {shape}; expected channels in {groups} groups")
    parts = F.layer_norm(F.reshape(x, (shape[0] * groups, -1)), eps=eps)
    along = (1, shape[1], *[1] * (len(shape) - 2))
    return F.add(F.mul(F.reshape(parts, shape), F.reshape(gamma, along)), F.reshape(beta, along))


__getattr__ = fill(__name__, adapted, composed)
