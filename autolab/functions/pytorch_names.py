"""What PyTorch computes in another way than the function of AutoLab that is nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.variable import Variable
from .losses.classification import softmax_cross_entropy
from .losses.entropy import xlogy
from .losses.loss_terms import in_all


def cross_entropy(x: Any, t: Any, class_weight: Any = None, ignore_label: int = -100, reduction: str = "mean") -> Any:
    """`softmax_cross_entropy` with the classes along axis 1, as PyTorch has them; along axis 0 for a single example.

    Parameters
    ----------
    x : Variable or array
        Scores before the softmax, of shape ``(examples, classes, ...)``.
    t : array of int
        The right classes, of the shape of ``x`` without the classes.
    class_weight, ignore_label, reduction
        As for `softmax_cross_entropy`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.cross_entropy(Variable([[2.0, 0.0], [0.0, 0.0]]), np.array([0, 1]))
    variable(0.4100375958014589)
    """
    settings = {"class_weight": class_weight, "ignore_label": ignore_label, "reduction": reduction}
    return softmax_cross_entropy(x, t, axis=min(x.ndim - 1, 1), **settings)


def kl_div(x: Any, t: Any, reduction: str = "mean") -> Any:
    """``t * (log(t) - x)``, elementwise: ``x`` are logarithms of probabilities, and the mean is over all elements.

    `kl_divergence` takes two distributions, and sums over one axis.

    Parameters
    ----------
    x : Variable or array
        Logarithms, such as results of `log_softmax`.
    t : Variable or array
        Probabilities of the same shape.
    reduction : str
        ``"mean"``, ``"batchmean"`` (the sum over the number of examples), ``"sum"`` or ``"none"``.

    Raises
    ------
    ValueError
        If the shapes differ, or ``reduction`` is none of these.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.kl_div(Variable(np.log([[0.5, 0.5]])), [[0.25, 0.75]], reduction="batchmean")
    variable(0.1308120359411369)
    """
    if reduction not in ("mean", "batchmean", "sum", "none"):
        raise ValueError(f"kl_div: reduction is {reduction!r:.40}; expected 'mean', 'batchmean', 'sum' or 'none'")
    terms = xlogy(t, t) - t * x
    if terms.shape != x.shape:
        raise ValueError(f"kl_div: x has shape {x.shape}; expected {terms.shape}, that of t")
    return in_all(terms, "sum") / len(x) if reduction == "batchmean" else in_all(terms, reduction)


def tensor(data: Any, requires_grad: bool | None = None) -> Variable:
    """A Variable of a copy of the data; whole numbers stay whole numbers, which have no gradient.

    Examples
    --------
    >>> import autolab
    >>> autolab.tensor([0, 1, 2]).dtype, autolab.tensor([0.5]).requires_grad
    (dtype('int64'), True)
    """
    return Variable(np.array(data.data if isinstance(data, Variable) else data), requires_grad=requires_grad)
