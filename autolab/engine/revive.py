"""What a rule kept, as the Variables that it was: so a gradient can be differentiated, and one rule serves every order.

The name under which a rule keeps an array says which Variable it was: the name of an input, that of its edge's parent;
the name of an output, that of the node itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .multi_output import MultiOutputNode
from .node import Node
from .schema import Schema
from .variable import Variable, wrap
from .variadic import Many

Reviver = Callable[[Node, Any], Any]
"""``revive(node, saved)``: Variables in place of the arrays that one of the node's rules kept."""


def reviver(schema: Schema, names: tuple[str, ...]) -> Reviver | None:
    """The reviver of a rule that keeps the values of these names; None if none of them is an array of the graph."""
    if len(names) == 1:
        return _reviver_of(schema, names[0])
    each = [_reviver_of(schema, name) for name in names]
    if not any(each):
        return None
    return lambda node, saved: tuple(
        [value if revive is None else revive(node, value) for revive, value in zip(each, saved, strict=True)]
    )


def _reviver_of(schema: Schema, name: str) -> Reviver | None:
    if name in schema.outputs:
        i = schema.outputs.index(name)
        return lambda node, value: _output(node, i, value)
    if name not in schema.inputs:
        return None  # a shape or an attribute
    place = schema.inputs.index(name)
    if schema.variadic and place == len(schema.inputs) - 1:
        return lambda node, values: _many(node, place, values)
    return lambda node, value: _input(node, place, value)


def _output(node: Node, i: int, value: Any) -> Variable:
    return wrap(value, node.output(i) if isinstance(node, MultiOutputNode) else node)


def _input(node: Node, place: int, value: Any) -> Any:
    """The input at ``place`` as a Variable; a constant, or an input that was left out, as it is."""
    edge: Any = node
    while edge is not None and edge.place <= place:  # they are in the order of the inputs
        if edge.place == place:
            return wrap(value, edge.parent)
        edge = edge.more
    return value


def _many(node: Node, first: int, values: Many) -> tuple[Any, ...]:
    """The same for all inputs for which one name stands, once for all edges."""
    if values.variables is None:
        parents = {edge.place: edge.parent for edge in node.edges}
        values.variables = tuple([wrap(v, parents[i]) if i in parents else v for i, v in enumerate(values, first)])
    return values.variables
