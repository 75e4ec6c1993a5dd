"""``torch.autograd.functional``: derivatives of functions, by AutoLab's transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .... import transforms
from ....engine import no_grad
from ....transforms.applied import at_point
from ....transforms.trees import tree_map
from ...table import fill
from .._tensor import result


def _seen(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called with tensors."""

    def call(*args: Any) -> Any:
        return func(*tree_map(result, args))

    return call


def _arrays(values: Any) -> Any:
    return tuple([v.array for v in values]) if isinstance(values, tuple | list) else values.array


def _derivatives(transform: Callable[..., Any], func: Callable[..., Any], inputs: Any) -> Any:
    return result(at_point(transform, _seen(func), _arrays(inputs)))


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None) -> tuple[Any, Any]:
    """The result, and the vector-Jacobian product with ``v``."""
    y, pull = transforms.vjp(_seen(func), _arrays(inputs))
    return result(y), result(pull(np.ones_like(y) if v is None else _arrays(v)))


def jvp(func: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """The result, and the Jacobian-vector product with ``v``."""
    return result(transforms.jvp(_seen(func), _arrays(inputs), _arrays(v)))


def hvp(func: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """The result, and the product of the Hessian and the vector ``v``."""
    with no_grad():
        y = result(func(*inputs) if isinstance(inputs, tuple | list) else func(inputs))
    return y, result(transforms.hvp(_seen(func), _arrays(inputs), _arrays(v)))


__getattr__ = fill(__name__)
