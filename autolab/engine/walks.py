"""Reading a graph: all its nodes, their names, and which of them a pass of `grad` is about."""

from __future__ import annotations

import threading
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


class _Asked(threading.local):
    """The innermost pass of `grad` in this thread: its outputs, the nodes of its inputs and, once somebody has asked,
    whether each node of the graph leads to one of these; None outside of one."""

    innermost: list[Any] | None = None


asked = _Asked()
_FEW = 8


def is_asked_for(node: Node, parent: Node) -> bool:
    """Whether the gradient that ``node`` sends to a parent matters to this thread's pass of `grad`.

    Outside of one every gradient does, and so it does in a graph that a backward has made for itself.
    """
    if asked.innermost is None:
        return True
    outputs, inputs, leads = asked.innermost
    if leads is None:
        if len(inputs) <= _FEW and parent in inputs:
            return True
        leads = asked.innermost[2] = {}
        wanted = frozenset(inputs)
        for each in nodes_below(*[y.node for y in outputs if y.node is not None]):
            leads[each] = each in wanted or any([leads[below] for below in each.parents])
    return node not in leads or leads[parent]
