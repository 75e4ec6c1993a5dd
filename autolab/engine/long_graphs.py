"""Long graphs in a browser, whose call stack is too small for Python to free one node inside another."""

from __future__ import annotations

import sys
from typing import Any

from .node import Edge

_waiting: list[Any] = []
"""What the edges that are being freed held, to be freed one after the other."""


def _free(edge: Edge) -> None:
    """Release what an edge holds once the call that frees the first edge gets to it."""
    is_outermost = not _waiting
    _waiting.append(None)  # marks that a call is under way
    for name in ("parent", "more", "saved", "rule"):
        _waiting.append(getattr(edge, name, None))
        setattr(edge, name, None)
    try:
        while is_outermost and len(_waiting) > 1:
            _waiting.pop()
    finally:
        if is_outermost:
            _waiting.clear()


def free_one_by_one() -> None:
    """Free edges one after the other, from now on."""
    Edge.__del__ = _free  # type: ignore[attr-defined]


if sys.platform == "emscripten":
    free_one_by_one()
