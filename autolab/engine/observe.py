"""observe(): the one opening through which recordings and profilers see every step.

When nobody listens, it costs a step one truth test of `watchers`, a set of tokens shared by all threads; which hooks
listen is a matter of the thread.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Node

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

watchers: set[object] = set()


@dataclass(frozen=True, slots=True)
class ForwardEvent:
    """A function was applied to at least one Variable.

    ``inputs`` are as they were passed (Variables, arrays, numbers), ``outputs`` a tuple of Variables, ``function`` the
    declared function or the FunctionNode, ``seconds`` the time of its forward.
    """

    function: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attributes: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class BackwardEvent:
    """A node was visited: ``upstream`` arrived, ``gradients`` are its share for each edge of the node, in order.

    A share is None where the function gave no gradient. Gradients are arrays, or Variables under ``create_graph``.
    """

    node: Node
    upstream: Any
    gradients: tuple[Any, ...]
    seconds: float


Hook = Callable[[ForwardEvent | BackwardEvent], None]


class _Listening(threading.local):
    """This thread's hooks, and what each open block of it goes back to."""

    hooks: tuple[Hook, ...] = ()

    def __init__(self) -> None:
        self.outer: list[tuple[object, tuple[Hook, ...]]] = []


listening = _Listening()


class observe:
    """Call ``hook(event)`` after every forward and backward step of this thread inside a ``with`` block.

    Parameters
    ----------
    hook : callable
        Takes a `ForwardEvent` or a `BackwardEvent`. What it raises reaches the user's code: that is how a time budget
        or a stop button ends a computation.

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

    def __init__(self, hook: Hook) -> None:
        self.hook = hook

    def __enter__(self) -> None:
        token = object()
        listening.outer.append((token, listening.hooks))
        watchers.add(token)
        listening.hooks = (*listening.hooks, self.hook)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        token, listening.hooks = listening.outer.pop()
        watchers.discard(token)


def notify(event: ForwardEvent | BackwardEvent) -> None:
    """Tell this thread's hooks; what a hook computes itself is no event."""
    hooks, listening.hooks = listening.hooks, ()
    try:
        for hook in hooks:
            hook(event)
    finally:
        listening.hooks = hooks


def caller() -> FrameType | None:
    """The innermost frame outside this package: the user's line. For hooks that want to know it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame
