"""``torch.autograd.functional``: derivatives of functions, by AutoLab's transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .... import transforms
from ....engine.configuration import no_grad
from ....transforms.trees import tree_map
from ...table import fill
from .._tensor import result


def _seen(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called with tensors."""

    def call(*args: Any) -> Any:
        return func(*tree_map(result, args))

    return call


def _several(inputs: Any) -> tuple[tuple[Any, ...], Any]:
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    return args, tuple(range(len(args))) if isinstance(inputs, tuple | list) else 0


def _arrays(values: Any) -> Any:
    return tuple([v.array for v in values]) if isinstance(values, tuple | list) else values.array


def _derivatives(transform: Callable[..., Any], func: Callable[..., Any], inputs: Any) -> Any:
    args, wrt = _several(inputs)
    return result(transform(_seen(func), wrt)(*_arrays(args)))


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None) -> tuple[Any, Any]:
    """The result, and the vector-Jacobian product with ``v``."""
    args, wrt = _several(inputs)
    y, pull = transforms.vjp(_seen(func), _arrays(args), wrt)
    return result(y), result(pull(np.ones_like(y) if v is None else _arrays(v)))


def jvp(func: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """The result, and the Jacobian-vector product with ``v``."""
    args, wrt = _several(inputs)
    y, moved = transforms.jvp(_seen(func), _arrays(args), _arrays(v), wrt)
    return result(y), result(moved)


def hvp(func: Callable[..., Any], inputs: Any, v: Any) -> tuple[Any, Any]:
    """The result, and the product of the Hessian and the vector ``v``."""
    args, wrt = _several(inputs)
    with no_grad():
        y = result(func(*args))
    return y, result(transforms.hvp(_seen(func), _arrays(args), _arrays(v), wrt))


__getattr__ = fill(__name__)
