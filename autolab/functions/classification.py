"""Scores of classes against the numbers of the right ones."""

from __future__ import annotations

from typing import Any

from ..engine.backend import Array, get_array_module
from ..engine.declare import primitive
from ..engine.variable import Variable
from .activation import below_zero, by_columns, log_softmax, softmax
from .axes import squeeze
from .indexing import take_along_axis
from .norms import log_total
from .precision import in_single, real
from .reduce import mean, sum

Shape = tuple[int, ...]


@primitive()
def softmax_cross_entropy(
    xp: Any, x: Array, t: Array, *, axis: int = -1, class_weight: Any = None, ignore_label: int | None = None
) -> Array:
    """Cross entropy of ``softmax(x)`` and the right classes: the mean of ``-log(softmax(x)[t])``, without overflow.

    Parameters
    ----------
    x : Variable or array
        Scores before the softmax, with the classes along ``axis``.
    t : array of int
        The right classes, counted from 0, of the shape of ``x`` without ``axis``.
    axis : int
    class_weight : array, optional
        How much each class counts. The mean is weighted: the sum is divided by the weights of the targets.
    ignore_label : int, optional
        Targets of this number do not count.

    Returns
    -------
    Variable or array
        0-d; 0 if no target counts.

    Raises
    ------
    TypeError
        If the targets are no integers.
    ValueError
        If the shapes do not fit, or a target is no class.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.softmax_cross_entropy(Variable([[0.0, 0.0], [1000.0, 0.0]]), np.array([0, 0]))
    variable(0.34657359027997264)
    """
    counted = _counted("softmax_cross_entropy", xp, x, t, axis, ignore_label)
    return _mean_entropy(xp, x, t=t, counted=counted, axis=axis, class_weight=class_weight)


@real
def _mean_entropy(xp: Any, x: Array, *, t: Array, counted: Array | None, axis: int, class_weight: Any) -> Array:
    below = below_zero(by_columns(x), axis)
    logs = log_total(xp, below, axis, False) - _picked(xp, below, t if counted is None else t * counted, axis)
    if counted is None and class_weight is None:
        return logs.sum() / max(t.size, 1)
    weights = _weights(xp, x, t, counted, axis, class_weight)
    return (logs * weights if counted is None else xp.where(counted, logs, 0) * weights).sum()


@softmax_cross_entropy.vjp("x")
@in_single
def _softmax_cross_entropy_x(g: Any, x: Any, t: Array, axis: int, class_weight: Any, ignore_label: int | None) -> Any:
    """g * (softmax(x) - one_hot(t)) / t.size"""
    away = _softmax_less_one_hot(x, t, axis=axis)
    if class_weight is None and ignore_label is None:
        return g / max(t.size, 1) * away
    return g * _shares(x, t, axis=axis, class_weight=class_weight, ignore_label=ignore_label) * away


@softmax_cross_entropy.composite
def _softmax_cross_entropy(x: Any, t: Any, axis: int, class_weight: Any, ignore_label: int | None) -> Any:
    scores, targets = (value.data if isinstance(value, Variable) else value for value in (x, t))
    xp = get_array_module(scores)
    targets = xp.asarray(targets)
    counted = _counted("softmax_cross_entropy", xp, scores, targets, axis, ignore_label)
    classes = xp.expand_dims(targets if counted is None else targets * counted, axis)
    right = squeeze(take_along_axis(log_softmax(x, axis=axis), indices=classes, axis=axis), axis=axis)
    if class_weight is None and ignore_label is None:
        return -mean(right)
    return -sum(right * _weights(xp, scores, targets, counted, axis, class_weight))


