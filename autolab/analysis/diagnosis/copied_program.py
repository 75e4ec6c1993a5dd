"""A user's program, the objects that it works on by the user's names, and copies of it, so that only copies change."""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]  # the only way to what is registered with an abstract class
import abc
import copy
import functools
import gc
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any
from weakref import ref

from ...engine.reach import (
    CACHE,
    CONTAINERS,
    VIEWS,
    Spot,
    Walk,
    is_plain,
    is_the_users,
    named,
    results,
    settled,
    stores,
)
from ...engine.source import EMPTY
from ...recording.scopes import is_users

_LIBRARIES = ("builtins", "torch", "jax", "jaxlib", "numpy", "autolab")
_MOST, _MOST_ITEMS, _MOST_IN_LISTS = 5_000, 200, 1_000
_CODE = (types.ModuleType, type, types.FunctionType)
_STAYING = (*_CODE, ContextVar, threading.local)
"""What has one identity for everybody: a copy of the program has its own values in it only while it runs."""
_FUNCTIONS = (*_CODE, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)
_OF_PYTHON = ("builtins", "functools", "collections", "types", "weakref", "queue")


@dataclass(frozen=True)
class Program:
    """A function with its arguments. ``own_copy(value, memo)`` returns the copy of what its library copies in a way of
    its own, and None for everything else."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    own_copy: Callable[[Any, dict[int, Any]], Any]
    world: World = field(default_factory=lambda: World([], []))

    @cached_property
    def named(self) -> dict[str, Any]:
        """What the program works on, by the user's names: its arguments, and the outer variables of its function."""
        return self.named_now()

    def named_now(self) -> dict[str, Any]:
        """The current state of ``named``: a program may rebind names."""
        with self.world:
            found = outer_values(self.fn)
            fn, args, kwargs = _bare_call(self.fn, self.args, self.kwargs)
            try:
                bound = inspect.signature(fn).bind(*args, **kwargs)
            except (TypeError, ValueError):
                return found | {f"x{i}": value for i, value in enumerate(args)} | dict(kwargs)
            given = dict(bound.arguments)
            bound.apply_defaults()
            return found | {k: v for k, v in bound.arguments.items() if k in given or not is_plain(v)}

    def __call__(self) -> Any:
        with self.world:
            return self.fn(*self.args, **self.kwargs)

    def copied(self) -> Program:
        """A copy of the program that shares nothing that it could change.

        Raises
        ------
        TypeError
            If an argument cannot be copied.
        """
        given = {f"argument {i + 1}": value for i, value in enumerate(self.args)} | dict(self.kwargs)
        with self.world:
            copies = _Copies(_Reach.by([("", self.fn), *given.items()]), self.own_copy)
            args, kwargs = [copies.of(value) for value in self.args], {k: copies.of(v) for k, v in self.kwargs.items()}
            world = copies.world()
        for name, value in given.items():
            if id(value) in copies.uncopied and not copies.stays(value):
                raise TypeError(
                    f"diagnose: {name} is {type(value).__name__}, which cannot be copied "
                    f"({copies.uncopied[id(value)]!s:.100}); give lists and arrays instead of what can be read only "
                    "once"
                )
        return replace(self, fn=copies.of(self.fn), args=tuple(args), kwargs=kwargs, world=world)


class World:
    """What a copy of a program has in places that it shares with the original, such as attributes of a class, variables
    of closures, and names in modules. It is there inside of this context; afterwards the original's values are."""

    _one_at_a_time = threading.RLock()

    def __init__(self, places: list[tuple[Spot, Any]], stores: list[Any], copies: Any = None) -> None:
        self._places, self._stores, self._depth = places, stores, 0
        self._copies = copies  # kept alive, as some may be held by weak references only
        self._others: list[tuple[Spot, Any]] = []
        self._before: list[tuple[Any, set[str]]] = []
        self._registered: list[tuple[abc.ABCMeta, list[type], list[type]]] = []

    def __enter__(self) -> None:
        self._one_at_a_time.acquire()
        self._depth += 1
        if self._depth == 1:
            self._before = [(store, _names(store)) for store in self._stores]
            self._enter_registries()
            self._others = [(place, place.now()) for place, _ in self._places]
            try:
                _put(self._places)
            except BaseException:  # an interrupt may come when only some values are there
                self.__exit__()
                raise

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        try:
            if not self._depth:
                self._leave()
        finally:
            self._one_at_a_time.release()

    def _enter_registries(self) -> None:
        """Register with abstract classes what the copy has registered with them before."""
        own = {cls: mine for cls, _, mine in self._registered}
        found = [store for store in self._stores if isinstance(store, abc.ABCMeta)]
        self._registered = [(cls, _registry(cls), own.get(cls, [])) for cls in found]
        for cls, _, mine in self._registered:
            for other in mine:
                cls.register(other)

    def _leave_registries(self) -> None:
        for k, (cls, before, _) in enumerate(self._registered):
            if mine := [other for other in _registry(cls) if other not in before]:
                _abc._reset_registry(cls)
                for other in before:
                    cls.register(other)
                _abc._reset_caches(cls)
            self._registered[k] = cls, before, mine

    def _leave(self) -> None:
        self._leave_registries()
        try:
            new = [(store, name) for store, before in self._before for name in _names(store) - before]
            found = [Spot.at("", store, name, "class" if isinstance(store, type) else "item") for store, name in new]
            self._others += [(place, EMPTY) for place in found if not isinstance(place.value, types.ModuleType)]
            self._places = [(place, place.now()) for place, _ in self._others]
        finally:
            try:
                _put(self._others)
            except BaseException:
                _put(self._others)
                raise


