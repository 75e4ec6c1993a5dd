"""Losses of class scores against labels."""

from __future__ import annotations

from typing import Any

from ...engine import Array, Variable, get_array_module, unwrap
from ...engine.declare import primitive
from ...engine.errors import FLAT
from ..arrays.axes import expand_dims, squeeze
from ..arrays.indexing import take_along_axis
from ..elementwise.selection import where
from ..networks.softmaxes import below_zero, by_columns, log_softmax, softmax
from ..reductions.norms import log_total
from ..reductions.reduce import sum
from ..working_precision import in_single, real
from .loss_terms import in_all, per_term, reduced


@primitive()
def softmax_cross_entropy(
    xp: Any,
    x: Array,
    t: Array,
    *,
    axis: int = -1,
    class_weight: Any = None,
    ignore_label: int | None = None,
    reduction: str = "mean",
) -> Array:
    """Cross entropy of ``softmax(x)`` and the labels ``t``: the mean of ``-log(softmax(x)[t])``, without overflow.

    Parameters
    ----------
    x : Variable or array
        Scores before the softmax, with the classes along ``axis``.
    t : array of int
        Labels of the right classes, counted from 0, of the shape of ``x`` without ``axis``.
    axis : int
    class_weight : array, optional
        Weight of each class. The mean is then weighted: the sum is divided by the sum of the targets' weights.
    ignore_label : int, optional
        Targets with this label are ignored.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each target separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``t`` without a reduction; 0 if all targets are ignored.

    Raises
    ------
    TypeError
        If the targets are not integers.
    ValueError
        If the shapes do not match, or a target is not a class.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.softmax_cross_entropy(Variable([[0.0, 0.0], [1000.0, 0.0]]), np.array([0, 0]))
    variable(0.34657359027997264)
    """
    counted = counted_targets("softmax_cross_entropy", xp, x, t, axis, ignore_label)
    return _entropies(xp, x, t=t, counted=counted, axis=axis, class_weight=class_weight, reduction=reduction)


@real
def _entropies(
    xp: Any, x: Array, *, t: Array, counted: Array | None, axis: int, class_weight: Any, reduction: str
) -> Array:
    below = below_zero(by_columns(x), axis)
    logs = log_total(xp, below, axis, False) - _picked(xp, below, t if counted is None else t * counted, axis)
    return _weighed(xp, logs, x, t, counted, axis, class_weight, reduction)


def _weighed(
    xp: Any, losses: Array, x: Array, t: Array, counted: Array | None, axis: int, class_weight: Any, reduction: str
) -> Array:
    """The weighted losses of the targets, reduced."""
    if counted is None and class_weight is None:
        return reduced(losses, reduction)
    weights = _weights(xp, x, t, counted, axis, class_weight, reduction)
    terms = losses * weights if counted is None else xp.where(counted, losses, 0) * weights
    return reduced(terms, "sum" if reduction == "mean" else reduction)  # the weights already sum to 1


@softmax_cross_entropy.vjp("x")
@in_single
def _softmax_cross_entropy_x(
    g: Any, x: Any, t: Array, axis: int, class_weight: Any, ignore_label: int | None, reduction: str
) -> Any:
    """g * (softmax(x) - one_hot(t)) / t.size"""
    right = t if ignore_label is None else t * (t != ignore_label)
    away = _softmax_less_one_hot(x, right, axis=axis)
    slopes = _per_target(g, x, t, axis, class_weight, ignore_label, reduction) * away
    return slopes if ignore_label is None else where(expand_dims(t != ignore_label, axis=axis), slopes, 0.0)


def _per_target(
    g: Any, x: Any, t: Array, axis: int, class_weight: Any, ignore_label: int | None, reduction: str
) -> Any:
    """The upstream gradient of each target, in a form that broadcasts."""
    if reduction == "none":
        g = expand_dims(g, axis=axis)
    if class_weight is None and ignore_label is None:
        return per_term(g, t.size, reduction)
    return g * _shares(x, t, axis=axis, class_weight=class_weight, ignore_label=ignore_label, reduction=reduction)


@softmax_cross_entropy.composite
def _softmax_cross_entropy(
    x: Any, t: Any, axis: int, class_weight: Any, ignore_label: int | None, reduction: str
) -> Any:
    scores, targets = (value.data if isinstance(value, Variable) else value for value in (x, t))
    xp = get_array_module(scores)
    targets = xp.asarray(targets)
    counted = counted_targets("softmax_cross_entropy", xp, scores, targets, axis, ignore_label)
    classes = xp.expand_dims(targets if counted is None else targets * counted, axis)
    right = squeeze(take_along_axis(log_softmax(x, axis=axis), indices=classes, axis=axis), axis=axis)
    if class_weight is None and ignore_label is None:
        return in_all(-right, reduction)
    right = right if counted is None else where(counted, right, 0.0)
    terms = -right * _weights(xp, scores, targets, counted, axis, class_weight, reduction)
    return in_all(terms, "sum" if reduction == "mean" else reduction)


@primitive()
def _softmax_less_one_hot(xp: Any, x: Array, t: Array, *, axis: int) -> Array:
    """``softmax(x)``, less 1 at the right classes; in a single array, because every training step comes here.

    At the right class that is minus the sum of the others: subtracting 1 from a number close to it would lose digits.
    """
    away = xp.exp(below_zero(by_columns(x), axis))
    away /= away.sum(axis=axis, keepdims=True)
    right = _index_of_right(xp, x, t, axis)
    away[right] = 0
    away[right] = -away.sum(axis=axis)
    return away


