"""``dezero.functions_conv``: convolutions and pooling."""

from __future__ import annotations

import math
from typing import Any

from ... import functions as F
from ...engine.numpy_protocol import unwrap  # noqa: F401  # for table.txt
from ...functions.networks.windows import Windows, columns, image, windows
from ..table import fill
from ._adapters import variable
from ._creators import applied, traced  # noqa: F401  # for table.txt
from .utils import pair


def conv2d_simple(x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0) -> Any:
    """`conv2d` written with `im2col` and a matrix product."""
    count = _windows(W.shape[2:], stride, pad).positions(x.shape[2:])
    y = F.matmul(im2col(x, W.shape[2:], stride, pad), F.transpose(F.reshape(W, shape=(W.shape[0], -1))))
    y = y if b is None else y + b
    return variable(F.transpose(F.reshape(y, shape=(x.shape[0], *count, W.shape[0])), axes=(0, 3, 1, 2)))


@traced
def deconv2d(x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0, outsize: Any = None) -> Any:
    """The transpose of `conv2d`; ``W`` has shape ``(in, out, height, width)``."""
    size = None if outsize is None else pair(outsize)
    return variable(F.conv_transpose2d(x, W, *_bias(b), stride=pair(stride), padding=pair(pad), size=size))


def pooling_simple(x: Any, kernel_size: Any, stride: Any = 1, pad: Any = 0) -> Any:
    """`pooling` written with `im2col` and the maximum of each row."""
    count = _windows(kernel_size, stride, pad).positions(x.shape[2:])
    rows = F.reshape(im2col(x, kernel_size, stride, pad), shape=(-1, math.prod(pair(kernel_size))))
    y = F.reshape(F.max(rows, axis=1), shape=(x.shape[0], *count, x.shape[1]))
    return variable(F.transpose(y, axes=(0, 3, 1, 2)))


@traced
def im2col(x: Any, kernel_size: Any, stride: Any = 1, pad: Any = 0, to_matrix: bool = True) -> Any:
    """The patches of the images that each window covers.

    Returns
    -------
    Variable
        One row per window, of shape ``(N * OH * OW, C * KH * KW)``; without ``to_matrix``, of shape
        ``(N, C, KH, KW, OH, OW)``.
    """
    seen = _windows(kernel_size, stride, pad)
    shape = (*x.shape[:2], *seen.kernel, *seen.positions(x.shape[2:]))
    y = F.reshape(columns(x, windows=seen), shape=shape)
    if to_matrix:
        y = F.reshape(F.transpose(y, axes=(0, 4, 5, 1, 2, 3)), shape=(shape[0] * math.prod(shape[4:]), -1))
    return variable(y)


@traced
def col2im(x: Any, input_shape: Any, kernel_size: Any, stride: Any = 1, pad: Any = 0, to_matrix: bool = True) -> Any:
    """The adjoint of `im2col`: images of ``input_shape``; each element is the sum over all patches that contain it."""
    seen = _windows(kernel_size, stride, pad)
    count = seen.positions(tuple(input_shape[2:]))
    if to_matrix:
        x = F.reshape(x, shape=(input_shape[0], *count, input_shape[1], *seen.kernel))
        x = F.transpose(x, axes=(0, 3, 4, 5, 1, 2))
    flat = F.reshape(x, shape=(*input_shape[:2], math.prod(seen.kernel), math.prod(count)))
    return variable(image(flat, size=tuple(input_shape[2:]), windows=seen))


def _windows(kernel_size: Any, stride: Any, pad: Any) -> Windows:
    return windows(pair(kernel_size), pair(stride), pair(pad), 1, 2)


def _padded(x: Any, pad: Any) -> Any:
    height, width = pair(pad)
    return F.pad(x, pad_width=((0, 0), (0, 0), (height, height), (width, width))) if height or width else x


def _bias(b: Any) -> tuple[Any, ...]:
    return () if b is None or b.data is None else (b,)


__getattr__ = fill(__name__, traced)
