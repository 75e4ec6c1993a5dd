"""Walking back through a graph: what made a Variable, and from which Variables, ``y.creator.inputs[0] is x``."""

from __future__ import annotations

import gc
from typing import Any

from .multi_output import OutputNode
from .node import Node
from .parameter import Pending
from .primitive import Primitive
from .variable import Variable, wrap
from .walks import nodes_below as nodes_below


class Unkept(Pending):
    """A placeholder for values that the graph has not retained; using it raises an error that says so."""

    def __repr__(self) -> str:
        return "?"

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(
            "The graph has not kept the numbers of this input, and its Variable no longer exists: give it a name "
            "before it is used; autolab.record(f, x) keeps the numbers of all steps"
        )


class Creator:
    """One application of a function, with the attributes of the function: ``y.creator.name``.

    Two creators are equal if they are the same application.

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
        """The function that was applied; None at a leaf, which only `next_functions` reaches."""
        return self._node.function

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """The inputs it was applied to: the Variables themselves, if they still exist.

        A graph does not hold its Variables, so constants and inputs that no longer exist are replaced by Variables
        without values. All objects of the process are searched, which takes some milliseconds; `autolab.graph` reads a
        whole graph at once.
        """
        held = {x.node: x for x in gc.get_referrers(*self._node.parents) if isinstance(x, Variable)}
        return tuple([held[node] if node in held else _stand_in(node) for node in input_nodes(self._node)])

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The creators of the inputs that need a gradient, each with the index of the result that was used."""
        return tuple([(type(self)(node), getattr(node, "index", 0)) for node in self._node.parents])

    @property
    def label(self) -> str:
        """The name of the function, as shown in graphs."""
        return getattr(self.function, "name", "leaf")

    @property
    def rank(self) -> int:
        """The number of functions before it on the longest path from a leaf, as in Chainer."""
        return generation(self._node) - 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Creator) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return "<leaf>" if self.function is None else repr(self.function)


def _stand_in(node: Node | None) -> Variable:
    """A Variable without values, in place of one that no longer exists; it keeps the name."""
    found = wrap(Unkept(None), node)
    found._name = None if node is None else getattr(node, "name", None)
    return found


def input_nodes(node: Node) -> list[Node | None]:
    """The nodes of all inputs, in order; None for an input without a gradient."""
    function = node.function
    parents = {edge.place: edge.parent for edge in node.edges}
    count = len(function.inputs) if isinstance(function, Primitive) and function.schema.fixed else 0
    return [parents.get(i) for i in range(max([count, *[i + 1 for i in parents]]))]


def generation(root: Node) -> int:
    """The number of functions on the longest path from a leaf to this node, inclusive."""
    depths: dict[Node, int] = {}
    for node in nodes_below(root):
        below = max([depths[parent] for parent in node.parents], default=-1)
        depths[node] = below + (not isinstance(node, OutputNode))
    return depths[root]


def _creator(x: Variable) -> Any:
    """The creator of a value: a `Creator`, or the function object itself if it serves only this call."""
    made = Creator(x.node)
    return made if isinstance(made.function, Primitive) else made.function


Variable._creator = _creator
