"""Node and Edge: what a graph is made of. Nothing here refers to a Variable.

    Variable -> Node -> parent Nodes

A Variable points to the node that made it; a node points to the nodes of its inputs. As nothing points back, a graph
that nobody holds is freed at once by reference counting.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Self

new_order = count(1).__next__
"""Creation counter: a node's order is higher than that of every node it was made from."""


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

    __slots__ = ("__weakref__", "function", "given", "grad", "order")

    function: Any
    order: int
    grad: Any
    given: bool

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
        """The node of a Variable that nothing computed."""
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
    """The node of a Variable that nothing computed.

    ``passes`` counts the backward passes that the gradient is the sum of; ``moved`` is the place in the order of all
    nodes at which the Variable last got another array, 0 if it has its first: nodes of a lower order do not know that.
    It is negative once a backward pass has come by since.
    """

    __slots__ = ("moved", "passes")

    passes: int
    moved: int