@_softmax_less_one_hot.vjp("x")
@in_single
def _softmax_less_one_hot_x(g: Any, x: Any, axis: int) -> Any:
    """p * (g - sum(g * p, axis=axis)) with p = softmax(x)"""
    p = softmax(x, axis=axis)
    return p * (g - sum(g * p, axis=axis, keepdims=True))


@primitive()
def _shares(
    xp: Any, x: Array, t: Array, *, axis: int, class_weight: Any, ignore_label: int | None, reduction: str
) -> Array:
    """The weight of each target; for a mean, divided by their sum. Constant, so it has no rules."""
    counted = None if ignore_label is None else t != ignore_label
    return xp.expand_dims(_weights(xp, x, t, counted, axis, class_weight, reduction), axis)


def _picked(xp: Any, x: Array, t: Array, axis: int) -> Array:
    """The scores of the right classes."""
    return x[_index_of_right(xp, x, t, axis)]


def _index_of_right(xp: Any, x: Array, t: Array, axis: int) -> tuple[Array, ...]:
    """The index of the right classes."""
    if x.ndim == 2 and axis in (1, -1):
        return xp.arange(len(x)), t  # the same, and faster
    place = [xp.arange(n).reshape(-1, *[1] * (t.ndim - 1 - i)) for i, n in enumerate(t.shape)]
    place.insert(axis % x.ndim, t)
    return tuple(place)


@primitive()
def nll_loss(
    xp: Any,
    x: Array,
    t: Array,
    *,
    axis: int = -1,
    class_weight: Any = None,
    ignore_label: int | None = None,
    reduction: str = "mean",
) -> Array:
    """Negative log-likelihood of the labels ``t``: the mean of ``-x[t]``, with ``x`` the log-probabilities.

    After `log_softmax` it gives the same as `softmax_cross_entropy` of the scores.

    Parameters
    ----------
    x : Variable or array
        Log-probabilities, with the classes along ``axis``.
    t : array of int
        Labels of the right classes, counted from 0, of the shape of ``x`` without ``axis``.
    axis : int
    class_weight : array, optional
        Weight of each class. The mean is then weighted: the sum is divided by the sum of the targets' weights.
    ignore_label : int, optional
        Targets with this label are ignored.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each target separately.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``t`` without a reduction; 0 if all targets are ignored.

    Raises
    ------
    TypeError
        If the targets are not integers.
    ValueError
        If the shapes do not match, or a target is not a class.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.nll_loss(Variable([[-0.25, -1.5], [-3.0, -0.05]]), np.array([0, 1]))
    variable(0.15)
    """
    counted = counted_targets("nll_loss", xp, x, t, axis, ignore_label)
    return _likelihoods(xp, x, t=t, counted=counted, axis=axis, class_weight=class_weight, reduction=reduction)


@real
def _likelihoods(
    xp: Any, x: Array, *, t: Array, counted: Array | None, axis: int, class_weight: Any, reduction: str
) -> Array:
    losses = -_picked(xp, x, t if counted is None else t * counted, axis)
    return _weighed(xp, losses, x, t, counted, axis, class_weight, reduction)


@nll_loss.vjp("x")
@in_single
def _nll_loss_x(
    g: Any, x: Any, t: Array, axis: int, class_weight: Any, ignore_label: int | None, reduction: str
) -> Any:
    """-g * one_hot(t) / t.size"""
    right = t if ignore_label is None else t * (t != ignore_label)
    chosen = _chosen(x, right, axis=axis)
    return -_per_target(g, x, t, axis, class_weight, ignore_label, reduction) * chosen


@primitive()
def _chosen(xp: Any, x: Array, t: Array, *, axis: int) -> Array:
    """1 at the right classes, else 0, in the shape of ``x``. Constant, so it has no rules."""
    y = xp.zeros(x.shape, x.dtype)
    y[_index_of_right(xp, x, t, axis)] = 1
    return y


def counted_targets(function: str, xp: Any, x: Array, t: Array, axis: int, ignore_label: int | None) -> Array | None:
    """Check all targets; return which are not ignored, or None for all."""
    if t.dtype.kind not in "iu":
        raise TypeError(f"{function}: t is of dtype {t.dtype}; expected integers, the numbers of the right classes")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"x has no axis {axis}")
    place, classes = axis % x.ndim, x.shape[axis]
    expected = x.shape[:place] + x.shape[place + 1 :]
    if t.shape != expected:
        flat = f"; before linear layers {FLAT}" if x.ndim > 2 and t.ndim == 1 else ""
        raise ValueError(f"expected t of shape {expected}, that of x without axis {axis}{flat}")
    counted = None if ignore_label is None else t != ignore_label
    if not t.size or t.view(f"u{t.itemsize}").max() < classes:  # as unsigned, negative numbers are large
        return counted
    wrong = (t < 0) | (t >= classes)
    if counted is not None:
        wrong &= counted
    if wrong.any():
        raise ValueError(f"t holds {t[wrong][0]}, but the classes go from 0 to {x.shape[axis] - 1}")
    return counted


def _weights(xp: Any, x: Array, t: Array, counted: Array | None, axis: int, class_weight: Any, reduction: str) -> Array:
    """The weight of each target; for a mean, divided by the sum of the weights."""
    dtype = x.dtype if x.dtype.kind == "f" else xp.float64
    weights = xp.ones(t.shape, dtype) if counted is None else counted.astype(dtype)
    if class_weight is not None:
        of_classes = xp.asarray(unwrap(class_weight), dtype)
        if of_classes.shape != (x.shape[axis],):
            raise ValueError(f"class_weight has shape {of_classes.shape}; expected ({x.shape[axis]},)")
        weights = weights * of_classes[t if counted is None else t * counted]
    if reduction != "mean":
        return weights
    total = weights.sum()
    return weights / xp.where(total == 0, 1, total)