def _registry(cls: abc.ABCMeta) -> list[type]:
    """The classes that are registered with an abstract one."""
    return [found for held in _abc._get_dump(cls)[0] if (found := held()) is not None]


def _names(store: Any) -> set[Any]:
    return {*vars(store)} if isinstance(store, type) else {*store}


def _put(places: list[tuple[Spot, Any]]) -> None:
    for place, value in places:
        if place.now() is not value:
            place.put(value)


class _Reach(Walk):
    """What a program reaches.

    Attributes
    ----------
    met : list
        Every object but numbers and strings, the nearest first.
    held : dict
        The places in each of these, by its id.
    own : set
        The ids of those that are not just parts of a library's objects, which are copied as a whole.
    """

    def __init__(self, names: frozenset[str], codes: frozenset[types.CodeType], own: set[int]) -> None:
        super().__init__(names, codes)
        self.by_any_name, self.left, self.own = True, _MOST, own
        self.met: list[Any] = []
        self.held: dict[int, list[Spot]] = {}

    @classmethod
    def by(cls, roots: list[tuple[str, Any]]) -> _Reach:
        """What is reached from pairs of name and value."""
        ids = [id(value) for _, value in roots]
        found: _Reach = settled(lambda names, codes: cls(names, codes, {*ids}), roots)
        return found

    def meet(self, path: str, value: Any) -> None:
        if not isinstance(value, _CODE) or _is_of_user(value):
            self.met.append(value)
            self.held[id(value)] = []
            if not isinstance(value, CONTAINERS) or len(value) <= _MOST_ITEMS:
                self.enter(path, value)

    def note(self, found: Spot) -> None:
        owner = self.met[-1]
        self.held[id(owner)].append(found)
        is_entered = isinstance(owner, _STAYING) or type(owner).__module__ in _OF_PYTHON or _is_of_user(type(owner))
        if id(owner) in self.own and is_entered:
            self.own.add(id(found.value))

    def named(self) -> Iterator[tuple[str, Any]]:
        """What functions, classes and modules hold, but no functions, classes and modules."""
        for found in [found for value in self.met if isinstance(value, _STAYING) for found in self.held[id(value)]]:
            value, is_named = found.value, found.how != "part" or type(found.key) is int
            is_ordinary = value is not EMPTY and not isinstance(value, _CODE) and str(found.key)[:2] != "__"
            if is_named and is_ordinary and (not callable(value) or hasattr(value, "__dict__")):
                yield found.path, value


class _Copies:
    """Copies of what a program reaches. ``uncopied`` has the errors of what cannot be copied, by its id."""

    def __init__(self, reached: _Reach, own_copy: Callable[[Any, dict[int, Any]], Any]) -> None:
        self._reached, self._own_copy = reached, own_copy
        self._memo: dict[int, Any] = {}
        self.uncopied: dict[int, Exception] = {}
        for value in reversed(reached.met):  # the innermost first: copies of its owners share what cannot be copied
            if id(value) in reached.own or type(value) in _REBUILT or own_copy(value, self._memo) is not None:
                self.of(value)

    def of(self, value: Any) -> Any:
        """The copy of a value; what stays the same is its own."""
        if not is_plain(value) and id(value) not in self._memo:
            own = self._own_copy(value, self._memo)
            self._memo[id(value)] = self._ordinary(value) if own is None else own
        return self._memo.get(id(value), value)

    def _ordinary(self, value: Any) -> Any:
        if isinstance(value, _STAYING):
            return value
        known, rebuilt = len(self._memo), _REBUILT.get(type(value))
        try:
            return copy.deepcopy(value, self._memo) if rebuilt is None else rebuilt(value, self.of)
        except Exception as error:  # it is a file, for instance, which is used without copying
            while len(self._memo) > known:
                self._memo.popitem()  # half a copy
            self.uncopied[id(value)] = error
            return value

    def stays(self, value: Any) -> bool:
        """Whether the copy shares an object whose places get other values while it runs."""
        is_own = id(value) in self._reached.own and (isinstance(value, CONTAINERS) or _is_of_user(type(value)))
        return isinstance(value, _STAYING) or (is_own and self._memo.get(id(value)) is value)

    def world(self) -> World:
        """What the copy has in the places that it shares."""
        staying = [value for value in self._reached.met if self.stays(value)]
        places = [found for value in staying for found in self._reached.held[id(value)]]
        places = [found for found in places if found.how != "part" and found.holder is not sys.modules]
        return World(
            [(found, self.of(found.value)) for found in places], [d for v in staying for d in _stores(v)], self._memo
        )


