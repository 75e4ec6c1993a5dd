"""observe(): the single interface through which recordings and profilers see every step.

Without observers it costs each step one truth test of `watchers`, a set of tokens shared by all contexts; the hooks
themselves are a mode of the thread or task (`config`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .configuration import Block, Silence, unheard
from .errors import a_kind
from .modes import current, modes

if TYPE_CHECKING:
    from .node import Node


class ForwardEvent(NamedTuple):
    """A function was applied to at least one Variable.

    ``inputs`` are as they were passed (Variables, arrays, numbers), ``outputs`` is a tuple of Variables, ``function``
    the declared function or FunctionNode, ``seconds`` the time of its forward, on a GPU between two events there.
    """

    function: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attributes: dict[str, Any]
    seconds: float


class BackwardEvent(NamedTuple):
    """A node was visited: ``upstream`` arrived, ``gradients`` are those for the edges of the node, in order.

    A gradient is None if the function returned none. Gradients are arrays, or Variables with ``create_graph``.
    """

    node: Node
    upstream: Any
    gradients: tuple[Any, ...]
    seconds: float


Hook = Callable[[ForwardEvent | BackwardEvent], None]


class observe(Block):
    """Call ``hook(event)`` after every forward and backward step of this thread, or task, inside a ``with`` block.

    Parameters
    ----------
    hook : callable
        Takes a `ForwardEvent` or a `BackwardEvent`. Its exceptions propagate to the user's code: this is how a time
        limit or a stop button ends a computation.

    Examples
    --------
    >>> import autolab
    >>> from autolab.engine.observe import observe
    >>> x = autolab.Variable(2.0)
    >>> with observe(lambda event: print(event.function.name)):
    ...     y = x * x + 1
    mul
    add
    """

    name = "hooks"

    def __init__(self, hook: Hook) -> None:
        if not callable(hook):
            raise TypeError(f"observe: hook is {a_kind(hook)}; expected a function of one event")
        self.hook = hook

    def value(self) -> tuple[Hook, ...]:
        return (*modes().hooks, self.hook)


def notify(event: ForwardEvent | BackwardEvent) -> None:
    """Call the hooks of this context; what a hook itself computes is not an event."""
    before = modes()
    try:
        current.set(before.unheard or unheard(before))
        for hook in before.hooks:
            hook(event)
    finally:
        current.set(before)
        del before  # a traceback would keep it alive, and the hooks with it


silence = Silence("hooks")
