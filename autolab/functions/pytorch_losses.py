"""PyTorch's losses and shrinking functions that are a line of AutoLab's functions.

They are functions of `autolab.nn.functional`, and with PyTorch's promotion of types of the torch facade.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import takes_other_words, unwrap
from .arrays.axes import expand_dims
from .arrays.indexing import take_along_axis
from .elementwise.exponentials import exp, log
from .elementwise.logistic import logsigmoid, softplus
from .elementwise.powers import sqrt
from .elementwise.selection import clip, where
from .linear_algebra.einstein import einsum
from .losses.entropy import sigmoid_cross_entropy
from .losses.loss_terms import check_same, in_all
from .networks.rectifiers import relu
from .reductions.norms import norm
from .reductions.reduce import sum as sum_of
from .working_precision import given_arrays, in_full


def _begun(function: str, reduction: str, **tensors: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    """The tensors of a loss in single or double precision, and the function that makes the loss of its terms."""
    full, rounded = in_full(function, **tensors)
    return full, lambda terms: rounded(in_all(terms, reduction, function))


def _cut(x: Any) -> Any:
    """``max(0, x)`` with the slope 1 at 0: equal scores, as at the start, are pushed apart."""
    return clip(x, 0, None)


@takes_other_words
def poisson_nll_loss(
    x: Any, t: Any, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """The negative log-likelihood of counts ``t`` under Poisson distributions with means ``exp(x)``, or ``x`` itself.

    ``full`` adds Stirling's approximation of ``log(t!)`` for counts above 1.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.poisson_nll_loss(Variable([0.0, 0.0]), [1.0, 3.0])
    variable(1.0)
    """
    (x, t), loss = _begun("poisson_nll_loss", reduction, x=x, t=t)
    terms = exp(x) - t * x if log_input else x - t * log(x + eps)
    if not full:
        return loss(terms)
    some = where(unwrap(t) > 1, t, np.ones((), t.dtype))
    more = some * log(some) - some + 0.5 * log(2 * math.pi * some)
    return loss(terms + where(unwrap(t) > 1, more, np.zeros((), t.dtype)))


@takes_other_words
def hinge_embedding_loss(x: Any, t: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Of distances: ``x`` where the target is 1, ``max(0, margin - x)`` where it is -1.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.hinge_embedding_loss(Variable([0.5, 0.25]), [1.0, -1.0], reduction="none")
    variable([0.5  0.75])
    """
    (x,), loss = _begun("hinge_embedding_loss", reduction, x=x)
    (t,) = given_arrays("hinge_embedding_loss", t=t)
    none = np.zeros((), x.dtype)
    return loss(where(unwrap(t) != 1, _cut(margin - x), none) + where(unwrap(t) != -1, x, none))


