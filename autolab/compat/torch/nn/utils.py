"""``torch.nn.utils``"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....links.utils import with_gradients
from ...absent import missing
from .._shapes import cat
from .._tensor import constant


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0) -> Any:
    """Make all gradients together at most ``max_norm`` long; gives the length that they had.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> (x * x / 2).sum().backward()
    >>> torch.nn.utils.clip_grad_norm_([x], 1.0), x.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    found = with_gradients(parameters)
    flat = np.concatenate([np.ravel(p._grad._data) for p in found]) if found else np.zeros(1, np.float32)
    total = np.linalg.norm(flat, norm_type)
    factor = min(max_norm / (float(total) + 1e-6), 1.0)
    for p in found:
        p.grad = constant(p._grad._data * factor)
    return constant(np.asarray(total))


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Move every element of the gradients into the interval from ``-clip_value`` to ``clip_value``."""
    for p in with_gradients(parameters):
        p.grad = constant(p._grad._data.clip(-clip_value, clip_value))


def parameters_to_vector(parameters: Any) -> Any:
    """All parameters in a row."""
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Any) -> None:
    """Write the numbers of a vector into parameters."""
    start = 0
    for p in parameters:
        end = start + p._data.size
        p.data = vec[start:end].view(*p._data.shape).detach()
        start = end


__getattr__ = missing(__name__, {"rnn": "autolab.nn.utils.rnn.pad_sequence joins sequences of several lengths"})
