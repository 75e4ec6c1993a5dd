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
from .precision import in_single, real
from .reduce import sum
from .shape import reshape, transpose
from .windows import Shape, Windows, columns, image, windows

Steps = int | Shape


@primitive()
@real
def conv1d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Array:
    """Convolve sequences: every element of the result is a product of the kernel ``w`` with a window of ``x``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, length)``.
    w : Variable or array
        Of shape ``(out, in / groups, size)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int
        From one window to the next.
    padding : int
        How many zeros are put before and behind ``x``.
    dilation : int
        From one element of a window to the next.
    groups : int
        Into how many groups the channels are split; each group of the result sees its own group of ``x`` alone.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, (length + 2 * padding - reach) // stride + 1)``, where a window reaches over
        ``reach = dilation * (size - 1) + 1``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x, w = Variable([[[1.0, 2.0, 4.0, 8.0]]]), [[[-1.0, 1.0]]]
    >>> F.conv1d(x, w), F.conv1d(x, w, dilation=2)
    (variable([[[1. 2. 4.]]]), variable([[[3. 6.]]]))
    """
    _check(x, w, b, 1, groups, "x (examples, in, length), w (out, in / groups, size) and b (out,)")
    return _with_bias(_convolved(x, w, _windows(w.shape, stride, padding, dilation), groups), b)


@primitive()
@real
def conv2d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Array:
    """Convolve images: every element of the result is a product of the kernel ``w`` with a window of ``x``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, height, width)``.
    w : Variable or array
        Of shape ``(out, in / groups, kernel height, kernel width)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int or pair of ints
        From one window to the next, down and to the right.
    padding : int or pair of ints
        How many rows and columns of zeros are put around ``x``.
    dilation : int or pair of ints
        From one element of a window to the next.
    groups : int
        Into how many groups the channels are split; each group of the result sees its own group of ``x`` alone.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, *n)`` with ``n = (size + 2 * padding - reach) // stride + 1``, where a window reaches
        over ``reach = dilation * (kernel - 1) + 1``.

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
    _check(x, w, b, 2, groups, "x (examples, in, height, width), w (out, in / groups, height, width) and b (out,)")
    return _with_bias(_convolved(x, w, _windows(w.shape, stride, padding, dilation), groups), b)


@conv1d.vjp("x")
@conv2d.vjp("x")
@in_single
def _conv_x(g: Any, w: Any, x_shape: Shape, stride: Steps, padding: Steps, dilation: Steps, groups: int) -> Any:
    """conv_transpose(g, w)"""
    return _spread(g, w, _windows(w.shape, stride, padding, dilation), groups, x_shape[2:])


@conv1d.vjp("w")
@conv2d.vjp("w")
@in_single
def _conv_w(g: Any, x: Any, w_shape: Shape, stride: Steps, padding: Steps, dilation: Steps, groups: int) -> Any:
    """conv(x, g)"""
    return _met(g, x, w_shape, _windows(w_shape, stride, padding, dilation), groups)


@primitive()
@real
def conv_transpose2d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps = 0,
    dilation: Steps = 1,
    groups: int = 1,
    size: Shape | None = None,
) -> Array:
    """Spread every element of ``x`` over a window, weighted by the kernel ``w``: the transpose of `conv2d`.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, height, width)``.
    w : Variable or array
        Of shape ``(in, out / groups, kernel height, kernel width)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int or pair of ints
        From one window to the next, down and to the right.
    padding : int or pair of ints
        How many rows and columns are cut off around the result.
    dilation : int or pair of ints
        From one element of a window to the next.
    groups : int
        Into how many groups the channels are split; each group of ``x`` is spread over its own group of the result.
    size : pair of ints, optional
        Height and width of the result, where a convolution with this stride does not look at all of it; by default the
        smallest that fits.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, *size)``; by default ``size = stride * (n - 1) + reach - 2 * padding``, where a
        window reaches over ``reach = dilation * (kernel - 1) + 1``.

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
    expected = "x (examples, in, height, width), w (in, out / groups, height, width) and b (out,)"
    if x.ndim != 4 or w.ndim != 4 or x.shape[1] != w.shape[0] or not _splits(w.shape[0], groups):
        raise ValueError(f"expected {expected}")
    if b is not None and b.shape != (w.shape[1] * groups,):
        raise ValueError(f"expected {expected}")
    seen = _windows(w.shape, stride, padding, dilation)
    if size is None:
        steps = zip(x.shape[2:], seen.reach, seen.stride, seen.padding, strict=True)
        size = tuple([s * (n - 1) + r - 2 * p for n, r, s, p in steps])
    if min(size) < 1 or seen.positions(tuple(size)) != x.shape[2:]:
        raise ValueError(f"size {tuple(size)} does not convolve to the size of x")
    return _with_bias(_spread(x, w, seen, groups, tuple(size)), b)


