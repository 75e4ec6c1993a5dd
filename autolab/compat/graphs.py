"""The nodes of a graph, for facades that ask about all of it."""

from __future__ import annotations

from ..engine.node import Node


def nodes_below(root: Node) -> list[Node]:
    """All nodes of a graph, those with the root first."""
    found, waiting = {root: None}, [root]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in found:
                found[parent] = None
                waiting.append(parent)
    return sorted(found, key=lambda node: -node.order)
