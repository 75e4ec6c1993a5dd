"""observe(): the one opening through which recordings and profilers see every step.

When nobody listens, it costs a step one truth test of `watchers`, a set of tokens shared by all contexts; which hooks
listen is a mode of the thread or task (`config`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from .config import Block, modes
from .errors import a_kind

if TYPE_CHECKING:
    from .node import Node

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


@dataclass(frozen=True, slots=True)
class ForwardEvent:
    """A function was applied to at least one Variable.

    ``inputs`` are as they were passed (Variables, arrays, numbers), ``outputs`` a tuple of Variables, ``function`` the
    declared function or the FunctionNode, ``seconds`` the time of its forward: on a GPU that between two events there.
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


class observe(Block):
    """Call ``hook(event)`` after every forward and backward step of this thread, or task, inside a ``with`` block.

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

    name = "hooks"

    def __init__(self, hook: Hook) -> None:
        if not callable(hook):
            raise TypeError(f"observe: hook is {a_kind(hook)}; expected a function of one event")
        self.hook = hook

    def value(self) -> tuple[Hook, ...]:
        return (*modes().hooks, self.hook)


def notify(event: ForwardEvent | BackwardEvent) -> None:
    """Tell this context's hooks; what a hook computes itself is no event."""
    hooks = modes().hooks
    with silence:
        for hook in hooks:
            hook(event)


class _Silence(Block):
    """Nobody listens inside."""

    name = "hooks"

    def value(self) -> tuple[Hook, ...]:
        return ()


silence = _Silence()


def caller() -> FrameType | None:
    """For hooks that want to know it: the user's line, the innermost frame outside this package below the event."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_own(frame):  # the hook itself
        frame = frame.f_back
    while frame is not None and is_own(frame):
        frame = frame.f_back
    return frame


def file_label(filename: str) -> str:
    """``cell [4]`` for a notebook cell, else the bare name of the file."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    label = shell.compile.format_code_name(filename) if shell is not None else None
    if label is not None:
        return f"cell {label[1].removeprefix('In')}"
    return os.path.basename(filename)


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs this package's own code."""
    return frame.f_code.co_filename.startswith(_PACKAGE)
