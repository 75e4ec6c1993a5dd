"""What the cyclic garbage collector would have to clean up; AutoLab leaves it nothing."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, FunctionType
from typing import Any


@contextmanager
def collector_off() -> Iterator[None]:
    """The collector sleeps inside the block, and has nothing old to find."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def garbage() -> list[str]:
    """What only the collector would free: the names of AutoLab's objects and functions, and of arrays."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        found = [name for o in gc.garbage if (name := _name(o)) is not None]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()
    return found


def _name(o: Any) -> str | None:
    """The name of what is AutoLab's own; other libraries leave garbage too."""
    if isinstance(o, FunctionType | FrameType):
        code = o.__code__ if isinstance(o, FunctionType) else o.f_code
        return code.co_qualname if "autolab" in code.co_filename else None
    kind = type(o)
    return kind.__qualname__ if kind.__module__.partition(".")[0] in ("autolab", "numpy") else None


@contextmanager
def traced() -> Iterator[None]:
    """Memory is traced inside the block: see `tracemalloc.get_traced_memory`."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


_forget_lookups: Callable[[], object] = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache


def growth(scenario: Callable[[], object], times: int) -> int:
    """By how many bytes memory has grown after ``times`` more runs; fails if the collector finds anything.

    What Python keeps for itself is no growth: freed tuples and numbers for the next ones (a collection empties those
    lists), and the names by which attributes were looked up (a cache of 4,096 entries).
    """
    with collector_off(), traced():
        for _ in range(5):
            scenario()
        gc.collect()
        _forget_lookups()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            scenario()
        assert garbage() == []
        _forget_lookups()
        return tracemalloc.get_traced_memory()[0] - before
