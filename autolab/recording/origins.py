"""Origins: what a run of a function depended on, so that a view can say later what has changed since.

A function's result depends on more than its arguments: on parameters and arrays that it reaches, on global variables
and on what it closes over, on the functions that it calls, on how it is itself written. Each of these is looked at when
the function runs and again when somebody asks. Nothing is kept alive for that but the function.
"""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..debug.fingerprints import fingerprint
from ..engine.backend import is_array
from ..engine.observe import BackwardEvent, ForwardEvent
from ..engine.outer_names import outer_names
from ..engine.variable import Variable

_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_MOST_ITEMS = 1000
_MOST_ELEMENTS = 1 << 22  # of larger arrays only a sample is looked at: a data set must not make a slider slow
_DEEPEST = 8


class Origins:
    """What one function reaches.

    Parameters
    ----------
    fn : callable, optional
    """

    def __init__(self, fn: Callable[..., Any] | None = None) -> None:
        self._fn = inspect.unwrap(fn) if fn is not None else fn
        self._called = {id(value): name for name, value, _ in _reached(self._fn)}
        self._used: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._prints: list[tuple[weakref.ref[Any], str, object]] = []
        self._names: dict[str, object] = {}

    def look(self, event: ForwardEvent | BackwardEvent) -> None:
        """Note the leaves and arrays that a step of the run used; for `observe`."""
        if isinstance(event, ForwardEvent):
            new = [value for value in event.inputs if self._is_new(value)]
            self.add((value, self._called.get(id(value)) or _name(value)) for value in new)

    def add(self, values: Iterable[tuple[Any, str]]) -> None:
        """Note arrays and leaves, each with the name by which the user knows it."""
        for value, name in values:
            if self._is_new(value):
                self._used[id(value)] = (weakref.ref(value), name)

    def _is_new(self, value: Any) -> bool:
        is_leaf = isinstance(value, Variable) and value.creator is None
        return (is_leaf or is_array(value)) and id(value) not in self._used

    def settle(self, own: Iterable[Any] = ()) -> None:
        """At the end of the run: take prints. What the function changes itself, such as running means, is then no
        change; ``own`` is left out: the run's fresh copies of the arguments."""
        for value in own:
            self._used.pop(id(value), None)
        alive = [(ref, name, ref()) for ref, name in self._used.values()]
        self._prints = [(ref, name, _print(value)) for ref, name, value in alive if value is not None]
        self._names = {name: look for name, _, look in _reached(self._fn)}

    def redefined(self) -> str | None:
        """The function's name, if that now means a function that is written differently."""
        name = getattr(self._fn, "__name__", "")
        now = getattr(self._fn, "__globals__", {}).get(name)
        if not inspect.isfunction(now) or now is self._fn or not inspect.isfunction(self._fn):
            return None
        return name if _code(now.__code__) != _code(self._fn.__code__) else None

    def changed(self) -> list[str]:
        """The names of what is not as it was, each once."""
        found = [name for ref, name, look in self._prints if (value := ref()) is not None and _print(value) != look]
        now = {name: look for name, _, look in _reached(self._fn)}
        found += [name for name, look in self._names.items() if now.get(name, look) != look]
        return list(dict.fromkeys(found))


def _print(value: Any) -> object:
    array = value.data if isinstance(value, Variable) else value
    if array.size > _MOST_ELEMENTS:
        return array.shape, fingerprint(array.reshape(-1)[:: array.size // _MOST_ITEMS])
    return fingerprint(array)


def _name(value: Any) -> str:
    return getattr(value, "name", None) or ("a parameter" if isinstance(value, Variable) else "an array")


def _reached(fn: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any, object]]:
    """What a function reaches in its module, in its closure and through the functions it calls: name, value, print."""
    if not inspect.isfunction(fn) or fn in path or len(path) > _DEEPEST:
        return
    for name, value in dict(outer_names(fn)).items():
        if value is fn or (not path and name == fn.__name__):
            continue
        look = _look(value, fn.__globals__)
        if look is not None:
            yield name, value, look
        if inspect.isfunction(value) and value.__globals__ is fn.__globals__:
            yield from _reached(value, (*path, fn))


def _look(value: Any, module: dict[str, Any]) -> object:
    """What tells a value from what it is after a change; None for what is not followed."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, Variable) or is_array(value):
        return _print(value)
    if isinstance(value, list | tuple | dict | set) and len(value) <= _MOST_ITEMS:
        return _plain_text(value)
    if inspect.isfunction(value) and value.__globals__ is module:
        return _code(value.__code__)
    if inspect.isclass(value) and value.__module__ == module.get("__name__"):
        return tuple([_code(m.__code__) for m in vars(value).values() if inspect.isfunction(m)])
    return None


def _plain_text(value: Any) -> str | None:
    """A container as text, if there are only plain values in it."""
    items = value.values() if isinstance(value, dict) else value
    return repr(value) if all([isinstance(item, _PLAIN) for item in items]) else None


def _code(code: types.CodeType) -> object:
    """What a function does, wherever its text is."""
    constants = tuple([_code(c) if inspect.iscode(c) else repr(c) for c in code.co_consts])
    return code.co_code, code.co_names, code.co_varnames, constants
