"""Pooling: one number for every window of a sequence or an image, or for the whole of it."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import Any

from ...engine.arrays import as_array, check_real
from ...engine.backend import Array
from ...engine.declare import primitive
from ...engine.variable import Variable
from ..arrays.shape import broadcast_to, reshape
from ..reductions.extrema import max
from ..reductions.reduce import mean
from ..working_precision import in_single, real
from .windows import Shape, Windows, added, image, seen, windows


@primitive()
def max_pool1d(xp: Any, x: Array, *, kernel: int, stride: int | None = None, padding: int = 0) -> Array:
    """The largest element of every window, NaN where it sees one.

    Elements that are equally large share the gradient equally.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, length)``.
    kernel : int
        Length of a window.
    stride : int, optional
        From one window to the next; by default the kernel's size, so that windows do not overlap.
    padding : int
        How many places before and after ``x`` a window may reach into; they are never the largest.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, (length + 2 * padding - kernel) // stride + 1)``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit or could see nothing but padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.max_pool1d(Variable([[[1.0, 2.0, 4.0, 3.0]]]), kernel=2)
    variable([[[2. 4.]]])
    """
    views = _views(xp, x, 1, kernel, stride, padding, -math.inf)
    return reduce(xp.maximum, views[1:], views[0].copy(order="K"))


@primitive()
def max_pool2d(
    xp: Any, x: Array, *, kernel: int | Shape, stride: int | Shape | None = None, padding: int | Shape = 0
) -> Array:
    """The largest element of every window, NaN where it sees one.

    Elements that are equally large share the gradient equally.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    stride : int or pair of ints, optional
        From one window to the next; by default the kernel's size, so that windows do not overlap.
    padding : int or pair of ints
        How many rows and columns around ``x`` a window may reach into; they are never the largest.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, *n)`` with ``n = (size + 2 * padding - kernel) // stride + 1``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit or could see nothing but padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.max_pool2d(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]), kernel=2)
    variable([[[[4.]]]])
    """
    views = _views(xp, x, 2, kernel, stride, padding, -math.inf)
    return reduce(xp.maximum, views[1:], views[0].copy(order="K"))


@max_pool1d.vjp("x")
@max_pool2d.vjp("x")
@in_single
def _max_pool_x(g: Any, x: Any, y: Any, kernel: Any, stride: Any, padding: Any) -> Any:
    """g, added to the greatest element of its window; equal ones get equal shares"""
    return _to_greatest(g, x, y, windows=_windows(kernel, stride, padding, x.ndim - 2))


@primitive()
@real
def _to_greatest(xp: Any, g: Array, x: Array, y: Array, *, windows: Windows) -> Array:
    """The number of every window, shared by its greatest elements. These are constant, so that they have no rules."""
    greatest, count = _greatest(xp, x, y, windows)
    share = xp.divide(g, count, out=count)  # in the memory order of x, whatever that of g is
    return added(xp, (xp.multiply(one, share, out=one) for one in greatest), x.shape[2:], windows)


@primitive()
@real
def _of_greatest(xp: Any, x: Array, at: Array, y: Array, *, windows: Windows) -> Array:
    """The mean of ``x`` where ``at`` has the greatest elements of a window."""
    greatest, count = _greatest(xp, at, y, windows)
    return reduce(xp.add, [one * v for one, v in zip(greatest, seen(xp, x, windows, 0.0), strict=True)]) / count


@_to_greatest.vjp("g")
def _to_greatest_g(g: Any, x: Any, y: Any, windows: Windows) -> Any:
    """mean(g, where columns(x) == y)"""
    return _of_greatest(g, x, y, windows=windows)


@_of_greatest.vjp("x")
def _of_greatest_x(g: Any, at: Any, y: Any, windows: Windows) -> Any:
    """image(g * (columns(at) == y))"""
    return _to_greatest(g, at, y, windows=windows)


def _greatest(xp: Any, x: Array, y: Array, windows: Windows) -> tuple[list[Array], Array]:
    """For each element of a window, 1 where it is the greatest or NaN, and else 0; and how many are so in a window."""
    found = [((v == y) | (v != v)).astype(y.dtype) for v in seen(xp, x, windows, -math.inf)]
    return found, reduce(operator.iadd, found[1:], found[0].copy(order="K"))


@primitive()
@real
def avg_pool1d(xp: Any, x: Array, *, kernel: int, stride: int | None = None, padding: int = 0) -> Array:
    """The mean of every window; the zeros of the padding count.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, length)``.
    kernel : int
        Length of a window.
    stride : int, optional
        From one window to the next; by default the kernel's size, so that windows do not overlap.
    padding : int
        How many zeros are put before and after ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, (length + 2 * padding - kernel) // stride + 1)``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit or could see nothing but padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.avg_pool1d(Variable([[[1.0, 2.0, 4.0, 3.0]]]), kernel=2)
    variable([[[1.5 3.5]]])
    """
    views = _views(xp, x, 1, kernel, stride, padding, 0.0)
    return reduce(xp.add, views[1:], views[0]) / len(views)


@primitive()
@real
def avg_pool2d(
    xp: Any, x: Array, *, kernel: int | Shape, stride: int | Shape | None = None, padding: int | Shape = 0
) -> Array:
    """The mean of every window; the zeros of the padding count.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``.
    kernel : int or pair of ints
        Height and width of a window.
    stride : int or pair of ints, optional
        From one window to the next; by default the kernel's size, so that windows do not overlap.
    padding : int or pair of ints
        How many rows and columns of zeros are put around ``x``.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, *n)`` with ``n = (size + 2 * padding - kernel) // stride + 1``.

    Raises
    ------
    ValueError
        If ``x`` has another number of axes, or a window does not fit or could see nothing but padding.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.avg_pool2d(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]), kernel=2)
    variable([[[[2.5]]]])
    """
    views = _views(xp, x, 2, kernel, stride, padding, 0.0)
    return reduce(xp.add, views[1:], views[0]) / len(views)


@avg_pool1d.vjp("x")
@avg_pool2d.vjp("x")
@in_single
def _avg_pool_x(g: Any, x_shape: Shape, kernel: Any, stride: Any, padding: Any) -> Any:
    """g / kernel.size, added to each element of its window"""
    seen = _windows(kernel, stride, padding, len(x_shape) - 2)
    elements = math.prod(seen.kernel)
    shares = _per_window(g / elements)
    shares = broadcast_to(shares, shape=(*g.shape[:2], elements, shares.shape[-1]))
    return image(shares, size=x_shape[2:], windows=seen)


def global_max_pool(x: Any, keepdims: bool = False) -> Any:
    """The largest element of every channel of every example, NaN where there is one.

    Elements that are equally large share the gradient equally.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, ...)``.
    keepdims : bool
        Leave the other axes with length 1.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels)``.

    Raises
    ------
    ValueError
        If ``x`` has no axis after the channels, or nothing along it.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.global_max_pool(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]))
    variable([[4.]])
    """
    return max(*_places("global_max_pool", x), keepdims=keepdims)


def global_avg_pool(x: Any, keepdims: bool = False) -> Any:
    """The mean of every channel of every example.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, ...)``.
    keepdims : bool
        Leave the other axes with length 1.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels)``.

    Raises
    ------
    ValueError
        If ``x`` has no axis after the channels, or nothing along it.

    Notes
    -----
    M. Lin, Q. Chen, S. Yan, "Network in network", 2013.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.global_avg_pool(Variable([[[[1.0, 2.0], [4.0, 3.0]]]]))
    variable([[2.5]])
    """
    return mean(*_places("global_avg_pool", x), keepdims=keepdims)


def _places(function: str, x: Any) -> tuple[Any, tuple[int, ...]]:
    """``x``, and its axes after examples and channels."""
    x = x if isinstance(x, Variable) else as_array(x, f"{function}: input 'x'")
    check_real(x, function)
    if x.ndim < 3 or not math.prod(x.shape[2:]):
        raise ValueError(f"{function}: x has shape {x.shape}; expected (examples, channels, ...) with elements behind")
    return x, tuple(range(2, x.ndim))


def _views(xp: Any, x: Array, axes: int, kernel: Any, stride: Any, padding: Any, fill: float) -> list[Array]:
    if x.ndim != axes + 2:
        raise ValueError(f"expected x (examples, channels, {'height, width' if axes == 2 else 'length'})")
    return seen(xp, x, _windows(kernel, stride, padding, axes), fill)


def _per_window(g: Any) -> Any:
    """One number for each window as columns with one element."""
    return reshape(g, shape=(*g.shape[:2], 1, math.prod(g.shape[2:])))


def _windows(kernel: Any, stride: Any, padding: Any, axes: int) -> Windows:
    found = windows(kernel, kernel if stride is None else stride, padding, 1, axes)
    if any([p >= k for p, k in zip(found.padding, found.kernel, strict=True)]):
        raise ValueError(f"padding {found.padding} is as wide as a window of size {found.kernel}")
    return found
