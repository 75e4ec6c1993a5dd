"""Reductions of the terms of a loss: their mean, their sum, or none."""

from __future__ import annotations

from typing import Any

from ...engine import Array
from ..reductions.reduce import mean, sum


def reduced(terms: Array, reduction: str, count: int | None = None) -> Array:
    """The loss from its terms; a mean divides by ``count``, and is 0 if there are no terms."""
    if reduction == "mean":
        return terms.sum() / max(terms.size if count is None else count, 1)
    if reduction == "sum":
        return terms.sum()
    if reduction == "none":
        return terms
    raise ValueError(f"reduction is {reduction!r:.40}; expected 'mean', 'sum' or 'none'")


def per_term(g: Any, count: int, reduction: str) -> Any:
    """The upstream gradient of each of ``count`` terms, before broadcasting."""
    return g / max(count, 1) if reduction == "mean" else g


def in_all(terms: Any, reduction: str, function: str = "") -> Any:
    """`reduced`, for Variables; an error about the reduction names the function."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{function}: reduction is {reduction!r:.40}; expected 'mean', 'sum' or 'none'")
    if reduction == "none":
        return terms
    return mean(terms) if reduction == "mean" and terms.size else sum(terms)


def check_same(a: Array, b: Array) -> None:
    """Refuse different shapes: broadcasting would give a matrix of losses."""
    if a.shape != b.shape:
        raise ValueError("expected the same shape")
