"""A walk through everything that a function can read: globals, closures, attributes, containers, code of helpers."""

from __future__ import annotations

import builtins
import sys
import threading
from array import array
from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property, partial
from operator import attrgetter, methodcaller
from types import CodeType, FunctionType, MappingProxyType, MemberDescriptorType, MethodType, ModuleType
from typing import Any
from weakref import ref

import numpy as np

from ...authoring.custom_vjp import custom_vjp
from ...engine import Primitive, Variable
from ...engine.outer_names import EMPTY, content_of
from ...engine.tracebacks import PACKAGE
from ...gpu.harmless import name_of_default
from ...gpu.traced_function import is_plain
from .call_tape import Refusal
from .code_names import attributes_of, codes_in, globals_of, imported, owners_of, placed, read_in, words_of
from .reached_state import has_array
from .reads import Reads, Spot
from .surroundings import generators, is_the_users, progress

_MOST_ITEMS = 200
_MOST_BYTES = 1 << 16
_MOST = 3_000
_KNOWN = ("autolab", "numpy", "builtins")
"""Packages whose objects manage their own state and hold nothing that a user sets."""
_INSIDE = ("fget", "fset", "fdel", "func", "__func__")
_INSIDE_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")
_ASKING_A_FUNCTION = frozenset([*_INSIDE_FUNCTIONS, "getattr", "vars"])
"""Code that uses one of these may look into a function that does not run."""
_BY_ANY_NAME = frozenset(["getattr", "setattr", "delattr", "hasattr", "__dict__", "vars"])
"""Code that uses one of these may access any attribute."""
_OWN_BOOKS = frozenset(["_found", "_name"])
"""Attributes in which a link keeps its own state."""


def reads(function: Any, others: list[Any], goes_on: bool = False) -> Reads:
    """Everything that a function can read, given the objects among its arguments, by the attribute names in its code.

    The walk ends at the first thing that cannot be compared, unless ``goes_on``.
    """
    names: set[str] = set()
    codes: set[CodeType] = set()
    while True:
        found = _Walk(names, codes).walk(function, others, goes_on)
        more = {name for code in found.codes for name in words_of(code)}
        if more <= names and found.codes <= codes:
            return found
        names, codes = names | more, codes | found.codes


def changes_around(function: Any) -> Callable[[], str | None]:
    """A function that names the first thing in reach of ``function`` that has changed since; None if nothing has.

    Large objects are not checked.

    Examples
    --------
    >>> state = {"n": 1}
    >>> changed = changes_around(lambda x: x * state["n"])
    >>> changed()
    >>> state["n"] = 2
    >>> changed()
    "state['n']"
    """
    found, before = reads(function, [], goes_on=True), generators()
    data = [(v.name or "data", v, v._data, v.data.tobytes()) for v in found.variables if v.data.nbytes <= _MOST_BYTES]

    def changed() -> str | None:
        now = generators()
        others = [name for name, v, held, numbers in data if v._data is not held or held.tobytes() != numbers]
        others += [name for name in now if before.get(name) != now[name]]
        return found.changed() or next(iter(others), None)

    return changed


def read_by(ran: set[CodeType], found: Reads, function: Any, others: list[Any]) -> Reads:
    """The part of ``found`` that the code that ran can read; if it is unchanged, the same code runs again."""
    names = {name for code in ran for name in words_of(code)}
    narrow = _Walk(names, ran, ran, found.written).walk(function, others, False)
    narrow.spots += found.noted
    return narrow


