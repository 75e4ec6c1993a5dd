"""Cutting the graph at a value: its history is discarded, also for everything computed from it."""

from __future__ import annotations

from typing import Any

from ..engine import OutputNode, Variable, nodes_below
from ..engine.leaving import left
from ..engine.store import last_start


def unchain(variable: Variable) -> None:
    """Make a Variable a leaf: it forgets how it was computed. Gradients still reach it, but nothing before it.

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
        left(variable, variable._data)
        _end(variable.node)


def unchain_backward(variable: Variable) -> None:
    """Make all Variables that a Variable was computed from leaves, which frees the graph.

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
    root = variable.node
    if root is None:
        return
    if last_start(variable) is None:  # afterwards, a pass has been there already
        left(variable, variable._data)
    own = {root, root.parent} if isinstance(root, OutputNode) else {root}  # several results have a common parent node
    for node in nodes_below(root):
        if node.order and node not in own:
            _end(node)


def _end(node: Any) -> None:
    """Turn a node into a leaf in place, so that references to it remain valid."""
    node.order, node.function, node.more = 0, None, None
    node.parent = node.rule = node.saved = node.fit = None
