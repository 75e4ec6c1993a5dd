"""``nn.utils``: PyTorch's gradient clipping, and parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import Variable, no_grad, unwrap
from ...engine.habits import answering
from ...functions import concatenate
from ...shared.norms import norm_and_factor, scaled
from . import rnn  # noqa: F401  # an attribute from the start: autolab.nn.utils.rnn


def with_gradients(parameters: Any) -> list[Any]:
    """The parameters that have a gradient."""
    given: Iterable[Any] = [parameters] if isinstance(parameters, Variable) else parameters
    return [p for p in given if p.grad is not None]


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Variable:
    """Clip the norm of all gradients together to ``max_norm``; returns the norm before clipping.

    To clip at every update of an optimizer, see its hook `optimizers.GradientClipping`.

    Parameters
    ----------
    parameters : Variable or iterable of Variable
        Those without a gradient are skipped.
    max_norm : float
    norm_type : float
        The order of the norm; ``inf`` is the largest absolute value.
    error_if_nonfinite : bool
        Raise a RuntimeError if the norm is NaN or infinite, instead of scaling by it.

    Notes
    -----
    As in PyTorch, the gradients are multiplied by ``max_norm / (norm + 1e-6)`` if that is below 1.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> x = Variable([3.0, 4.0])
    >>> (x * x / 2).sum().backward()
    >>> nn.utils.clip_grad_norm_([x], 1.0), x.grad.data.round(6)
    (variable(5.0), array([0.6, 0.8]))
    """
    found = with_gradients(parameters)
    gradients = [unwrap(p.grad) for p in found]
    total, factor = norm_and_factor(gradients, float(max_norm), float(norm_type), eps=1e-6)
    if error_if_nonfinite and not math.isfinite(total):
        raise RuntimeError(f"clip_grad_norm_: the norm of the gradients is {total}; expected a finite number")
    if not factor >= 1:  # also for NaN
        for p, g in zip(found, gradients, strict=True):
            p.grad = Variable(scaled(g, factor), requires_grad=False)
    return Variable(_of_dtype(total, gradients), requires_grad=False)


def _of_dtype(total: float, gradients: list[Any]) -> Any:
    """The norm in the dtype of the gradients, or in a wider one if it is too large for that."""
    with np.errstate(over="ignore"):
        found = np.result_type(*gradients).type(total) if gradients else np.float32(0)
    return found if np.isfinite(found) or not math.isfinite(total) else np.float64(total)


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


__getattr__ = answering(__name__, "utils")
