"""Scores of classes against the numbers of the right ones."""

from __future__ import annotations

from typing import Any

from ..engine.backend import Array, get_array_module
from ..engine.declare import primitive
from ..engine.variable import Variable
from .activation import log_softmax, softmax
from .axes import squeeze
from .indexing import take_along_axis
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
    weights = _weights(xp, x, t, counted, axis, class_weight)
    classes = xp.expand_dims(xp.where(counted, t, 0), axis)
    below = x - x.max(axis=axis, keepdims=True) if x.size else x
    logs = xp.log(xp.exp(below).sum(axis=axis)) - xp.take_along_axis(below, classes, axis).squeeze(axis)
    return (xp.where(counted, logs, 0) * weights).sum()


@softmax_cross_entropy.vjp("x")
def _softmax_cross_entropy_x(g: Any, x: Any, t: Array, axis: int, class_weight: Any, ignore_label: int | None) -> Any:
    """g * (softmax(x) - one_hot(t)) / t.size"""
    shares, right = _targets(x, t, axis=axis, class_weight=class_weight, ignore_label=ignore_label)
    return g * shares * (softmax(x, axis=axis) - right)


@softmax_cross_entropy.composite
def _softmax_cross_entropy(x: Any, t: Any, axis: int, class_weight: Any, ignore_label: int | None) -> Any:
    scores, targets = (value.data if isinstance(value, Variable) else value for value in (x, t))
    xp = get_array_module(scores)
    targets = xp.asarray(targets)
    counted = _counted("softmax_cross_entropy", xp, scores, targets, axis, ignore_label)
    classes = xp.expand_dims(xp.where(counted, targets, 0), axis)
    right = squeeze(take_along_axis(log_softmax(x, axis=axis), indices=classes, axis=axis), axis=axis)
    if class_weight is None and ignore_label is None:
        return -mean(right)
    return -sum(right * xp.where(counted, _weights(xp, scores, targets, counted, axis, class_weight), 0))


@primitive(outputs=("shares", "right"))
def _targets(
    xp: Any, x: Array, t: Array, *, axis: int, class_weight: Any, ignore_label: int | None
) -> tuple[Array, Array]:
    """The share of each target in the mean, and 1 at the right classes. Constant, so it has no rules."""
    counted = xp.ones(t.shape, bool) if ignore_label is None else t != ignore_label
    shares = xp.expand_dims(_weights(xp, x, t, counted, axis, class_weight), axis)
    lengths = [1] * x.ndim
    lengths[axis] = -1
    right = xp.arange(x.shape[axis]).reshape(lengths) == xp.expand_dims(t, axis)
    return shares, right.astype(x.dtype)


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
    dtype = x.dtype if x.dtype.kind == "f" else None
    if not counted.any():
        return xp.zeros((), dtype)
    return (x.argmax(axis=axis) == t)[counted].mean(dtype=dtype)


def _counted(function: str, xp: Any, x: Array, t: Array, axis: int, ignore_label: int | None) -> Array:
    """Which targets count, after a look at all of them."""
    if t.dtype.kind not in "iu":
        raise TypeError(f"{function}: t is of dtype {t.dtype}; expected integers, the numbers of the right classes")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"x has no axis {axis}")
    expected = tuple([n for i, n in enumerate(x.shape) if i != axis % x.ndim])
    if t.shape != expected:
        raise ValueError(f"expected t of shape {expected}, that of x without axis {axis}")
    counted = xp.ones(t.shape, bool) if ignore_label is None else t != ignore_label
    wrong = counted & ((t < 0) | (t >= x.shape[axis]))
    if wrong.any():
        raise ValueError(f"t holds {t[wrong][0]}, but the classes go from 0 to {x.shape[axis] - 1}")
    return counted


def _weights(xp: Any, x: Array, t: Array, counted: Array, axis: int, class_weight: Any) -> Array:
    """The share of each target in the mean."""
    dtype = x.dtype if x.dtype.kind == "f" else xp.float64
    weights = counted.astype(dtype)
    if class_weight is not None:
        of_classes = xp.asarray(class_weight, dtype)
        if of_classes.shape != (x.shape[axis],):
            raise ValueError(f"class_weight has shape {of_classes.shape}; expected ({x.shape[axis]},)")
        weights = weights * of_classes[xp.where(counted, t, 0)]
    total = weights.sum()
    return weights / xp.where(total == 0, 1, total)
