"""Which way through a function a wrong rule forgets: the function without its rule is run equation by equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...gradcheck.naming.forgotten_way import Traced
from ..library import LibraryBudget
from ..ways import TracedUse, ways_through
from .arrays import JAX, array_of, is_float
from .inputs import JaxInputs
from .levels import JaxprLevel
from .tape import GradientTotals, JaxTape, TracedValue


def traced(
    fn: Callable[..., Any], inputs: JaxInputs, values: Sequence[Any], place: int, upstream: Sequence[np.ndarray | None]
) -> Traced | None:
    """The gradient of the input number ``place`` by the function itself, and the share of every way through it."""
    closed = jax.make_jaxpr(replace(inputs, fn=fn).on)(*values)
    tape = JaxTape(LibraryBudget(0, JAX), None, lambda array: None, lambda: None, {})
    leaves = [TracedValue(v, tape.add_leaf(v, "input", None), is_float(v)) for v in values]
    outputs = tape.run(closed.jaxpr, closed.consts, leaves, JaxprLevel(None))
    starts = {y.step: jnp.asarray(g) for y, g in zip(outputs, upstream, strict=True) if g is not None and y.needs}
    uses: list[TracedUse] = []

    def reaching(totals: dict[Any, Any], is_first: bool = False) -> np.ndarray:
        """What of the gradients at some steps reaches the input, flat; the uses on the first way there are noted."""
        found = GradientTotals(totals)
        for call, shares in tape.back(found):
            for use, share in zip(call.uses, shares, strict=True):
                if use.step is None:
                    continue
                if is_first and len(call.results) == 1:
                    function = str(tape.drafts[call.step].function)
                    giver, g = tape.drafts[use.step].function or function, found.sums[call.results[0][0]]
                    uses.append(TracedUse(function, giver, share, g, partial(from_step, use.step)))
                found.add(use.step, share)
        x = found.sums.get(leaves[place].step)
        return np.zeros(values[place].size) if x is None else np.asarray(array_of(x), np.float64).ravel()

    def from_step(step: int, g: Any) -> np.ndarray:
        return reaching({step: g})

    right = reaching(starts, is_first=True)
    return right, list(ways_through(uses, values[place].shape, array_of))
