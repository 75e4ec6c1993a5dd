"""The three products of a convolution: its output, and what has the shape of its input and of its kernel.

Each is linear in both that it is given, and its gradients are the other two: that of the kernel, for example, is the
product of the input and the upstream gradient. Of every group the kernel is a matrix of (out, in and elements of a
window), the image one of (in and elements, positions) for each example, and the output one of (out, positions).
"""

from __future__ import annotations

import math
from typing import Any

from ...engine.backend import Array
from ..arrays.shape import reshape, transpose
from ..linear_algebra.products import matmul
from ..reductions.reduce import sum
from .windows import Shape, Windows, columns, examples_last, image, windows

Steps = int | Shape


def conv_output(x: Any, w: Any, seen: Windows, groups: int) -> Any:
    """From image and kernel, the output ``(examples, out, *positions)``."""
    y = matmul(_kernels(w, groups), _seen(x, seen, groups))
    return _examples_first(reshape(y, shape=(w.shape[0], *seen.positions(x.shape[2:]), x.shape[0])))


def conv_input(g: Any, w: Any, seen: Windows, groups: int, size: Shape) -> Any:
    """From output and kernel, the image ``(examples, in, *size)``."""
    kernels = transpose(_kernels(w, groups), axes=(0, 2, 1))
    y = matmul(kernels, _grouped(g, groups))
    shape = (w.shape[1] * groups, math.prod(seen.kernel), math.prod(g.shape[2:]), g.shape[0])
    return image(_examples_first(reshape(y, shape=shape)), size=size, windows=seen)


def conv_kernel(g: Any, x: Any, w_shape: Shape, seen: Windows, groups: int) -> Any:
    """From output and image, the kernel ``(out, in / groups, *kernel)``: a product over examples and positions."""
    y = matmul(_seen(x, seen, groups), transpose(_grouped(g, groups), axes=(0, 2, 1)))  # faster than its transpose
    return reshape(transpose(y, axes=(0, 2, 1)), shape=w_shape)


def _kernels(w: Any, groups: int) -> Any:
    """A matrix for every group."""
    return reshape(w, shape=(groups, w.shape[0] // groups, math.prod(w.shape[1:])))


def _grouped(g: Any, groups: int) -> Any:
    """Of every group a matrix of channels, and positions in all examples."""
    last = _examples_last(g)
    return reshape(last, shape=(groups, len(last) // groups, math.prod(last.shape[1:])))


def _seen(x: Any, seen: Windows, groups: int) -> Any:
    """What the windows see, of every group a matrix of channels and elements, and positions in all examples."""
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
    """``y`` with a number for each channel added, in place where it can be: nobody else has it."""
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
