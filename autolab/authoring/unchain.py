"""Ending a graph at a value: what was computed before it is forgotten, also by what was computed from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine.creator import nodes_below
from ..engine.multi_output import OutputNode

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
    root = variable.node
    if root is None:
        return
    own = {root, root.parent} if isinstance(root, OutputNode) else {root}  # a function with several results is a node
    for node in nodes_below(root):
        if node.order and node not in own:
            _end(node)


def _end(node: Any) -> None:
    """Make a leaf of a node where it is: those who hold it need not know."""
    node.order, node.function, node.more = 0, None, None
    node.parent = node.rule = node.saved = node.fit = None
