"""PyTorch's binary cross entropy of probabilities, whose logarithms are at least -100."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array
from ...engine.declare import elementwise, primitive
from ..elementwise.exponentials import log, log1p
from ..elementwise.selection import maximum
from ..working_precision import in_single, real
from .loss_terms import check_same, per_term, reduced


@primitive()
def binary_cross_entropy(xp: Any, x: Array, t: Array, *, reduction: str = "mean") -> Array:
    """That of `losses.entropy`, but with logarithms of at least -100: a certain, wrong probability costs 100."""
    check_same(x, t)
    for name, given in (("x", x), ("t", t)):
        if not ((given >= 0) & (given <= 1)).all():
            raise ValueError(f"{name} goes from {given.min()} to {given.max()}; expected probabilities, from 0 to 1")
    return _of_probabilities(xp, x, t, reduction=reduction)


@real
def _of_probabilities(xp: Any, x: Array, t: Array, *, reduction: str) -> Array:
    with np.errstate(divide="ignore"):
        missed, hit = xp.maximum(xp.log1p(-x), -100), xp.maximum(xp.log(x), -100)
    return reduced((t - 1) * missed - t * hit, reduction)


@binary_cross_entropy.vjp("x")
@in_single
def _clamped_x(g: Any, x: Any, t: Any, reduction: str) -> Any:
    """g * (x - t) / max(x * (1 - x), 1e-12) / x.size"""
    return per_term(g, x.size, reduction) * _slope(x, t)


@elementwise(
    x=lambda g, x, t: g * ((x * x - 2 * x * t + t) / _width(x) ** 2),
    t=lambda g, x: -g / _width(x),
)
@real
def _slope(xp: Any, x: Array, t: Array) -> Array:
    """``(x - t) / max(x * (1 - x), 1e-12)``, whose own slope does not see the bound, as in PyTorch."""
    return (x - t) / xp.maximum(x * (1 - x), 1e-12)


def _width(x: Any) -> Any:
    return maximum(x * (1 - x), 1e-12)


@binary_cross_entropy.vjp("t")
@in_single
def _clamped_t(g: Any, x: Any, reduction: str) -> Any:
    """g * (log(1 - x) - log(x)) / x.size"""
    return per_term(g, x.size, reduction) * (log1p(-x) - log(x))
