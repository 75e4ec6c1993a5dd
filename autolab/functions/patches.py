"""Patches of images: laid out in columns, and channels put beside each other as pixels."""

from __future__ import annotations

import math
from operator import index
from typing import Any

from ..engine.backend import Array, as_array, check_real
from ..engine.declare import primitive
from ..engine.variable import Variable
from .shape import reshape, transpose
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
    """What every window of an image sees, as a column: `conv2d` is a product with these.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    dilation : int or pair of ints
        From one element of a window to the next.
    padding : int or pair of ints
        How many rows and columns of zeros are put around ``x``.
    stride : int or pair of ints
        From one window to the next, down and to the right.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels * elements of a window, windows)``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit.

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
    """image(g)"""
    seen: Windows = windows(kernel, stride, padding, dilation, 2)
    shape = (*x_shape[:2], math.prod(seen.kernel), g.shape[2])
    return image(reshape(g, shape=shape), size=x_shape[2:], windows=seen)


def pixel_shuffle(x: Any, factor: int) -> Any:
    """A greater image with fewer channels: ``factor ** 2`` channels give a square of pixels each.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels * factor ** 2, height, width)``.
    factor : int
        How many times higher and wider the result is.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, height * factor, width * factor)``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or the channels cannot be split.

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
    x = x if isinstance(x, Variable) else as_array(x, "pixel_shuffle: input 'x'")
    check_real(x, "pixel_shuffle")
    r = index(factor)
    if x.ndim != 4 or r < 1 or x.shape[1] % (r * r):
        raise ValueError(
            f"pixel_shuffle: x has shape {x.shape}, factor is {r}; "
            "expected (examples, channels * factor ** 2, height, width)"
        )
    examples, channels, height, width = x.shape
    split = reshape(x, shape=(examples, channels // (r * r), r, r, height, width))
    beside = transpose(split, axes=(0, 1, 4, 2, 5, 3))
    return reshape(beside, shape=(examples, channels // (r * r), height * r, width * r))
