"""Losses: how far predictions are from targets, as one number. Of no elements, every loss is 0."""

from __future__ import annotations

from typing import Any

from ..engine.backend import Array
from ..engine.declare import elementwise, primitive
from .activation import softplus
from .choose import clip
from .exponentials import sigmoid_slope
from .math import log
from .powers import abs
from .precision import in_single, real
from .reduce import mean
from .rounding import sign

Shape = tuple[int, ...]


@primitive()
@real
def mean_squared_error(xp: Any, x: Array, t: Array) -> Array:
    """Mean of ``(x - t)**2`` over all elements.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape: nothing is broadcast, because a column beside a row would silently become a matrix.

    Returns
    -------
    Variable or array
        0-d.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.mean_squared_error(Variable([1.0, 2.0]), [0.0, 4.0])
    variable(2.5)
    """
    _check_same(x, t)
    away = x - t
    return (away * away).sum() / max(away.size, 1)


@mean_squared_error.vjp("x")
@in_single
def _mean_squared_error_x(g: Any, x: Any, t: Any) -> Any:
    """g * 2 * (x - t) / x.size"""
    return g * (2 / max(x.size, 1)) * (x - t)


@mean_squared_error.vjp("t")
@in_single
def _mean_squared_error_t(g: Any, x: Any, t: Any) -> Any:
    """g * 2 * (t - x) / x.size"""
    return g * (2 / max(x.size, 1)) * (t - x)


@mean_squared_error.composite
def _mean_squared_error(x: Any, t: Any) -> Any:
    away = x - t
    return mean(away * away)


@primitive()
@real
def mean_absolute_error(xp: Any, x: Array, t: Array) -> Array:
    """Mean of ``abs(x - t)`` over all elements. The gradient is 0 where both are the same.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape.

    Returns
    -------
    Variable or array
        0-d.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.mean_absolute_error(Variable([1.0, 2.0]), [0.0, 4.0])
    variable(1.5)
    """
    _check_same(x, t)
    return xp.absolute(x - t).sum() / max(x.size, 1)


@mean_absolute_error.vjp("x")
@in_single
def _mean_absolute_error_x(g: Any, x: Any, t: Any) -> Any:
    """g * sign(x - t) / x.size"""
    return g / max(x.size, 1) * sign(x - t)


@mean_absolute_error.vjp("t")
@in_single
def _mean_absolute_error_t(g: Any, x: Any, t: Any) -> Any:
    """g * sign(t - x) / x.size"""
    return g / max(x.size, 1) * sign(t - x)


@mean_absolute_error.composite
def _mean_absolute_error(x: Any, t: Any) -> Any:
    return mean(abs(x - t))


@primitive()
@real
def huber(xp: Any, x: Array, t: Array, *, delta: float = 1.0) -> Array:
    """Mean of a loss that is squared for small errors and grows in a straight line for great ones.

    With ``d = abs(x - t)`` it is ``d**2 / 2`` up to ``delta``, and ``delta * (d - delta / 2)`` beyond. Where they meet
    the second derivative is 1.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape.
    delta : float
        Above 0.

    Returns
    -------
    Variable or array
        0-d.

    Raises
    ------
    ValueError
        If the shapes differ, or ``delta`` is not above 0.

    Notes
    -----
    P. J. Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35 (1964).

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.huber(Variable([0.5, 3.0]), [0.0, 0.0])
    variable(1.3125)
    """
    _check_same(x, t)
    if not delta > 0:
        raise ValueError(f"delta is {delta}; expected a number above 0")
    away = x - t
    near = xp.clip(away, -delta, delta)
    return (near * (away - 0.5 * near)).sum() / max(x.size, 1)


@huber.vjp("x")
@in_single
def _huber_x(g: Any, x: Any, t: Any, delta: float) -> Any:
    """g * clip(x - t, -delta, delta) / x.size"""
    return g / max(x.size, 1) * clip(x - t, -delta, delta)


@huber.vjp("t")
@in_single
def _huber_t(g: Any, x: Any, t: Any, delta: float) -> Any:
    """g * clip(t - x, -delta, delta) / x.size"""
    return g / max(x.size, 1) * clip(t - x, -delta, delta)


