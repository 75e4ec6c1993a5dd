"""Node and Edge: the elements of a graph. Nothing here refers to a Variable.

    Variable -> Node -> parent Nodes

A Variable points to the node that made it; a node points to the nodes of its inputs. As nothing points back, reference
counting frees an unused graph immediately.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Self

new_order = count(1).__next__
"""Creation counter: the order of a node is higher than that of all nodes it was made from."""


class Edge:
    """One input that needs a gradient: ``gradient of parent = rule(g, saved)``.

    ``place`` is the input's position among those of the function.
    ``fit`` is None where that gradient has the parent's shape and dtype by construction, else that ``(shape, dtype)``.
    ``more`` is the edge of the next input, or None.
    """

    __slots__ = ("fit", "more", "parent", "place", "rule", "saved")

    # There is no __init__: `Node()` and six assignments take half the time of a constructor with six arguments.
    parent: Node
    place: int
    rule: Any
    saved: Any
    fit: tuple[tuple[int, ...], Any] | None
    more: Edge | None


class Node(Edge):
    """One application of a function, or a leaf (order 0): where gradients are stored.

    A node is its own first edge and ``more`` links the others, so that a step with one input is a single object.
    ``grad`` (a Variable) and ``given`` (True if the user set it) stay unset until they are needed, except at leaves.
    """

    __slots__ = ("__weakref__", "function", "given", "grad", "name", "order")

    function: Any
    order: int
    grad: Any
    given: bool
    name: str  # that of its Variable, if it was given one: a graph is still read when the Variable no longer exists

    @classmethod
    def join(cls, function: Any, edges: list[tuple[Node, int, Any, Any, Any]]) -> Self:
        """A new node of ``function`` with edges ``(parent, place, rule, saved, fit)``."""
        node = cls()
        edge: Edge = node
        edge.parent, edge.place, edge.rule, edge.saved, edge.fit = edges[0]
        for values in edges[1:]:
            edge.more = edge = Edge()
            edge.parent, edge.place, edge.rule, edge.saved, edge.fit = values
        edge.more, node.function, node.order = None, function, new_order()
        return node

    @classmethod
    def leaf(cls) -> Node:
        """The node of a Variable that was not computed."""
        node = Leaf()
        node.function, node.order, node.grad, node.given = None, 0, None, False
        node.passes, node.moved = 0, 0
        return node

    @property
    def edges(self) -> Iterator[Edge]:
        """The edges to the inputs that need a gradient, in the order of the inputs; none for a leaf."""
        edge: Edge | None = self if self.order else None
        while edge is not None:
            yield edge
            edge = edge.more

    @property
    def parents(self) -> tuple[Node, ...]:
        """The nodes of the inputs that need a gradient."""
        return tuple([edge.parent for edge in self.edges])


class Leaf(Node):
    """The node of a Variable that was not computed.

    ``passes`` is the number of backward passes whose gradients were added; ``moved`` is the order, in the numbering of
    all nodes, at which the Variable last received a new array, or 0 if it still has its first: nodes with a lower order
    used an earlier array. It is negative after a later backward pass.
    """

    __slots__ = ("moved", "passes")

    passes: int
    moved: int
