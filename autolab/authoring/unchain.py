"""Ending a graph at a value: what was computed before it is forgotten, also by what was computed from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine.multi_output import OutputNode
from ..engine.node import Node

if TYPE_CHECKING:
    from ..engine.variable import Variable


def unchain(variable: Variable) -> None:
    """Let a Variable be one that nothing computed. Gradients still reach it, and nothing before it.

    Examples
    --------
    >>> from autolab import Variable
    >>> from autolab.authoring.unchain import unchain
    >>> x = Variable(2.0)
    >>> h = x * x
    >>> y = h * h
    >>> unchain(h)
    >>> y.backward()
    >>> h.grad, x.grad
    (variable(8.0), None)
    """
    if variable.node is not None and variable.node.order:
        _end(variable.node)


def unchain_backward(variable: Variable) -> None:
    """Let all that a Variable was computed from be Variables that nothing computed: the graph before them is freed.

    Examples
    --------
    >>> from autolab import Variable
    >>> from autolab.authoring.unchain import unchain_backward
    >>> x = Variable(2.0)
    >>> h = x * x
    >>> y = h * h
    >>> unchain_backward(y)
    >>> h.creator is None, y.creator is None
    (True, False)
    """
    seen: set[Node] = set()
    waiting = [] if variable.node is None else [*variable.node.parents]
    while waiting:
        node = waiting.pop()
        if node not in seen and node.order:
            seen.add(node)
            waiting += node.parents
    if variable.node is not None and isinstance(variable.node, OutputNode):
        seen.discard(variable.node.parent)  # the function that computed it, with other results
    for node in seen:
        _end(node)


def _end(node: Any) -> None:
    """Make a leaf of a node where it is: those who hold it need not know."""
    node.order, node.function, node.more = 0, None, None
    node.parent = node.rule = node.saved = node.fit = None


def nodes_below(root: Node) -> list[Node]:
    """All nodes of a graph, those with the root first."""
    found, waiting = {root: None}, [root]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in found:
                found[parent] = None
                waiting.append(parent)
    return sorted(found, key=lambda node: -node.order)
