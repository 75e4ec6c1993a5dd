"""Which way through a function a wrong backward forgets: what the bridges have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..gradcheck.naming.forgotten_way import TracedStep, Way

ELEMENTWISE = {"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "logistic", "sqrt", "rsqrt", "abs", "square"}
ELEMENTWISE |= {"pow", "integer_pow", "relu", "add", "sub", "mul", "div", "neg", "reciprocal", "expm1", "log1p"}
ELEMENTWISE |= {"softplus", "erf", "clamp", "atan", "max"}
"""Functions of elements, by the names that the libraries give them."""


@dataclass(frozen=True, eq=False)
class TracedUse:
    """A use of a value: the function that takes it, the one that made it, the gradient that comes back through this
    use, and the one that came to the function's result.

    ``reaching(g)`` is what of a gradient of the value reaches the input, flat.
    """

    function: str
    giver: str
    share: Any
    upstream: Any
    reaching: Callable[[Any], np.ndarray]


def ways_through(
    uses: Sequence[TracedUse], shape: tuple[int, ...], array_of: Callable[[Any], np.ndarray]
) -> Iterator[Way]:
    """The uses as ways to an input of that shape, and as steps whose derivative may be forgotten."""
    for use in uses:
        found = use.reaching(use.share)
        yield Way(use.giver, found)
        if use.function not in ELEMENTWISE or use.upstream is None:
            continue
        if use.upstream.shape == use.share.shape:
            yield TracedStep(use.function, found - use.reaching(use.upstream), "wrong_function.step")
        if tuple(use.upstream.shape) == tuple(shape):
            whole = np.asarray(array_of(use.upstream), np.float64).ravel()
            yield TracedStep(use.function, found - whole, "wrong_function.inner")
