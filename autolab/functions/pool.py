"""Pooling: one number for every window of an image."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive
from .shape import broadcast_to, reshape
from .windows import Shape, columns, image, padded, per_axis, positions, seen


@primitive()
def max_pool2d(
    xp: Any, x: Array, *, kernel: int | Shape, stride: int | Shape | None = None, padding: int | Shape = 0
) -> Array:
    """The greatest element of every window, NaN where it sees one.

    Elements that are equally great share the gradient equally.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    stride : int or pair of ints, optional
        From one window to the next; by default the kernel's size, so that windows do not overlap.
    padding : int or pair of ints
        How many rows and columns around ``x`` a window may reach into; they are never the greatest.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, *n)`` with ``n = (size + 2 * padding - kernel) // stride + 1``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit or could see nothing but padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.max_pool2d(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]), kernel=2)
    variable([[[[4.]]]])
    """
    views = _views(xp, x, kernel, stride, padding, -math.inf)
    return reduce(xp.maximum, views[1:], views[0].copy())


@max_pool2d.vjp("x")
def _max_pool2d_x(g: Any, x: Any, y: Any, kernel: Any, stride: Any, padding: Any) -> Any:
    """image(g * (columns(x) == y))"""
    kernel, stride, padding = _geometry(kernel, stride, padding)
    shares = _shares(x, y, kernel=kernel, stride=stride, padding=padding)
    return image(shares * _per_window(g), size=x.shape[2:], kernel=kernel, stride=stride, padding=padding)


@primitive()
def _shares(xp: Any, x: Array, y: Array, *, kernel: Shape, stride: Shape, padding: Shape) -> Array:
    """The share of each element of a window in its greatest. Constant, so it has no rules."""
    elements = columns(x, kernel=kernel, stride=stride, padding=padding, fill=-math.inf)
    greatest = (elements == _per_window(y)) | (elements != elements)
    return greatest.astype(y.dtype) / greatest.sum(axis=2, keepdims=True, dtype=y.dtype)


@primitive()
def avg_pool2d(
    xp: Any, x: Array, *, kernel: int | Shape, stride: int | Shape | None = None, padding: int | Shape = 0
) -> Array:
    """The mean of every window; the zeros of the padding count.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    stride : int or pair of ints, optional
        From one window to the next; by default the kernel's size, so that windows do not overlap.
    padding : int or pair of ints
        How many rows and columns of zeros are put around ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, *n)`` with ``n = (size + 2 * padding - kernel) // stride + 1``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit or could see nothing but padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.avg_pool2d(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]), kernel=2)
    variable([[[[2.5]]]])
    """
    views = _views(xp, x, kernel, stride, padding, 0.0)
    return reduce(xp.add, views[1:], views[0]) / len(views)


@avg_pool2d.vjp("x")
def _avg_pool2d_x(g: Any, x_shape: Shape, kernel: Any, stride: Any, padding: Any) -> Any:
    """image(g / kernel.size)"""
    kernel, stride, padding = _geometry(kernel, stride, padding)
    elements = math.prod(kernel)
    windows = _per_window(g / elements)
    windows = broadcast_to(windows, shape=(*g.shape[:2], elements, windows.shape[-1]))
    return image(windows, size=x_shape[2:], kernel=kernel, stride=stride, padding=padding)


def _views(xp: Any, x: Array, kernel: Any, stride: Any, padding: Any, fill: float) -> list[Array]:
    """For each element of a window, what it sees at every position: adding or comparing these copies nothing."""
    if x.ndim != 4:
        raise ValueError("expected x (examples, channels, height, width)")
    kernel, stride, padding = _geometry(kernel, stride, padding)
    count = positions(x.shape[2:], kernel, stride, padding)
    x = padded(xp, x, padding, fill)
    return [x[seen(offset, stride, count)] for offset in np.ndindex(*kernel)]


def _per_window(g: Any) -> Any:
    """One number for each window as columns with one element."""
    return reshape(g, shape=(*g.shape[:2], 1, math.prod(g.shape[2:])))


def _geometry(kernel: Any, stride: Any, padding: Any) -> tuple[Shape, Shape, Shape]:
    kernel = per_axis(kernel, 2, "kernel", 1)
    stride = kernel if stride is None else per_axis(stride, 2, "stride", 1)
    padding = per_axis(padding, 2, "padding", 0)
    if any([p >= k for p, k in zip(padding, kernel, strict=True)]):
        raise ValueError(f"padding {padding} is as wide as a window of size {kernel}")
    return kernel, stride, padding
