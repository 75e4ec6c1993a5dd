"""The three products of a convolution: one gives its output, one an array like its input, one an array like its kernel.

Each is bilinear, and its gradients are the other two: the gradient of the kernel, for example, is the product of the
input and the upstream gradient. For each group, the kernel is a matrix of shape (out, in * elements of a window); for
each example, the image is one of shape (in * elements, positions), and the output one of shape (out, positions).
"""

from __future__ import annotations

import math
from typing import Any

from ...engine import Array
from ..arrays.shape import reshape, transpose
from ..linear_algebra.products import matmul
from ..reductions.reduce import sum
from .windows import Shape, Windows, columns, examples_last, image, windows

Steps = int | Shape


def conv_output(x: Any, w: Any, seen: Windows, groups: int) -> Any:
    """The output ``(examples, out, *positions)`` from image and kernel."""
    shape = w.shape[0], *seen.positions(x.shape[2:]), x.shape[0]  # first: its error is that of the convolution
    y = matmul(_kernels(w, groups), _seen(x, seen, groups))
    return _examples_first(reshape(y, shape=shape))


def conv_input(g: Any, w: Any, seen: Windows, groups: int, size: Shape) -> Any:
    """The image ``(examples, in, *size)`` from output and kernel."""
    kernels = transpose(_kernels(w, groups), axes=(0, 2, 1))
    y = matmul(kernels, _grouped(g, groups))
    shape = (w.shape[1] * groups, math.prod(seen.kernel), math.prod(g.shape[2:]), g.shape[0])
    return image(_examples_first(reshape(y, shape=shape)), size=size, windows=seen)


def conv_kernel(g: Any, x: Any, w_shape: Shape, seen: Windows, groups: int) -> Any:
    """The kernel ``(out, in / groups, *kernel)`` from output and image, summed over examples and positions."""
    y = matmul(_seen(x, seen, groups), transpose(_grouped(g, groups), axes=(0, 2, 1)))  # faster than its transpose
    return reshape(transpose(y, axes=(0, 2, 1)), shape=w_shape)


def _kernels(w: Any, groups: int) -> Any:
    """A matrix for each group."""
    return reshape(w, shape=(groups, w.shape[0] // groups, math.prod(w.shape[1:])))


def _grouped(g: Any, groups: int) -> Any:
    """For each group, a matrix of shape (channels, positions in all examples)."""
    last = _examples_last(g)
    return reshape(last, shape=(groups, len(last) // groups, math.prod(last.shape[1:])))


def _seen(x: Any, seen: Windows, groups: int) -> Any:
    """What the windows see: for each group, a matrix of shape (channels * elements, positions in all examples)."""
    y = _examples_last(columns(examples_last(x), windows=seen))
    channels, elements, count, examples = y.shape
    return reshape(y, shape=(groups, channels // groups * elements, count * examples))


def _examples_last(x: Any) -> Any:
    return transpose(x, axes=(*range(1, x.ndim), 0))


def _examples_first(x: Any) -> Any:
    return transpose(x, axes=(x.ndim - 1, *range(x.ndim - 1)))


def kernel_windows(w_shape: Shape, stride: Steps, padding: Steps | str, dilation: Steps) -> Windows:
    return windows(w_shape[2:], stride, padding, dilation, len(w_shape) - 2)


def with_bias(y: Array, b: Array | None) -> Array:
    """Add a bias per channel to ``y``, in place if the dtypes allow it: no one else holds ``y``."""
    if b is None:
        return y
    b = b.reshape(-1, *[1] * (y.ndim - 2))
    if b.dtype != y.dtype:
        return y + b
    y += b
    return y


def splits(channels: int, groups: int) -> bool:
    return isinstance(groups, int) and groups >= 1 and channels % groups == 0


def over_positions(g: Any) -> Any:
    """sum(g)"""
    return sum(g, axis=(0, *range(2, g.ndim)))
