"""Convolutions as in neural networks: the kernel is not reversed.

The gradient of the input is a transposed convolution, that of the kernel a product of input and upstream gradient;
`conv_products` has all three.
"""

from __future__ import annotations

from typing import Any

from ...engine import Array
from ...engine.declare import primitive
from ..working_precision import in_single, real
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
from .windows import Shape


@primitive()
@real
def conv1d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps | str = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Array:
    """1-d convolution: each element of the result is the inner product of the kernel ``w`` and a window of ``x``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, length)``.
    w : Variable or array
        Of shape ``(out, in / groups, size)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int
        Distance from one window to the next.
    padding : int, "same" or "valid"
        Number of zeros added at each end of ``x``.
    dilation : int
        Distance between neighbouring elements of a window.
    groups : int
        Number of groups of channels; each group of the result is computed from its own group of ``x`` only.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, (length + 2 * padding - reach) // stride + 1)``, where a window spans
        ``reach = dilation * (size - 1) + 1`` elements.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x, w = Variable([[[1.0, 2.0, 4.0, 8.0]]]), [[[-1.0, 1.0]]]
    >>> F.conv1d(x, w), F.conv1d(x, w, dilation=2)
    (variable([[[1. 2. 4.]]]), variable([[[3. 6.]]]))
    """
    _check(x, w, b, 1, groups, "x (examples, in, length), w (out, in / groups, size) and b (out,)")
    return with_bias(conv_output(x, w, kernel_windows(w.shape, stride, padding, dilation), groups), b)


@primitive()
@real
def conv2d(
    xp: Any,
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Steps = 1,
    padding: Steps | str = 0,
    dilation: Steps = 1,
    groups: int = 1,
) -> Array:
    """2-d convolution: each element of the result is the inner product of the kernel ``w`` and a window of ``x``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, in, height, width)``.
    w : Variable or array
        Of shape ``(out, in / groups, kernel height, kernel width)``.
    b : Variable or array, optional
        Of shape ``(out,)``.
    stride : int or pair of ints
        Distance from one window to the next, down and to the right.
    padding : int or pair of ints, "same" or "valid"
        Number of rows and columns of zeros added on each side of ``x``.
    dilation : int or pair of ints
        Distance between neighbouring elements of a window.
    groups : int
        Number of groups of channels; each group of the result is computed from its own group of ``x`` only.

    Returns
    -------
    Variable or array
        Of shape ``(examples, out, *n)`` with ``n = (size + 2 * padding - reach) // stride + 1``, where a window spans
        ``reach = dilation * (kernel - 1) + 1`` elements along each axis.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.conv2d(Variable(np.ones((1, 1, 3, 3))), np.ones((1, 1, 2, 2)))
    variable([[[[4. 4.]
                [4. 4.]]]])
    """
    _check(x, w, b, 2, groups, "x (examples, in, height, width), w (out, in / groups, height, width) and b (out,)")
    return with_bias(conv_output(x, w, kernel_windows(w.shape, stride, padding, dilation), groups), b)


@conv1d.vjp("x")
@conv2d.vjp("x")
@in_single
def _conv_x(g: Any, w: Any, x_shape: Shape, stride: Steps, padding: Steps | str, dilation: Steps, groups: int) -> Any:
    """conv_transpose(g, w)

    With the same stride, padding and dilation.
    """
    return conv_input(g, w, kernel_windows(w.shape, stride, padding, dilation), groups, x_shape[2:])


@conv1d.vjp("w")
@conv2d.vjp("w")
@in_single
def _conv_w(g: Any, x: Any, w_shape: Shape, stride: Steps, padding: Steps | str, dilation: Steps, groups: int) -> Any:
    """conv(x, g)

    For each pair of channels, summed over the examples; stride and dilation change places.
    """
    return conv_kernel(g, x, w_shape, kernel_windows(w_shape, stride, padding, dilation), groups)


conv1d.vjp("b")(over_positions)
conv2d.vjp("b")(over_positions)


def _check(x: Array, w: Array, b: Array | None, axes: int, groups: int, expected: str) -> None:
    fits = x.ndim == w.ndim == axes + 2 and splits(w.shape[0], groups) and x.shape[1] == w.shape[1] * groups
    if not fits or (b is not None and b.shape != w.shape[:1]):
        raise ValueError(f"expected {expected}")
