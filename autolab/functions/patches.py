"""Patches of images, laid out in columns."""

from __future__ import annotations

import math
from typing import Any

from ..engine.backend import Array
from ..engine.declare import primitive
from .shape import reshape
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
