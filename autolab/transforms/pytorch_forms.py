"""``torch.autograd.functional``, whose functions return the value together with the product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.habits import answering
from . import gradients
from .jacobians import hessian, jacobian
from .jacobians import hvp as product

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

jvp = gradients.jvp


def hvp(func: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """The value of the function, and its Hessian-vector product with ``v``; `vhp` is the same.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> autolab.autograd.functional.hvp(lambda x: (x**3).sum(), np.array([1.0, 2.0]), np.ones(2))
    (variable(9.0), variable([ 6. 12.]))
    """
    return gradients.vjp(func, inputs)[0], product(func, inputs, v)


vhp = hvp


def vjp(func: Callable[..., Any], inputs: Any, v: Any = 1.0) -> tuple[Any, Any]:
    """The value of the function, and its vector-Jacobian product with ``v``."""
    value, pull = gradients.vjp(func, inputs)
    return value, pull(v)


__getattr__ = answering(__name__, "functional")
