"""``chainer.functions.evaluation``"""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ... import missing
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


__getattr__ = missing(__name__)
