"""Inspecting a function must not change the state of its objects: what they update on the way, such as running means,
is restored.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

blocks: list[object] = []
"""The open blocks, of all threads; while there are none, nothing else is checked."""

_noted: ContextVar[dict[int, tuple[object, Callable[[], None]]] | None] = ContextVar(
    "autolab_undisturbed", default=None
)


class undisturbed:
    """A context after which objects that called `note` are restored to their former state.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> from autolab.engine.undisturbed import undisturbed
    >>> norm = autolab.links.BatchNormalization(1)
    >>> with undisturbed():
    ...     y = norm(np.array([[1.0], [3.0]]))
    >>> norm.avg_mean
    array([0.], dtype=float32)
    """

    __slots__ = ("_found", "_token")

    def __enter__(self) -> None:
        self._found: dict[int, tuple[object, Callable[[], None]]] = {}
        blocks.append(self)
        self._token = _noted.set(self._found)

    def __exit__(self, *error: object) -> None:
        _noted.reset(self._token)
        blocks.remove(self)
        for _, restore in self._found.values():
            restore()


def is_undisturbed() -> bool:
    """Whether such a block is open in this context."""
    return bool(blocks) and _noted.get() is not None


def note(owner: Any, snapshot: Callable[[], Callable[[], None]]) -> None:
    """Call before ``owner`` may change its state: ``snapshot()`` returns a function that restores it."""
    found = _noted.get()
    if found is not None and id(owner) not in found:
        found[id(owner)] = owner, snapshot()