@conv_transpose2d.vjp("x")
@in_single
def _conv_transpose_x(g: Any, w: Any, stride: Steps, padding: Steps, dilation: Steps, groups: int) -> Any:
    """conv2d(g, w)"""
    return _convolved(g, w, _windows(w.shape, stride, padding, dilation), groups)


@conv_transpose2d.vjp("w")
@in_single
def _conv_transpose_w(
    g: Any, x: Any, w_shape: Shape, stride: Steps, padding: Steps, dilation: Steps, groups: int
) -> Any:
    """conv2d(g, x)"""
    return _met(x, g, w_shape, _windows(w_shape, stride, padding, dilation), groups)


@conv1d.vjp("b")
@conv2d.vjp("b")
@conv_transpose2d.vjp("b")
def _bias(g: Any) -> Any:
    """sum(g)"""
    return sum(g, axis=(0, *range(2, g.ndim)))


# The three faces. Of every group the kernel is a matrix of (out, in and elements of a window), the image one of
# (in and elements, positions) for each example, and the result one of (out, positions).
def _convolved(x: Any, w: Any, seen: Windows, groups: int) -> Any:
    """Image and kernel give the result ``(examples, out, *positions)``."""
    y = matmul(_kernels(w, groups), _seen(x, seen, groups))
    return reshape(y, shape=(x.shape[0], w.shape[0], *seen.positions(x.shape[2:])))


def _spread(g: Any, w: Any, seen: Windows, groups: int, size: Shape) -> Any:
    """Result and kernel give the image ``(examples, in, *size)``."""
    kernels = transpose(_kernels(w, groups), axes=(0, 2, 1))
    y = matmul(kernels, _grouped(g, groups))
    shape = (g.shape[0], w.shape[1] * groups, math.prod(seen.kernel), y.shape[-1])
    return image(reshape(y, shape=shape), size=size, windows=seen)


def _met(g: Any, x: Any, w_shape: Shape, seen: Windows, groups: int) -> Any:
    """Result and image give the kernel ``(out, in / groups, *kernel)``: a product over examples and positions."""
    left = transpose(_grouped(g, groups), axes=(1, 2, 0, 3))
    right = transpose(_seen(x, seen, groups), axes=(1, 0, 3, 2))
    terms = math.prod(left.shape[2:])
    left = reshape(left, shape=(*left.shape[:2], terms))
    right = reshape(right, shape=(groups, terms, right.shape[-1]))
    return reshape(matmul(left, right), shape=w_shape)


def _kernels(w: Any, groups: int) -> Any:
    """A matrix for every group."""
    return reshape(w, shape=(groups, w.shape[0] // groups, math.prod(w.shape[1:])))


def _grouped(g: Any, groups: int) -> Any:
    """Of every example and group a matrix of channels and positions."""
    return reshape(g, shape=(g.shape[0], groups, g.shape[1] // groups, math.prod(g.shape[2:])))


def _seen(x: Any, seen: Windows, groups: int) -> Any:
    """What the windows see, of every example and group a matrix of channels and elements, and positions."""
    y = columns(x, windows=seen)
    examples, channels, elements, count = y.shape
    return reshape(y, shape=(examples, groups, channels // groups * elements, count))


def _windows(w_shape: Shape, stride: Steps, padding: Steps, dilation: Steps) -> Windows:
    return windows(w_shape[2:], stride, padding, dilation, len(w_shape) - 2)


def _with_bias(y: Array, b: Array | None) -> Array:
    return y if b is None else y + b.reshape(-1, *[1] * (y.ndim - 2))


def _splits(channels: int, groups: int) -> bool:
    return isinstance(groups, int) and groups >= 1 and channels % groups == 0


def _check(x: Array, w: Array, b: Array | None, axes: int, groups: int, expected: str) -> None:
    fits = x.ndim == w.ndim == axes + 2 and _splits(w.shape[0], groups) and x.shape[1] == w.shape[1] * groups
    if not fits or (b is not None and b.shape != w.shape[:1]):
        raise ValueError(f"expected {expected}")
