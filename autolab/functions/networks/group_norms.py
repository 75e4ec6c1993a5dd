"""Normalization of each example separately: over groups of channels, or by the root mean square."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import check_number, takes_other_words
from ..arrays.shape import reshape
from ..elementwise.arithmetic import mul
from ..elementwise.powers import sqrt, square
from ..reductions.reduce import mean
from ..working_precision import in_full
from .normalization import Axis, Shape, counted_axes, kept_axes, layer_norm, near_greatest, squares_raise


@takes_other_words
def group_norm(x: Any, groups: int, gamma: Any = None, beta: Any = None, eps: float = 1e-5) -> Any:
    """Normalize each group of channels of each example: ``gamma * (x - mean) / sqrt(var + eps) + beta``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, ...)``.
    groups : int
        Number of groups that the channels are split into.
    gamma, beta : Variable or array, optional
        Of shape ``(channels,)``.
    eps : float
        Added to the variance, so that constant groups cause no division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not match, or the number of channels is not divisible by ``groups``.

    Notes
    -----
    Y. Wu, K. He, "Group normalization", 2018.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.group_norm(Variable([[1.0, 3.0, 10.0, 30.0]]), 2, eps=0.0)
    variable([[-1.  1. -1.  1.]])
    """
    given, rounded = _given("group_norm", x, gamma=gamma, beta=beta)
    channels = given["x"].shape[1]
    if not isinstance(groups, int | np.integer) or groups < 1 or channels % groups:
        what = f"groups is {groups!r:.60}; expected a number that divides the channels, {channels}"
        raise ValueError(f"group_norm: {what}")
    return rounded(_normalized(int(groups), **given, eps=check_number("group_norm", "eps", eps, 0)))


@takes_other_words
def instance_norm(x: Any, gamma: Any = None, beta: Any = None, eps: float = 1e-5) -> Any:
    """Normalize each channel of each example: ``gamma * (x - mean) / sqrt(var + eps) + beta``.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, ...)``.
    gamma, beta : Variable or array, optional
        Of shape ``(channels,)``.
    eps : float
        Added to the variance, so that constant channels cause no division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not match, or each channel has a single element, which has no variance.

    Notes
    -----
    D. Ulyanov, A. Vedaldi, V. Lempitsky, "Instance normalization: the missing ingredient for fast stylization", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.instance_norm(Variable([[[1.0, 3.0], [10.0, 30.0]]]), eps=0.0)
    variable([[[-1.  1.]
               [-1.  1.]]])
    """
    given, rounded = _given("instance_norm", x, gamma=gamma, beta=beta)
    x = given["x"]
    if x.size == x.shape[0] * x.shape[1] != 0:
        raise ValueError(f"instance_norm: x has shape {x.shape}; expected more than one number per channel")
    return rounded(_normalized(x.shape[1], **given, eps=check_number("instance_norm", "eps", eps, 0)))


def _given(function: str, x: Any, **parameters: Any) -> tuple[dict[str, Any], Any]:
    """All inputs in full precision, except None, and the function that rounds the result."""
    names = ["x", *[name for name, value in parameters.items() if value is not None]]
    values, rounded = in_full(function, **{name: x if name == "x" else parameters[name] for name in names})
    given = {**parameters, **dict(zip(names, values, strict=True))}
    shape = given["x"].shape
    if len(shape) < 2:
        raise ValueError(f"{function}: x has shape {shape}; expected (examples, channels, ...)")
    for name in names[1:]:
        if given[name].shape != shape[1:2]:
            raise ValueError(f"{function}: {name} has shape {given[name].shape}; expected {shape[1:2]}, the channels")
    return given, rounded


def _normalized(groups: int, x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    if x.size:
        y = layer_norm(reshape(x, shape=(x.shape[0], groups, -1)), axis=-1, eps=eps)
        y = reshape(y, shape=x.shape)
    else:
        y = mul(x, 1.0)
    per_channel = (-1, *[1] * (x.ndim - 2))
    y = y if gamma is None else y * reshape(gamma, shape=per_channel)
    return y if beta is None else y + reshape(beta, shape=per_channel)


@takes_other_words
def rms_norm(x: Any, gamma: Any = None, axis: Axis = -1, eps: float = 1e-5) -> Any:
    """Root mean square normalization: scale each example to mean square 1, ``gamma * x / sqrt(mean(x ** 2) + eps)``.

    Parameters
    ----------
    x : Variable or array
    gamma : Variable or array, optional
        Of the shape of ``x`` along ``axis``.
    axis : int or tuple of int
        Axes over which the mean is taken.
    eps : float
        Added to the mean square, so that examples of zeros cause no division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not match, or an axis does not exist.

    Notes
    -----
    B. Zhang, R. Sennrich, "Root mean square layer normalization", 2019.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.rms_norm(Variable([[1.0, 7.0], [-1.0, 1.0]]), eps=0.0)
    variable([[ 0.2  1.4]
              [-1.   1. ]])
    """
    inputs = {"x": x} if gamma is None else {"x": x, "gamma": gamma}
    (x, *scale), rounded = in_full("rms_norm", **inputs)
    eps = check_number("rms_norm", "eps", eps, 0)
    axes = _axes("rms_norm", axis, x.shape)
    y = _of_square_one(x, axes, eps) if x.size else mul(x, 1.0)
    if not scale:
        return rounded(y)
    expected = tuple([x.shape[i] for i in axes])
    if scale[0].shape != expected:
        raise ValueError(
            f"rms_norm: gamma has shape {scale[0].shape}; expected {expected}, that of x along axis {axis}"
        )
    return rounded(y * reshape(scale[0], shape=kept_axes(x.shape, axes)))


def _of_square_one(x: Any, axes: Shape, eps: float) -> Any:
    try:
        with squares_raise(eps):
            return _over_root(x, axes, eps)
    except FloatingPointError:
        unit = near_greatest(x, axes)
        return _over_root(x * unit, axes, eps * unit * unit)


def _over_root(x: Any, axes: Shape, eps: Any) -> Any:
    return x / sqrt(mean(square(x), axis=axes, keepdims=True) + eps)


def _axes(function: str, axis: Axis, shape: Shape) -> Shape:
    try:
        return counted_axes(axis, len(shape))
    except ValueError:
        raise ValueError(f"{function}: axis={axis!r:.60} is not an axis of x, which has shape {shape}") from None
