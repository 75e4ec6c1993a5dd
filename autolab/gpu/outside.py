"""What a function reads that is none of its arguments, found while it runs, so that it can be asked for again.

A copy of the function runs instead of the function itself. It reads its globals, the variables around it and its
defaults through this module: a number, a string or None comes as it is and is watched, and any other object comes as
an `OutsideValue`, which watches in turn what is read of it. Helpers run as such copies too. What cannot be watched,
such as a clock, a random number or an array, is refused by its name. So nothing has to be known beforehand of the ways
in which a function may look at the world: what is not known to be harmless is refused.
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

from ..engine.backend import modules
from ..engine.errors import FusionError
from ..engine.outer_names import EMPTY, content_of, outer_names
from ..engine.primitive import Primitive
from ..engine.variable import Variable
from .harmless import is_harmless, is_library, is_of_numpy, name_of_default
from .outside_value import OutsideArray, OutsideValue
from .traced_function import exact, is_plain


class OutsideRead(NamedTuple):
    """One thing that was read: how it is read again, what came, and what tells its kind and bits from any other's."""

    look: Callable[[], Any]
    value: Any
    key: Hashable
    raises: bool = False
    """Whether ``value`` is the exception that reading it raised."""


def hold(lookups: Iterable[OutsideRead]) -> bool:
    """Whether the same would be read now."""
    try:
        for look, value, key, _ in lookups:
            found = look()
            if found is not value and not (type(found) is type(value) and _key(found) == key):
                return False
    except Exception:  # it is gone, or cannot be read any more
        return False
    return True


def _watched(look: Callable[[], Any]) -> OutsideRead:
    """What is read, or the kind of error that reading it raises."""
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
    """What a value is found again by: its kind and bits if it cannot change, else the very object."""
    if is_plain(value):
        return exact(value)
    if isinstance(value, types.MethodType):  # a new one at each reading
        return id(value.__func__), id(value.__self__)
    return id(value)


