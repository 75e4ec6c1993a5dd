"""Average pooling: the mean of each window, or of each channel."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from ...engine import Array, takes_other_words
from ...engine.declare import primitive
from ..arrays.shape import broadcast_to
from ..reductions.reduce import mean
from ..working_precision import in_single, real
from .pooling_windows import channel_places, per_window, pooled_views, pooling_windows
from .windows import Shape, image


@primitive()
@real
def avg_pool1d(xp: Any, x: Array, *, kernel: int, stride: int | None = None, padding: int = 0) -> Array:
    """Mean of each window, including the zeros of the padding.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, length)``.
    kernel : int
        Length of a window.
    stride : int, optional
        Distance from one window to the next; by default the kernel size, so that windows do not overlap.
    padding : int
        Number of zeros added at each end of ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, (length + 2 * padding - kernel) // stride + 1)``.

    Raises
    ------
    ValueError
        If ``x`` has the wrong number of axes, or a window does not fit or would see only padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.avg_pool1d(Variable([[[1.0, 2.0, 4.0, 3.0]]]), kernel=2)
    variable([[[1.5 3.5]]])
    """
    views = pooled_views(xp, x, 1, kernel, stride, padding, 0.0)
    return reduce(xp.add, views[1:], views[0]) / len(views)


@primitive()
@real
def avg_pool2d(
    xp: Any, x: Array, *, kernel: int | Shape, stride: int | Shape | None = None, padding: int | Shape = 0
) -> Array:
    """Mean of each window, including the zeros of the padding.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    stride : int or pair of ints, optional
        Distance from one window to the next; by default the kernel size, so that windows do not overlap.
    padding : int or pair of ints
        Number of rows and columns of zeros added on each side of ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, *n)`` with ``n = (size + 2 * padding - kernel) // stride + 1``.

    Raises
    ------
    ValueError
        If ``x`` has the wrong number of axes, or a window does not fit or would see only padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.avg_pool2d(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]), kernel=2)
    variable([[[[2.5]]]])
    """
    views = pooled_views(xp, x, 2, kernel, stride, padding, 0.0)
    return reduce(xp.add, views[1:], views[0]) / len(views)


@avg_pool1d.vjp("x")
@avg_pool2d.vjp("x")
@in_single
def _avg_pool_x(g: Any, x_shape: Shape, kernel: Any, stride: Any, padding: Any) -> Any:
    """g / kernel.size, added to each element of its window"""
    seen = pooling_windows(kernel, stride, padding, len(x_shape) - 2)
    elements = math.prod(seen.kernel)
    shares = per_window(g / elements)
    shares = broadcast_to(shares, shape=(*g.shape[:2], elements, shares.shape[-1]))
    return image(shares, size=x_shape[2:], windows=seen)


@takes_other_words
def global_avg_pool(x: Any, keepdims: bool = False) -> Any:
    """Mean of each channel of each example.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, ...)``.
    keepdims : bool
        Keep the other axes, with length 1.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels)``.

    Raises
    ------
    ValueError
        If ``x`` has no axis after the channels, or no elements along it.

    Notes
    -----
    M. Lin, Q. Chen, S. Yan, "Network in network", 2013.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.global_avg_pool(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]))
    variable([[2.5]])
    """
    return mean(*channel_places("global_avg_pool", x), keepdims=keepdims)
