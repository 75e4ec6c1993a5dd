"""What JAX and ``torch.func`` call in another way than `transforms` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import gradients


def vjp(fn: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """`transforms.vjp`, which is given each argument by itself, and whose gradients are a tuple also of a single one.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> value, pull = autolab.vjp(lambda x, y: x * y, np.array([1.0, 2.0]), 3.0)
    >>> pull(np.array([1.0, 10.0]))
    (variable([ 3. 30.]), variable(21.0))
    >>> autolab.vjp(lambda x: x * x, 3.0)[1](1.0)
    (variable(6.0),)
    """
    return gradients.vjp(fn, primals)
