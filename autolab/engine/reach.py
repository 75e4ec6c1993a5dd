"""What a callable can read or change: one walk over everything that it holds, directly or through something else.

A walk gives a `Spot` for each value: globals, closures and defaults of functions and of the functions that these call,
attributes, slots and classes of objects, items of containers, the parts of a partial or of a bound method, whether it
is Python's or C's (``losses.append``), and what modules hold under names that the code uses. What is done with the
places is up to its subclasses: `compile` compares them at each call, a view says what has changed since, `diagnose`
copies them.

An object of AutoLab that manages its own state says what it holds in a method ``_holds()``: it returns the roles of
attributes by name, and the role of all others. The roles are ``read``, an ordinary attribute; ``asked``, one that
counts if the user's code names it; ``state``, an array that a run reads and writes; ``written``, one that a run sets
and never reads; ``updated``, what an optimizer updates; ``part``, one that stays what it is; and ``own``, which nobody
else can see.

Variables that a user's forward finds around it: they are none of its arguments, so they would get no gradient.

The forward of a function with static methods runs without a graph, and its arguments have no history there. A step on a
Variable that has one is therefore a step on something from outside.
"""

from __future__ import annotations

import builtins
import functools
import gc
import itertools
import sys
import weakref
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from io import IOBase
from math import inf
from operator import attrgetter, delitem, itemgetter, length_hint, methodcaller, setitem
from threading import local
from types import (
    BuiltinMethodType,
    CodeType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from .modes import Modes
from .source import EMPTY, codes_in, content_of, imported, looked_up, name_of_default, words_of
from .tracebacks import PACKAGE
from .walks import nodes_below

CONTAINERS = (list, dict, set, frozenset, deque, tuple, MappingProxyType)
_KEYED, _SETS, _FIXED_CONTAINERS = (dict, MappingProxyType), (set, frozenset), (tuple, frozenset)
_KNOWN = ("autolab", "numpy", "builtins")
"""Packages whose objects manage their own state and hold nothing that a user sets."""
MEMORIES = (bytearray, memoryview, array)
VIEWS = tuple(
    [type(getattr(held, name)()) for held in (dict[int, int](), OrderedDict()) for name in ("keys", "values", "items")]
)
CACHE: type = type(functools.lru_cache(len))
"""The type of a function whose results are kept."""
_PARTS: dict[type, tuple[str, ...]] = {
    MethodType: ("__func__", "__self__"),
    BuiltinMethodType: ("__self__",),
    MethodWrapperType: ("__self__",),
    functools.partial: ("func", "args", "keywords"),
    property: ("fget", "fset", "fdel"),
    classmethod: ("__func__",),
    staticmethod: ("__func__",),
    functools.cached_property: ("func",),
    CACHE: ("__wrapped__",),
    defaultdict: ("default_factory",),
    np.vectorize: ("pyfunc",),
    **dict.fromkeys(VIEWS, ("mapping",)),
}
"""What objects of Python's own kinds hold, by the names of their attributes."""
_OPAQUE = (itemgetter, attrgetter, methodcaller, np.ufunc)
_OF_C = ("builtins", "itertools", "collections")
"""Where kinds of iterators are from that are written in C: only the garbage collector sees what they hold."""
_INSIDE_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")
_ASKING_A_FUNCTION = frozenset([*_INSIDE_FUNCTIONS, "getattr", "vars"])
"""Code that uses one of these may look into a function that does not run."""
_BY_ANY_NAME = frozenset(["getattr", "setattr", "delattr", "hasattr", "__dict__", "vars"])
"""Code that uses one of these may access any attribute."""

How = Literal["item", "attribute", "class", "cell", "context", "part"]


class Spot(NamedTuple):
    """Where a value is found: ``holder[key]``, an attribute, also of a class, the content of a variable of a closure or
    a context, or a part of something that never gets another.

    ``value`` is `EMPTY` if there is none.
    """

    path: str
    holder: Any
    key: Any
    value: Any
    how: How

    @classmethod
    def at(cls, path: str, holder: Any, key: Any, how: How) -> Self:
        """The place with the value that is there now."""
        found = cls(path, holder, key, None, how)
        return found._replace(value=found.now())

    def now(self) -> Any:
        """The value that is there now."""
        if self.how == "attribute":
            return getattr(self.holder, self.key, EMPTY)
        if self.how == "part":
            return self.value
        if self.how == "context":
            return self.holder.get(EMPTY)
        try:
            if self.how == "cell":
                return content_of(self.holder)
            return (vars(self.holder) if self.how == "class" else self.holder)[self.key]
        except (KeyError, IndexError):
            return EMPTY

    def put(self, value: Any) -> bool:
        """Store another value in the place, or none if it is `EMPTY`, but not by what the user's class does when an
        attribute is set; False where it cannot be stored."""
        kind = (
            type if self.how == "class" else local if isinstance(self.holder, local) else object
        )  # not by what the user's class does when an attribute is set
        try:
            if self.how == "context":
                self.holder.set(value)
            elif self.how == "item":
                delitem(self.holder, self.key) if value is EMPTY else setitem(self.holder, self.key, value)
            elif self.how != "part":
                gone = value is EMPTY
                kind.__delattr__(self.holder, self.key) if gone else kind.__setattr__(self.holder, self.key, value)
        except (AttributeError, TypeError, LookupError):
            return False
        return self.how != "part"


class Walk:
    """One walk, nearest first. Subclasses override `meet`, which decides whether to go on inside, and `note`.

    Parameters
    ----------
    names, codes : set
        The words of the code that may run, and that code: attributes and parts of modules count if they are named. See
        `settled`.
    only : set of code, optional
        The code that has run; other functions are not entered.
    """

    def __init__(
        self, names: Iterable[str] = (), codes: Iterable[CodeType] = (), only: set[CodeType] | None = None
    ) -> None:
        self.names, self.codes, self.only = frozenset(names), frozenset(codes), only
        self.by_any_name = bool(self.names & _BY_ANY_NAME)
        self.ran: set[CodeType] = set()
        self._seen: dict[int, Any] = {}
        self._waiting: deque[tuple[str, Any]] = deque()
        self.left: float = inf
        """How many values are still met, at most."""

    def walk(self, roots: Iterable[tuple[str, Any]]) -> Self:
        """Walk through pairs of path and value, and all that these hold."""
        self._waiting.extend(roots)
        while self._waiting and self.left > 0 and self.goes_on():
            path, value = self._waiting.popleft()
            if id(value) not in self._seen and not is_plain(value):
                self._seen[id(value)] = value
                self.left -= 1
                self.meet(path, value)
        return self

    def goes_on(self) -> bool:
        """Whether to walk on."""
        return True

    def meet(self, path: str, value: Any) -> None:
        """Handle a value that is not plain, met for the first time."""
        self.enter(path, value)

    def note(self, found: Spot) -> None:
        """Handle a place."""

    def enter(self, path: str, value: Any) -> None:
        """Note the places that a value holds directly; what is in them is met later."""
        for found in self.places(path, value):
            self.note(found)
            if found.value is not EMPTY and self.follows(found):
                self._waiting.append((found.path, found.value))

    def follows(self, found: Spot) -> bool:
        """Whether to meet what is in a place."""
        return True

    def places(self, path: str, value: Any) -> Iterator[Spot]:
        """What a value holds directly."""
        kind = type(value)
        if kind is FunctionType:
            yield from self._of_function(path, value)
        elif isinstance(value, ModuleType):
            yield from self._of_module(path, value)
        elif isinstance(value, type):
            yield from self._of_class(path, value)
        elif isinstance(value, ContextVar):
            yield Spot.at(path, value, None, "context")
        else:
            for name in [name for one in kind.__mro__ if one in _PARTS for name in _PARTS[one]]:
                if not isinstance(held := getattr(value, name, None), ModuleType):
                    yield Spot(path, value, name, held, "part")
            if isinstance(value, CONTAINERS):
                yield from _items(path, value)
            elif kind is CACHE:
                yield from [Spot(f"{path}()", value, key, one, "part") for key, one in results(value)]
            elif isinstance(value, weakref.ref):
                yield Spot(path, value, None, value(), "part")
            elif isinstance(value, np.ndarray) and value.dtype.hasobject:
                yield from [Spot(f"{path}[{i}]", value.flat, i, one, "item") for i, one in enumerate(value.flat)]
            elif isinstance(value, GeneratorType):
                held = value.gi_frame.f_locals if value.gi_frame else {}
                yield from [Spot(name, value, name, one, "part") for name, one in held.items()]
            elif isinstance(value, _OPAQUE) or (hasattr(kind, "__next__") and kind.__module__ in _OF_C):
                yield from [Spot(path, value, None, one, "part") for one in gc.get_referents(value)]
            if is_entered(value):
                yield from self._of_object(path, value)

    # ------------------------------------------------------------------ kinds
    def _of_function(self, path: str, function: FunctionType) -> Iterator[Spot]:
        yield Spot(path, function, "__wrapped__", getattr(function, "__wrapped__", None), "part")
        code = function.__code__
        if code.co_filename.startswith(PACKAGE):  # also of a declared function, which names the user's
            if (declared := getattr(function, "function", None)) is not None:
                yield Spot(path, function, "function", declared, "part")
            around = [content_of(cell) for cell in function.__closure__ or ()]
            yield from [Spot(path, function, None, one, "part") for one in around if type(one) is FunctionType]
            return
        if not is_the_users(function) and not code.co_filename.startswith("<doctest"):
            return
        yield from self.attributes(path, function, function.__dict__)
        if self.only is not None and code not in self.only and not self.names & _ASKING_A_FUNCTION:
            return
        yield from [Spot.at(path, function, part, "attribute") for part in _INSIDE_FUNCTIONS]
        if code not in self.ran:
            self.ran.update(codes_in(code))
            yield from [Spot.at(name, sys.modules, name, "item") for name in imported(code)]
        for name in looked_up(code):
            if name in function.__globals__ or not hasattr(builtins, name):
                yield Spot.at(name, function.__globals__, name, "item")
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if content_of(cell) is not EMPTY:
                yield Spot.at(name, cell, "cell_contents", "cell")
        for i, one in enumerate(function.__defaults__ or ()):
            yield Spot(name_of_default(function, i), function, i, one, "part")
        for name in function.__kwdefaults__ or ():
            yield Spot.at(name, function.__kwdefaults__, name, "item")

    def _of_class(self, path: str, kind: type) -> Iterator[Spot]:
        if is_the_users(type(kind)):
            yield from self._of_class(path, type(kind))
        whole = has_foreign_base(kind)
        for one in kind.__mro__:
            if is_the_users(one):
                yield from self.attributes(path, one, one.__dict__, whole)

    def _of_module(self, path: str, module: ModuleType) -> Iterator[Spot]:
        """The names in a module that the code uses; functions of a library do not change but may be replaced."""
        held = vars(module)
        yield from [Spot.at(f"{path}.{name}", held, name, "item") for name in sorted(held.keys() & self.names)]

    def _of_object(self, path: str, value: Any) -> Iterator[Spot]:
        yield Spot(type(value).__name__, value, "__class__", type(value), "part")
        if is_the_users(type(value)):  # it may get another class
            yield Spot(path, value, "__class__", type(value), "attribute")
        yield from self.attributes(path, value, attributes(value), is_whole(value))
        for kind in type(value).__mro__:
            if "__slots__" in vars(kind) and package_of(kind) not in _KNOWN:
                slots = [name for name, one in vars(kind).items() if isinstance(one, MemberDescriptorType)]
                yield from [Spot.at(f"{path}.{name}", value, name, "attribute") for name in slots]

    def attributes(self, path: str, holder: Any, held: Any, whole: bool = False) -> Iterator[Spot]:
        """The attributes that count: those that the code names, and special methods."""
        said = holds(holder)
        roles, rest = said or ({}, "asked")
        for name in [*held]:
            role = roles.get(name, rest)
            is_special = name[:2] == "__" and isinstance(held[name], FunctionType)
            counts = role != "asked" or is_special or name in self.names
            counts = counts or ((whole or self.by_any_name) and name[:2] != "__")
            if role == "part":
                yield Spot(path, held, name, held[name], "part")
            elif counts and role != "own" and self.is_compared(path, holder, name, role, said is not None):
                how: How = "class" if isinstance(holder, type) else "attribute" if isinstance(holder, local) else "item"
                yield Spot.at(f"{path}.{name}", held if how == "item" else holder, name, how)
        if isinstance(holder, local):  # another thread may have others
            others = [name for name in self.names if name not in held and not hasattr(type(holder), name)]
            yield from [Spot.at(f"{path}.{name}", holder, name, "attribute") for name in others]

    def is_compared(self, path: str, holder: Any, name: str, role: str, is_said: bool) -> bool:
        """Whether an attribute is a place like others; a subclass may keep some apart. ``is_said``: the holder has said
        what it holds."""
        return True


def settled(make: Callable[[frozenset[str], frozenset[CodeType]], Any], roots: list[tuple[str, Any]]) -> Any:
    """The walk that knows all words of the code that it finds; ``make(names, codes)`` makes one."""
    codes = frozenset([code for _, one in roots if type(one) is FunctionType for code in codes_in(one.__code__)])
    names = frozenset([name for code in codes for name in words_of(code)])
    while True:
        walk = make(names, codes).walk(roots)
        more = frozenset([name for code in walk.ran for name in words_of(code)])
        if more <= names and walk.ran <= codes:
            return walk
        names, codes = names | more, codes | walk.ran


def named(
    roots: Iterable[tuple[str, Any]], enters: Callable[[Any], bool] = lambda value: True, most: float = inf
) -> list[tuple[str, Any]]:
    """At most ``most`` values that are held, directly or through something else that ``enters`` says to look into, each
    with the expression that finds it, nearest first.

    Examples
    --------
    >>> rates = {"slow": [0.1]}
    >>> named([("f", lambda x: x * rates["slow"][0])])[-2:]
    [('rates', {'slow': [0.1]}), ("rates['slow']", [0.1])]
    """
    found: _Inventory = settled(lambda names, codes: _Inventory(names, codes, enters, most), [*roots])
    return found.found


class _Inventory(Walk):
    """A walk that lists what it meets."""

    def __init__(self, names: Any, codes: Any, enters: Callable[[Any], bool], most: float) -> None:
        super().__init__(names, codes)
        self.by_any_name, self.left, self._enters = True, most, enters
        self.found: list[tuple[str, Any]] = []

    def meet(self, path: str, value: Any) -> None:
        self.found.append((path, value))
        if self._enters(value):
            self.enter(path, value)


def _items(path: str, value: Any) -> Iterator[Spot]:
    how: How = "part" if isinstance(value, (tuple, *_SETS)) else "item"
    if isinstance(value, _SETS):
        yield from [Spot(path, value, item, item, how) for item in value]
    elif isinstance(value, _KEYED):
        yield from [Spot(f"{path}[{key!r:.40}]", value, key, value[key], how) for key in [*value]]
        yield from [Spot(path, value, key, key, "part") for key in [*value] if not is_plain(key)]
    else:
        yield from [Spot(f"{path}[{i}]", value, i, item, how) for i, item in enumerate(value)]


def results(cached: Any) -> list[tuple[Any, Any]]:
    """What a function with a cache has kept: pairs of key and result.

    Examples
    --------
    >>> f = functools.lru_cache(8)(lambda x: x * 2)
    >>> f(3), results(f)
    (6, [(3, 6)])
    """
    held, count = gc.get_referents(cached), cached.cache_info().currsize
    if cached.cache_parameters()["maxsize"] is None:
        return [*next((one for one in held if type(one) is dict), {}).items()]
    return [*zip(held[1 : 3 * count : 3], held[2 : 3 * count : 3], strict=True)]  # key, result, the type of their link


def stores(value: Any) -> list[Any]:
    """The containers with what a value holds, the keys and lengths of which may change."""
    if isinstance(value, FunctionType):
        return [value.__dict__] if is_the_users(value) and not _is_own(value) else []
    if isinstance(value, type):
        return [one.__dict__ for one in value.__mro__ if is_the_users(one)]
    if isinstance(value, ModuleType):
        return []
    own = [value] if isinstance(value, CONTAINERS) and not isinstance(value, _FIXED_CONTAINERS) else []
    return [*own, *([attributes(value)] if is_entered(value) else [])]


def _is_own(function: FunctionType) -> bool:
    return function.__code__.co_filename.startswith(PACKAGE)


def holds(value: Any) -> tuple[Mapping[str, str], str] | None:
    """What an object of AutoLab says about its attributes: roles by name, and the role of all others."""
    declare = getattr(type(value), "_holds", None)
    return None if declare is None or isinstance(value, type) else declare(value)


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object, without running code of its class."""
    return value.__dict__ if type(value).__dictoffset__ or isinstance(value, local) else {}


def is_entered(value: Any) -> bool:
    """Whether the attributes of an object may be set or read by the user's code, or by code that is called for it."""
    kind = type(value)
    if package_of(kind) == "builtins":
        return False
    if hasattr(kind, "_holds") and not isinstance(value, type):
        return True
    if isinstance(value, CONTAINERS):
        return is_the_users(kind)
    return package_of(kind) not in _KNOWN or isinstance(value, Iterable)


def is_whole(value: Any) -> bool:
    """Whether code that is not the user's may read any attribute of an object."""
    kind = type(value)
    return has_foreign_base(kind) if is_the_users(kind) else isinstance(value, Container | Iterable)


def has_foreign_base(kind: type) -> bool:
    """Whether a class inherits methods that are not the user's, which may read any of its attributes."""
    return any([one.__module__ not in _INTERFACES and not is_the_users(one) for one in kind.__mro__])


_INTERFACES = ("builtins", "abc", "typing", "collections.abc")
"""Where classes are from the methods of which read no attributes."""


def is_the_users(value: Any) -> bool:
    """Whether something was written by the user, not by a library that manages its own state."""
    if isinstance(value, ModuleType):
        owner = value.__name__.partition(".")[0]
    elif isinstance(value, type):
        owner = package_of(value)
    else:
        owner = str(getattr(value, "__module__", None)).partition(".")[0]
        owner = package_of(type(value)) if owner == "builtins" else owner
    return owner not in _KNOWN and owner not in _STANDARD


def package_of(kind: type) -> str:
    """The package of a class; empty for one of code whose names have no module, as after ``exec(code, {})``, which
    Python takes for its own.

    Examples
    --------
    >>> names = {}
    >>> exec("class Own: pass", names)
    >>> names["Own"].__module__, package_of(names["Own"]), package_of(dict)
    ('builtins', '', 'builtins')
    """
    is_written = kind.__flags__ & (_ON_HEAP | _FIXED) == _ON_HEAP
    package = str(kind.__module__).partition(".")[0]
    return "" if package == "builtins" and is_written else package


_ON_HEAP, _FIXED = 1 << 9, 1 << 8  # flags of a type: made by a class statement; its attributes cannot be changed


_STANDARD = sys.stdlib_module_names - {"__main__"}


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a string, None or a tuple of these, so that it cannot change.

    Examples
    --------
    >>> is_plain((1, 2.0, "a")), is_plain([1])
    (True, False)
    """
    kind = type(value)
    if kind is tuple:
        return all([is_plain(item) for item in value])
    return kind in _PLAIN or isinstance(value, np.generic)


_PLAIN = frozenset([bool, int, float, complex, str, bytes, type(None)])


def progress(value: Any) -> Hashable | None:
    """The state of an object that advances when it is used; None for any other object, -1 if the state is unknown."""
    kind = type(value)
    if isinstance(value, GeneratorType):
        return value.gi_frame.f_lasti if value.gi_frame else -1
    if isinstance(value, itertools.count):
        return repr(value)
    if hasattr(kind, "bit_generator"):
        return repr(value.bit_generator.state)
    if hasattr(kind, "getstate"):  # random.Random
        return hash(value.getstate())
    if hasattr(kind, "get_state") and kind.__module__.startswith("numpy.random"):
        return repr(value.get_state())
    if hasattr(kind, "cache_info"):
        return str(value.cache_info())
    if isinstance(value, IOBase):
        return value.tell() if not value.closed and value.seekable() else None
    if isinstance(value, MEMORIES):
        return bytes(value)
    return length_hint(value, -1) if hasattr(kind, "__next__") else None


_MOST = 1_000
_OPERANDS = ("a", "b", "x", "inputs", "args")
"""What the fast paths call their operands, and everything else its arguments."""


class ModesOfForward(Modes):
    """The modes of a forward that has no graph: a step on a Variable with a history is told to ``noticed``."""

    noticed: Callable[[Any], None]

    @property
    def enable_backprop(self) -> bool:  # type: ignore[override]  # asked only where an operand has a history
        held = sys._getframe(1).f_locals
        found = [held[name] for name in _OPERANDS if name in held]
        recording, noticed = self.recording, self.noticed
        del self  # the traceback of an error would keep it alive
        return recording or _told(noticed, [i for one in found for i in (one if type(one) in (list, tuple) else [one])])

    def joins(self, args: Iterable[Any]) -> bool:
        recording, noticed = self.recording, self.noticed
        del self
        return recording or _told(noticed, args)


def _told(noticed: Callable[[Any], None], values: Iterable[Any]) -> bool:
    """Tell of the Variables that have a history; False, because the step does not join a graph."""
    for value in values:
        if getattr(value, "node", None) is not None:
            noticed(value)
    return False


def returned_variable(who: str, value: Any, roots: Iterable[tuple[str, Any]]) -> str:
    """What to say if a forward on arrays returns a Variable: it has used one from outside, named if it is found."""
    said, roots = f"{who} returned a Variable; it works on arrays and returns arrays", list(roots)
    if value.node is None:
        return said
    names = [name_around(node, roots) for node in nodes_below(value.node)[:20]]
    name = next((name for name in names if name is not None), "one from outside")
    return f"{said}. It uses {name:.60}, which would get no gradient: pass it as an argument, or use its .data"


def name_around(wanted: Any, roots: Iterable[tuple[str, Any]]) -> str | None:
    """The expression under which a function finds a value around it; None if it does not.

    Parameters
    ----------
    wanted : object
        The value, or the node of a Variable.
    roots : iterable of (str, object)
        Names and what is looked through: functions, objects, containers.
    """
    looked = named(roots, lambda value: not _is(value, wanted), _MOST)
    return next((name for name, value in looked if _is(value, wanted)), None)


def _is(value: Any, wanted: Any) -> bool:
    return value is wanted or getattr(value, "node", None) is wanted