class _Walk:
    """One walk; ``only`` limits the code that counts, and ``written`` lists attributes known to be write-only."""

    def __init__(
        self,
        names: set[str],
        codes: set[CodeType],
        only: set[CodeType] | None = None,
        written: Sequence[tuple[Any, str]] = (),
    ) -> None:
        self.names, self.codes, self._only = names, codes, only
        self._written = {(id(holder), name) for holder, name in written}
        self.found = Reads()
        self._seen: dict[int, Any] = {}
        self._waiting: deque[tuple[str, Any]] = deque()

    def walk(self, function: Any, others: list[Any], goes_on: bool) -> Reads:
        self._waiting.extend(
            [(getattr(function, "__name__", "function"), function), *[("argument", o) for o in others]]
        )
        while self._waiting and (goes_on or self.found.beyond is None) and len(self.found.spots) <= _MOST:
            path, value = self._waiting.popleft()
            if id(value) not in self._seen and not is_plain(value):
                self._seen[id(value)] = value
                self._visit(path, value)
            if len(self.found.spots) > _MOST:
                self._too_large(path)
        return self.found

    def _too_large(self, path: str) -> None:
        told = f"it can read {path}, which is too large to be compared at each call: pass it as an argument"
        self.found.beyond = Refusal(told)

    def _unknown(self, path: str, what: str) -> None:
        self.found.beyond = Refusal(f"it can read {path} ({what}), the content of which is not compared")

    def _spot(self, path: str, holder: Any, key: Any, is_attribute: bool = False) -> None:
        spot = Spot(path, holder, key, is_attribute)
        value = spot.now()
        self.found.spots.append((spot, value))
        if value is not EMPTY:
            self._waiting.append((path, value))

    def _visit(self, path: str, value: Any) -> None:
        found = self.found
        if isinstance(value, Variable):
            found.variables.append(value)
        elif isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                self._unknown(path, "an array of objects")
            elif value.nbytes > _MOST_BYTES:
                self._too_large(path)
            else:
                found.arrays.append((path, value, value.tobytes()))
        elif isinstance(value, FunctionType):
            self._function(path, value)
        elif isinstance(value, MethodType):
            self._waiting.extend([(path, value.__func__), (path, value.__self__)])
        elif isinstance(value, partial):
            self._waiting.extend([(path, part) for part in (value.func, value.args, value.keywords)])
        elif isinstance(value, property | classmethod | staticmethod | cached_property):
            self._waiting.extend([(path, getattr(value, name, None)) for name in _INSIDE])
        elif isinstance(value, threading.local):
            found.beyond = Refusal(f"it can read {path}, which differs in each thread")
        elif isinstance(value, list | dict | set | frozenset | deque | tuple | MappingProxyType):
            self._container(path, value)
            if is_the_users(type(value)):
                self._object(path, value)
        elif "_kinds" in _dict(value) and hasattr(value, "_all_params"):
            self._link(path, value)
        elif hasattr(type(value), "update_one"):
            found.optimizers.append(value)
            self._waiting.append((f"{path}.target", value.target))
            asked = {name for code in self.codes for name in attributes_of(code)}
            for name in asked & vars(value).keys():
                self._spot(f"{path}.{name}", vars(value), name)
        elif isinstance(value, type):
            self._class(path, value)
        elif isinstance(value, ModuleType):
            self._module(path, value)
        elif isinstance(value, bytearray | memoryview | array | ref | attrgetter | methodcaller):
            self._unknown(path, type(value).__name__)
        elif (content := progress(value)) is not None:
            if content == -1:
                self._unknown(path, type(value).__name__)
            found.others.append((path, value, content))
            self._waiting.append((path, getattr(value, "__wrapped__", None)))
        elif isinstance(value, custom_vjp):
            self._waiting += [(path, one) for one in (value._fn, *vars(value._function or object).values())]
        elif str(type(value).__module__).partition(".")[0] not in _KNOWN or isinstance(value, Iterable):
            self._object(path, value)

    def _function(self, path: str, function: FunctionType) -> None:
        self._waiting.append((path, getattr(function, "__wrapped__", None)))
        if function.__code__.co_filename.startswith(PACKAGE):  # also of a declared function, which names the user's
            if isinstance(declared := getattr(function, "function", None), Primitive):
                self._waiting += [(path, declared.forward), (path, declared.declared)]
            around = [content_of(cell) for cell in function.__closure__ or ()]
            self._waiting += [(path, one) for one in around if isinstance(one, FunctionType)]
            return
        if not is_the_users(function) and not function.__code__.co_filename.startswith("<doctest"):
            return
        self.found.sizes.append((path, function.__dict__, len(function.__dict__)))
        self._attributes(path, function.__dict__)
        if self._only is not None and function.__code__ not in self._only and not self.names & _ASKING_A_FUNCTION:
            return
        for part in _INSIDE_FUNCTIONS:
            self.found.spots.append((spot := Spot(path, function, part, True), spot.now()))
        if function.__code__ not in self.found.codes:
            self.found.codes.update(codes_in(function.__code__))
            self._draws(function)
            for name in imported(function.__code__):
                self._spot(name, sys.modules, name)
        for name in globals_of(function.__code__):
            if name in function.__globals__ or not hasattr(builtins, name):
                self._spot(name, function.__globals__, name)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if content_of(cell) is not EMPTY:
                self._spot(name, cell, EMPTY)
        self._waiting.extend([(name_of_default(function, i), one) for i, one in enumerate(function.__defaults__ or ())])
        self._waiting.append((path, function.__kwdefaults__))

    def _container(self, path: str, value: Any) -> None:
        if not isinstance(value, tuple | frozenset):
            self.found.sizes.append((path, value, len(value)))
        if len(value) > _MOST_ITEMS:
            return self._too_large(path)
        if isinstance(value, set | dict | MappingProxyType):
            self.found.orders.append((path, value, tuple(value)))
        if isinstance(value, set | frozenset):
            self._waiting.extend([(path, item) for item in value])
            return
        for key in list(value) if isinstance(value, dict | MappingProxyType) else range(len(value)):
            if isinstance(value, tuple):
                self._waiting.append((f"{path}[{key}]", value[key]))
            else:
                self._spot(f"{path}[{key!r:.40}]", value, key)

    def _draws(self, function: FunctionType) -> None:
        """Refuse draws from NumPy's global generators, whose functions a profiler does not see."""
        around = function.__globals__
        for code, name in [(one, name) for one in codes_in(function.__code__) for name in one.co_names]:
            value = around.get(name)
            is_named = name == "random" and any([around.get(other) is np for other in owners_of(code, name)])
            if is_named or value is np.random or isinstance(_owner(value), np.random.RandomState):
                where = code.co_filename, next(line for line, _, argument in placed(code) if argument == name)
                self.found.beyond = Refusal(f"it uses numpy.random ({name}); expected config.rng", where)

    def _class(self, path: str, value: Any) -> None:
        whole = any([str(kind.__module__).startswith("autolab.") for kind in value.__mro__])
        for kind in value.__mro__:
            if is_the_users(kind):
                self.found.sizes.append((path, kind.__dict__, len(kind.__dict__)))
                self._attributes(path, kind.__dict__, whole)

    def _object(self, path: str, value: Any) -> None:
        is_known = not is_the_users(type(value))  # its own code may read any of its attributes
        held = _dict(value)
        written = [name for name in held if not is_known and self._is_only_written(value, name)]
        self.found.written += [(value, name) for name in written]
        self.found.sizes.append((path, held, len(held)))
        self._attributes(path, held, is_known and isinstance(value, Container | Iterable), written)
        self._kind(path, value)
        for kind in type(value).__mro__:
            for name, one in list(vars(kind).items()):
                if isinstance(one, MemberDescriptorType) and is_the_users(kind):
                    self._spot(f"{path}.{name}", value, name, True)

    def _module(self, path: str, module: ModuleType) -> None:
        """The names in a module that the user's code uses; functions of a library do not change but may be replaced."""
        if is_the_users(module):
            return self._attributes(path, vars(module))
        for name in self.names & vars(module).keys():
            self.found.spots.append((Spot(f"{path}.{name}", vars(module), name), value := vars(module)[name]))
            if isinstance(value, ModuleType):
                self._waiting.append((f"{path}.{name}", value))

    def _kind(self, path: str, value: Any) -> None:
        """Note the class of an object, because it may be reassigned."""
        if is_the_users(type(value)):
            self.found.spots.append((Spot(path, value, "__class__", True), type(value)))
        self._waiting.append((type(value).__name__, type(value)))

    def _attributes(self, path: str, held: Any, whole: bool = False, apart: Sequence[str] = ()) -> None:
        for name in [name for name in held if name not in apart]:
            is_special = name[:2] == "__" and isinstance(held[name], FunctionType)
            if whole or is_special or name in self.names or self.names & _BY_ANY_NAME:
                self._spot(f"{path}.{name}", held, name)

    def _is_only_written(self, holder: Any, name: str) -> bool:
        """Whether the user's code sets an attribute of this name and never reads it."""
        if self._only is not None:
            return (id(holder), name) in self._written
        return name in self.names and not self._is_read(name)

    def _is_read(self, name: str) -> bool:
        """Whether the user's code reads an attribute of this name."""
        return any([name in read_in(code) for code in self.codes])

    def _link(self, path: str, link: Any) -> None:
        self._kind(path, link)
        self.found.sizes.append((path, link.__dict__, len(link.__dict__)))
        for name, value in list(link.__dict__.items()):
            if link._kinds.get(name) == "buffer":
                if value is not None:
                    self.found.buffers.append((link, name))
            elif name in getattr(type(link), "_observed", ()) or self._is_only_written(link, name):
                self.found.written.append((link, name))
                if self._is_read(name):
                    self.found.reread.add((id(link), name))
                    if not has_array(value):
                        self.found.noted.append((Spot(f"{path}.{name}", link.__dict__, name), value))
            elif name not in _OWN_BOOKS:
                self._spot(f"{path}.{name}", link.__dict__, name)


def _dict(value: Any) -> dict[str, Any]:
    """The attributes of an object, without running code of its class."""
    return value.__dict__ if type(value).__dictoffset__ else {}


def _owner(function: Any) -> Any:
    return function.__self__ if hasattr(type(function), "__self__") else None