def _stores(value: Any) -> list[Any]:
    """What may get more names: classes, and dicts of names."""
    if isinstance(value, type):
        return [one for one in value.__mro__ if _is_of_user(one)]
    found = [vars(value)] if isinstance(value, types.ModuleType) else stores(value)
    return [one for one in found if isinstance(one, dict)]


def _with_cache(value: Any, of: Callable[[Any], Any]) -> Any:
    """A function with a cache of its own, in which are copies of the results."""
    function, kept = value.__wrapped__, list[Any]()

    def call(*args: Any, **kwargs: Any) -> Any:
        return kept.pop() if kept else function(*args, **kwargs)

    new = functools.lru_cache(**value.cache_parameters())(call)
    for key, result in results(value):
        kept[:] = [of(result)]
        parts = [*key] if isinstance(key, tuple) else [key]
        at = next((i for i, part in enumerate(parts) if type(part) is object), len(parts))  # before the keywords
        new(*parts[:at], **dict(zip(parts[at + 1 :: 2], parts[at + 2 :: 2], strict=False)))
    kept.clear()
    new.__wrapped__ = function
    return new


_REBUILT: dict[type, Callable[[Any, Callable[[Any], Any]], Any]] = {
    CACHE: _with_cache,
    staticmethod: lambda value, of: staticmethod(of(value.__func__)),
    classmethod: lambda value, of: classmethod(of(value.__func__)),
    property: lambda value, of: property(of(value.fget), of(value.fset), of(value.fdel), value.__doc__),
    ref: lambda value, of: ref(of(value())),
    types.MappingProxyType: lambda value, of: types.MappingProxyType(of(gc.get_referents(value)[0])),
    **dict.fromkeys(VIEWS, lambda value, of: getattr(of(gc.get_referents(value)[0]), _word(value))()),
    **dict.fromkeys(
        (types.BuiltinMethodType, types.MethodWrapperType),
        lambda value, of: getattr(of(value.__self__), value.__name__),
    ),
}
"""What a deep copy refuses, or shares with what it holds."""


def _word(view: Any) -> str:
    """``keys``, ``values`` or ``items``."""
    return type(view).__name__.rpartition("_")[2]


def items(roots: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """All named objects, including those inside lists, tuples, dicts and objects of the user's classes."""
    return [(name, value) for name, value in named(roots.items(), _is_opened) if not isinstance(value, type)]


def _is_opened(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return len(value) <= _MOST_IN_LISTS
    return not isinstance(value, (*CONTAINERS, *_FUNCTIONS)) and _is_of_no_library(value)


def _is_of_no_library(value: Any) -> bool:
    """Whether it is an object of a user's class, and no model."""
    module = type(value).__module__.partition(".")[0]
    is_model = any(base.__name__ in ("Module", "Link", "Optimizer", "Variable") for base in type(value).__mro__)
    return module not in _LIBRARIES and not is_model


def _is_of_user(value: Any) -> bool:
    """Whether a function, class or module is the user's, and not of an installed package."""
    module = value.__name__ if isinstance(value, types.ModuleType) else str(value.__module__)
    return is_the_users(value) and is_users(str(getattr(sys.modules.get(module), "__file__", None)))


def outer_values(fn: Any) -> dict[str, Any]:
    """The outer variables of a function and of what it calls, by name. An object that is called is ``self``, as in its
    methods."""
    while isinstance(fn, partial) or hasattr(fn, "__wrapped__"):
        fn = fn.func if isinstance(fn, partial) else fn.__wrapped__
    owner = getattr(fn, "__self__", None if isinstance(fn, _FUNCTIONS) else fn)
    found = {} if owner is None or isinstance(owner, _CODE) else {"self": owner}
    for name, value in _Reach.by([("self", owner), ("", fn)]).named():
        found.setdefault(name, value)
    return found


def _bare_call(fn: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, tuple[Any, ...], Any]:
    """The call without the partials and wrappers around its function; of a model, that of its ``forward``."""
    while True:
        if isinstance(fn, partial):
            fn, args, kwargs = fn.func, (*fn.args, *args), {**fn.keywords, **kwargs}
        elif (inner := getattr(fn, "__wrapped__", None)) is not None:
            fn = inner
        else:
            methods = [] if isinstance(fn, _FUNCTIONS) else _own_methods(fn)
            return (methods[0] if methods else fn), args, kwargs


def _own_methods(called: Any) -> list[types.MethodType]:
    """The methods of the user's class that run when an object of it is called, as a model's ``forward``."""
    found = [getattr(called, name, None) for name in ("__call__", "forward")]
    return [m for m in found if isinstance(m, types.MethodType) and is_users(_code_file(m))]


def _code_file(method: types.MethodType) -> str:
    return getattr(getattr(method.__func__, "__code__", None), "co_filename", "<")
