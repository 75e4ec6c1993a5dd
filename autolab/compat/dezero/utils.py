"""``dezero.utils``: graphs as pictures, numeric gradients, files from the network, and what shapes become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import functions as F  # noqa: F401  # for table.txt
from ...engine.backend import Array
from ...engine.numpy_protocol import unwrap
from ...gradcheck import numerical_grad as _numerical_grad
from ..table import fill, signed
from ._dot import *  # noqa: F403
from ._files import *  # noqa: F403
from ._files import cache_dir as cache_dir
from .core import as_variable
from .cuda import as_numpy


# ---------------------------------------------------------------------- arrays
def reshape_sum_backward(gy: Any, x_shape: Any, axis: Any, keepdims: bool) -> Any:
    """The gradient of a sum with the axes that were summed over, of length 1 again."""
    if not x_shape or axis is None or keepdims:
        return gy.reshape(gy.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shape = list(gy.shape)
    for place in sorted([a % len(x_shape) for a in axes]):
        shape.insert(place, 1)
    return gy.reshape(tuple(shape))


def max_backward_shape(x: Any, axis: Any) -> list[int]:
    """The shape of ``x`` with length 1 along ``axis``."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return [1 if i in axes else n for i, n in enumerate(x.shape)]


def pair(x: Any) -> tuple[int, int]:
    """One number as two equal ones; two as they are."""
    if isinstance(x, int | np.integer):
        return int(x), int(x)
    if isinstance(x, tuple) and len(x) == 2:
        return x
    raise ValueError(f"pair: got {x!r:.60}; expected an integer, or a tuple of two")


# ---------------------------------------------------------------------- checks
def numerical_grad(f: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Array:
    """The gradient of the sum of ``f(x)`` by central differences.

    Parameters
    ----------
    f : callable
    x : Variable or array of floats
        Moved in place and restored.
    *args, **kwargs
        What ``f`` takes besides.
    """
    x = unwrap(x)

    def values() -> tuple[Array]:
        return (np.asarray(unwrap(f(x, *args, **kwargs))),)

    (start,) = values()
    (found,) = _numerical_grad(values, (x,), (np.ones_like(start, np.float64),), eps=1e-4)
    return found


@signed
def gradient_check(f, x, *args, rtol, atol, **kwargs):
    """Whether the gradient by backward and the numeric one are close. Where not, both are printed.

    `autolab.check_gradients` says more: where they differ, and why.
    """
    x = as_variable(x)
    x.data = x.data.astype(np.float64)
    numeric = numerical_grad(f, x, *args, **kwargs)
    y = f(x, *args, **kwargs)
    y.backward()
    found = x.grad.data
    if array_allclose(numeric, found, rtol, atol):
        return True
    print("\n========== FAILED (Gradient Check) ==========")
    for title, values in (("Numerical Grad", numeric), ("Backprop Grad", found)):
        print(f"{title}\n shape: {values.shape}\n values: {str(values.ravel()[:10])[1:-1]} ...")
    return False


def array_allclose(a: Any, b: Any, rtol: float = 1e-4, atol: float = 1e-5) -> bool:
    """Whether the elements of two arrays or Variables are close."""
    return np.allclose(as_numpy(a), as_numpy(b), rtol=rtol, atol=atol)


__getattr__ = fill(__name__)
