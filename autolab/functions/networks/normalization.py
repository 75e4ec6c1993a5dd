"""Normalization to mean 0 and variance 1, followed by a learnt scale and shift.

Both functions retain only their inputs: the gradients recompute the statistics, which makes them differentiable.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, Variable
from ...engine.declare import primitive
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
    """Batch normalization: ``gamma * (x - mean) / sqrt(var + eps) + beta`` for each feature.

    Without ``mean`` and ``var``, as in training, they are the statistics of the batch, and the gradient flows through
    them. If both are given, such as running averages for testing, they are used as they are.

    Parameters
    ----------
    x : Variable or array
        By default of shape ``(batch, features, ...)``.
    gamma, beta : Variable or array
        Scale and shift, of the shape of ``x`` without the axes normalized over.
    mean, var : Variable or array, optional
        Of the same shape; both or neither.
    axis : int or tuple of int, optional
        Axes to normalize over; by default all but the second.
    eps : float
        Added to the variance, so that constant features cause no division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not match, or only one of ``mean`` and ``var`` is given.

    Notes
    -----
    S. Ioffe, C. Szegedy, "Batch normalization: accelerating deep network training by reducing internal covariate
    shift", 2015. The variance is the biased one, divided by the size of the batch.

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
    """Layer normalization of each example: ``gamma * (x - mean) / sqrt(var + eps) + beta``.

    Parameters
    ----------
    x : Variable or array
    gamma, beta : Variable or array, optional
        Scale and shift, of the shape of ``x`` along the axes normalized over.
    axis : int or tuple of int
        Axes to normalize over.
    eps : float
        Added to the variance, so that constant examples cause no division by 0.

    Returns
    -------
    Variable or array
        Of the shape of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not match.

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
    """The gradient of `_normalized`: ``g`` less its mean and its projection on the normalized ``x``, scaled."""
    normalized, scale = _normalized(x, axes, eps)
    return (g - _mean(g, axes) - normalized * _mean(g * normalized, axes)) * scale


def _normalized(x: Any, axes: Shape, eps: float) -> tuple[Any, Any]:
    """``x`` normalized to mean 0 and variance 1 over the axes, and the factor used."""
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
    """A context in which a square that overflows raises FloatingPointError; with ``eps = 0``, also one that underflows.

    On a GPU nothing is raised, and squares that overflow are infinite.
    """
    return np.errstate(over="raise", under="ignore" if eps else "raise")


def near_greatest(x: Any, axes: Shape) -> Any:
    """For each row along the axes, a power of 2 that scales its largest element close to 1 without loss of digits."""
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
        raise ValueError(f"expected shape {shape}, that of x along the axes {axes}, for all but x")


def _batch_axes(axis: Axis | None, ndim: int) -> Shape:
    """The axes that a batch is normalized over."""
    return other_axes((1,), ndim) if axis is None else counted_axes(axis, ndim)


def counted_axes(axis: Axis, ndim: int) -> Shape:
    """Axes in ascending order, counted from the front."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    if any([not -ndim <= a < ndim for a in axes]):
        raise ValueError(f"there is no axis {axis} in an array with {ndim} axes")
    return tuple(sorted({a % ndim for a in axes}))


def kept_axes(shape: Shape, axes: Shape) -> Shape:
    """``shape`` with length 1 along all other axes."""
    return tuple([n if axis in axes else 1 for axis, n in enumerate(shape)])