@primitive()
def _softmax_less_one_hot(xp: Any, x: Array, t: Array, *, axis: int) -> Array:
    """``softmax(x)``, less 1 at the right classes; in one array, as every step of training comes here.

    That is the others' sum with a minus sign: 1 less a number beside it would have no digits left.
    """
    away = xp.exp(below_zero(by_columns(x), axis))
    away /= away.sum(axis=axis, keepdims=True)
    right = _place(xp, x, t, axis)
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
def _shares(xp: Any, x: Array, t: Array, *, axis: int, class_weight: Any, ignore_label: int | None) -> Array:
    """The share of each target in the mean. Constant, so it has no rules."""
    counted = None if ignore_label is None else t != ignore_label
    return xp.expand_dims(_weights(xp, x, t, counted, axis, class_weight), axis)


def _picked(xp: Any, x: Array, t: Array, axis: int) -> Array:
    """The scores of the right classes."""
    return x[_place(xp, x, t, axis)]


def _place(xp: Any, x: Array, t: Array, axis: int) -> tuple[Array, ...]:
    """The index of the right classes."""
    if x.ndim == 2 and axis in (1, -1):
        return xp.arange(len(x)), t  # the same, and faster
    place = [xp.arange(n).reshape(-1, *[1] * (t.ndim - 1 - i)) for i, n in enumerate(t.shape)]
    place.insert(axis % x.ndim, t)
    return tuple(place)


@primitive()
def accuracy(xp: Any, x: Array, t: Array, *, axis: int = -1, ignore_label: int | None = None) -> Array:
    """How often the greatest score is that of the right class, between 0 and 1. It has no gradient.

    Of equal scores the first is taken.

    Parameters
    ----------
    x : Variable or array
        Scores, with the classes along ``axis``.
    t : array of int
        The right classes, counted from 0, of the shape of ``x`` without ``axis``.
    axis : int
    ignore_label : int, optional
        Targets of this number do not count.

    Returns
    -------
    Variable or array
        0-d; 0 if no target counts.

    Raises
    ------
    TypeError
        If the targets are no integers.
    ValueError
        If the shapes do not fit, or a target is no class.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.accuracy(Variable([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    variable(0.5)
    """
    counted = _counted("accuracy", xp, x, t, axis, ignore_label)
    dtype = x.dtype if x.dtype.kind == "f" else xp.float64
    right = x.argmax(axis=axis) == t
    if counted is not None:
        right = right[counted]
    return right.mean().astype(dtype) if right.size else xp.zeros((), dtype)


def _counted(function: str, xp: Any, x: Array, t: Array, axis: int, ignore_label: int | None) -> Array | None:
    """Which targets count, after a look at all of them; None for all."""
    if t.dtype.kind not in "iu":
        raise TypeError(f"{function}: t is of dtype {t.dtype}; expected integers, the numbers of the right classes")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"x has no axis {axis}")
    place, classes = axis % x.ndim, x.shape[axis]
    expected = x.shape[:place] + x.shape[place + 1 :]
    if t.shape != expected:
        raise ValueError(f"expected t of shape {expected}, that of x without axis {axis}")
    counted = None if ignore_label is None else t != ignore_label
    if not t.size or t.view(f"u{t.itemsize}").max() < classes:  # a number below 0 would be a large one
        return counted
    wrong = (t < 0) | (t >= classes)
    if counted is not None:
        wrong &= counted
    if wrong.any():
        raise ValueError(f"t holds {t[wrong][0]}, but the classes go from 0 to {x.shape[axis] - 1}")
    return counted


def _weights(xp: Any, x: Array, t: Array, counted: Array | None, axis: int, class_weight: Any) -> Array:
    """The share of each target in the mean."""
    dtype = x.dtype if x.dtype.kind == "f" else xp.float64
    weights = xp.ones(t.shape, dtype) if counted is None else counted.astype(dtype)
    if class_weight is not None:
        of_classes = xp.asarray(class_weight, dtype)
        if of_classes.shape != (x.shape[axis],):
            raise ValueError(f"class_weight has shape {of_classes.shape}; expected ({x.shape[axis]},)")
        weights = weights * of_classes[t if counted is None else t * counted]
    total = weights.sum()
    return weights / xp.where(total == 0, 1, total)
