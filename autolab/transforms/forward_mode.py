"""Forward mode: tangents are propagated through the steps of a run in the order in which these were computed.

An elementwise rule multiplies by the local derivative, in either direction. The rule of any other step is linear in the
upstream gradient; the derivative with respect to that gives the product with a tangent, step by step and without a pass
over the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..engine import Array, Node, Primitive, Variable, get_array_module, grad, using_config, wrap
from ..engine.multi_output import Bundle, OutputNode
from ..engine.observe import ForwardEvent, observe
from ..functions import broadcast_to

Tangents = Mapping[Node, Array]


class UnseenStepError(Exception):
    """A value was computed in a step that could not be observed, so its tangent is unknown."""


class Tape(observe):
    """A ``with`` block that records its steps, so that tangents can be propagated through them any number of times.

    ``steps`` are the events, ``made`` the same with the Variables as they were then.
    """

    def __init__(self) -> None:
        steps, made = list[ForwardEvent](), list[ForwardEvent]()
        self.steps, self.made = steps, made

        def keep(event: Any) -> None:  # a method would make a reference cycle
            if isinstance(event, ForwardEvent):
                steps.append(event)  # y[0] = 1 later gives a result y another node
                inputs = tuple([wrap(x._data, x.node) if isinstance(x, Variable) else x for x in event.inputs])
                outputs = tuple([wrap(y._data, y.node) for y in event.outputs])
                made.append(event._replace(inputs=inputs, outputs=outputs))

        super().__init__(keep)

    def pushed(self, inputs: Sequence[Variable], tangents: Sequence[Array], outputs: Sequence[Variable]) -> list[Array]:
        """The tangents of ``outputs``, propagated from those of the inputs.

        Raises
        ------
        UnseenStepError
            If an output comes from a step that is not on the tape.
        """
        found = {x.node: t for x, t in zip(inputs, tangents, strict=True) if x.node is not None}
        known = set(found)
        for step in self.made:
            edges = [] if (node := node_of(step)) is None else [*node.edges]
            _check_known([edge.parent for edge in edges], known)
            moving = {edge.place: found[edge.parent] for edge in edges if edge.parent in found}
            if moving:
                pairs = zip(step.outputs, through(step, moving), strict=True)
                found |= {y.node: t for y, t in pairs if y.node is not None and t is not None}
            known |= {y.node for y in step.outputs if y.node is not None}
        _check_known([y.node for y in outputs], known)
        return [_tangent(y, found) for y in outputs]


def _check_known(nodes: Sequence[Node | None], known: set[Node]) -> None:
    if any([node is not None and node.order and node not in known for node in nodes]):
        raise UnseenStepError


def _tangent(y: Variable, found: Tangents) -> Array:
    known = None if y.node is None else found.get(y.node)
    return get_array_module(y._data).zeros_like(y._data) if known is None else known


def node_of(step: ForwardEvent) -> Node | None:
    """The node of a step; if it has several results, the node below theirs."""
    nodes = [y.node for y in step.outputs if y.node is not None]
    parts = [node.parent for node in nodes if isinstance(node, OutputNode)]
    return next(iter([*parts, *nodes]), None)


def through(step: ForwardEvent, tangents: Mapping[int, Any], create_graph: bool = False) -> list[Any]:
    """The tangents of the results of a step, from those of its inputs at some positions; the others have tangent 0.

    Arrays, or with ``create_graph`` Variables that are functions of the tangents and of the inputs. None for a result
    that depends on none of these inputs.
    """
    if isinstance(step.function, Primitive) and step.function.elementwise and len(step.outputs) == 1:
        tangent = _elementwise(step.outputs[0], tangents, create_graph)
        if tangent is not None:
            return [tangent]
    return _linear(step, tangents, create_graph)


def _elementwise(y: Variable, tangents: Mapping[int, Any], create_graph: bool) -> Any:
    """The sum of local derivatives times tangents; None if there are none, or if a rule itself changes shapes."""
    total = None
    for edge in y.node.edges if y.node is not None else ():
        if edge.place in tangents:
            saved = y.node.function.revived(y.node, edge) if create_graph else edge.saved  # type: ignore[union-attr]
            share = edge.rule(spread(tangents[edge.place], y), saved)
            if getattr(share, "shape", None) != y.shape:
                return None
            total = share if total is None else total + share
    return None if total is None else spread(total, y)


def spread(t: Any, y: Any) -> Any:
    """An array or Variable with the shape and dtype of ``y``; NumPy's scalars become arrays."""
    t = np.asarray(t) if isinstance(t, np.generic) else t
    t = t if t.shape == y.shape else broadcast_to(t, shape=y.shape)
    return t if t.dtype == y.dtype else Primitive.cast(t, dtype=y.dtype)


def _linear(step: ForwardEvent, tangents: Mapping[int, Any], create_graph: bool) -> list[Any]:
    """The input gradients are linear in the upstream gradient: their derivatives by it, times the tangents."""
    found: list[Any] = [None] * len(step.outputs)
    node = node_of(step)
    if node is None:
        return found
    outputs = [(i, y) for i, y in enumerate(step.outputs) if y.node is not None]
    dummies = [wrap(get_array_module(y._data).zeros_like(y._data), Node.leaf()) for _, y in outputs]
    upstream: Any = dummies[0]
    if len(step.outputs) > 1:
        upstream = Bundle({i: dummy for (i, _), dummy in zip(outputs, dummies, strict=True)})
    with using_config("enable_backprop", True):
        pairs = node.function.pull(node, upstream, True)
    shares = [
        (g, tangents[edge.place])
        for edge, (_, g) in zip(node.edges, pairs, strict=True)
        if edge.place in tangents and isinstance(g, Variable) and g.node
    ]
    if shares:
        products = grad([g for g, _ in shares], dummies, [t for _, t in shares], create_graph)
        for (i, _), t in zip(outputs, products, strict=True):
            found[i] = t if t is None or create_graph else t._data
    return found
