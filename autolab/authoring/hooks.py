"""``y.register_hook(f)``: PyTorch's way to observe or change the gradient of a value in the backward pass.

Cutting the graph at a value: its history is discarded, also for everything computed from it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ..engine import Node, OutputNode, Variable, as_variable, nodes_below
from ..engine.leaving import left
from ..engine.modes import modes, watchers
from ..engine.store import gradient_hooks, last_start
from .context_function import ContextFunction


def unchain(variable: Variable) -> None:
    """Make a Variable a leaf: it forgets how it was computed. Gradients still reach it, but nothing before it.

    Examples
    --------
    >>> from autolab import Variable
    >>> from autolab.authoring.hooks import unchain
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
    >>> from autolab.authoring.hooks import unchain_backward
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


class GradientHook(ContextFunction):
    """The identity, in whose backward ``hook(g)`` may replace the upstream gradient ``g``: a hook as a step that a
    recording shows."""

    @staticmethod
    def forward(ctx: Any, x: Any, handle: Any) -> Any:
        ctx.handle = handle
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return ctx.handle.changed(g), None


class Handle:
    """The result of `register_hook`; ``remove()`` removes the hook."""

    def __init__(self, hook: Callable[[Any], Any]) -> None:
        self.hook: Callable[[Any], Any] | None = hook
        self._node: weakref.ref[Node] | None = None

    def watch(self, node: Node) -> None:
        """Call the hook with the gradient of a node, after the hooks that it has."""
        self._node = weakref.ref(node, _left)
        gradient_hooks[self._node] = (*gradient_hooks.pop(self._node, ()), self.changed)

    def changed(self, g: Variable) -> Variable:
        """The gradient after the hook: its result, or ``g`` if that is None."""
        found = None if self.hook is None else self.hook(g)
        if found is None:
            return g
        made = as_variable(found)
        if made.shape != g.shape:
            raise ValueError(
                f"register_hook: the hook returned shape {made.shape}; expected {g.shape}, as the gradient"
            )
        return made

    def remove(self) -> None:
        """Remove the hook; it is no longer called."""
        self.hook = None
        if self._node is not None:
            hooks = tuple([one for one in gradient_hooks.pop(self._node, ()) if one != self.changed])
            gradient_hooks.update({self._node: hooks} if hooks else {})


def _left(node: weakref.ref[Node], hooks: dict[weakref.ref[Node], tuple[Any, ...]] = gradient_hooks) -> None:
    """Forget the hooks of a node that is gone; as the interpreter ends, also without the names of this module."""
    hooks.pop(node, None)


def register_hook(y: Variable, hook: Callable[[Any], Any]) -> Handle:
    """Call ``hook(g)`` with the gradient of a value in every backward pass; unless it returns None, its result replaces
    ``g``. Several hooks are called in the order in which they were registered, each with what the one before has made.

    For a computed value, ``g`` is the gradient through everything computed from it, and what `retain_grad` keeps is the
    result. For a leaf, ``g`` is what a pass adds to ``.grad``.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable(3.0)
    >>> y = x * x
    >>> handle = y.register_hook(print)
    >>> (2 * y).backward()
    variable(2.0)
    """
    if y.node is None:
        raise TypeError("Variable.register_hook: got a constant; expected a value that requires a gradient")
    handle = Handle(hook)
    if y.creator is not None and watchers and modes().hooks:
        y.node = GradientHook.apply(y, handle).node
    else:
        handle.watch(y.node)
    return handle
