"""``nn.utils``: what PyTorch does with the gradients of parameters before an update."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine.backend import get_array_module
from ...engine.configuration import no_grad
from ...engine.devices import to_cpu
from ...engine.numpy_protocol import unwrap
from ...engine.variable import Variable
from ...functions import concatenate
from . import rnn  # noqa: F401  # an attribute from the start: autolab.nn.utils.rnn


def with_gradients(parameters: Any) -> list[Any]:
    """Those parameters that have a gradient."""
    given: Iterable[Any] = [parameters] if isinstance(parameters, Variable) else parameters
    return [p for p in given if p.grad is not None]


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0) -> Variable:
    """Make all gradients together at most ``max_norm`` long; gives the length that they had.

    An optimizer that clips in each update has the hook `optimizers.GradientClipping`.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> x = Variable([3.0, 4.0])
    >>> (x * x / 2).sum().backward()
    >>> nn.utils.clip_grad_norm_([x], 1.0), x.grad
    (variable(5.0), variable([0.6 0.8]))
    """
    found = with_gradients(parameters)
    gradients = [unwrap(p.grad) for p in found]
    lengths = [to_cpu(get_array_module(g).linalg.norm(g.ravel(), norm_type)) for g in gradients]
    total = np.linalg.norm(lengths, norm_type) if lengths else np.float32(0)
    if total > max_norm:
        for p, g in zip(found, gradients, strict=True):
            p.grad = Variable(g * g.dtype.type(max_norm / total), requires_grad=False)
    return Variable(total, requires_grad=False)


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Move every element of the gradients into the interval from ``-clip_value`` to ``clip_value``."""
    for p in with_gradients(parameters):
        p.grad = Variable(unwrap(p.grad).clip(-clip_value, clip_value), requires_grad=False)


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters as one vector, with their gradients."""
    return concatenate([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Give parameters the numbers of one vector, in their order."""
    start = 0
    with no_grad():
        for p in parameters:
            end = start + p.numel()
            p.copy_(vec[start:end].reshape(p.shape))
            start = end
