"""Shared by max and average pooling: the windows, what they see, and the axes of a whole channel."""

from __future__ import annotations

import math
from typing import Any

from ...engine import Array, check_real
from ..arrays.shape import reshape
from ..working_precision import given_arrays
from .windows import Windows, seen, windows


def channel_places(function: str, x: Any) -> tuple[Any, tuple[int, ...]]:
    """``x``, and its axes after those of examples and channels."""
    (x,) = given_arrays(function, x=x)
    check_real(x, function)
    if x.ndim < 3 or not math.prod(x.shape[2:]):
        raise ValueError(f"{function}: x has shape {x.shape}; expected (examples, channels, ...), not empty")
    return x, tuple(range(2, x.ndim))


def pooled_views(xp: Any, x: Array, axes: int, kernel: Any, stride: Any, padding: Any, fill: float) -> list[Array]:
    if x.ndim != axes + 2:
        raise ValueError(f"expected x (examples, channels, {'height, width' if axes == 2 else 'length'})")
    return seen(xp, x, pooling_windows(kernel, stride, padding, axes), fill)


def per_window(g: Any) -> Any:
    """One number per window, as columns with one element."""
    return reshape(g, shape=(*g.shape[:2], 1, math.prod(g.shape[2:])))


def pooling_windows(kernel: Any, stride: Any, padding: Any, axes: int) -> Windows:
    found = windows(kernel, kernel if stride is None else stride, padding, 1, axes)
    if any([p >= k for p, k in zip(found.padding, found.kernel, strict=True)]):
        raise ValueError(f"padding {found.padding} is as wide as a window of size {found.kernel}")
    return found
