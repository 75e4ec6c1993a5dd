"""Upstream gradients: the given ones, and ones for all other outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine import Array, Variable, a_kind, get_array_module


def one_each(
    caller: str, outputs: Sequence[Any], upstream: Any, start: Callable[[Any, Any, str], Any] | None = None
) -> list[Any]:
    """The upstream gradients, one per output; None means ones.

    ``start(y, given, what)`` creates that of an output, by default of a Variable; ``what`` is for its messages.
    """
    count, what = len(outputs), f"{caller}: option 'upstream'"
    if upstream is None or count == 1:
        upstream = (upstream,) * count
    if not isinstance(upstream, list | tuple) or len(upstream) != count:
        came = f"{len(upstream)} of them" if isinstance(upstream, list | tuple) else a_kind(upstream)
        raise ValueError(f"{what} is {came}; expected a tuple of {count}, one per output")
    starts = [(start or _start)(y, given, what) for y, given in zip(outputs, upstream, strict=True)]
    for y, made in zip(outputs, starts, strict=True):
        if made.shape != y.shape:
            raise ValueError(f"{what} has shape {tuple(made.shape)}; expected {tuple(y.shape)}, that of the output")
    return starts


def _start(y: Variable, given: Any, what: str) -> Array:
    return get_array_module(y._data).ones(y.shape, y.dtype) if given is None else y._like(given, what)