@takes_other_words
def binary_cross_entropy_with_logits(
    x: Any, t: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """`functions.sigmoid_cross_entropy`, with a weight for each term, and ``pos_weight`` for those of positive targets.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.binary_cross_entropy_with_logits(Variable([0.0, 0.0]), [1.0, 0.0], pos_weight=3.0)
    variable(1.3862943611198906)
    """
    if weight is None and pos_weight is None:
        return sigmoid_cross_entropy(x, t, reduction=reduction)
    (x, t), loss = _begun("binary_cross_entropy_with_logits", reduction, x=x, t=t)
    check_same(x, t)
    positive = 1 if pos_weight is None else unwrap(pos_weight)
    terms = (1 - t) * x + (1 + (positive - 1) * t) * softplus(-x)
    return loss(terms if weight is None else terms * unwrap(weight))


@takes_other_words
def soft_margin_loss(x: Any, t: Any, reduction: str = "mean") -> Any:
    """``log(1 + exp(-t * x))``, for signs ``t``.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.soft_margin_loss(Variable([0.0]), [1.0])
    variable(0.6931471805599453)
    """
    (x, t), loss = _begun("soft_margin_loss", reduction, x=x, t=t)
    return loss(softplus(-t * x))


@takes_other_words
def multilabel_soft_margin_loss(x: Any, t: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """The binary cross entropy of scores, averaged over the classes, the last axis.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.multilabel_soft_margin_loss(Variable([[0.0, 0.0]]), [[1.0, 0.0]])
    variable(0.6931471805599453)
    """
    (x, t), loss = _begun("multilabel_soft_margin_loss", reduction, x=x, t=t)
    each = -(t * logsigmoid(x) + (1 - t) * logsigmoid(-x))
    return loss(sum_of(each if weight is None else each * unwrap(weight), axis=-1) / each.shape[-1])


@takes_other_words
def margin_ranking_loss(a: Any, b: Any, t: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """``max(0, margin - t * (a - b))``: where ``t`` is 1, ``a`` should be the larger one.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.margin_ranking_loss(Variable([1.0, 2.0]), [3.0, 1.0], [1.0, 1.0], reduction="none")
    variable([2. 0.])
    """
    (a, b, t), loss = _begun("margin_ranking_loss", reduction, a=a, b=b, t=t)
    return loss(_cut(margin - t * (a - b)))


@takes_other_words
def cosine_embedding_loss(a: Any, b: Any, t: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """Of vectors along the last axis: ``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.cosine_embedding_loss(Variable([[3.0, 4.0]]), [[4.0, 3.0]], [1]).data.round(6)
    np.float64(0.04)
    """
    (a, b), loss = _begun("cosine_embedding_loss", reduction, a=a, b=b)
    (t,) = given_arrays("cosine_embedding_loss", t=t)
    lengths = sqrt((sum_of(a * a, axis=-1) + 1e-12) * (sum_of(b * b, axis=-1) + 1e-12))
    cos, none = sum_of(a * b, axis=-1) / lengths, np.zeros((), a.dtype)
    return loss(where(unwrap(t) == 1, 1 - cos, none) + where(unwrap(t) == -1, _cut(cos - margin), none))


@takes_other_words
def multi_margin_loss(
    x: Any, t: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean"
) -> Any:
    """By how much the scores of other classes come within ``margin`` of the right one's, to the power ``p``, averaged.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.multi_margin_loss(Variable([[0.0, 2.0, 1.5]]), [1]).data.round(6)
    np.float64(0.166667)
    """
    (x,), loss = _begun("multi_margin_loss", reduction, x=x)
    (t,) = given_arrays("multi_margin_loss", t=t)
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p is {p!r:.40}; expected 1 or 2")
    labels = expand_dims(unwrap(t).astype(np.int64), -1)
    over = relu(margin - take_along_axis(x, labels, axis=-1) + x)
    over = where(np.arange(x.shape[-1]) == labels, np.zeros((), x.dtype), over if p == 1 else over * over)
    each = over if weight is None else over * unwrap(weight)[labels]
    return loss(sum_of(each, axis=-1) / x.shape[-1])


@takes_other_words
def pairwise_distance(a: Any, b: Any, p: float = 2.0, eps: float = 1e-6, keepdims: bool = False) -> Any:
    """The norm of ``a - b + eps`` along the last axis.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.pairwise_distance(Variable([[3.0, 4.0]]), [[0.0, 0.0]], eps=0.0)
    variable([5.])
    """
    return norm(a - b + eps, p, -1, keepdims)


@takes_other_words
def bilinear(a: Any, b: Any, w: Any, bias: Any = None) -> Any:
    """``a @ w[k] @ b``, plus ``bias[k]``, for each ``k``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.functional.bilinear(np.ones((5, 2)), np.ones((5, 3)), np.ones((4, 2, 3))).shape
    (5, 4)
    """
    y = einsum("...i,kij,...j->...k", a, w, b)
    return y if bias is None else y + bias


@takes_other_words
def threshold(x: Any, threshold: float, value: float) -> Any:
    """``x`` where it is above the threshold, elsewhere ``value``.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.threshold(Variable([0.5, 2.0]), 1.0, -1.0)
    variable([-1.  2.])
    """
    return where(unwrap(x) <= threshold, np.asarray(value, x.dtype), x)


@takes_other_words
def softshrink(x: Any, lambd: float = 0.5) -> Any:
    """``x`` moved towards 0 by ``lambd``; 0 where it is nearer.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.softshrink(Variable([-2.0, 0.25, 1.0]))
    variable([-1.5  0.   0.5])
    """
    far = hardshrink(x, lambd)
    return far - lambd * np.sign(unwrap(far))


@takes_other_words
def hardshrink(x: Any, lambd: float = 0.5) -> Any:
    """``x``, or 0 where its absolute value is at most ``lambd``.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.hardshrink(Variable([-2.0, 0.25, 1.0]))
    variable([-2.  0.  1.])
    """
    return where(np.abs(unwrap(x)) <= lambd, np.zeros((), x.dtype), x)
