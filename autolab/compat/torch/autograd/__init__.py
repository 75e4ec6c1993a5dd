"""``torch.autograd``"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .... import gradcheck as _gradcheck
from ....engine.configuration import FromNowOn, config, using_config
from ....engine.configuration import no_grad as no_grad
from ...absent import gather
from ...table import fill, signed
from .._tensor import Engine, constant
from ._backward import gradients, passed, start


def _list(value: Any) -> list[Any]:
    return [value] if isinstance(value, Engine) else list(value)


@signed
def grad(outputs, inputs, grad_outputs, retain_graph, create_graph, *, allow_unused, materialize_grads):
    """The gradients of ``outputs`` with respect to ``inputs``, as a tuple; no ``grad`` attribute changes.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of them
    grad_outputs : Tensor or sequence of them, optional
        The upstream gradient of each output.
    retain_graph : bool, optional
        Without it, a second pass through this graph is an error; defaults to ``create_graph``.
    create_graph : bool
        Make the gradients differentiable.
    allow_unused : bool, optional
        Return None for an input that no output depends on, instead of raising an error.
    materialize_grads : bool
        Return zeros for such an input.

    Raises
    ------
    RuntimeError

    Examples
    --------
    >>> from autolab.compat import torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (gx,) = torch.autograd.grad(x**3, x, create_graph=True)
    >>> gx.item(), torch.autograd.grad(gx, x)
    (27.0, (tensor(18.),))
    """
    ys, xs = _list(outputs), _list(inputs)
    given = [None] * len(ys) if grad_outputs is None else _list(grad_outputs)
    if len(given) != len(ys):
        raise RuntimeError(f"grad: got {len(given)} grad_outputs for {len(ys)} outputs; expected one for each")
    starts = [start(y, g, "grad") for y, g in zip(ys, given, strict=True)]
    for i, x in enumerate(xs):
        if x.node is None:
            raise RuntimeError(f"grad: inputs[{i}] does not require a gradient")
    found = gradients(ys, starts, xs, bool(create_graph if retain_graph is None else retain_graph), create_graph)
    if materialize_grads:
        return tuple([constant(np.zeros_like(x._data)) if g is None else g for x, g in zip(xs, found, strict=True)])
    if not allow_unused and None in [g if g is None else 0 for g in found]:
        raise RuntimeError("grad: no output depends on one of the inputs; with allow_unused=True its gradient is None")
    return found


@signed
def backward(tensors, grad_tensors, retain_graph, create_graph, *, inputs):
    """``tensor.backward()`` for one or several tensors."""
    ys = _list(tensors)
    given = [None] * len(ys) if grad_tensors is None else _list(grad_tensors)
    for i, (y, g) in enumerate(zip(ys, given, strict=True)):
        keeps = bool(create_graph if retain_graph is None else retain_graph) or i < len(ys) - 1
        passed(y, g, keeps, create_graph, inputs)


# ---------------------------------------------------------------------- checks
class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` if a gradient is wrong."""


def _checked(check: Callable[..., bool], func: Any, inputs: Any, *args: Any, **options: Any) -> bool:
    try:
        return check(func, tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,), *args, **options)
    except _gradcheck.GradientCheckError as error:
        raise GradcheckError(str(error)) from error


__getattr__ = gather(__name__, "function")


__getattr__ = fill(__name__)
