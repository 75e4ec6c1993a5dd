"""Metrics: accuracy, precision, recall and F1 score for classes, and the explained variance (R2)."""

from __future__ import annotations

from typing import Any

from ...engine import Array
from ...engine.declare import primitive
from ..working_precision import real
from .classification import counted_targets


@primitive()
def accuracy(xp: Any, x: Array, t: Array, *, axis: int = -1, ignore_label: int | None = None) -> Array:
    """Fraction of the examples whose largest score is that of the right class. It has no gradient.

    Of tied scores the first counts.

    Parameters
    ----------
    x : Variable or array
        Scores, with the classes along ``axis``.
    t : array of int
        Labels of the right classes, counted from 0, of the shape of ``x`` without ``axis``.
    axis : int
    ignore_label : int, optional
        Targets with this label are ignored.

    Returns
    -------
    Variable or array
        0-d; 0 if all targets are ignored.

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
    >>> F.accuracy(Variable([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    variable(0.5)
    """
    counted = counted_targets("accuracy", xp, x, t, axis, ignore_label)
    dtype = x.dtype if x.dtype.kind == "f" else xp.float64
    right = x.argmax(axis=axis) == t
    if counted is not None:
        right = right[counted]
    return right.mean().astype(dtype) if right.size else xp.zeros((), dtype)


@primitive()
def precision(
    xp: Any, x: Array, t: Array, *, axis: int = -1, average: str = "macro", ignore_label: int | None = None
) -> Array:
    """Precision: the fraction of the predictions of a class that are right. It has no gradient.

    Parameters
    ----------
    x : Variable or array
        Scores, with the classes along ``axis``; the largest is the predicted class, the first of tied ones.
    t : array of int
        Labels of the right classes, counted from 0, of the shape of ``x`` without ``axis``.
    axis : int
    average : str
        ``"macro"``: the mean over all classes that occur among the targets or the predictions; ``"micro"``: of all
        examples together; ``"none"``: for each class separately.
    ignore_label : int, optional
        Targets with this label are ignored.

    Returns
    -------
    Variable or array
        0-d, or of shape ``(classes,)`` without an average; 0 for a class that was never predicted.

    Raises
    ------
    TypeError
        If the targets are not integers.
    ValueError
        If the shapes do not match, a target is not a class, or ``average`` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import functions as F
    >>> x = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> F.precision(x, np.array([0, 0, 1]), average="none")
    array([1. , 0.5])
    """
    hits, given, there = _counts("precision", xp, x, t, axis, ignore_label)
    return _averaged(xp, x, average, hits, given, given + there)


@primitive()
def recall(
    xp: Any, x: Array, t: Array, *, axis: int = -1, average: str = "macro", ignore_label: int | None = None
) -> Array:
    """Recall: the fraction of the examples of a class that are predicted as such. It has no gradient.

    The parameters are those of `precision`.

    Returns
    -------
    Variable or array
        0-d, or of shape ``(classes,)`` without an average; 0 for a class without targets.

    Raises
    ------
    TypeError
        If the targets are not integers.
    ValueError
        If the shapes do not match, a target is not a class, or ``average`` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import functions as F
    >>> x = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> F.recall(x, np.array([0, 0, 1]), average="none")
    array([0.5, 1. ])
    """
    hits, given, there = _counts("recall", xp, x, t, axis, ignore_label)
    return _averaged(xp, x, average, hits, there, given + there)


@primitive()
def f1_score(
    xp: Any, x: Array, t: Array, *, axis: int = -1, average: str = "macro", ignore_label: int | None = None
) -> Array:
    """F1 score: the harmonic mean of `precision` and `recall`, with the same parameters. It has no gradient.

    Returns
    -------
    Variable or array
        0-d, or of shape ``(classes,)`` without an average; 0 for a class that does not occur.

    Raises
    ------
    TypeError
        If the targets are not integers.
    ValueError
        If the shapes do not match, a target is not a class, or ``average`` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> x = Variable([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    >>> F.f1_score(x, np.array([0, 1, 1, 1]))
    variable(1.0)
    """
    hits, given, there = _counts("f1_score", xp, x, t, axis, ignore_label)
    return _averaged(xp, x, average, 2 * hits, given + there, given + there)


@primitive()
@real
def r2_score(xp: Any, x: Array, t: Array) -> Array:
    """Coefficient of determination (R2): the fraction of the targets' variance that is explained, at best 1.

    Predicting the mean of the targets gives 0. It has no gradient; train with `mean_squared_error`.

    Parameters
    ----------
    x, t : Variable or array
        Predictions and targets, of the same shape ``(examples, ...)``.

    Returns
    -------
    Variable or array
        0-d: the mean over all axes but the examples. For targets that are all equal, 1 if the predictions are exact,
        else 0. 0 if there are no elements.

    Raises
    ------
    ValueError
        If the shapes differ, or there are fewer than two examples.

    Examples
    --------
    >>> from autolab import functions as F
    >>> float(F.r2_score([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]))
    0.5
    """
    if x.shape != t.shape or not x.ndim or len(x) < 2:
        raise ValueError("expected x and t of the same shape, with two examples or more")
    left = ((t - x) ** 2).sum(axis=0)
    whole = ((t - t.mean(axis=0)) ** 2).sum(axis=0)
    share = left / xp.where(whole == 0, 1, whole)
    explained = 1 - xp.where(whole == 0, left != 0, share)
    return (explained.sum() / max(explained.size, 1)).astype(left.dtype)


def _counts(
    function: str, xp: Any, x: Array, t: Array, axis: int, ignore_label: int | None
) -> tuple[Array, Array, Array]:
    """For each class, the numbers of true positives, of predictions, and of targets."""
    counted = counted_targets(function, xp, x, t, axis, ignore_label)
    given, right = x.argmax(axis=axis), t
    if counted is not None:
        given, right = given[counted], right[counted]
    classes = xp.arange(x.shape[axis])
    given, right = [labels.reshape(-1, 1) == classes for labels in (given, right)]
    return (given & right).sum(axis=0), given.sum(axis=0), right.sum(axis=0)


def _averaged(xp: Any, x: Array, average: str, parts: Array, wholes: Array, present: Array) -> Array:
    dtype = x.dtype if x.dtype.kind == "f" else xp.float64
    if average == "micro":
        parts, wholes = parts.sum(), wholes.sum()
    elif average not in ("macro", "none"):
        raise ValueError(f"average is {average!r:.40}; expected 'macro', 'micro' or 'none'")
    shares = parts / xp.maximum(wholes, 1)
    if average == "macro":
        shares = xp.where(present > 0, shares, 0).sum() / xp.maximum((present > 0).sum(), 1)
    return shares.astype(dtype)
