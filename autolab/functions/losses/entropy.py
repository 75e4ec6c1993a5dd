"""Losses of probabilities: binary cross entropies, and the divergence of distributions."""

from __future__ import annotations

import math
from typing import Any

from ...engine import Array, unwrap
from ...engine.declare import elementwise, primitive
from ..arrays.axes import expand_dims
from ..elementwise.exponentials import log, log1p
from ..elementwise.logistic import sigmoid_slope, softplus
from ..elementwise.selection import where
from ..working_precision import in_single, real
from .loss_terms import check_same, in_all, per_term, reduced

Shape = tuple[int, ...]


@primitive()
def binary_cross_entropy(xp: Any, x: Array, t: Array, *, reduction: str = "mean") -> Array:
    """Binary cross entropy of probabilities and targets, mean over all elements; for scores, `sigmoid_cross_entropy`.

    Each element is ``-t * log(x) - (1 - t) * log(1 - x)``. For a probability of 0 or 1 the loss is 0 where the target
    agrees, and infinite where it does not.

    Parameters
    ----------
    x : Variable or array
        Probabilities from 0 to 1, for example results of `sigmoid`.
    t : Variable or array
        Of the same shape: 0 or 1, or, if floating-point, a probability in between.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of the terms without a reduction.

    Raises
    ------
    ValueError
        If the shapes differ, an element is not a probability, or integer targets are neither 0 nor 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.binary_cross_entropy(Variable([0.5, 1.0]), [0, 1])
    variable(0.34657359027997264)
    """
    check_same(x, t)
    _check_truths(t)
    if ((x < 0) | (x > 1)).any():
        raise ValueError(f"x goes from {x.min()} to {x.max()}; expected probabilities, from 0 to 1")
    return _of_probabilities(xp, x, t, reduction=reduction)


@real
def _of_probabilities(xp: Any, x: Array, t: Array, *, reduction: str) -> Array:
    hit = t * xp.log(xp.where(t == 0, 1, x))
    missed = (1 - t) * xp.log1p(-xp.where(t == 1, 0, x))
    return reduced(-hit - missed, reduction)


