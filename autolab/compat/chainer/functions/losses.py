"""Losses and accuracies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .... import functions as F
from ....engine import get_array_module
from ...table import fill, signed
from ..variable import as_array
from ._adapt import adapted, composed, reduced


@composed
@signed
def softmax_cross_entropy(x, t, normalize, class_weight, ignore_label, reduce, soft_target_loss):
    """The cross entropy between ``softmax(x)``, along axis 1, and the target classes.

    With ``normalize``, the sum is divided by the number of targets that count, otherwise by the batch size. Targets
    equal to ``ignore_label`` do not count. ``cache_score`` and ``enable_double_backprop`` have no effect: there always
    are gradients of any order.
    """
    labels = as_array(t)
    if labels.dtype.kind == "f":
        return _of_distributions(x, t, normalize, reduce, soft_target_loss)
    ignored = ignore_label if (labels == ignore_label).any() else None  # weights for all elements take time
    options: dict[str, Any] = {"axis": 1, "class_weight": class_weight, "ignore_label": ignored}
    if reduce == "no":
        return F.softmax_cross_entropy(x, labels, reduction="none", **options)
    if reduce != "mean":
        raise ValueError(f"softmax_cross_entropy: reduce is {reduce!r:.60}; expected 'mean' or 'no'")
    if normalize and class_weight is None:
        return F.softmax_cross_entropy(x, labels, **options)
    count = int((labels != ignore_label).sum()) if normalize else len(labels)
    return F.div(F.softmax_cross_entropy(x, labels, reduction="sum", **options), float(max(count, 1)))


def _of_distributions(x: Any, t: Any, normalize: bool, reduce: str, which: str) -> Any:
    if which not in ("cross-entropy", "kl-divergence"):
        raise ValueError(f"softmax_cross_entropy: soft_target_loss is {which!r:.60}")
    if as_array(t).shape != as_array(x).shape:
        shapes = f"x has shape {as_array(x).shape} and t {as_array(t).shape}"
        raise ValueError(f"softmax_cross_entropy: {shapes}; expected one shape, as t are probabilities")
    loss = F.neg(F.sum(F.mul(t, F.log_softmax(x, axis=1)), axis=1))
    if which == "kl-divergence":
        loss = F.add(loss, F.sum(F.xlogy(t, t), axis=1))
    shape = as_array(loss).shape
    count = float(max(math.prod(shape) if normalize else shape[0], 1))
    return reduced(loss, reduce, mean=lambda each: F.div(F.sum(each), count))


@composed
def sigmoid_cross_entropy(x: Any, t: Any, normalize: bool = True, reduce: str = "mean") -> Any:
    """The cross entropy between ``sigmoid(x)`` and targets of 0 or 1; targets of -1 do not count."""
    targets = as_array(t)
    counts = targets != -1
    xp = get_array_module(targets)
    each = F.mul(F.sigmoid_cross_entropy(x, xp.where(counts, targets, 0), reduction="none"), counts.astype("f"))
    each = F.cast(each, as_array(x).dtype) if as_array(each).dtype != as_array(x).dtype else each
    count = float(max(int(counts.sum()) if normalize else len(targets), 1))
    return reduced(each, reduce, mean=lambda loss: F.div(F.sum(loss), count))


@composed
def hinge(x: Any, t: Any, norm: str = "L1", reduce: str = "mean") -> Any:
    """``max(0, 1 - x)`` for the target class and ``max(0, 1 + x)`` for the others; squared for the norm "L2"."""
    data, labels = as_array(x), as_array(t)
    xp = get_array_module(data)
    signs = xp.ones_like(data)
    signs[xp.arange(len(labels)), labels] = -1
    margin = F.relu(F.add(F.mul(x, signs), 1.0))
    if norm not in ("L1", "L2"):
        raise NotImplementedError(f"hinge: norm is {norm!r:.60}; expected 'L1' or 'L2'")
    each = margin if norm == "L1" else F.square(margin)
    return reduced(each, reduce, mean=lambda loss: F.div(F.sum(loss), float(len(labels))))


@composed
def contrastive(x0: Any, x1: Any, y: Any, margin: float = 1, reduce: str = "mean") -> Any:
    """``d ** 2 / 2`` for pairs at distance ``d`` with ``y`` 1, ``max(0, margin - d) ** 2 / 2`` for those with 0."""
    same = as_array(y).astype(as_array(x0).dtype)
    apart = F.sub(x0, x1)
    square = F.sum(F.square(apart), axis=1)
    lack = F.square(F.relu(F.sub(float(margin), F.norm(apart, axis=1))))  # unlike sqrt(square), it is flat at 0
    each = F.mul(F.add(F.mul(square, same), F.mul(lack, 1 - same)), 0.5)
    return reduced(each, reduce, mean=F.mean)


@composed
def triplet(anchor: Any, positive: Any, negative: Any, margin: float = 0.2, reduce: str = "mean") -> Any:
    """The triplet loss: ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, with squared distances."""
    if margin <= 0:
        raise ValueError(f"triplet: margin is {margin}; expected a positive number")
    far = F.sub(F.square(F.sub(anchor, positive)), F.square(F.sub(anchor, negative)))
    return reduced(F.relu(F.add(F.sum(far, axis=1), float(margin))), reduce, mean=F.mean)


@adapted
def accuracy(y: Any, t: Any, ignore_label: int | None = None) -> Any:
    """The fraction of examples whose largest score, along axis 1, is that of the target class."""
    scores, labels = as_array(y), as_array(t)
    if scores.ndim > labels.ndim + 1 and scores.size == labels.size * scores.shape[1]:
        scores = scores.reshape(scores.shape[0], scores.shape[1], *labels.shape[1:])
    return F.accuracy(scores, labels, axis=1, ignore_label=ignore_label)


@adapted
def binary_accuracy(y: Any, t: Any) -> Any:
    """The fraction of scores with the right sign, for targets 0 and 1; targets of -1 do not count."""
    scores, labels = as_array(y), as_array(t)
    if scores.shape != labels.shape or labels.dtype.kind not in "iu":
        raise TypeError(f"binary_accuracy: t is {labels.dtype} {labels.shape}; expected integers, {scores.shape}")
    counts = labels != -1
    right = ((scores >= 0) == labels) & counts
    return (right.sum() / max(int(counts.sum()), 1)).astype(scores.dtype)


@adapted
@signed
def classification_summary(y, t, label_num, beta, ignore_label):
    """Precision, recall, F score and number of examples of each class; NaN where the denominator is 0."""
    scores, labels = as_array(y), as_array(t).ravel()
    given = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1]).argmax(axis=1)
    counts = labels != ignore_label
    classes = np.arange(labels.max() + 1 if label_num is None else label_num)[:, None]
    is_given, is_right = (given == classes) & counts, (labels == classes) & counts
    hits, support = (is_given & is_right).sum(axis=1), is_right.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact, found = hits / is_given.sum(axis=1), hits / support
        score = (1 + beta**2) * exact * found / (beta**2 * exact + found)
    return exact, found, score, support


__getattr__ = fill(__name__, adapted, composed)
