"""Objects that advance when they are used: iterators, files, caches, random generators; and whose an object is."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Hashable
from io import IOBase
from operator import length_hint
from types import GeneratorType, ModuleType
from typing import Any

import numpy as np


def generators() -> dict[str, Hashable]:
    """The states of the global random generators, if they are loaded."""
    found: dict[str, Hashable] = {}
    if "random" in sys.modules:
        found["the state of random"] = sys.modules["random"].getstate()
    if "numpy.random" in sys.modules:
        found["the state of numpy.random"] = repr(np.random.get_state())
    return found


def progress(value: Any) -> Hashable | None:
    """The state of an object that advances when it is used; None for any other object, -1 if the state is unknown."""
    if isinstance(value, GeneratorType):
        return value.gi_frame.f_lasti if value.gi_frame else -1
    if isinstance(value, itertools.count):
        return repr(value)
    if hasattr(type(value), "bit_generator"):
        return repr(value.bit_generator.state)
    if hasattr(type(value), "getstate"):  # random.Random
        return hash(value.getstate())
    if hasattr(type(value), "cache_info"):
        return str(value.cache_info())
    if isinstance(value, IOBase):
        return value.tell() if not value.closed and value.seekable() else None
    return length_hint(value, -1) if hasattr(type(value), "__next__") else None


def is_the_users(value: Any) -> bool:
    """Whether something was written by the user, not by a library that manages its own state."""
    module = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", None))
    owner = module.partition(".")[0]
    return owner not in ("autolab", "numpy", "builtins") and owner not in sys.stdlib_module_names - {"__main__"}