@binary_cross_entropy.vjp("x")
@in_single
def _binary_cross_entropy_x(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * ((1 - t) / (1 - x) - t / x) / x.size"""
    slope = (1 - t) / where(unwrap(t) == 1, 1, 1 - x) - t / where(unwrap(t) == 0, 1, x)
    return per_term(g, x.size, reduction) * slope


@binary_cross_entropy.vjp("t")
@in_single
def _binary_cross_entropy_t(g: Any, x: Any, reduction: str) -> Any:
    """g * (log(1 - x) - log(x)) / x.size"""
    return per_term(g, x.size, reduction) * (log1p(-x) - log(x))


@primitive()
def sigmoid_cross_entropy(xp: Any, x: Array, t: Array, *, reduction: str = "mean") -> Array:
    """Binary cross entropy of ``sigmoid(x)`` and targets, mean over all elements, without overflow.

    Each element is ``-t * log(sigmoid(x)) - (1 - t) * log(1 - sigmoid(x))``.

    Parameters
    ----------
    x : Variable or array
        Scores (logits), before the sigmoid.
    t : Variable or array
        Of the same shape: 0 or 1, or, if floating-point, a probability in between.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of the terms without a reduction.

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
    check_same(x, t)
    _check_truths(t)
    return _entropies(xp, x, t, reduction=reduction)


def _check_truths(t: Array) -> None:
    if t.dtype.kind in "iu" and t.size and not 0 <= t.min() <= t.max() <= 1:
        raise ValueError(f"integer targets t from {t.min()} to {t.max()}; expected 0 or 1")


@real
def _entropies(xp: Any, x: Array, t: Array, *, reduction: str) -> Array:
    wrong = xp.where(x > 0, 1 - t, t)  # how much of the target is on the other side
    terms = xp.where(wrong == 0, 0, xp.absolute(x) * wrong) + xp.log1p(xp.exp(-xp.absolute(x)))
    return reduced(terms, reduction)


@sigmoid_cross_entropy.vjp("x")
@in_single
def _sigmoid_cross_entropy_x(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * (sigmoid(x) - t) / x.size"""
    return per_term(g, x.size, reduction) * _overshoot(x, t)


@sigmoid_cross_entropy.vjp("t")
@in_single
def _sigmoid_cross_entropy_t(g: Any, x: Any, reduction: str) -> Any:
    """-g * x / x.size"""
    return -per_term(g, x.size, reduction) * x


@elementwise(x=lambda g, x: g * sigmoid_slope(x), t=lambda g: -g)
@real
def _overshoot(xp: Any, x: Array, t: Array) -> Array:
    """``sigmoid(x) - t``, without cancellation where ``t`` is 1."""
    e = xp.exp(-xp.absolute(x))
    small = e / (1 + e)
    return xp.where(x > 0, (1 - t) - small, small - t)


@sigmoid_cross_entropy.composite
def _sigmoid_cross_entropy(x: Any, t: Any, reduction: str) -> Any:
    return in_all(softplus(x) - x * t, reduction)


@primitive()
@real
def kl_divergence(xp: Any, p: Array, q: Array, *, axis: int = -1, reduction: str = "mean") -> Array:
    """Kullback-Leibler divergence of ``q`` from ``p``: the sum of ``p * log(p / q)`` over an axis, mean over the rest.

    Elements with ``p = 0`` contribute 0. The gradient of ``p`` is minus infinity there (NaN if ``q`` is 0 as well), and
    that of ``q`` is 0.

    Parameters
    ----------
    p, q : Variable or array
        Probabilities of the same shape, for example results of `softmax`.
    axis : int
        The axis along which they sum to 1; that is not checked.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each distribution separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of the terms without a reduction.

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
    check_same(p, q)
    count = _distributions(p.shape, axis)
    empty = p == 0
    terms = p * (xp.log(xp.where(empty, 1, p)) - xp.log(xp.where(empty, 1, q)))
    return reduced(terms.sum(axis=axis), reduction, count)


@kl_divergence.vjp("p")
@in_single
def _kl_divergence_p(g: Any, p: Any, q: Any, axis: int, reduction: str) -> Any:
    """g * (log(p / q) + 1) / n

    Here ``n = p.size // p.shape[axis]``, the number of distributions.
    """
    return _per_distribution(g, p.shape, axis, reduction) * (log(p / q) + 1)


@kl_divergence.vjp("q")
@in_single
def _kl_divergence_q(g: Any, p: Any, q: Any, axis: int, reduction: str) -> Any:
    """-g * p / q / n

    Here ``n = p.size // p.shape[axis]``, the number of distributions.
    """
    return -_per_distribution(g, p.shape, axis, reduction) * (p / (q + _none_of_both(p, q)))


@elementwise()
def _none_of_both(xp: Any, p: Array, q: Array) -> Array:
    """1 where both are 0, else 0: avoids ``0 / 0``. Constant, so it has no rules."""
    return xp.logical_and(p == 0, q == 0).astype(q.dtype)


def _per_distribution(g: Any, shape: Shape, axis: int, reduction: str) -> Any:
    """The upstream gradient of each distribution, in a form that broadcasts."""
    g = per_term(g, _distributions(shape, axis), reduction)
    return expand_dims(g, axis=axis) if reduction == "none" else g


def _distributions(shape: Shape, axis: int) -> int:
    """The number of distributions along the axis, at least 1."""
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"there is no axis {axis} in arrays with {len(shape)} axes")
    return max(math.prod([n for i, n in enumerate(shape) if i != axis % len(shape)]), 1)


@elementwise()
@real
def xlogy(xp: Any, x: Array, y: Array) -> Array:
    """``x * log(y)``, elementwise with broadcasting, and 0 where ``x`` is 0 and ``y`` is not NaN.

    The gradient of ``x`` is ``log(y)`` everywhere, so minus infinity where ``y`` is 0; that of ``y`` is 0 where both
    are 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.xlogy(Variable([0.0, 2.0]), [0.0, 1.0])
    variable([0. 0.])
    """
    nothing = xp.logical_and(x == 0, y == y)
    return xp.where(nothing, 0, x * xp.log(xp.where(nothing, 1, y)))


@xlogy.vjp("x")
def _xlogy_x(g: Any, y: Any) -> Any:
    """g * log(y)"""
    return g * log(y * 1.0)


@xlogy.vjp("y")
def _xlogy_y(g: Any, x: Any, y: Any) -> Any:
    """g * x / y"""
    return g * (x / (y + _none_of_both(x, y)))
