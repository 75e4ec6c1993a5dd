"""Origins: what a run of a function depended on, so that a view can later say what has changed since.

A function's result depends on more than its arguments: on parameters and arrays that it reaches, on global variables,
on its closure, on the object whose method it is, on its defaults, on the functions that it calls, and on its own code.
Fingerprints of these are taken when the function runs and compared on request. Only the function is kept alive for
this.
"""

from __future__ import annotations

import inspect
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..debug.fingerprints import fingerprint
from ..engine import BackwardEvent, ForwardEvent, Variable, is_array
from ..engine.code_names import outer_names

_PLAIN = (int, float, complex, str, bytes, bool, np.generic, slice, type(None))
_HOLDERS = (list, tuple, deque, set, frozenset, dict)
_MOST_ITEMS, _MOST_PARTS = 1000, 100  # plain values in a list; and arrays or objects in one
_MOST_ELEMENTS = 1 << 22  # larger arrays are only sampled: a data set must not make a slider slow
_MOST_HELD = 1000  # the same for arrays inside containers: those that are used are compared themselves
_DEEPEST = 8
_NESTED = 5  # lists in lists, objects in objects


class Origins:
    """Everything that one function depends on.

    Parameters
    ----------
    fn : callable, optional
    """

    def __init__(self, fn: Callable[..., Any] | None = None) -> None:
        self._fn = inspect.unwrap(fn) if fn is not None else fn
        self._called = {id(value): name for name, value, _ in _reached(self._fn)}
        self._used: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._prints: list[tuple[weakref.ref[Any], str, object]] = []
        self._names: list[tuple[str, object]] = []  # a list, since names in different functions may be the same

    def look(self, event: ForwardEvent | BackwardEvent) -> None:
        """Note the leaves and arrays that a step of the run used; for `observe`."""
        if isinstance(event, ForwardEvent):
            new = [value for value in event.inputs if self._is_new(value)]
            self.add((value, self._called.get(id(value)) or _name(value)) for value in new)

    def add(self, values: Iterable[tuple[Any, str]]) -> None:
        """Note arrays and leaves, each with the user's name for it."""
        for value, name in values:
            if self._is_new(value):
                self._used[id(value)] = (weakref.ref(value), name)

    def _is_new(self, value: Any) -> bool:
        is_leaf = isinstance(value, Variable) and value.creator is None
        return (is_leaf or is_array(value)) and id(value) not in self._used

    def settle(self, own: Iterable[Any] = ()) -> None:
        """Take fingerprints at the end of the run, so that what the function itself changes, such as running means,
        does not count. ``own``, the run's copies of the arguments, are left out."""
        for value in own:
            self._used.pop(id(value), None)
        alive = [(ref, name, ref()) for ref, name in self._used.values()]
        self._prints = [(ref, name, _print(value)) for ref, name, value in alive if value is not None]
        self._names = [(name, look) for name, _, look in _reached(self._fn)]

    def redefined(self) -> str | None:
        """The function's name, if it now refers to a function with different code."""
        name = getattr(self._fn, "__name__", "")
        now: Any = getattr(self._fn, "__globals__", {}).get(name)
        now = inspect.unwrap(now)  # this one is, too, and many are decorated: `F.tanh` is
        if not inspect.isfunction(now) or now is self._fn or not inspect.isfunction(self._fn):
            return None
        return name if _code(now.__code__) != _code(self._fn.__code__) else None

    def changed(self) -> list[str]:
        """The names of everything that has changed, each once."""
        found = [name for ref, name, look in self._prints if (value := ref()) is not None and _print(value) != look]
        now = [(name, look) for name, _, look in _reached(self._fn)]
        for one, other in ((self._names, now), (now, self._names)):
            found += [name for name, look in one if (name, look) not in other]
        return list(dict.fromkeys(found))


def _print(value: Any, most: int = _MOST_ELEMENTS) -> object:
    array = value.data if isinstance(value, Variable) else value
    if array.size > most:
        return array.shape, fingerprint(array.ravel("K")[:: array.size // _MOST_ITEMS])
    return fingerprint(array)


def _name(value: Any) -> str:
    return getattr(value, "name", None) or ("a parameter" if isinstance(value, Variable) else "an array")


def _reached(fn: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any, object]]:
    """What a function reaches in its module, its closure, its defaults, its object and the functions that it calls:
    name, value and fingerprint."""
    fn, own = _written(fn)
    if not inspect.isfunction(fn) or fn in path or len(path) > _DEEPEST:
        return
    module, parameters = fn.__globals__, fn.__code__.co_varnames[: fn.__code__.co_argcount]
    defaults = zip(reversed(parameters), reversed(fn.__defaults__ or ()), strict=False)
    for name, value in (*own, *defaults, *(fn.__kwdefaults__ or {}).items()):
        yield name, value, _look(value, module)
    for name, value in dict(outer_names(fn)).items():
        if value is fn or (not path and name == fn.__name__):
            continue
        if isinstance(value, types.ModuleType):
            read = [(key, vars(value)[key]) for key in fn.__code__.co_names if key in vars(value)]
            yield from [(f"{name}.{key}", part, _look(part, module, 1)) for key, part in read]
            continue
        yield name, value, _look(value, module)
        if inspect.isfunction(value) and value.__globals__ is module:
            yield from _reached(value, (*path, fn))


def _written(fn: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """The Python function that a callable runs, and the attributes of the object that it runs on."""
    while isinstance(fn, partial):
        fn = fn.func
    if inspect.isfunction(fn) or not callable(fn):
        return fn, []
    owner = getattr(fn, "__self__", fn)
    written = getattr(fn, "__func__", getattr(type(fn), "forward", type(fn).__call__))
    # without the cache of a link
    held = [(f"self.{name}", value) for name, value in getattr(owner, "__dict__", {}).items() if name != "_found"]
    return written, [(type(owner).__name__, type(owner)), *held]


def _look(value: Any, module: dict[str, Any], deep: int = _NESTED) -> object:
    """The fingerprint of a value, which differs after a change; for objects that are not followed, their identity."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if is_array(value) or (isinstance(value, Variable) and deep == _NESTED):
        return _print(value, _MOST_ELEMENTS if deep == _NESTED else _MOST_HELD)
    if inspect.isfunction(value) and value.__globals__ is module:
        return _code(value.__code__)
    held = _held(value, module.get("__name__")) if deep else None
    if held is None:
        return id(value)  # such as parameters of a link, which are compared where they are used
    items = held.values() if isinstance(held, dict) else held
    if len(items) <= _MOST_ITEMS and all([isinstance(item, _PLAIN) for item in items]):
        return repr(held)
    looks = [_look(item, module, deep - 1) for item in items] if len(items) <= _MOST_PARTS else len(items)
    return type(value), [*held] if isinstance(held, dict) else None, looks


def _held(value: Any, module: str | None) -> Any:
    """The container of the contents of a value; None for values that are not followed."""
    kind = type(value)
    if isinstance(value, _HOLDERS):
        return value
    if inspect.isclass(value) and value.__module__ == module:
        return {k: v for k, v in vars(value).items() if inspect.isfunction(v) or k[:2] != "__"}
    if kind.__module__ == module or kind is types.SimpleNamespace or hasattr(kind, "namedparams"):
        return [kind, getattr(value, "__dict__", None)]
    return None


def _code(code: types.CodeType) -> object:
    """The behaviour of code, independent of where its source is."""
    constants = tuple([_code(c) if inspect.iscode(c) else repr(c) for c in code.co_consts])
    return code.co_code, code.co_names, code.co_varnames, constants
