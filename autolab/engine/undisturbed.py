"""Looking at a function changes nothing that its objects keep: what they update on the way, such as running means, is
put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

blocks: list[object] = []
"""Those that are open, in any thread; while there are none, nobody asks further."""

_noted: ContextVar[dict[int, tuple[object, Callable[[], None]]] | None] = ContextVar(
    "autolab_undisturbed", default=None
)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, in this context, objects that `note` themselves are afterwards as they were.

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
    found: dict[int, tuple[object, Callable[[], None]]] = {}
    block = object()
    blocks.append(block)
    token = _noted.set(found)
    try:
        yield
    finally:
        _noted.reset(token)
        blocks.remove(block)
        for _, put_back in found.values():
            put_back()


def is_undisturbed() -> bool:
    """Whether such a block is open in this context."""
    return bool(blocks) and _noted.get() is not None


def note(owner: Any, snapshot: Callable[[], Callable[[], None]]) -> None:
    """Before ``owner`` may change what it keeps: ``snapshot()`` gives what puts that back."""
    found = _noted.get()
    if found is not None and id(owner) not in found:
        found[id(owner)] = owner, snapshot()
