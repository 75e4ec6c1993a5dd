"""Convolutions, as neural networks call them: the kernel is not reversed.

The convolution, the transposed convolution and the gradient of a kernel are three faces of one thing, which is linear
in the image, in the kernel and in the upstream gradient: the gradients of each are the others.
"""

from __future__ import annotations

import math
from typing import Any

from ..engine.backend import Array
from ..engine.declare import primitive
from .linalg import matmul
from .products import tensordot
from .reduce import sum
from .shape import reshape, transpose
from .windows import Shape, columns, image, per_axis, positions


@primitive()
def conv1d(
    xp: Any, x: Array, w: Array, b: Array | None = None, *, stride: int | Shape = 1, padding: int | Shape = 0
) -> Array:
    """Convolve sequences: every element of the result is a product of the kernel ``w`` with a window of ``x``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, length)``.
    w : Variable or array
        Of shape ``(out, in, size)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int
        From one window to the next.
    padding : int
        How many zeros are put before and behind ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, (length + 2 * padding - size) // stride + 1)``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.conv1d(Variable([[[1.0, 2.0, 4.0, 8.0]]]), [[[-1.0, 1.0]]])
    variable([[[1. 2. 4.]]])
    """
    _check(x, w, b, 1, "x (examples, in, length), w (out, in, size) and b (out,)")
    return _with_bias(_convolved(x, w, stride, padding), b)


@primitive()
def conv2d(
    xp: Any, x: Array, w: Array, b: Array | None = None, *, stride: int | Shape = 1, padding: int | Shape = 0
) -> Array:
    """Convolve images: every element of the result is a product of the kernel ``w`` with a window of ``x``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, height, width)``.
    w : Variable or array
        Of shape ``(out, in, kernel height, kernel width)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int or pair of ints
        From one window to the next, down and to the right.
    padding : int or pair of ints
        How many rows and columns of zeros are put around ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, *n)`` with ``n = (size + 2 * padding - kernel) // stride + 1``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.conv2d(Variable(np.ones((1, 1, 3, 3))), np.ones((1, 1, 2, 2)))
    variable([[[[4. 4.]
                [4. 4.]]]])
    """
    _check(x, w, b, 2, "x (examples, in, height, width), w (out, in, height, width) and b (out,)")
    return _with_bias(_convolved(x, w, stride, padding), b)


@conv1d.vjp("x")
@conv2d.vjp("x")
def _conv_x(g: Any, w: Any, x_shape: Shape, stride: int | Shape, padding: int | Shape) -> Any:
    """conv_transpose(g, w)"""
    return _spread(g, w, stride, padding, x_shape[2:])


@conv1d.vjp("w")
@conv2d.vjp("w")
def _conv_w(g: Any, x: Any, w_shape: Shape, stride: int | Shape, padding: int | Shape) -> Any:
    """conv(x, g)"""
    return _met(g, x, w_shape, stride, padding)


@primitive()
def conv_transpose2d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: int | Shape = 1,
    padding: int | Shape = 0,
    size: Shape | None = None,
) -> Array:
    """Spread every element of ``x`` over a window, weighted by the kernel ``w``: the transpose of `conv2d`.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, height, width)``.
    w : Variable or array
        Of shape ``(in, out, kernel height, kernel width)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int or pair of ints
        From one window to the next, down and to the right.
    padding : int or pair of ints
        How many rows and columns are cut off around the result.
    size : pair of ints, optional
        Height and width of the result, where a convolution with this stride does not look at all of it; by default the
        smallest that fits.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, *size)``; by default ``size = stride * (n - 1) + kernel - 2 * padding``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.conv_transpose2d(Variable([[[[1.0, 2.0]]]]), np.ones((1, 1, 1, 2)), stride=2)
    variable([[[[1. 1. 2. 2.]]]])
    """
    transposed = w.swapaxes(0, 1) if w.ndim == 4 else w
    _check(x, transposed, b, 2, "x (examples, in, height, width), w (in, out, height, width) and b (out,)")
    kernel, stride, padding = _geometry(w.shape, stride, padding)
    if size is None:
        steps = zip(x.shape[2:], kernel, stride, padding, strict=True)
        size = tuple([s * (n - 1) + k - 2 * p for n, k, s, p in steps])
    if min(size) < 1 or positions(tuple(size), kernel, stride, padding) != x.shape[2:]:
        raise ValueError(f"size {tuple(size)} does not convolve to the size of x")
    return _with_bias(_spread(x, w, stride, padding, tuple(size)), b)


