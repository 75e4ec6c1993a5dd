"""Max pooling: the largest element of each window, or of each channel."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import Any

from ...engine import Array, takes_other_words
from ...engine.declare import primitive
from ..reductions.extrema import max
from ..working_precision import in_single, real
from .pooling_windows import channel_places, pooled_views, pooling_windows
from .windows import Shape, Windows, added, seen


@primitive()
def max_pool1d(
    xp: Any, x: Array, *, kernel: int, stride: int | None = None, padding: int = 0, first: bool = False
) -> Array:
    """Largest element of each window; NaN if the window contains one.

    Tied elements share the gradient equally, or the first gets it.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, length)``.
    kernel : int
        Length of a window.
    stride : int, optional
        Distance from one window to the next; by default the kernel size, so that windows do not overlap.
    padding : int
        Number of elements of padding at each end of ``x``, which are never the largest.
    first : bool
        Give the gradient to the first of tied elements, as PyTorch does.

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
    >>> F.max_pool1d(Variable([[[1.0, 2.0, 4.0, 3.0]]]), kernel=2)
    variable([[[2. 4.]]])
    """
    views = pooled_views(xp, x, 1, kernel, stride, padding, -math.inf)
    return reduce(xp.maximum, views[1:], views[0].copy(order="K"))


@primitive()
def max_pool2d(
    xp: Any,
    x: Array,
    *,
    kernel: int | Shape,
    stride: int | Shape | None = None,
    padding: int | Shape = 0,
    first: bool = False,
) -> Array:
    """Largest element of each window; NaN if the window contains one.

    Tied elements share the gradient equally, or the first gets it.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    stride : int or pair of ints, optional
        Distance from one window to the next; by default the kernel size, so that windows do not overlap.
    padding : int or pair of ints
        Number of rows and columns of padding on each side of ``x``, which are never the largest.
    first : bool
        Give the gradient to the first of tied elements, as PyTorch does.

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
    >>> F.max_pool2d(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]), kernel=2)
    variable([[[[4.]]]])
    """
    views = pooled_views(xp, x, 2, kernel, stride, padding, -math.inf)
    return reduce(xp.maximum, views[1:], views[0].copy(order="K"))


@max_pool1d.vjp("x")
@max_pool2d.vjp("x")
@in_single
def _max_pool_x(g: Any, x: Any, y: Any, kernel: Any, stride: Any, padding: Any, first: bool) -> Any:
    """g, added to the greatest element of its window; equal ones get equal shares"""
    return _to_greatest(g, x, y, windows=pooling_windows(kernel, stride, padding, x.ndim - 2), first=first)


@primitive()
@real
def _to_greatest(xp: Any, g: Array, x: Array, y: Array, *, windows: Windows, first: bool) -> Array:
    """Distribute the number of each window over its largest elements. ``x`` and ``y`` are constants without rules."""
    greatest, count = _greatest(xp, x, y, windows, first)
    share = xp.divide(g, count, out=count)  # in the memory order of x, whatever that of g is
    return added(xp, (xp.multiply(one, share, out=one) for one in greatest), x.shape[2:], windows)


@primitive()
@real
def _of_greatest(xp: Any, x: Array, at: Array, y: Array, *, windows: Windows, first: bool) -> Array:
    """For each window, the mean of ``x`` where ``at`` has its largest elements."""
    greatest, count = _greatest(xp, at, y, windows, first)
    return reduce(xp.add, [one * v for one, v in zip(greatest, seen(xp, x, windows, 0.0), strict=True)]) / count


@_to_greatest.vjp("g")
def _to_greatest_g(g: Any, x: Any, y: Any, windows: Windows, first: bool) -> Any:
    """mean(g, where columns(x) == y)"""
    return _of_greatest(g, x, y, windows=windows, first=first)


@_of_greatest.vjp("x")
def _of_greatest_x(g: Any, at: Any, y: Any, windows: Windows, first: bool) -> Any:
    """image(g * (columns(at) == y))"""
    return _to_greatest(g, at, y, windows=windows, first=first)


def _greatest(xp: Any, x: Array, y: Array, windows: Windows, first: bool) -> tuple[list[Array], Array]:
    """For each element of a window, 1 where it is the largest or NaN, else 0; and how many there are in each window."""
    found = [((v == y) | (v != v)).astype(y.dtype) for v in seen(xp, x, windows, -math.inf)]
    if first:
        left = xp.ones_like(found[0])
        for one in found:
            one *= left
            left -= one
    return found, reduce(operator.iadd, found[1:], found[0].copy(order="K"))


@takes_other_words
def global_max_pool(x: Any, keepdims: bool = False) -> Any:
    """Largest element of each channel of each example; NaN if the channel contains one.

    Tied elements share the gradient equally.

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

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.global_max_pool(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]))
    variable([[4.]])
    """
    return max(*channel_places("global_max_pool", x), keepdims=keepdims)
