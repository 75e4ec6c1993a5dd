"""What a rule retains from a call, and how this becomes Variables again, so that one rule serves every order.

The name under which a rule retains an array says which Variable it was: for the name of an input, that of the parent of
its edge; for the name of an output, that of the node itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .multi_output import MultiOutputNode
from .node import Edge, Node
from .schema import Many, Schema
from .variable import Variable, wrap

if TYPE_CHECKING:
    from .primitive import Primitive

Keeper = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Selects what a rule retains from the inputs (`Inputs`, if the function is variadic), outputs and attributes."""

Reviver = Callable[[Node, Any], Any]
"""``revive(node, saved)``: the arrays retained by one of the node's rules, as Variables."""


def keeper(schema: Schema, names: tuple[str, ...]) -> Keeper | None:
    """The keeper of the values that a rule names: a single value, or a tuple of several; None if it names none."""
    getters = [_getter(schema, name) for name in names]
    if len(getters) <= 1:
        return getters[0] if getters else None
    return lambda inputs, outputs, attributes: tuple([get(inputs, outputs, attributes) for get in getters])


def _getter(schema: Schema, name: str) -> Keeper:
    """The keeper of an output, an input, its shape, an attribute, or the index of a variadic input."""
    last = schema.inputs[-1] if schema.variadic else None
    if name in schema.outputs:
        place = schema.outputs.index(name)
        return lambda inputs, outputs, attributes: outputs[place]
    if name == last:
        return lambda inputs, outputs, attributes: inputs.many
    if name in schema.inputs:
        place = schema.inputs.index(name)
        return lambda inputs, outputs, attributes: inputs[place]
    if name in schema.defaults:
        return lambda inputs, outputs, attributes: attributes[name]
    if name == "index":
        return lambda inputs, outputs, attributes: inputs.number
    if name == f"{last}_shapes":
        return lambda inputs, outputs, attributes: inputs.shapes
    place = schema.inputs.index(name.removesuffix("_shape"))
    return lambda inputs, outputs, attributes: inputs[place].shape


def places(function: Primitive, i: int) -> tuple[int, ...]:
    """The positions of what the rule of input ``i`` retains, in ``(None, *inputs, output, *shapes, *attributes)``."""
    names = function.retained[function.inputs[i]] if function.plan(i) is not None else ()
    schema, shapes = function.schema, [f"{name}_shape" for name in function.inputs]
    values = (None, *function.inputs, *schema.outputs, *shapes, *schema.defaults)
    return tuple([values.index(name) for name in names]) or (0,)


def kept_values(function: Primitive, edge: Edge) -> list[tuple[str, Any]]:
    """What the rule of an edge receives besides the upstream gradient: names and values."""
    names = function.retained[function.input_at(edge.place)]
    if len(names) == 1:
        return [(names[0], edge.saved)]
    return list(zip(names, edge.saved or (), strict=True)) if names else []


def reviver(schema: Schema, names: tuple[str, ...]) -> Reviver | None:
    """The reviver of a rule that retains these names; None if none of them is an array of the graph."""
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
    """The input at ``place`` as a Variable; a constant or an omitted input is unchanged."""
    edge: Any = node
    while edge is not None and edge.place <= place:  # edges are in the order of the inputs
        if edge.place == place:
            return wrap(value, edge.parent)
        edge = edge.more
    return value


def _many(node: Node, first: int, values: Many) -> tuple[Any, ...]:
    """The same for all inputs that share one name, computed once for all edges."""
    if values.variables is None:
        parents = {edge.place: edge.parent for edge in node.edges}
        values.variables = tuple([wrap(v, parents[i]) if i in parents else v for i, v in enumerate(values, first)])
    return values.variables