@primitive()
def sigmoid_cross_entropy(xp: Any, x: Array, t: Array) -> Array:
    """Cross entropy of ``sigmoid(x)`` and the targets, mean over all elements, without overflow.

    Each element is ``-t * log(sigmoid(x)) - (1 - t) * log(1 - sigmoid(x))``.

    Parameters
    ----------
    x : Variable or array
        Before the sigmoid.
    t : Variable or array
        Of the same shape: 0 or 1, or, if floating-point, a probability in between.

    Returns
    -------
    Variable or array
        0-d.

    Raises
    ------
    ValueError
        If the shapes differ, or integer targets are neither 0 nor 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sigmoid_cross_entropy(Variable([0.0, 1000.0]), [0, 1])
    variable(0.34657359027997264)
    """
    _check_same(x, t)
    if t.dtype.kind in "iu" and t.size and not 0 <= t.min() <= t.max() <= 1:
        raise ValueError(f"integer targets t from {t.min()} to {t.max()}; expected 0 or 1")
    return _mean_entropy(xp, x, t)


@real
def _mean_entropy(xp: Any, x: Array, t: Array) -> Array:
    wrong = xp.where(x > 0, 1 - t, t)  # the share of the targets on the other side
    terms = xp.where(wrong == 0, 0, xp.absolute(x) * wrong) + xp.log1p(xp.exp(-xp.absolute(x)))
    return terms.sum() / max(x.size, 1)


@sigmoid_cross_entropy.vjp("x")
@in_single
def _sigmoid_cross_entropy_x(g: Any, x: Any, t: Any) -> Any:
    """g * (sigmoid(x) - t) / x.size"""
    return g / max(x.size, 1) * _overshoot(x, t)


@sigmoid_cross_entropy.vjp("t")
@in_single
def _sigmoid_cross_entropy_t(g: Any, x: Any) -> Any:
    """-g * x / x.size"""
    return g / -max(x.size, 1) * x


@elementwise(x=lambda g, x: g * sigmoid_slope(x), t=lambda g: -g)
@real
def _overshoot(xp: Any, x: Array, t: Array) -> Array:
    """``sigmoid(x) - t``, not by way of a number beside 1 where ``t`` is 1."""
    e = xp.exp(-xp.absolute(x))
    small = e / (1 + e)
    return xp.where(x > 0, (1 - t) - small, small - t)


@sigmoid_cross_entropy.composite
def _sigmoid_cross_entropy(x: Any, t: Any) -> Any:
    return mean(softplus(x) - x * t)


@primitive()
@real
def kl_divergence(xp: Any, p: Array, q: Array, *, axis: int = -1) -> Array:
    """Kullback-Leibler divergence of ``q`` from ``p``: the sum of ``p * log(p / q)`` over an axis, mean over the rest.

    An element with ``p = 0`` counts as 0. The gradient of ``p`` is minus infinity there (NaN if ``q = 0`` too), and
    that of ``q`` is 0.

    Parameters
    ----------
    p, q : Variable or array
        Probabilities, such as results of `softmax`, of the same shape.
    axis : int
        Along which they sum to 1; that is not checked.

    Returns
    -------
    Variable or array
        0-d.

    Raises
    ------
    ValueError
        If the shapes differ, or there is no such axis.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.kl_divergence(Variable([1.0, 0.0]), [0.5, 0.5])
    variable(0.6931471805599453)
    """
    _check_same(p, q)
    empty = p == 0
    terms = p * (xp.log(xp.where(empty, 1, p)) - xp.log(xp.where(empty, 1, q)))
    return terms.sum() / _distributions(p.shape, axis)


@kl_divergence.vjp("p")
@in_single
def _kl_divergence_p(g: Any, p: Any, q: Any, axis: int) -> Any:
    """g * (log(p / q) + 1) / distributions"""
    return g / _distributions(p.shape, axis) * (log(p / q) + 1)


@kl_divergence.vjp("q")
@in_single
def _kl_divergence_q(g: Any, p: Any, q: Any, axis: int) -> Any:
    """-g * p / q / distributions"""
    return g / -_distributions(p.shape, axis) * (p / (q + _none_of_both(p, q)))


@elementwise()
def _none_of_both(xp: Any, p: Array, q: Array) -> Array:
    """1 where both are 0, else 0: keeps ``0 / 0`` out. Constant, so it has no rules."""
    return xp.logical_and(p == 0, q == 0).astype(q.dtype)


def _distributions(shape: Shape, axis: int) -> int:
    """How many distributions there are along the axis, at least 1."""
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} of arrays with {len(shape)} axes")
    count = 1
    for i, n in enumerate(shape):
        count *= 1 if i == axis % len(shape) else n
    return max(count, 1)


def _check_same(a: Array, b: Array) -> None:
    if a.shape != b.shape:
        raise ValueError("expected the same shape")
