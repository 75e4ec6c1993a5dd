"""Patches of images as columns, and channels as patches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, takes_other_words
from ...engine.declare import primitive
from ..arrays.shape import reshape, transpose
from ..working_precision import given_arrays
from .windows import Shape, Windows, columns, image, windows


@primitive()
def unfold(
    xp: Any,
    x: Array,
    *,
    kernel: int | Shape,
    dilation: int | Shape = 1,
    padding: int | Shape = 0,
    stride: int | Shape = 1,
) -> Array:
    """Extract the windows of an image as columns (im2col): `conv2d` is a matrix product with these.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    dilation : int or pair of ints
        Distance between neighbouring elements of a window.
    padding : int or pair of ints
        Number of rows and columns of zeros added on each side of ``x``.
    stride : int or pair of ints
        Distance from one window to the next, down and to the right.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels * elements of a window, windows)``.

    Raises
    ------
    ValueError
        If ``x`` does not have four axes, or a window does not fit.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.unfold(Variable([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]]), 2)
    variable([[[1. 2.]
               [2. 3.]
               [4. 5.]
               [5. 6.]]])
    """
    if x.ndim != 4:
        raise ValueError("expected x (examples, channels, height, width)")
    y = columns(x, windows=windows(kernel, stride, padding, dilation, 2))
    return y.reshape(len(y), math.prod(y.shape[1:3]), y.shape[3])


@unfold.vjp("x")
def _unfold_x(g: Any, x_shape: Shape, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """each element of g, added where it was taken from"""
    seen: Windows = windows(kernel, stride, padding, dilation, 2)
    shape = (*x_shape[:2], math.prod(seen.kernel), g.shape[2])
    return image(reshape(g, shape=shape), size=x_shape[2:], windows=seen)


@takes_other_words
def pixel_shuffle(x: Any, factor: int) -> Any:
    """Rearrange each ``factor**2`` channels into blocks of pixels: a larger image with fewer channels.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``; the number of channels is a multiple of ``factor**2``.
    factor : int
        How many times larger height and width become.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels / factor**2, height * factor, width * factor)``.

    Raises
    ------
    ValueError
        If the shape does not match the factor, or the factor is not a positive integer.

    Notes
    -----
    W. Shi et al., "Real-time single image and video super-resolution using an efficient sub-pixel convolutional neural
    network", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.pixel_shuffle(Variable([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]), 2)
    variable([[[[1. 2.]
                [3. 4.]]]])
    """
    (x,) = given_arrays("pixel_shuffle", x=x)
    if x.ndim != 4:
        raise ValueError(f"pixel_shuffle: x has shape {x.shape}; expected (examples, channels, height, width)")
    examples, channels, height, width = x.shape
    if not isinstance(factor, int | np.integer) or factor < 1 or channels % factor**2:
        raise ValueError(
            f"pixel_shuffle: factor is {factor!r:.40}; expected one whose square divides {channels} channels"
        )
    kept = channels // factor**2
    apart = reshape(x, shape=(examples, kept, factor, factor, height, width))
    moved = transpose(apart, axes=(0, 1, 4, 2, 5, 3))
    return reshape(moved, shape=(examples, kept, height * factor, width * factor))
