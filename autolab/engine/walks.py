"""Reading a graph: all its nodes, their names, and which of them a pass of `grad` is about."""

from __future__ import annotations

from typing import Any

from .node import Node


def nodes_below(*roots: Node) -> list[Node]:
    """All nodes of a graph, leaves first, the others in order of creation; without recursion."""
    found, waiting = dict.fromkeys(roots), [*roots]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in found:
                found[parent] = None
                waiting.append(parent)
    return sorted(found, key=lambda node: node.order)


class Ways(dict[Node, bool]):
    """Whether a node leads to the inputs of a pass of `grad`: found once for a pass, and only where it asks.

    ``outputs`` are the Variables that the pass starts from, ``inputs`` the nodes it is about.
    """

    __slots__ = ("inputs", "outputs")

    outputs: list[Any]
    inputs: frozenset[Node]

    def __missing__(self, node: Node) -> bool:
        if node in self.inputs:  # as mostly: then nobody walks
            return True
        for each in nodes_below(*[y.node for y in self.outputs if y.node is not None]):
            self[each] = each in self.inputs or any([self[below] for below in each.parents])
        return self[node]
