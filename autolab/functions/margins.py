"""Losses of margins and of spreads: hinge, triplets, and the likelihood under normal distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.backend import as_array, get_array_module
from ..engine.variable import Variable
from .activation import relu
from .choose import maximum
from .math import log
from .norms import Order, norm
from .precision import in_full
from .reduce import sum


def hinge(x: Any, t: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """Mean of ``maximum(0, margin - t * x)``: how far scores are from the right side of a margin.

    At the margin itself the gradient is 0.

    Parameters
    ----------
    x : Variable or array
        Scores.
    t : array
        Of the same shape: -1 and 1, the sides where the scores should be. It gets no gradient.
    margin : float
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for every term by itself.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``x`` without a reduction.

    Raises
    ------
    ValueError
        If the shapes differ, or a target is neither -1 nor 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.hinge(Variable([0.5, -0.5, 3.0]), [1, 1, 1], reduction="none")
    variable([0.5 1.5 0. ])
    """
    (x,), rounded = in_full("hinge", x=x)
    sides = t.data if isinstance(t, Variable) else as_array(t, "hinge: input 't'")
    _same("hinge", x=x, t=sides)
    sides = sides.astype(x.dtype)
    if not (get_array_module(sides).abs(sides) == 1).all():
        raise ValueError("hinge: t holds other numbers than -1 and 1; classes 0 and 1 become sides by 2 * t - 1")
    return rounded(_reduced("hinge", relu(margin - sides * x), reduction))


def triplet_margin(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    ord: Order = 2,
    axis: int = -1,
    reduction: str = "mean",
) -> Any:
    """Mean of ``maximum(0, margin + norm(anchor - positive) - norm(anchor - negative))``.

    Vectors shall be nearer to their like than to others, by a margin. At the margin itself the gradient is 0.

    Parameters
    ----------
    anchor, positive, negative : Variable or array
        Of the same shape: vectors, such that are like them, and such that are not.
    margin : float
    ord : None or float
        Which length, as for `norm`.
    axis : int
        Along which the vectors lie.
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for every term by itself.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``anchor`` without ``axis`` without a reduction.

    Raises
    ------
    ValueError
        If the shapes differ, or the axis does not exist.

    Notes
    -----
    F. Schroff, D. Kalenichenko, J. Philbin, "FaceNet: a unified embedding for face recognition and clustering", 2015,
    with squares of the distances.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.triplet_margin(Variable([[0.0, 0.0]]), [[3.0, 4.0]], [[0.0, 5.5]])
    variable(0.5)
    """
    vectors, rounded = in_full("triplet_margin", anchor=anchor, positive=positive, negative=negative)
    anchor, positive, negative = vectors
    _same("triplet_margin", anchor=anchor, positive=positive, negative=negative)
    if not -anchor.ndim <= axis < anchor.ndim:
        raise ValueError(f"triplet_margin: anchor has shape {anchor.shape}; expected an axis of it, got axis={axis}")
    near, far = [norm(anchor - other, ord=ord, axis=axis) for other in (positive, negative)]
    return rounded(_reduced("triplet_margin", relu(margin + near - far), reduction))


def gaussian_nll(x: Any, t: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Any:
    """Mean of ``(log(var) + (x - t) ** 2 / var) / 2``: the negative log-likelihood of numbers under normal
    distributions.

    Parameters
    ----------
    x, t : Variable or array
        Of the same shape: the means of the distributions, and the numbers.
    var : Variable or array
        The variances, of a shape that broadcasts to theirs; those below ``eps`` count as ``eps``.
    full : bool
        Add the constant ``log(2 * pi) / 2`` to each term.
    eps : float
    reduction : str
        ``"mean"``, ``"sum"``, or ``"none"`` for every term by itself.

    Returns
    -------
    Variable or array
        0-d, or of the shape of ``x`` without a reduction.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a variance is negative.

    Notes
    -----
    D. Nix, A. Weigend, "Estimating the mean and variance of the target probability distribution", 1994.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.gaussian_nll(Variable([1.0, 2.0]), [1.0, 4.0], [1.0, 1.0])
    variable(1.0)
    """
    if not eps > 0:
        raise ValueError(f"gaussian_nll: eps is {eps!r:.40}; expected a number above 0")
    (x, t, var), rounded = in_full("gaussian_nll", x=x, t=t, var=var)
    _same("gaussian_nll", x=x, t=t)
    if _broadcast(x.shape, var.shape) != x.shape:
        raise ValueError(f"gaussian_nll: var has shape {var.shape}; expected one that broadcasts to {x.shape}")
    if ((var.data if isinstance(var, Variable) else var) < 0).any():
        raise ValueError("gaussian_nll: var holds negative numbers; expected variances, such as exp(y)")
    away, spread = x - t, maximum(var, eps)
    terms = (log(spread) + away * away / spread) / 2
    return rounded(_reduced("gaussian_nll", terms + math.log(2 * math.pi) / 2 if full else terms, reduction))


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def _same(function: str, **inputs: Any) -> None:
    """Refuse different shapes: what broadcasts would be a matrix of losses."""
    if len({v.shape for v in inputs.values()}) > 1:
        shapes = ", ".join([f"{name} has shape {v.shape}" for name, v in inputs.items()])
        raise ValueError(f"{function}: {shapes}; expected the same shape")


def _reduced(function: str, terms: Any, reduction: str) -> Any:
    """The loss that its terms make; their mean is 0 of none."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{function}: reduction is {reduction!r:.40}; expected 'mean', 'sum' or 'none'")
    if reduction == "none":
        return terms
    return sum(terms) / (max(terms.size, 1) if reduction == "mean" else 1)
