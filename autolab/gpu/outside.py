"""What a function reads from outside its arguments, observed while it runs, so that it can be checked again later.

A copy of the function runs instead of the function itself. It reads its globals, closure variables and defaults through
this module: a number, a string or None is passed on and watched, and any other object is passed on as an
`OutsideValue`, which in turn watches what is read from it. Helper functions run as such copies, too. What cannot be
watched, such as a clock, a random number or an array, is refused by name. So there is no need to know all the ways in
which a function may depend on its surroundings: anything not known to be harmless is refused.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from operator import getitem
from typing import Any, NamedTuple

import numpy as np

from ..engine import Primitive, Variable
from ..engine.backend import modules
from ..engine.code_names import EMPTY, content_of, name_of_default, outer_names
from ..engine.errors import FusionError
from ..engine.reach import is_plain
from .harmless import is_harmless, is_library, is_of_numpy
from .outside_value import OutsideArray, OutsideValue
from .traced_function import exact


class OutsideRead(NamedTuple):
    """One thing that was read: how to read it again, its value, and a key that identifies its type and bits."""

    look: Callable[[], Any]
    value: Any
    key: Hashable
    raises: bool = False
    """Whether ``value`` is the exception that reading it raised."""


def hold(lookups: Iterable[OutsideRead]) -> bool:
    """Whether the same would still be read."""
    try:
        for look, value, key, _ in lookups:
            found = look()
            if found is not value and not (type(found) is type(value) and _key(found) == key):
                return False
    except Exception:  # it no longer exists, or cannot be read
        return False
    return True


def _watched(look: Callable[[], Any]) -> OutsideRead:
    """The value that is read, or the type of the error that reading it raises."""
    try:
        value = look()
    except Exception as error:
        return OutsideRead(partial(_raised, look), type(error), None, True)
    return OutsideRead(look, value, _key(value))


def _raised(look: Callable[[], Any]) -> Any:
    try:
        look()
    except Exception as error:
        return type(error)
    return None


def _key(value: Any) -> Hashable:
    """The identity of a value: its type and bits if it is immutable, else the object itself."""
    if is_plain(value):
        return exact(value)
    if isinstance(value, types.MethodType):  # each read creates a new one
        return id(value.__func__), id(value.__self__)
    return id(value)


class Outside:
    """The reads of one run of a function.

    Parameters
    ----------
    name : str
        The function's name, for messages.
    known : dict, optional
        What an earlier run has read: this run reads the same values, even if they have changed since.

    Attributes
    ----------
    lookups : dict
        What was read, by the object it was read from and the name or index there.
    has_numbers : bool
        Whether that includes numbers or strings other than constants of a library such as ``math.pi``.
    """

    def __init__(self, name: str, known: dict[Any, OutsideRead] | None = None) -> None:
        self.name, self.lookups, self.has_numbers = name, dict[Any, OutsideRead](), False
        self._known = known or {}
        self._values: dict[int, OutsideValue] = {}
        self._copies: dict[int, Callable[..., Any]] = {}
        self._written: list[Callable[[], str | None]] = []
        self._refusal: FusionError | None = None

    def call(self, function: Callable[..., Any], args: Any, attributes: dict[str, Any]) -> Any:
        """The result of a copy of the function; raises for reads that cannot be watched.

        Raises
        ------
        FusionError
            Even if the function has caught it.
        """
        given = {name: self.seen(value, name) for name, value in attributes.items()}
        try:
            result = self.copy(function, self.name)(*args, **given)
        except Exception:
            if self._refusal is not None:
                raise self._refusal from None
            raise
        for written in self._written:
            if (what := written()) is not None:
                self.refuse(f"changes `{what}`, which lies outside it")
        if self._refusal is not None:
            raise self._refusal
        return result

    def refuse(self, what: str) -> FusionError:
        """The error for something that a fused function may not do. It is kept, even if it is caught."""
        self._refusal = self._refusal or FusionError(f"{self.name} cannot be fused: it {what:.200}")
        return self._refusal

    # ------------------------------------------------------------------ reading
    def read(self, holder: Any, key: Hashable, path: str, look: Callable[[], Any]) -> Any:
        """The value of ``look()``, watched; ``holder`` and ``key`` identify it, ``path`` names it in messages."""
        place = (id(holder), key)
        found = self._known.get(place) or self.lookups.get(place)
        if found is None:
            found = _watched(look)
            seen = None if found.raises else self.seen(found.value, path)  # may refuse it
            if not hold([found]):
                raise self.refuse(f"reads `{path}`, which differs each time; pass it as an argument")
            self.lookups[place] = found
            self._values.setdefault(id(holder), OutsideValue(self, holder, path))  # keeps the holder alive
            is_constant = isinstance(holder, types.ModuleType) and is_library(holder)
            self.has_numbers |= is_plain(found.value) and found.value is not None and not is_constant
            if not found.raises:
                return seen
        if found.raises:
            raise found.value(path)
        return self.seen(found.value, path)

    def seen(self, value: Any, path: str) -> Any:
        """An outside value as the function receives it: itself if it is immutable, else an object that watches it."""
        if is_plain(value) or is_harmless(value):
            return value
        if isinstance(value, Variable) or type(value) in modules:
            return OutsideArray(self, value, path)
        declared = getattr(value, "function", None) if isinstance(value, types.FunctionType) else value
        if isinstance(declared, Primitive):
            return self.copy(declared.fn, path) if hasattr(declared, "fn") else self._declared(declared, value, path)
        if isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType | np.ufunc) or is_of_numpy(value):
            raise self.refuse(f"calls `{path}`, whose result may differ each time; pass the result")
        if isinstance(value, types.FunctionType):
            return self.copy(value, path)
        if isinstance(value, types.MethodType):
            return types.MethodType(self.copy(value.__func__, path), self.seen(value.__self__, path))
        if id(value) not in self._values:
            self._values[id(value)] = OutsideValue(self, value, path)
        return self._values[id(value)]

    def check_plain(self, key: Any, path: str) -> None:
        """Check that an index or a key is a number, a string or a tuple of them."""
        if not (is_plain(key) or is_harmless(key)):
            raise self.refuse(f"looks into `{path}` at a place that is computed; pass what it finds as an argument")

    def _declared(self, function: Primitive, value: Any, path: str) -> Any:
        """A function that the user has declared, if its code reads only what cannot change."""
        for part in (function.forward, *function.declared.values()):
            for name, found in outer_names(part):
                if not (is_harmless(found) or (isinstance(found, types.ModuleType) and is_library(found))):
                    raise self.refuse(f"uses `{path}`, which reads `{name}` outside its arguments; pass it as one")
        return value

    # ------------------------------------------------------------------ copies
    def copy(self, function: Callable[..., Any], path: str) -> Callable[..., Any]:
        """A copy of a Python function that reads everything outside it through this object."""
        if not isinstance(function, types.FunctionType):
            return self.seen(function, path)
        if id(function) not in self._copies:
            code, cells = function.__code__, function.__closure__ or ()
            names = TrackedGlobals(self, function.__globals__)
            own = tuple([types.CellType() for _ in cells])
            made = types.FunctionType(code, names, function.__name__, None, own)
            self._copies[id(function)] = made
            self._written.append(names.written)
            self._watch_definition(function, path)
            for name, cell, copied in zip(code.co_freevars, cells, own, strict=True):
                self._fill(name, cell, copied)
            defaults = enumerate(function.__defaults__ or ())
            made.__defaults__ = tuple([self.seen(d, name_of_default(function, i)) for i, d in defaults]) or None
            self._copy_attributes(function, made, path)
            made.__kwdefaults__ = {k: self.seen(d, k) for k, d in (function.__kwdefaults__ or {}).items()} or None
        return self._copies[id(function)]

    def _copy_attributes(self, function: types.FunctionType, made: types.FunctionType, path: str) -> None:
        """Copy the attributes that the user has set on a function, each watched; the copy may not set any."""
        for name in [name for name in vars(function) if name != "__wrapped__"]:
            look = partial(getattr, function, name)
            setattr(made, name, self.read(function, f".{name}", f"{path}.{name}", look))
        held = dict(vars(made))

        def written() -> str | None:
            now = vars(made)
            return next((f"{path}.{name}" for name in {**held, **now} if now.get(name) is not held.get(name)), None)

        self._written.append(written)

    def _watch_definition(self, function: types.FunctionType, path: str) -> None:
        """Watch the code and defaults of a function, which may be replaced, for example when a module is reloaded."""
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            place, look = (id(function), part), partial(getattr, function, part)
            self.lookups.setdefault(place, OutsideRead(look, look(), None))
        self._values.setdefault(id(function), OutsideValue(self, function, path))

    def _fill(self, name: str, cell: types.CellType, copied: types.CellType) -> None:
        """Fill a closure variable of a copy; it stays empty if it has no value yet."""
        content = content_of(cell)
        if content is EMPTY:
            return
        if name == "__class__":
            copied.cell_contents = content
            return
        held = copied.cell_contents = self.read(cell, "cell", name, lambda: cell.cell_contents)
        self._written.append(lambda: None if content_of(copied) is held else name)


class TrackedGlobals(dict[str, Any]):
    """The globals of a copy: empty, so that each name is looked up in those of the original, and recorded."""

    def __init__(self, outside: Outside, names: dict[str, Any]) -> None:
        super().__init__(__builtins__={**vars(builtins), "__import__": self._imported})
        self._outside, self._names = outside, names

    def __missing__(self, name: str) -> Any:
        if name in self._names or not hasattr(builtins, name):
            return self._outside.read(self._names, name, name, partial(getitem, self._names, name))
        found = getattr(builtins, name)
        if not (is_plain(found) or is_harmless(found)):
            raise self._outside.refuse(f"uses `{name}`, which reaches outside it")
        self._outside.lookups.setdefault((id(self._names), name), _watched(partial(getitem, self._names, name)))
        return found

    def _imported(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        found = __import__(name, self._names, locals, fromlist, level).__name__
        return self._outside.read(sys.modules, found, found, partial(getitem, sys.modules, found))

    def written(self) -> str | None:
        """A name that the copy has assigned to; Python's own registry of warnings does not count."""
        return next((name for name in self if name not in ("__builtins__", "__warningregistry__")), None)
