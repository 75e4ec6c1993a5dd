"""``chainer.functions.evaluation``"""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import functions as F
from ...table import fill, signed
from ..variable import as_array
from ._adapt import adapted


@adapted
def accuracy(y: Any, t: Any, ignore_label: int | None = None) -> Any:
    """How often the largest score, along axis 1, is that of the right class."""
    scores, labels = as_array(y), as_array(t)
    if scores.ndim > labels.ndim + 1 and scores.size == labels.size * scores.shape[1]:
        scores = scores.reshape(scores.shape[0], scores.shape[1], *labels.shape[1:])
    return F.accuracy(scores, labels, axis=1, ignore_label=ignore_label)


@adapted
def binary_accuracy(y: Any, t: Any) -> Any:
    """How often the sign of the score is that of the right one of two classes; targets of -1 do not count."""
    scores, labels = as_array(y), as_array(t)
    if scores.shape != labels.shape or labels.dtype.kind not in "iu":
        raise TypeError(f"binary_accuracy: t is {labels.dtype} {labels.shape}; expected integers, {scores.shape}")
    counts = labels != -1
    right = ((scores >= 0) == labels) & counts
    return (right.sum() / max(int(counts.sum()), 1)).astype(scores.dtype)


@adapted
@signed
def classification_summary(y, t, label_num, beta, ignore_label):
    """Precision, recall, F score and number of examples of each class; NaN where there are none to divide by."""
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


__getattr__ = fill(__name__)
