"""The walk back through a graph: what made a Variable, and of which Variables, ``y.creator.inputs[0] is x``."""

from __future__ import annotations

import gc
from typing import Any

from .multi_output import OutputNode
from .node import Node
from .parameter import Pending
from .primitive import Primitive
from .variable import Variable, wrap


class Unkept(Pending):
    """Stands for numbers that the graph has not kept, and says so when somebody computes with them."""

    def __repr__(self) -> str:
        return "?"

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(
            "The graph has not kept the numbers of this input, and nobody holds its Variable: give it a name before "
            "it is used; autolab.record(f, x) keeps the numbers of all steps"
        )


class Creator:
    """One application of a function, with the names of the function: ``y.creator.name``.

    Two are equal if they are the same application.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable(2.0)
    >>> y = F.exp(F.sin(x))
    >>> y.creator.name, y.creator.inputs, y.creator.inputs[0].creator.inputs[0] is x
    ('exp', (variable(?),), True)
    """

    __slots__ = ("_node",)

    def __init__(self, node: Any) -> None:
        self._node: Node = node.parent if isinstance(node, OutputNode) else node

    @property
    def function(self) -> Any:
        """What was applied; None at a leaf, to which only `next_functions` leads."""
        return self._node.function

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """What it was applied to: the Variables themselves, which a graph does not hold, as long as somebody else does.

        Of any other, and of a constant, there is a Variable in that place, without its numbers. All objects of the
        process are searched, which takes some milliseconds; `autolab.graph` reads a whole graph at once.
        """
        held = {x.node: x for x in gc.get_referrers(*self._node.parents) if isinstance(x, Variable)}
        return tuple([held.get(node, wrap(Unkept(None), node)) for node in input_nodes(self._node)])

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """What made its inputs that need a gradient, each with the number of the result that went in."""
        return tuple([(type(self)(node), getattr(node, "index", 0)) for node in self._node.parents])

    @property
    def label(self) -> str:
        """The name of the function, as graphs write it."""
        return getattr(self.function, "name", "leaf")

    @property
    def rank(self) -> int:
        """How many functions lie before it on the longest way from a leaf, as in Chainer."""
        return generation(self._node) - 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Creator) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return "<leaf>" if self.function is None else repr(self.function)


def input_nodes(node: Node) -> list[Node | None]:
    """The nodes of all inputs in order; None for one that is not differentiated."""
    function = node.function
    parents = {edge.place: edge.parent for edge in node.edges}
    count = len(function.inputs) if isinstance(function, Primitive) and function.schema.fixed else 0
    return [parents.get(i) for i in range(max([count, *[i + 1 for i in parents]]))]


def nodes_below(*roots: Node) -> list[Node]:
    """All nodes of a graph, leaves first, the others as they were made; without recursion."""
    found, waiting = dict.fromkeys(roots), [*roots]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in found:
                found[parent] = None
                waiting.append(parent)
    return sorted(found, key=lambda node: node.order)


def generation(root: Node) -> int:
    """How many functions lie on the longest way from a leaf to what is at this node."""
    depths: dict[Node, int] = {}
    for node in nodes_below(root):
        below = max([depths[parent] for parent in node.parents], default=-1)
        depths[node] = below + (not isinstance(node, OutputNode))
    return depths[root]


def _creator(x: Variable) -> Any:
    """A declared function serves every call; an object of a class that a user wrote serves one, and is its own."""
    made = Creator(x.node)
    return made if isinstance(made.function, Primitive) else made.function


Variable._creator = _creator
