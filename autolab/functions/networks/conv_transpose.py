"""Transposed convolutions: each element is spread over a window."""

from __future__ import annotations

from typing import Any

from ...engine import Array
from ...engine.declare import primitive
from ..arrays.repeating import pad
from ..working_precision import given_arrays, in_single, real
from .conv_products import (
    Steps,
    conv_input,
    conv_kernel,
    conv_output,
    kernel_windows,
    over_positions,
    splits,
    with_bias,
)
from .windows import Shape, per_axis


@primitive()
@real
def conv_transpose1d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps = 0,
    dilation: Steps = 1,
    groups: int = 1,
    size: Steps | None = None,
) -> Array:
    """Transposed 1-d convolution: each element of ``x`` is spread over a window, weighted by the kernel ``w``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, length)``.
    w : Variable or array
        Of shape ``(in, out / groups, size)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int
        Distance from one window to the next.
    padding : int
        Number of elements removed at each end of the result.
    dilation : int
        Distance between neighbouring elements of a window.
    groups : int
        Number of groups of channels; each group of ``x`` is spread over its own group of the result.
    size : int, optional
        Length of the result. With a stride above 1, several lengths fit ``x``; the default is the smallest.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, size)``; by default ``size = stride * (length - 1) + reach - 2 * padding``, where a
        window spans ``reach = dilation * (size of w - 1) + 1`` elements.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.conv_transpose1d(Variable([[[1.0, 2.0]]]), [[[1.0, 1.0]]], stride=2)
    variable([[[1. 1. 2. 2.]]])
    """
    return _transposed(x, w, b, 1, stride, padding, dilation, groups, size)


@primitive()
@real
def conv_transpose2d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps = 0,
    dilation: Steps = 1,
    groups: int = 1,
    size: Steps | None = None,
) -> Array:
    """Transposed 2-d convolution: each element of ``x`` is spread over a window, weighted by the kernel ``w``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, height, width)``.
    w : Variable or array
        Of shape ``(in, out / groups, kernel height, kernel width)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int or pair of ints
        Distance from one window to the next, down and to the right.
    padding : int or pair of ints
        Number of rows and columns removed on each side of the result.
    dilation : int or pair of ints
        Distance between neighbouring elements of a window.
    groups : int
        Number of groups of channels; each group of ``x`` is spread over its own group of the result.
    size : int or pair of ints, optional
        Height and width of the result. With a stride above 1, several sizes fit ``x``; the default is the smallest.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, *size)``; by default ``size = stride * (n - 1) + reach - 2 * padding``, where a
        window spans ``reach = dilation * (kernel - 1) + 1`` elements along each axis.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.conv_transpose2d(Variable([[[[1.0, 2.0]]]]), np.ones((1, 1, 1, 2)), stride=2)
    variable([[[[1. 1. 2. 2.]]]])
    """
    return _transposed(x, w, b, 2, stride, padding, dilation, groups, size)


@conv_transpose1d.vjp("x")
@conv_transpose2d.vjp("x")
@in_single
def _conv_transpose_x(g: Any, w: Any, stride: Steps, padding: Steps, dilation: Steps, groups: int) -> Any:
    """conv(g, w)"""
    return conv_output(g, w, kernel_windows(w.shape, stride, padding, dilation), groups)


@conv_transpose1d.vjp("w")
@conv_transpose2d.vjp("w")
@in_single
def _conv_transpose_w(
    g: Any, x: Any, w_shape: Shape, stride: Steps, padding: Steps, dilation: Steps, groups: int
) -> Any:
    """conv(g, x)"""
    return conv_kernel(x, g, w_shape, kernel_windows(w_shape, stride, padding, dilation), groups)


conv_transpose1d.vjp("b")(over_positions)
conv_transpose2d.vjp("b")(over_positions)


def _transposed(
    x: Array,
    w: Array,
    b: Array | None,
    axes: int,
    stride: Steps,
    padding: Steps,
    dilation: Steps,
    groups: int,
    size: Steps | None,
) -> Array:
    fits = x.ndim == w.ndim == axes + 2 and x.shape[1] == w.shape[0] and splits(w.shape[0], groups)
    if not fits or (b is not None and b.shape != (w.shape[1] * groups,)):
        image = "height, width" if axes == 2 else "length"
        kernel = "height, width" if axes == 2 else "size"
        raise ValueError(f"expected x (examples, in, {image}), w (in, out / groups, {kernel}) and b (out,)")
    seen = kernel_windows(w.shape, stride, padding, dilation)
    if size is None:
        steps = zip(x.shape[2:], seen.reach, seen.stride, seen.padding, strict=True)
        size = tuple([s * (n - 1) + r - 2 * p for n, r, s, p in steps])
    else:
        size = per_axis(size, axes, "size", 0)
    if min(size) < 1 or seen.positions(size) != x.shape[2:]:
        raise ValueError(f"a convolution of the size {size} does not give that of x")
    return with_bias(conv_input(x, w, seen, groups, size), b)


def padded_transpose(
    convolve: Any,
    x: Any,
    w: Any,
    b: Any = None,
    stride: Steps = 1,
    padding: Steps = 0,
    output_padding: Steps = 0,
    groups: int = 1,
    dilation: Steps = 1,
) -> Any:
    """`conv_transpose1d` or `conv_transpose2d`, called as in PyTorch: the result is longer by ``output_padding``.

    It has to be below the stride or the dilation. Where it reaches the stride, a convolution of the result would have
    more positions than ``x``: zeros stand there.
    """
    name = convolve.__name__
    x, w = given_arrays(name, x=x, w=w)
    if x.ndim != w.ndim:
        return convolve(x, w, b)  # which refuses it
    seen = kernel_windows(w.shape, stride, padding, dilation)
    more = per_axis(output_padding, w.ndim - 2, "output_padding", 0)
    if any([m >= max(s, d) for m, s, d in zip(more, seen.stride, seen.dilation, strict=True)]):
        raise ValueError(
            f"{name}: output_padding is {output_padding}; expected less than stride={stride} or dilation={dilation}"
        )
    steps = zip(x.shape[2:], seen.reach, seen.stride, seen.padding, more, strict=True)
    size = tuple([s * (n - 1) + r - 2 * p + m for n, r, s, p, m in steps])
    behind = [(0, m // s) for m, s in zip(more, seen.stride, strict=True)]
    if any([after for _, after in behind]):
        x = pad(x, pad_width=((0, 0), (0, 0), *behind))
    return convolve(x, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups, size=size)
