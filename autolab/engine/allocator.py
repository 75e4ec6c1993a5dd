"""glibc's allocator, told to keep what is freed: arrays are made and freed at every step of a program.

By default glibc gives each large block back to the system, which clears its pages again the next time: most of the time
of an operation on large arrays. ``MALLOC_...`` in the environment goes before, and ``AUTOLAB_ALLOCATOR=system`` leaves
the allocator as it is. What Dask sets for its workers does not count as somebody's wish.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

MMAP_THRESHOLD, TRIM_THRESHOLD = 64 << 20, 256 << 20
"""Bytes: smaller blocks come from the heap and stay there, until so much of it is free at its end."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h


@cache
def keep_blocks() -> str:
    """Tell the allocator of this process, once; the answer says in a few words how it is set."""
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
    """Whether Dask has set it, unasked, as it does for every worker: large arrays are twice as slow then."""
    return "__DASK_PARENT_PID" in os.environ and (name, os.environ[name]) == ("MALLOC_TRIM_THRESHOLD_", "65536")


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False