class Outside:
    """The reads of one run of a function.

    Parameters
    ----------
    name : str
        The function's name, for messages.
    known : dict, optional
        What was read in an earlier run: this run reads the same values, whatever has become of them.

    Attributes
    ----------
    lookups : dict
        What was read, by the object it was read of and the name or index there.
    has_numbers : bool
        Whether numbers or strings are among it that are no constants of a library, such as ``math.pi``.
    """

    def __init__(self, name: str, known: dict[Any, OutsideRead] | None = None) -> None:
        self.name, self.lookups, self.has_numbers = name, dict[Any, OutsideRead](), False
        self._known = known or {}
        self._values: dict[int, OutsideValue] = {}
        self._copies: dict[int, Callable[..., Any]] = {}
        self._written: list[Callable[[], str | None]] = []
        self._refusal: FusionError | None = None

    def call(self, function: Callable[..., Any], args: Any, attributes: dict[str, Any]) -> Any:
        """The result of the function's copy; an error for what it reads that cannot be watched.

        Raises
        ------
        FusionError
            Also if the function has caught it.
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
                self.refuse(f"changes `{what}`, which lies outside of it")
        if self._refusal is not None:
            raise self._refusal
        return result

    def refuse(self, what: str) -> FusionError:
        """The error for something that a fused function may not do. It stays, whoever catches it."""
        self._refusal = self._refusal or FusionError(f"{self.name} cannot be fused: it {what:.200}")
        return self._refusal

    # ------------------------------------------------------------------ reading
    def read(self, holder: Any, key: Hashable, path: str, look: Callable[[], Any]) -> Any:
        """What ``look`` finds, watched; ``holder`` and ``key`` say what it is, ``path`` what people call it."""
        place = (id(holder), key)
        found = self._known.get(place) or self.lookups.get(place)
        if found is None:
            found = _watched(look)
            seen = None if found.raises else self.seen(found.value, path)  # which may refuse it
            if not hold([found]):
                raise self.refuse(f"reads `{path}`, which is another each time; pass it as an argument")
            self.lookups[place] = found
            self._values.setdefault(id(holder), OutsideValue(self, holder, path))  # which keeps the holder alive
            is_constant = isinstance(holder, types.ModuleType) and is_library(holder)
            self.has_numbers |= is_plain(found.value) and found.value is not None and not is_constant
            if not found.raises:
                return seen
        if found.raises:
            raise found.value(path)
        return self.seen(found.value, path)

    def seen(self, value: Any, path: str) -> Any:
        """A value from outside as the function gets it: as it is if it cannot change, else as what watches it."""
        if is_plain(value) or is_harmless(value):
            return value
        if isinstance(value, Variable) or type(value) in modules:
            return OutsideArray(self, value, path)
        declared = getattr(value, "function", None) if isinstance(value, types.FunctionType) else value
        if isinstance(declared, Primitive):
            return self.copy(declared.fn, path) if hasattr(declared, "fn") else self._declared(declared, value, path)
        if isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType | np.ufunc) or is_of_numpy(value):
            raise self.refuse(f"calls `{path}`, which may give something else each time; pass what it gives")
        if isinstance(value, types.FunctionType):
            return self.copy(value, path)
        if isinstance(value, types.MethodType):
            return types.MethodType(self.copy(value.__func__, path), self.seen(value.__self__, path))
        if id(value) not in self._values:
            self._values[id(value)] = OutsideValue(self, value, path)
        return self._values[id(value)]

    def check_plain(self, key: Any, path: str) -> None:
        """An index or a key is a number, a string or a tuple of them."""
        if not (is_plain(key) or is_harmless(key)):
            raise self.refuse(f"looks into `{path}` at a place that is computed; pass what it finds as an argument")

    def _declared(self, function: Primitive, value: Any, path: str) -> Any:
        """A function that a user has declared, if its code looks at nothing but what cannot change."""
        for part in (function.forward, *function.declared.values()):
            for name, found in outer_names(part):
                if not (is_harmless(found) or (isinstance(found, types.ModuleType) and is_library(found))):
                    raise self.refuse(f"uses `{path}`, which reads `{name}` outside of its arguments; pass it as one")
        return value

    # ------------------------------------------------------------------ copies
    def copy(self, function: Callable[..., Any], path: str) -> Callable[..., Any]:
        """A Python function that reads what is outside of it by way of this object."""
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
        """What the user has set on a function, each watched; the copy may set nothing."""
        for name in [name for name, value in vars(function).items() if not callable(value)]:
            look = partial(getattr, function, name)
            setattr(made, name, self.read(function, f".{name}", f"{path}.{name}", look))
        held = dict(vars(made))

        def written() -> str | None:
            now = vars(made)
            return next((f"{path}.{name}" for name in {**held, **now} if now.get(name) is not held.get(name)), None)

        self._written.append(written)

    def _watch_definition(self, function: types.FunctionType, path: str) -> None:
        """Its code and its defaults, which may be replaced, as when a module is loaded again."""
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            place, look = (id(function), part), partial(getattr, function, part)
            self.lookups.setdefault(place, OutsideRead(look, look(), None))
        self._values.setdefault(id(function), OutsideValue(self, function, path))

    def _fill(self, name: str, cell: types.CellType, copied: types.CellType) -> None:
        """A variable around a function, which stays empty where it has no value yet."""
        content = content_of(cell)
        if content is EMPTY:
            return
        if name == "__class__":
            copied.cell_contents = content
            return
        held = copied.cell_contents = self.read(cell, "cell", name, lambda: cell.cell_contents)
        self._written.append(lambda: None if content_of(copied) is held else name)


class TrackedGlobals(dict[str, Any]):
    """The globals of a copy: empty, so that each name is looked up in the original's, and told."""

    def __init__(self, outside: Outside, names: dict[str, Any]) -> None:
        super().__init__(__builtins__={**vars(builtins), "__import__": self._imported})
        self._outside, self._names = outside, names

    def __missing__(self, name: str) -> Any:
        if name in self._names or not hasattr(builtins, name):
            return self._outside.read(self._names, name, name, partial(getitem, self._names, name))
        found = getattr(builtins, name)
        if not (is_plain(found) or is_harmless(found)):
            raise self._outside.refuse(f"uses `{name}`, which reaches outside of it")
        self._outside.lookups.setdefault((id(self._names), name), _watched(partial(getitem, self._names, name)))
        return found

    def _imported(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        found = __import__(name, self._names, locals, fromlist, level).__name__
        return self._outside.read(sys.modules, found, found, partial(getitem, sys.modules, found))

    def written(self) -> str | None:
        """A name that the copy has assigned to; where NumPy notes what it has warned of is none."""
        return next((name for name in self if name not in ("__builtins__", "__warningregistry__")), None)
