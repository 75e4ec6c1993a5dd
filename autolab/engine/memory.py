"""Makes glibc's allocator keep freed memory, because every step of a program allocates and frees arrays.

By default glibc returns each large block to the system, which clears its pages again on the next use; this takes most
of the time of an operation on large arrays. ``MALLOC_...`` variables in the environment take precedence, and
``AUTOLAB_ALLOCATOR=system`` leaves the allocator as it is. The value that Dask sets for its workers is ignored.

Long graphs in a browser, whose call stack is too small for Python to free one node inside another.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any

from .node import Edge

MMAP_THRESHOLD, TRIM_THRESHOLD = 64 << 20, 256 << 20
"""In bytes: smaller blocks come from the heap and stay there, until this much is free at its end."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h


@cache
def keep_blocks() -> str:
    """Configure the allocator of this process, once; returns a few words on how it is set."""
    if os.environ.get("AUTOLAB_ALLOCATOR") == "system":
        return "as it is: AUTOLAB_ALLOCATOR=system"
    if own := sorted([name for name in os.environ if name.startswith("MALLOC_") and not _is_dask_s(name)]):
        return f"set by {', '.join(own)}"
    if not _is_glibc():
        return "as it is: not glibc's"
    mallopt = ctypes.CDLL(None).mallopt
    if mallopt(_M_MMAP_THRESHOLD, MMAP_THRESHOLD) and mallopt(_M_TRIM_THRESHOLD, TRIM_THRESHOLD):
        return "keeps freed blocks; AUTOLAB_ALLOCATOR=system leaves it as it is"
    return "as it is: glibc refuses to keep freed blocks"


def _is_dask_s(name: str) -> bool:
    """Whether Dask has set the variable, as it does for all workers by default: large arrays are twice as slow then."""
    return "__DASK_PARENT_PID" in os.environ and (name, os.environ[name]) == ("MALLOC_TRIM_THRESHOLD_", "65536")


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False


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
