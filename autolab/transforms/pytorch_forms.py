"""``torch.autograd.functional``, where what the function gives comes before each product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import gradients
from .jacobians import hessian, jacobian
from .jacobians import hvp as product

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

jvp = gradients.jvp


def hvp(func: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """What the function gives, and the product of its Hessian with ``v``; `vhp` is the same.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> autolab.autograd.functional.hvp(lambda x: (x**3).sum(), np.array([1.0, 2.0]), np.ones(2))
    (variable(9.0), variable([ 6. 12.]))
    """
    return gradients.vjp(func, inputs)[0], product(func, inputs, v)


vhp = hvp


def vjp(func: Callable[..., Any], inputs: Any, v: Any = 1.0) -> tuple[Any, Any]:
    """What the function gives, and the product of ``v`` with its Jacobian."""
    value, pull = gradients.vjp(func, inputs)
    return value, pull(v)
