"""Forward mode: tangents go through the steps of a run in the order in which they were computed, beside the values.

An elementwise rule multiplies by the local derivative, in both directions. The rule of any other step is linear in the
upstream gradient: its derivative by that is the product with a tangent, step by step and without a pass over the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.backend import Array, get_array_module
from ..engine.configuration import using_config
from ..engine.grad import grad
from ..engine.multi_output import Bundle, OutputNode
from ..engine.node import Node
from ..engine.observe import ForwardEvent, observe
from ..engine.primitive import Primitive
from ..engine.variable import Variable, wrap

Tangents = Mapping[Node, Array]


class UnseenStepError(Exception):
    """A value was computed in a step that nobody could observe: its tangent is not known."""


class Tape(observe):
    """A ``with`` block whose steps are kept, so that tangents can go through them as often as is wanted."""

    def __init__(self) -> None:
        steps: list[ForwardEvent] = []
        self.steps = steps

        def keep(event: Any) -> None:  # a method would make a circle of references
            if isinstance(event, ForwardEvent):
                steps.append(event)

        super().__init__(keep)

    def pushed(self, inputs: Sequence[Variable], tangents: Sequence[Array], outputs: Sequence[Variable]) -> list[Array]:
        """The tangents of ``outputs``, from those of the inputs.

        Raises
        ------
        UnseenStepError
            If an output comes from a step that is not on the tape.
        """
        found = {x.node: t for x, t in zip(inputs, tangents, strict=True) if x.node is not None}
        known = set(found)
        for step in self.steps:
            for x in step.inputs:
                _check_known(x, known)
            if any([isinstance(x, Variable) and x.node in found for x in step.inputs]):
                found |= _through(step, found)
            known |= {y.node for y in step.outputs if y.node is not None}
        for y in outputs:
            _check_known(y, known)
        return [_tangent(y, found) for y in outputs]


def _check_known(x: Any, known: set[Node]) -> None:
    if isinstance(x, Variable) and x.node is not None and x.node.order and x.node not in known:
        raise UnseenStepError


def _tangent(y: Variable, found: Tangents) -> Array:
    known = None if y.node is None else found.get(y.node)
    return get_array_module(y._data).zeros_like(y._data) if known is None else known


def _through(step: ForwardEvent, found: Tangents) -> dict[Node, Array]:
    """The tangents of the results of a step."""
    if isinstance(step.function, Primitive) and step.function.elementwise and len(step.outputs) == 1:
        tangent = _elementwise(step.outputs[0], found)
        if tangent is not None:
            return tangent
    return _linear(step, found)


def _elementwise(y: Variable, found: Tangents) -> dict[Node, Array] | None:
    """The sum of local derivatives times tangents; None where a rule changes shapes by itself."""
    if y.node is None:
        return {}
    xp, total = get_array_module(y._data), None
    for edge in y.node.edges:
        if edge.parent in found:
            share = edge.rule(xp.broadcast_to(found[edge.parent], y.shape), edge.saved)
            if getattr(share, "shape", None) != y.shape:
                return None
            total = share if total is None else total + share
    return {y.node: total.astype(y.dtype, copy=False)} if total is not None else {}


def _linear(step: ForwardEvent, found: Tangents) -> dict[Node, Array]:
    """The gradients of the inputs are linear in the upstream gradient; the derivative by it, times the tangents."""
    outputs = [(i, y) for i, y in enumerate(step.outputs) if y.node is not None]
    if not outputs:
        return {}
    dummies = [wrap(get_array_module(y._data).zeros_like(y._data), Node.leaf()) for _, y in outputs]
    first: Any = outputs[0][1].node
    node = first.parent if isinstance(first, OutputNode) else first
    upstream: Any = dummies[0]
    if isinstance(first, OutputNode):
        upstream = Bundle({i: dummy for (i, _), dummy in zip(outputs, dummies, strict=True)})
    with using_config("enable_backprop", True):
        pairs = node.function.pull(node, upstream, True)
    shares = [(g, found[parent]) for parent, g in pairs if parent in found and isinstance(g, Variable) and g.node]
    if not shares:
        return {}
    products = grad([g for g, _ in shares], dummies, [t for _, t in shares])
    return {y.node: t._data for (_, y), t in zip(outputs, products, strict=True) if y.node and t is not None}