@conv_transpose2d.vjp("x")
def _conv_transpose_x(g: Any, w: Any, stride: int | Shape, padding: int | Shape) -> Any:
    """conv2d(g, w)"""
    return _convolved(g, w, stride, padding)


@conv_transpose2d.vjp("w")
def _conv_transpose_w(g: Any, x: Any, w_shape: Shape, stride: int | Shape, padding: int | Shape) -> Any:
    """conv2d(g, x)"""
    return _met(x, g, w_shape, stride, padding)


@conv1d.vjp("b")
@conv2d.vjp("b")
@conv_transpose2d.vjp("b")
def _bias(g: Any) -> Any:
    """sum(g)"""
    return sum(g, axis=(0, *range(2, g.ndim)))


def _convolved(x: Any, w: Any, stride: int | Shape, padding: int | Shape) -> Any:
    """Image and kernel give the result ``(examples, out, *positions)``."""
    kernel, stride, padding = _geometry(w.shape, stride, padding)
    windows = _stacked(columns(x, kernel=kernel, stride=stride, padding=padding))
    y = matmul(_matrix(w), windows)
    return reshape(y, shape=(*y.shape[:2], *positions(x.shape[2:], kernel, stride, padding)))


def _spread(g: Any, w: Any, stride: int | Shape, padding: int | Shape, size: Shape) -> Any:
    """Result and kernel give the image ``(examples, in, *size)``."""
    kernel, stride, padding = _geometry(w.shape, stride, padding)
    windows = matmul(transpose(_matrix(w)), _flat(g))
    shape = (g.shape[0], w.shape[1], math.prod(kernel), windows.shape[-1])
    return image(reshape(windows, shape=shape), size=size, kernel=kernel, stride=stride, padding=padding)


def _met(g: Any, x: Any, w_shape: Shape, stride: int | Shape, padding: int | Shape) -> Any:
    """Result and image give the kernel ``(out, in, *kernel)``."""
    kernel, stride, padding = _geometry(w_shape, stride, padding)
    windows = _stacked(columns(x, kernel=kernel, stride=stride, padding=padding))
    return reshape(tensordot(_flat(g), windows, axes=((0, 2), (0, 2))), shape=w_shape)


def _matrix(w: Any) -> Any:
    return reshape(w, shape=(w.shape[0], math.prod(w.shape[1:])))


def _flat(g: Any) -> Any:
    """The windows' axes as one."""
    return reshape(g, shape=(*g.shape[:2], math.prod(g.shape[2:])))


def _stacked(windows: Any) -> Any:
    """Channels and elements of a window as one axis."""
    examples, channels, elements, count = windows.shape
    return reshape(windows, shape=(examples, channels * elements, count))


def _geometry(w_shape: Shape, stride: int | Shape, padding: int | Shape) -> tuple[Shape, Shape, Shape]:
    kernel = w_shape[2:]
    return kernel, per_axis(stride, len(kernel), "stride", 1), per_axis(padding, len(kernel), "padding", 0)


def _with_bias(y: Array, b: Array | None) -> Array:
    return y if b is None else y + b.reshape(-1, *[1] * (y.ndim - 2))


def _check(x: Array, w: Array, b: Array | None, axes: int, expected: str) -> None:
    if not x.ndim == w.ndim == axes + 2 or x.shape[1] != w.shape[1] or (b is not None and b.shape != w.shape[:1]):
        raise ValueError(f"expected {expected}")
