"""The three products of a convolution: its output, and what has the shape of its input and of its kernel.

Each is linear in both that it is given, and its gradients are the other two: that of the kernel, for example, is the
product of the input and the upstream gradient. Of every group the kernel is a matrix of (out, in and elements of a
window), the image one of (in and elements, positions) for each example, and the output one of (out, positions).
"""

from __future__ import annotations

import math
from typing import Any

from ..engine.backend import Array
from .products import matmul
from .reduce import sum
from .shape import reshape, transpose
from .windows import Shape, Windows, columns, image, windows

Steps = int | Shape


def conv_output(x: Any, w: Any, seen: Windows, groups: int) -> Any:
    """From image and kernel, the output ``(examples, out, *positions)``."""
    y = matmul(_kernels(w, groups), _seen(x, seen, groups))
    return reshape(y, shape=(x.shape[0], w.shape[0], *seen.positions(x.shape[2:])))


def conv_input(g: Any, w: Any, seen: Windows, groups: int, size: Shape) -> Any:
    """From output and kernel, the image ``(examples, in, *size)``."""
    kernels = transpose(_kernels(w, groups), axes=(0, 2, 1))
    y = matmul(kernels, _grouped(g, groups))
    shape = (g.shape[0], w.shape[1] * groups, math.prod(seen.kernel), y.shape[-1])
    return image(reshape(y, shape=shape), size=size, windows=seen)


def conv_kernel(g: Any, x: Any, w_shape: Shape, seen: Windows, groups: int) -> Any:
    """From output and image, the kernel ``(out, in / groups, *kernel)``: a product over examples and positions."""
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


def kernel_windows(w_shape: Shape, stride: Steps, padding: Steps, dilation: Steps) -> Windows:
    return windows(w_shape[2:], stride, padding, dilation, len(w_shape) - 2)


def with_bias(y: Array, b: Array | None) -> Array:
    return y if b is None else y + b.reshape(-1, *[1] * (y.ndim - 2))


def splits(channels: int, groups: int) -> bool:
    return isinstance(groups, int) and groups >= 1 and channels % groups == 0


def over_positions(g: Any) -> Any:
    """sum(g)"""
    return sum(g, axis=(0, *range(2, g.ndim)))
