"""Origins: what a run of a function depended on, so that a view can later say what has changed since.

A function's result depends on more than its arguments: on parameters and arrays that it reaches, on global variables,
on its closure, on the object whose method it is, on its defaults, on the functions that it calls, and on its own code.
Fingerprints of these are taken when the function runs and compared on request. Only the function is kept alive for
this.
"""

from __future__ import annotations

import inspect
import re
import types
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..debug.inplace import fingerprint
from ..engine import BackwardEvent, ForwardEvent, Variable, is_array
from ..engine.reach import CONTAINERS, Spot, Walk, is_entered, is_plain, is_the_users, package_of, progress, settled

_MOST_ITEMS, _MOST_PARTS = 1000, 100  # plain values in a list; and arrays or objects in one
_MOST_ELEMENTS = 1 << 22  # larger arrays are only sampled: a data set must not make a slider slow
_MOST_HELD = 1000  # the same for arrays inside containers: those that are used are compared themselves
_MOST_SPOTS = 5000


class Origins:
    """Everything that one function depends on.

    Parameters
    ----------
    fn : callable, optional
    """

    def __init__(self, fn: Callable[..., Any] | None = None) -> None:
        self._fn = inspect.unwrap(fn) if fn is not None else fn
        self._used: dict[int, tuple[weakref.ref[Any], str | None]] = {}
        self._prints: list[tuple[weakref.ref[Any], str, object]] = []
        self._names: list[tuple[str, str, object]] = []  # a list, since names in different functions may be the same

    def look(self, event: ForwardEvent | BackwardEvent) -> None:
        """Note the leaves and arrays that a step of the run used; for `observe`."""
        if isinstance(event, ForwardEvent):
            self.add((value, None) for value in event.inputs)

    def add(self, values: Iterable[tuple[Any, str | None]]) -> None:
        """Note arrays and leaves, each with the user's name for it, if that is known."""
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
        around = _AroundFunction.of(self._fn)
        alive = [(ref, name, ref()) for ref, name in self._used.values()]
        self._prints = [
            (ref, name or around.called.get(id(value)) or _name(value), _print(value))
            for ref, name, value in alive
            if value is not None
        ]
        self._names = around.looks

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
        now = _AroundFunction.of(self._fn).looks
        for one, other in ((self._names, set(now)), (now, set(self._names))):
            found += [look[0] for look in one if look not in other]
        return list(dict.fromkeys(found))


def _print(value: Any, most: int = _MOST_ELEMENTS) -> object:
    array = value.data if isinstance(value, Variable) else value
    if array.size > most:
        return array.shape, fingerprint(array.ravel("K")[:: array.size // _MOST_ITEMS])
    return fingerprint(array)


def _name(value: Any) -> str:
    return getattr(value, "name", None) or ("a parameter" if isinstance(value, Variable) else "an array")


class _AroundFunction(Walk):
    """What a function reaches: for each place the name that a user knows it by, its path, and a fingerprint.

    Attributes
    ----------
    looks : list of (name, path, fingerprint)
    called : dict
        The names of arrays and Variables that have one, by id.
    """

    def __init__(self, fn: Any, names: frozenset[str], codes: frozenset[types.CodeType]) -> None:
        super().__init__(names, codes)
        self.by_any_name, self._fn = True, fn
        self.looks: list[tuple[str, str, object]] = []
        self.called: dict[int, str] = {}
        self._modules: set[str] = set()

    @classmethod
    def of(cls, fn: Any) -> _AroundFunction:
        """The walk from a function."""
        while isinstance(fn, partial) and not (fn.args or fn.keywords):
            fn = fn.func
        owner = getattr(fn, "__self__", None if inspect.isfunction(fn) or isinstance(fn, partial) else fn)
        roots = [("self", owner)] if owner is not None and not isinstance(owner, types.ModuleType) else []
        written = getattr(fn, "__func__", fn)
        roots += [(getattr(fn, "__name__", ""), written)] if written is not owner else []
        found: _AroundFunction = settled(lambda names, codes: cls(written, names, codes), roots)
        return found

    def goes_on(self) -> bool:
        return len(self.looks) <= _MOST_SPOTS

    def note(self, found: Spot) -> None:
        value = found.value
        if value is self._fn or (found.how != "part" and found.path == getattr(self._fn, "__name__", "")):
            return
        if found.how == "part" and isinstance(value, type) and not is_the_users(value):
            return
        if not self.follows(found):
            return
        name, depth = self._named(found.path)
        if not depth and (is_array(value) or isinstance(value, Variable)):
            self.called.setdefault(id(value), name)
        self.looks.append((name, found.path, _look(value, depth)))

    def meet(self, path: str, value: Any) -> None:
        if isinstance(value, types.ModuleType):
            self._modules.add(path)
        if (
            not isinstance(value, CONTAINERS)
            or is_entered(value)
            or (len(value) <= _MOST_PARTS and not _all_plain(value))
        ):
            self.enter(path, value)

    def follows(self, found: Spot) -> bool:
        """Each default has a place of its own."""
        return found.key not in ("__defaults__", "__kwdefaults__")

    def is_compared(self, path: str, holder: Any, name: str, role: str, is_said: bool) -> bool:
        return role in ("read", "updated") or (role == "asked" and (not is_said or name in self.names))

    def _named(self, path: str) -> tuple[str, int]:
        """The name by which the user knows a place, and how many names and indices follow it in the path."""
        parts = re.split(r"(?=[.[])", path)
        first = 1
        while first < len(parts) and ((held := "".join(parts[:first])) in self._modules or held == "self"):
            first += 1
        return "".join(parts[:first]), len(parts) - first


def _all_plain(value: Any) -> bool:
    """Whether a container holds nothing but numbers and strings, and not too many: its ``repr`` says what it holds."""
    held = value.values() if isinstance(value, dict | types.MappingProxyType) else value
    return len(value) <= _MOST_ITEMS and all([is_plain(item) for item in held])


def _look(value: Any, depth: int) -> object:
    """The fingerprint of a value, which differs after a change. What it holds has one of its own; for objects that are
    not followed, it is their identity."""
    kind = type(value)
    if is_plain(value) or kind in (slice, range):
        return kind, repr(value)
    if is_array(value) or isinstance(value, Variable):
        if depth and isinstance(value, Variable):
            return id(value)  # such as parameters of a link, which are compared where they are used
        return _print(value, _MOST_HELD if depth else _MOST_ELEMENTS)
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, types.FunctionType | type):
        code = _code(value.__code__) if isinstance(value, types.FunctionType) else value.__qualname__
        return code if is_the_users(value) else id(value)
    if isinstance(value, CONTAINERS):
        if _all_plain(value):
            return kind.__qualname__, str([*value.items()] if isinstance(value, dict) else [*value])
        keys = [repr(key) for key in value if is_plain(key)] if isinstance(value, dict) else []
        return kind.__qualname__, len(value), tuple(keys[:_MOST_ITEMS])
    if not hasattr(kind, "cache_info") and (content := progress(value)) is not None:
        return kind.__qualname__, content
    is_followed = is_entered(value) or package_of(kind) == "builtins"
    return kind.__qualname__ if is_followed and kind is not object else id(value)


def _code(code: types.CodeType) -> object:
    """The behaviour of code, independent of where its source is."""
    constants = tuple([_code(c) if inspect.iscode(c) else repr(c) for c in code.co_consts])
    return code.co_code, code.co_names, code.co_varnames, constants
