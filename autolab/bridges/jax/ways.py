"""Which way through a function a wrong rule forgets: the function without its rule is run equation by equation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...gradcheck.naming.forgotten_way import Traced, TracedStep, Way
from .arrays import JaxBudget, array_of, is_float
from .inputs import JaxInputs
from .levels import JaxprLevel
from .tape import EvaluatedEquation, JaxTape, TracedValue

_ELEMENTWISE = {"exp", "log", "sin", "cos", "tan", "tanh", "logistic", "sqrt", "rsqrt", "abs", "square", "integer_pow"}
_ELEMENTWISE |= {"pow", "neg", "expm1", "log1p", "erf", "atan", "mul", "add", "sub", "div", "max", "relu"}


@dataclass
class _JaxUse:
    """A use: the function that takes the value, its step, what comes through this use, and what came to the result."""

    function: str
    step: int
    share: Any
    upstream: Any


def traced(
    fn: Callable[..., Any], inputs: JaxInputs, values: Sequence[Any], place: int, upstream: Sequence[np.ndarray | None]
) -> Traced | None:
    """The gradient of the input number ``place`` by the function itself, and the share of every way through it."""
    bare = replace(inputs, fn=fn)
    closed = jax.make_jaxpr(bare.call)(*values)
    tape = JaxTape(JaxBudget(0), None, lambda array: None, lambda: None, {})
    leaves = [TracedValue(v, tape.add_leaf(v, "input", None), is_float(v)) for v in values]
    outputs = tape.run(closed.jaxpr, closed.consts, leaves, JaxprLevel(None))
    starts = {y.step: jnp.asarray(g) for y, g in zip(outputs, upstream, strict=True) if g is not None and y.needs}
    edges: list[_JaxUse] = []
    x, shape = leaves[place].step, values[place].shape
    right = _back(tape, dict(starts), x, shape, edges)
    return right, list(_ways(tape, edges, x, shape))


def _back(
    tape: JaxTape, totals: dict[Any, Any], x: Any, shape: tuple[int, ...], edges: list[_JaxUse] | None
) -> np.ndarray:
    """What of the gradients ``totals`` at some steps reaches ``x``, flat; every use on the way is noted."""
    for call in reversed(tape.calls):
        arrived = [totals.get(step) for step, _ in call.results]
        if all(g is None for g in arrived):
            continue
        for use, share in zip(call.uses, call.vjp(_full(call, arrived)), strict=True):
            if use.step is None:
                continue
            totals[use.step] = share if use.step not in totals else totals[use.step] + share
            if edges is not None and len(arrived) == 1:
                edges.append(_JaxUse(str(tape.drafts[call.step].function), use.step, share, arrived[0]))
    return np.asarray(array_of(totals[x]), np.float64).ravel() if x in totals else np.zeros(int(np.prod(shape)))


def _full(call: EvaluatedEquation, arrived: Sequence[Any]) -> list[Any]:
    pairs = zip(call.results, arrived, strict=True)
    return [
        np.zeros(y.shape, jax.dtypes.float0) if not is_float(y) else jnp.zeros_like(y) if g is None else g
        for (_, y), g in pairs
    ]


def _ways(tape: JaxTape, edges: Sequence[_JaxUse], x: Any, shape: tuple[int, ...]) -> Iterator[Way]:
    for edge in edges:
        found = _back(tape, {edge.step: edge.share}, x, shape, None)
        giver = tape.drafts[edge.step].function or edge.function
        yield Way(giver, found)
        if edge.function in _ELEMENTWISE:
            if edge.upstream.shape == edge.share.shape:
                passed = _back(tape, {edge.step: edge.upstream}, x, shape, None)
                yield TracedStep(edge.function, found - passed, "wrong_function.step")
            if edge.upstream.shape == shape:
                whole = np.asarray(array_of(edge.upstream), np.float64).ravel()
                yield TracedStep(edge.function, found - whole, "wrong_function.inner")
