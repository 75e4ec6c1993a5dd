"""Node and Edge: what a graph is made of. Nothing here refers to a Variable.

    Variable -> Node -> parent Nodes

A Variable points to the node that made it; a node points to the nodes of its inputs. As nothing points back, a graph
that nobody holds is freed at once by reference counting.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from itertools import count
from typing import Any, Self

from .backend import get_array_module
from .errors import GradientShapeError

new_order = count(1).__next__
"""Creation counter: a node's order is higher than that of every node it was made from."""


class Edge:
    """One input that needs a gradient: ``gradient of parent = rule(g, saved)``.

    ``fit`` is None where that gradient has the parent's shape and dtype by construction, else that ``(shape, dtype)``.
    ``more`` is the edge of the next input, or None.
    """

    __slots__ = ("fit", "more", "parent", "rule", "saved")

    # There is no __init__: `Node()` and five assignments take half the time of a constructor with five arguments.
    parent: Node
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
    def join(cls, function: Any, edges: list[tuple[Node, Any, Any, Any]]) -> Self:
        """A new node of ``function`` with edges ``(parent, rule, saved, fit)``."""
        node = cls()
        edge: Edge = node
        edge.parent, edge.rule, edge.saved, edge.fit = edges[0]
        for values in edges[1:]:
            edge.more = edge = Edge()
            edge.parent, edge.rule, edge.saved, edge.fit = values
        edge.more, node.function, node.order = None, function, new_order()
        return node

    @classmethod
    def leaf(cls) -> Node:
        """The node of a Variable that nothing computed."""
        node = Leaf()
        node.function, node.order, node.grad, node.given = None, 0, None, False
        node.passes, node.moved = 0, False
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

    ``passes`` counts the backward passes that the gradient is the sum of; ``moved`` is True once the Variable got
    another array after the last of them.
    """

    __slots__ = ("moved", "passes")

    passes: int
    moved: bool


class Whole(Node):
    """A node whose function computes all its gradients in one call, ``function.pull``, from those of all its results.

    A function with several results has a `Part` node above its own for each of them.
    """

    __slots__ = ("_parts", "kinds")

    kinds: tuple[tuple[tuple[int, ...], Any], ...]
    _parts: tuple[weakref.ref[Node] | None, ...]

    def connect(self, outputs: tuple[Any, ...], constants: tuple[int, ...] = ()) -> None:
        """Give the results (Variables) their nodes; those that are no floats or ``constants`` get none."""
        self.kinds = tuple([(y._data.shape, y._data.dtype) for y in outputs])
        single = len(outputs) == 1
        for i, y in enumerate(outputs):
            if y.dtype.kind == "f" and i not in constants:
                y.node = self if single else Part.node(i, self)
        self._parts = () if single else tuple([weakref.ref(y.node) if y.node else None for y in outputs])

    def part(self, i: int) -> Node | None:
        """The node of result ``i``; None if it has none."""
        if len(self.kinds) == 1:
            return self
        part = self._parts[i]
        # where the user dropped the result, nobody can ask for its own gradient any more: a new part serves
        return None if part is None else part() or Part.node(i, self)

    def gradients(self, g: Any) -> list[Any]:
        """The upstream gradient of each result; None for one that nothing used."""
        return [g.get(i) for i in range(len(self.kinds))] if isinstance(g, Bundle) else [g]

    def all_gradients(self, g: Any) -> tuple[Any, ...]:
        """The same with zeros for None: constants, in backward of any order."""
        found = self.gradients(g)
        xp = get_array_module(*found)
        return tuple([xp.zeros(*kind) if got is None else got for kind, got in zip(self.kinds, found, strict=True)])


class Part:
    """The function of the node above one of several results: it hands its gradient down under the result's index."""

    name = "part"

    def __init__(self, index: int) -> None:
        self.index = index

    def rule(self, g: Any, saved: None) -> Bundle:
        return Bundle({self.index: g})

    def pull(self, node: Node, g: Any, create_graph: bool) -> list[tuple[Node, Any]]:
        """The only gradient: ``g`` for the node of the whole function."""
        return [(node.parent, Bundle({self.index: g}))]

    @classmethod
    def node(cls, index: int, whole: Node) -> Node:
        """The node of result ``index`` of the function at ``whole``."""
        part = cls(index)
        return Node.join(part, [(whole, part.rule, None, None)])


class Bundle(dict[int, Any]):
    """The gradients of a function with several results, ``{index: gradient}``. Adds like one array."""

    def __add__(self, other: Bundle) -> Bundle:
        return Total(self) + other


class Total(Bundle):
    """A sum of bundles, which the pass that made it goes on with: a copy for each of many results would add up."""

    def __add__(self, other: Bundle) -> Bundle:
        for index, g in other.items():
            self[index] = self[index] + g if index in self else g
        return self


def check_shape(function: str, which: str, g: Any, shape: tuple[int, ...]) -> None:
    """Raise `GradientShapeError` unless ``g`` has the shape of the input it belongs to."""
    if g.shape != shape:
        hint = f" Sum over the broadcast axes: sum_to(g, shape={shape})." if len(g.shape) > len(shape) else ""
        raise GradientShapeError(
            f"{function}: gradient for input {which!r} has shape {g.shape}, but {which!r} has shape {shape}.{hint}",
            g.shape,
            shape,
        )
