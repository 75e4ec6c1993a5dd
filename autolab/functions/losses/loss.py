"""Regression losses: how far predictions are from targets. The mean of an empty array is 0 here."""

from __future__ import annotations

from typing import Any

from ...engine import Array
from ...engine.declare import primitive
from ..elementwise.powers import abs
from ..elementwise.rounding import sign
from ..elementwise.selection import clip
from ..working_precision import in_single, real
from .loss_terms import check_same, in_all, per_term, reduced


@primitive()
@real
def mean_squared_error(xp: Any, x: Array, t: Array, *, reduction: str = "mean") -> Array:
    """Mean of ``(x - t)**2`` over all elements.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape: nothing broadcasts, because a column and a row would silently give a matrix.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``x`` without a reduction.

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
    check_same(x, t)
    away = x - t
    return reduced(away * away, reduction)


@mean_squared_error.vjp("x")
@in_single
def _mean_squared_error_x(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * 2 * (x - t) / x.size"""
    return per_term(g, x.size, reduction) * 2 * (x - t)


@mean_squared_error.vjp("t")
@in_single
def _mean_squared_error_t(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * 2 * (t - x) / x.size"""
    return per_term(g, x.size, reduction) * 2 * (t - x)


@mean_squared_error.composite
def _mean_squared_error(x: Any, t: Any, reduction: str) -> Any:
    away = x - t
    return in_all(away * away, reduction)


@primitive()
@real
def mean_absolute_error(xp: Any, x: Array, t: Array, *, reduction: str = "mean") -> Array:
    """Mean of ``abs(x - t)`` over all elements. The gradient is 0 where both are equal.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``x`` without a reduction.

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
    check_same(x, t)
    return reduced(xp.absolute(x - t), reduction)


@mean_absolute_error.vjp("x")
@in_single
def _mean_absolute_error_x(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * sign(x - t) / x.size"""
    return per_term(g, x.size, reduction) * sign(x - t)


@mean_absolute_error.vjp("t")
@in_single
def _mean_absolute_error_t(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * sign(t - x) / x.size"""
    return per_term(g, x.size, reduction) * sign(t - x)


@mean_absolute_error.composite
def _mean_absolute_error(x: Any, t: Any, reduction: str) -> Any:
    return in_all(abs(x - t), reduction)


@primitive()
@real
def huber(xp: Any, x: Array, t: Array, *, delta: float = 1.0, reduction: str = "mean") -> Array:
    """Mean Huber loss: quadratic for small errors, linear for large ones.

    With ``d = abs(x - t)`` it is ``d**2 / 2`` up to ``delta``, and ``delta * (d - delta / 2)`` beyond. Where both meet,
    the second derivative is 1.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape.
    delta : float
        The error at which the loss becomes linear, above 0.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``x`` without a reduction.

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
    check_same(x, t)
    if not delta > 0:
        raise ValueError(f"delta is {delta}; expected a number above 0")
    away = x - t
    near = xp.clip(away, -delta, delta)
    return reduced(near * (away - 0.5 * near), reduction)


@huber.vjp("x")
@in_single
def _huber_x(g: Any, x: Any, t: Any, delta: float, reduction: str) -> Any:
    """g * clip(x - t, -delta, delta) / x.size"""
    return per_term(g, x.size, reduction) * clip(x - t, -delta, delta)


@huber.vjp("t")
@in_single
def _huber_t(g: Any, x: Any, t: Any, delta: float, reduction: str) -> Any:
    """g * clip(t - x, -delta, delta) / x.size"""
    return per_term(g, x.size, reduction) * clip(t - x, -delta, delta)


@primitive()
@real
def smooth_l1(xp: Any, x: Array, t: Array, *, beta: float = 1.0, reduction: str = "mean") -> Array:
    """Mean smooth L1 loss: quadratic for small errors, otherwise the absolute error. It is `huber` divided by ``beta``.

    With ``d = abs(x - t)`` it is ``d**2 / (2 * beta)`` up to ``beta``, and ``d - beta / 2`` beyond.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape.
    beta : float
        The error at which the loss becomes linear, above 0.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``x`` without a reduction.

    Raises
    ------
    ValueError
        If the shapes differ, or ``beta`` is not above 0.

    Notes
    -----
    R. Girshick, "Fast R-CNN", 2015.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.smooth_l1(Variable([0.5, 3.0]), [0.0, 0.0], beta=2.0)
    variable(1.03125)
    """
    check_same(x, t)
    if not beta > 0:
        raise ValueError(f"beta is {beta}; expected a number above 0")
    away = x - t
    near = xp.clip(away / beta, -1, 1)
    return reduced(near * (away - 0.5 * beta * near), reduction)


@smooth_l1.vjp("x")
@in_single
def _smooth_l1_x(g: Any, x: Any, t: Any, beta: float, reduction: str) -> Any:
    """g * clip((x - t) / beta, -1, 1) / x.size"""
    return per_term(g, x.size, reduction) * clip((x - t) / beta, -1, 1)


@smooth_l1.vjp("t")
@in_single
def _smooth_l1_t(g: Any, x: Any, t: Any, beta: float, reduction: str) -> Any:
    """g * clip((t - x) / beta, -1, 1) / x.size"""
    return per_term(g, x.size, reduction) * clip((t - x) / beta, -1, 1)
