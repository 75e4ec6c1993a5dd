"""Normalization: numbers moved to mean 0 and scaled to variance 1, then scaled and moved by parameters.

Both functions keep their inputs alone: the gradients compute the statistics again, which makes them differentiable.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.backend import Array
from ...engine.declare import primitive
from ...engine.variable import Variable
from ..arrays.axes import other_axes
from ..arrays.shape import reshape
from ..elementwise.powers import sqrt
from ..reductions.reduce import mean, sum
from ..working_precision import in_single, real

Shape = tuple[int, ...]
Axis = int | tuple[int, ...]


@primitive()
@real
def batch_norm(
    xp: Any,
    x: Array,
    gamma: Array,
    beta: Array,
    mean: Array | None = None,
    var: Array | None = None,
    *,
    axis: Axis | None = None,
    eps: float = 1e-5,
) -> Array:
    """Normalize each feature over a batch: ``gamma * (x - mean) / sqrt(var + eps) + beta``.

    Without ``mean`` and ``var`` they are those of the batch, and the gradient goes through them: training. With both
    of them given, such as running averages, they are used as they are: testing.

    Parameters
    ----------
    x : Variable or array
        By default of shape ``(batch, features, ...)``.
    gamma, beta : Variable or array
        Of the shape of the features: that of ``x`` without the axes normalized over.
    mean, var : Variable or array, optional
        Of the same shape; both or neither.
    axis : int or tuple of int, optional
        What to normalize over; by default every axis but the second.
    eps : float
        Keeps features that do not vary from a division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not fit, or one of ``mean`` and ``var`` is missing.

    Notes
    -----
    S. Ioffe, C. Szegedy, "Batch normalization: accelerating deep network training by reducing internal covariate
    shift", 2015. The variance is that of the batch, divided by its size.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.batch_norm(Variable([[1.0, 5.0], [3.0, 5.0]]), [1.0, 1.0], [0.0, 2.0], eps=0.01)
    variable([[-0.99503719  2.        ]
              [ 0.99503719  2.        ]])
    """
    axes = _batch_axes(axis, x.ndim)
    features = other_axes(axes, x.ndim)
    _check([gamma, beta, mean, var], x.shape, features)
    if (mean is None) != (var is None):
        raise ValueError("expected both mean and var, or neither")
    shape = kept_axes(x.shape, features)
    return _batch_normalized(x, mean, var, axes, eps) * gamma.reshape(shape) + beta.reshape(shape)


@batch_norm.vjp("x")
@in_single
def _batch_norm_x(g: Any, x: Any, gamma: Any, mean: Any, var: Any, axis: Any, eps: float) -> Any:
    """(h - mean(h) - n * mean(h * n)) / sqrt(var + eps)

    Here ``h = g * gamma`` and ``n = (x - mean) / sqrt(var + eps)``. Where mean and variance are given, the means drop
    out.
    """
    axes = _batch_axes(axis, x.ndim)
    shape = kept_axes(x.shape, other_axes(axes, x.ndim))
    g = g * reshape(gamma, shape=shape)
    if mean is None:
        return _through_statistics(g, x, axes, eps)
    return g * reshape((var + eps) ** -0.5, shape=shape)


@batch_norm.vjp("gamma")
@in_single
def _batch_norm_gamma(g: Any, x: Any, mean: Any, var: Any, axis: Any, eps: float) -> Any:
    """sum(g * (x - mean) / sqrt(var + eps))

    The sum is over all axes but that of the channels.
    """
    axes = _batch_axes(axis, x.ndim)
    return sum(g * _batch_normalized(x, mean, var, axes, eps), axis=axes)


@batch_norm.vjp("beta")
@in_single
def _batch_norm_beta(g: Any, axis: Any) -> Any:
    """sum(g)"""
    return sum(g, axis=_batch_axes(axis, g.ndim))


@batch_norm.vjp("mean")
@in_single
def _batch_norm_mean(g: Any, gamma: Any, var: Any, axis: Any, eps: float) -> Any:
    """-sum(g) * gamma / sqrt(var + eps)"""
    return sum(g, axis=_batch_axes(axis, g.ndim)) * gamma * -((var + eps) ** -0.5)


@batch_norm.vjp("var")
@in_single
def _batch_norm_var(g: Any, x: Any, gamma: Any, mean: Any, var: Any, axis: Any, eps: float) -> Any:
    """sum(g * (x - mean)) * gamma * -0.5 * (var + eps) ** -1.5"""
    axes = _batch_axes(axis, x.ndim)
    away = x - reshape(mean, shape=kept_axes(x.shape, other_axes(axes, x.ndim)))
    return sum(g * away, axis=axes) * (gamma * (var + eps) ** -1.5 * -0.5)


@primitive()
@real
def layer_norm(
    xp: Any, x: Array, gamma: Array | None = None, beta: Array | None = None, *, axis: Axis = -1, eps: float = 1e-5
) -> Array:
    """Normalize each example by itself: ``gamma * (x - mean) / sqrt(var + eps) + beta`` with its mean and variance.

    Parameters
    ----------
    x : Variable or array
    gamma, beta : Variable or array, optional
        Of the shape of ``x`` along the axes normalized over.
    axis : int or tuple of int
        What to normalize over.
    eps : float
        Keeps examples that do not vary from a division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    J. Ba, J. Kiros, G. Hinton, "Layer normalization", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.layer_norm(Variable([[1.0, 3.0], [10.0, 30.0]]), eps=0.0)
    variable([[-1.  1.]
              [-1.  1.]])
    """
    axes = counted_axes(axis, x.ndim)
    _check([gamma, beta], x.shape, axes)
    y, _ = _normalized(x, axes, eps)
    y = y if gamma is None else y * gamma.reshape(kept_axes(x.shape, axes))
    return y if beta is None else y + beta.reshape(kept_axes(x.shape, axes))


@layer_norm.vjp("x")
@in_single
def _layer_norm_x(g: Any, x: Any, gamma: Any, axis: Axis, eps: float) -> Any:
    """(h - mean(h) - n * mean(h * n)) / sqrt(var + eps)

    Here ``h = g * gamma`` and ``n = (x - mean) / sqrt(var + eps)``.
    """
    axes = counted_axes(axis, x.ndim)
    return _through_statistics(g if gamma is None else g * reshape(gamma, shape=kept_axes(x.shape, axes)), x, axes, eps)


@layer_norm.vjp("gamma")
@in_single
def _layer_norm_gamma(g: Any, x: Any, axis: Axis, eps: float) -> Any:
    """sum(g * (x - mean) / sqrt(var + eps))"""
    axes = counted_axes(axis, x.ndim)
    return sum(g * _normalized(x, axes, eps)[0], axis=other_axes(axes, x.ndim))


@layer_norm.vjp("beta")
@in_single
def _layer_norm_beta(g: Any, axis: Axis) -> Any:
    """sum(g)"""
    return sum(g, axis=other_axes(counted_axes(axis, g.ndim), g.ndim))


@layer_norm.composite
def _layer_norm(x: Any, gamma: Any, beta: Any, axis: Axis, eps: float) -> Any:
    away = x - mean(x, axis=axis, keepdims=True)
    y = away / sqrt(mean(away * away, axis=axis, keepdims=True) + eps)
    shape = kept_axes(x.shape, counted_axes(axis, x.ndim))
    y = y if gamma is None else y * reshape(gamma, shape=shape)
    return y if beta is None else y + reshape(beta, shape=shape)


def _through_statistics(g: Any, x: Any, axes: Shape, eps: float) -> Any:
    """The gradient of `_normalized`: ``g`` without its mean and without what goes along with ``x``, scaled."""
    normalized, scale = _normalized(x, axes, eps)
    return (g - _mean(g, axes) - normalized * _mean(g * normalized, axes)) * scale


def _normalized(x: Any, axes: Shape, eps: float) -> tuple[Any, Any]:
    """``x`` with mean 0 and variance 1 over the axes, and what it was multiplied by."""
    away = x - _mean(x, axes)
    try:
        with squares_raise(eps):
            scale = (_mean(away * away, axes) + eps) ** -0.5
    except FloatingPointError:
        unit = near_greatest(away, axes)
        near = away * unit
        scale = (_mean(near * near, axes) + eps * unit * unit) ** -0.5 * unit
    return away * scale, scale


def squares_raise(eps: float) -> Any:
    """Inside, a square beyond the floats is a FloatingPointError; so is one that vanishes if nothing is added to it.

    On a GPU there is no such error, and the squares of numbers beyond the root of the largest float are infinite.
    """
    return np.errstate(over="raise", under="ignore" if eps else "raise")


def near_greatest(x: Any, axes: Shape) -> Any:
    """A power of 2 for each row along the axes, by which its largest element comes near 1: no digit is lost."""
    top = np.abs(x.data if isinstance(x, Variable) else x).max(axis=axes, keepdims=True)
    info = np.finfo(top.dtype)
    exponents = np.where(np.isfinite(top), np.frexp(top)[1], 0)
    return np.ldexp(np.ones_like(top), -exponents.clip(info.minexp, info.maxexp))


def _batch_normalized(x: Any, mean: Any, var: Any, axes: Shape, eps: float) -> Any:
    if mean is None:
        return _normalized(x, axes, eps)[0]
    shape = kept_axes(x.shape, other_axes(axes, x.ndim))
    return (x - reshape(mean, shape=shape)) * reshape((var + eps) ** -0.5, shape=shape)


def _mean(x: Any, axes: Shape) -> Any:
    count = math.prod([x.shape[axis] for axis in axes])
    return sum(x, axis=axes, keepdims=True) / max(count, 1)


def _check(parameters: list[Any], x_shape: Shape, axes: Shape) -> None:
    shape = tuple([x_shape[axis] for axis in axes])
    if any([parameter is not None and parameter.shape != shape for parameter in parameters]):
        raise ValueError(f"expected shape {shape} for all but x, which is that of its axes {axes}")


def _batch_axes(axis: Axis | None, ndim: int) -> Shape:
    """The axes that a batch is normalized over."""
    return other_axes((1,), ndim) if axis is None else counted_axes(axis, ndim)


def counted_axes(axis: Axis, ndim: int) -> Shape:
    """Axes in ascending order, counted from the front."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    if any([not -ndim <= a < ndim for a in axes]):
        raise ValueError(f"axis {axis} of an array with {ndim} axes")
    return tuple(sorted({a % ndim for a in axes}))


def kept_axes(shape: Shape, axes: Shape) -> Shape:
    """``shape`` with length 1 but for the axes."""
    return tuple([n if axis in axes else 1 for axis, n in enumerate(shape)])
