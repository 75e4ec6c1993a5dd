"""``nn.utils``: PyTorch's gradient clipping, and parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import Variable, get_array_module, no_grad, to_cpu, unwrap
from ...functions import concatenate
from . import rnn  # noqa: F401  # an attribute from the start: autolab.nn.utils.rnn


def with_gradients(parameters: Any) -> list[Any]:
    """The parameters that have a gradient."""
    given: Iterable[Any] = [parameters] if isinstance(parameters, Variable) else parameters
    return [p for p in given if p.grad is not None]


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0) -> Variable:
    """Clip the norm of all gradients together to ``max_norm``; returns the norm before clipping.

    To clip at every update of an optimizer, see its hook `optimizers.GradientClipping`.

    Parameters
    ----------
    parameters : Variable or iterable of Variable
        Those without a gradient are skipped.
    max_norm : float
    norm_type : float
        The order of the norm; ``inf`` is the largest absolute value.

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
    """Clip every element of the gradients to the interval from ``-clip_value`` to ``clip_value``."""
    for p in with_gradients(parameters):
        p.grad = Variable(unwrap(p.grad).clip(-clip_value, clip_value), requires_grad=False)


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters concatenated into one vector; gradients flow back to them."""
    return concatenate([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Assign the elements of one vector to the parameters, in order."""
    start = 0
    with no_grad():
        for p in parameters:
            end = start + p.numel()
            p.copy_(vec[start:end].reshape(p.shape))
            start = end
