"""Upstream gradients: those that were given, and ones for the others."""

from __future__ import annotations

from typing import Any

from ..engine.backend import Array, get_array_module
from ..engine.errors import a_kind
from ..engine.variable import Variable


def one_each(caller: str, outputs: tuple[Variable, ...], upstream: Any) -> list[Array]:
    """The upstream gradients, one per output; None stands for ones."""
    count = len(outputs)
    if upstream is None or count == 1:
        upstream = (upstream,) * count
    if not isinstance(upstream, list | tuple) or len(upstream) != count:
        came = f"{len(upstream)} of them" if isinstance(upstream, list | tuple) else a_kind(upstream)
        raise ValueError(f"{caller}: option 'upstream' is {came}; expected a tuple of {count}, one per output")
    return [_start(f"{caller}: option 'upstream'", y, given) for y, given in zip(outputs, upstream, strict=True)]


def _start(what: str, y: Variable, given: Any) -> Array:
    if given is None:
        return get_array_module(y._data).ones(y.shape, y.dtype)
    start = y._like(given, what)
    if start.shape != y.shape:
        raise ValueError(f"{what} has shape {start.shape}; expected {y.shape}, that of the output")
    return start
