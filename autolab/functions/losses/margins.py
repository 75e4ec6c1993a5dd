"""Margin losses, and the likelihood of targets under predicted Gaussians."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import check_number, takes_other_words
from ...engine.numpy_protocol import unwrap
from ..elementwise.exponentials import log
from ..elementwise.selection import maximum
from ..networks.rectifiers import relu
from ..reductions.norms import norm
from ..working_precision import given_arrays, in_full
from .loss_terms import in_all


@takes_other_words
def hinge(x: Any, t: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Mean hinge loss, ``max(0, margin - t * x)``: by how much scores miss the margin.

    Parameters
    ----------
    x : Variable or array
        Scores; their sign is the class.
    t : Variable or array
        The right signs, -1 or 1, of the shape of ``x``.
    margin : float
        The value of ``t * x`` from which the loss is 0.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Raises
    ------
    ValueError
        If the shapes differ, or a target is 0 or another class number: 0 and 1 become signs by ``2 * t - 1``.

    Notes
    -----
    C. Cortes, V. Vapnik, "Support-vector networks", 1995.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.hinge(Variable([2.0, 0.5, -1.0]), [1.0, 1.0, 1.0], reduction="none")
    variable([0.  0.5 2. ])
    """
    x, t = given_arrays("hinge", x=x, t=t)
    _check_same("hinge", x=x, t=t)
    _check_signs(unwrap(t))
    (x, t), rounded = in_full("hinge", x=x, t=t)
    margin = check_number("hinge", "margin", margin, 0)
    return rounded(in_all(relu(margin - t * x), reduction, "hinge"))


def _check_signs(t: Any) -> None:
    """Refuse 0, which has no gradient, and other class numbers; signs with a weight are taken."""
    if type(t) is not np.ndarray:  # a recorded one has no values to ask for
        return
    wrong = t[t == 0] if t.dtype.kind == "f" else t[np.abs(t.astype(float)) != 1]
    if wrong.size:
        raise ValueError(
            f"hinge: t holds {wrong[0]}; expected signs, -1 or 1. Class numbers 0 and 1 become signs by 2 * t - 1"
        )


@takes_other_words
def triplet(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0, reduction: str = "mean"
) -> Any:
    """Mean triplet loss, ``max(0, |anchor - positive| - |anchor - negative| + margin)``.

    It pulls the positive nearer to the anchor than the negative.

    Parameters
    ----------
    anchor, positive, negative : Variable or array
        Vectors along the last axis, of the same shape.
    margin : float
        By how much nearer the positive should be.
    p : float
        Order of the norm that measures distances, at least 1; 2 is the Euclidean norm.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Raises
    ------
    ValueError
        If the shapes differ, or the inputs are 0-d.

    Notes
    -----
    V. Balntas et al., "Learning local feature descriptors with triplets and shallow convolutional neural networks",
    2016. As in PyTorch, distances are not squared; the gradient of a distance of 0 is 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.triplet(Variable([[0.0, 0.0]]), [[3.0, 4.0]], [[0.0, 2.0]])
    variable(4.0)
    """
    (anchor, positive, negative), rounded = in_full("triplet", anchor=anchor, positive=positive, negative=negative)
    _check_same("triplet", anchor=anchor, positive=positive, negative=negative)
    if not anchor.ndim:
        raise ValueError("triplet: anchor has shape (); expected vectors along the last axis")
    margin = check_number("triplet", "margin", margin, 0)
    order = check_number("triplet", "p", p, 1)
    near, far = [norm(anchor - other, order if order != 2 else None, -1) for other in (positive, negative)]
    return rounded(in_all(relu(near - far + margin), reduction, "triplet"))


@takes_other_words
def gaussian_nll(x: Any, t: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Any:
    """Gaussian negative log-likelihood: the mean of ``(log(var) + (x - t)**2 / var) / 2``.

    ``x`` and ``var`` are the predicted means and variances. The constant ``log(2 * pi) / 2`` is omitted unless ``full``
    is True.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape.
    var : Variable or array
        The variances, of the same shape.
    full : bool
        Add the constant, which makes it the full negative log-density.
    eps : float
        Lower bound for the variance; smaller variances are replaced by it and get no gradient.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for each term separately.

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    D. Nix, A. Weigend, "Estimating the mean and variance of the target probability distribution", 1994.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.gaussian_nll(Variable([1.0, 2.0]), [1.0, 4.0], [1.0, 1.0])
    variable(1.0)
    """
    (x, t, var), rounded = in_full("gaussian_nll", x=x, t=t, var=var)
    _check_same("gaussian_nll", x=x, t=t, var=var)
    eps = check_number("gaussian_nll", "eps", eps, 0)
    if not isinstance(full, bool):
        raise TypeError(f"gaussian_nll: full is {full!r:.60}; expected True or False")
    var, away = maximum(var, eps), x - t
    terms = (log(var) + away * away / var) * 0.5
    return rounded(in_all(terms + math.log(2 * math.pi) / 2 if full else terms, reduction, "gaussian_nll"))


def _check_same(function: str, **arrays: Any) -> None:
    if len({array.shape for array in arrays.values()}) > 1:
        given = ", ".join([f"{name} has shape {array.shape}" for name, array in arrays.items()])
        raise ValueError(f"{function}: {given}: expected the same shape")
