"""What a function can reach around it: taken before it runs and after it, this tells what running it changes."""

from __future__ import annotations

import itertools
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from io import IOBase
from operator import length_hint
from types import CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...engine.outer_names import outer_names
from ...engine.variable import Variable
from ...gpu.harmless import name_of_default
from ...gpu.traced_function import exact, is_plain

_MOST = 5_000
"""So many numbers are looked at; what lies further away from the function is not."""


def surroundings(function: Callable[..., Any]) -> dict[str, Hashable]:
    """The numbers, strings and arrays that a function can reach, by what people call them.

    Its globals, the variables around it and its defaults are followed into containers, objects, modules and helpers of
    the user's own, nearest first. Of iterators, caches and generators of random numbers only how far they
    are is told.
    """
    found = generators()
    waiting, seen = deque([(getattr(function, "__name__", "function"), function)]), dict[int, Any]()
    while waiting and len(found) < _MOST:
        path, value = waiting.popleft()
        if is_plain(value):
            found[path] = exact(value)
        elif id(value) not in seen:
            seen[id(value)] = value
            if (content := _content(value)) is not None:
                found[path] = content
            waiting.extend(itertools.islice(_parts(path, value), _MOST))
    return found


def generators() -> dict[str, Hashable]:
    """How far the generators are that every function can reach, where they are loaded at all."""
    found: dict[str, Hashable] = {}
    if "random" in sys.modules:
        found["the state of random"] = sys.modules["random"].getstate()
    if "numpy.random" in sys.modules:
        found["the state of numpy.random"] = repr(np.random.get_state())
    return found


def changed(before: dict[str, Hashable], after: dict[str, Hashable]) -> str | None:
    """The first thing that is another, has come or has gone; None if nothing has."""
    return next((path for path in {**before, **after} if before.get(path) != after.get(path)), None)


def _content(value: Any) -> Hashable | None:
    """What tells a state of an object apart beside its parts; None where there is nothing."""
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes()) if value.size <= _MOST else None
    if isinstance(value, list | tuple | dict | set | frozenset | deque):
        return len(value)
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


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What belongs to an object, each under its name."""
    if isinstance(value, FunctionType):
        yield from _parts_of_function(value)
    elif isinstance(value, MethodType):
        yield from ((path, value.__func__), (path, value.__self__))
    elif isinstance(value, partial):
        yield from ((path, part) for part in (value.func, value.args, value.keywords))
    elif isinstance(value, list | tuple | deque):
        yield from ((f"{path}[{i}]", item) for i, item in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"{path}[{key!r:.40}]", item) for key, item in list(value.items()))
    elif isinstance(value, Variable):
        yield path, value.data
    elif _is_the_users(type(value)) or isinstance(value, type):
        own = value if isinstance(value, type) else type(value)
        yield from ((f"{path}.{name}", part) for name, part in list(getattr(value, "__dict__", {}).items()))
        if _is_the_users(own) and own is not value:
            yield own.__name__, own


def _parts_of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    if not _is_the_users(function):
        return
    attributes = set(_names(function.__code__))
    for name, value in outer_names(function):
        if not isinstance(value, ModuleType):
            yield name, value
        elif _is_the_users(value):
            yield from ((f"{name}.{own}", part) for own, part in list(vars(value).items()) if own in attributes)
    yield from ((name_of_default(function, i), value) for i, value in enumerate(function.__defaults__ or ()))
    yield from (function.__kwdefaults__ or {}).items()
    yield function.__name__, getattr(function, "__wrapped__", None)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _is_the_users(value: Any) -> bool:
    """Whether something was written by the user, and not by a library that keeps its own books."""
    module = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", None))
    owner = module.partition(".")[0]
    return owner not in ("autolab", "numpy", "builtins") and owner not in sys.stdlib_module_names - {"__main__"}
