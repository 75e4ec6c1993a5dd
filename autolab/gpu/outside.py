"""What a function reads that is none of its arguments, found while it runs, so that it can be asked for again.

A copy of the function runs instead of the function itself. It reads its globals, the variables around it and its
defaults through this module: a number, a string or None comes as it is and is watched, and any other object comes as
an `OutsideValue`, which watches in turn what is read of it. Helpers run as such copies too. What cannot be watched,
such as a clock, a random number or an array, is refused by its name. So nothing has to be known beforehand of the ways
in which a function may look at the world: what is not known to be harmless is refused.
"""

from __future__ import annotations

import builtins
import dis
import enum
import sys
import types
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from operator import contains, getitem, truth
from typing import Any, NamedTuple

import numpy as np

from ..engine.backend import modules
from ..engine.configuration import Config
from ..engine.errors import FusionError
from ..engine.primitive import Primitive
from ..engine.variable import Variable
from .traced_function import exact, is_plain

_PURE_BUILTINS = """
    abs all any bool bytes callable chr complex dict divmod enumerate filter float format frozenset getattr hasattr
    int isinstance issubclass iter len list map max min next ord pow range repr reversed round set slice sorted str sum
    tuple zip Ellipsis NotImplemented __name__ __debug__
"""
_BUILTINS = frozenset(_PURE_BUILTINS.split())
_PURE_MODULES = ("math", "cmath", "_operator")
_OF_NUMPY = frozenset(["array", "asarray", "arange", "dtype", "finfo", "full", "iinfo", "linspace", "ones", "zeros"])


class Watch(NamedTuple):
    """One thing that was read: how it is read again, what came, and what tells its kind and bits from any other's."""

    look: Callable[[], Any]
    value: Any
    key: Hashable
    raises: bool = False
    """Whether ``value`` is the exception that reading it raised."""


def hold(watches: Iterable[Watch]) -> bool:
    """Whether the same would be read now."""
    try:
        for look, value, key, _ in watches:
            found = look()
            if found is not value and not (type(found) is type(value) and _key(found) == key):
                return False
    except Exception:  # it is gone, or cannot be read any more
        return False
    return True


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
    watches : dict
        What was read, by the object it was read of and the name or index there.
    has_numbers : bool
        Whether numbers or strings are among it.
    """

    def __init__(self, name: str, known: dict[Any, Watch] | None = None) -> None:
        self.name, self.watches, self.has_numbers = name, dict[Any, Watch](), False
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
        watch = self._known.get(place) or self.watches.get(place)
        if watch is None:
            watch = _watched(look)
            seen = None if watch.raises else self.seen(watch.value, path)  # which may refuse it
            if not hold([watch]):
                raise self.refuse(f"reads `{path}`, which is another each time; pass it as an argument")
            self.watches[place] = watch
            self._values.setdefault(id(holder), OutsideValue(self, holder, path))  # which keeps the holder alive
            self.has_numbers |= is_plain(watch.value) and watch.value is not None
            if not watch.raises:
                return seen
        if watch.raises:
            raise watch.value(path)
        return self.seen(watch.value, path)

    def seen(self, value: Any, path: str) -> Any:
        """A value from outside as the function gets it: as it is if it cannot change, else as what watches it."""
        if is_plain(value) or _is_harmless(value):
            return value
        if isinstance(value, Variable) or type(value) in modules:
            return OutsideArray(self, value, path)
        declared = value if isinstance(value, Primitive) else getattr(value, "function", None)
        if isinstance(declared, Primitive) and isinstance(value, Primitive | types.FunctionType):
            return self.copy(declared.fn, path) if hasattr(declared, "fn") else self._declared(declared, value, path)
        if isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType | np.ufunc) or _is_of_numpy(value):
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
        if not (is_plain(key) or _is_harmless(key)):
            raise self.refuse(f"looks into `{path}` at a place that is computed; pass what it finds as an argument")

    def _declared(self, function: Primitive, value: Any, path: str) -> Any:
        """A function that a user has declared, if its code looks at nothing but what cannot change."""
        for part in (function.forward, *function.declared.values()):
            for name, found in _named(part):
                if not (_is_harmless(found) or (isinstance(found, types.ModuleType) and _is_library(found))):
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
            made.__defaults__ = tuple([self.seen(d, _default(function, i)) for i, d in defaults]) or None
            made.__kwdefaults__ = {k: self.seen(d, k) for k, d in (function.__kwdefaults__ or {}).items()} or None
        return self._copies[id(function)]

    def _watch_definition(self, function: types.FunctionType, path: str) -> None:
        """Its code and its defaults, which may be replaced, as when a module is loaded anew."""
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            place, look = (id(function), part), partial(getattr, function, part)
            self.watches.setdefault(place, Watch(look, look(), None))
        self._values.setdefault(id(function), OutsideValue(self, function, path))

    def _fill(self, name: str, cell: types.CellType, copied: types.CellType) -> None:
        """A variable around a function, which stays empty where it has no value yet."""
        try:
            cell.cell_contents  # noqa: B018
        except ValueError:
            return
        if name == "__class__":
            copied.cell_contents = cell.cell_contents
            return
        held = copied.cell_contents = self.read(cell, "cell", name, lambda: cell.cell_contents)
        self._written.append(lambda: None if _content(copied) is held else name)


class TrackedGlobals(dict[str, Any]):
    """The globals of a copy: empty, so that each name is looked up in the original's, and told."""

    def __init__(self, outside: Outside, names: dict[str, Any]) -> None:
        super().__init__(__builtins__={**vars(builtins), "__import__": self._imported})
        self._outside, self._names = outside, names

    def __missing__(self, name: str) -> Any:
        if name in self._names or not hasattr(builtins, name):
            return self._outside.read(self._names, name, name, partial(getitem, self._names, name))
        if name not in _BUILTINS and not _is_exception(getattr(builtins, name)):
            raise self._outside.refuse(f"uses `{name}`, which reaches outside of it")
        self._outside.watches.setdefault((id(self._names), name), _watched(partial(getitem, self._names, name)))
        return getattr(builtins, name)

    def _imported(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        found = __import__(name, self._names, locals, fromlist, level).__name__
        return self._outside.read(sys.modules, found, found, partial(getitem, sys.modules, found))

    def written(self) -> str | None:
        """A name that the copy has assigned to."""
        return next((name for name in self if name != "__builtins__"), None)


class OutsideValue:
    """An object from outside: what is read of it is watched, and what else is done with it is refused."""

    __slots__ = ("_object", "_outside", "_path")
    __array_ufunc__ = None

    def __init__(self, outside: Outside, value: Any, path: str) -> None:
        for name, content in (("_outside", outside), ("_object", value), ("_path", path)):
            object.__setattr__(self, name, content)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._object)

    def __getattr__(self, name: str) -> Any:
        value = self._object
        if isinstance(value, types.ModuleType) and _is_library(value):
            found = getattr(value, name)  # whose own names do not change
            return self._outside.seen(found, f"{self._path}.{name}")
        if isinstance(value, Config) and name != "train":  # a trace sets the other modes itself
            raise self._outside.refuse(f"reads `{self._path}.{name}`, which is set while it is fused")
        return self._outside.read(value, f".{name}", f"{self._path}.{name}", partial(getattr, value, name))

    def __getitem__(self, key: Any) -> Any:
        self._outside.check_plain(key, self._path)
        path = f"{self._path}[{key!r:.40}]"
        return self._outside.read(self._object, ("[", exact(key)), path, partial(getitem, self._object, key))

    def __contains__(self, key: Any) -> bool:
        self._outside.check_plain(key, self._path)
        look = partial(contains, self._object, key)
        return bool(self._outside.read(self._object, ("in", exact(key)), self._path, look))

    def __len__(self) -> int:
        return int(self._outside.read(self._object, "len", self._path, partial(len, self._object)))

    def __bool__(self) -> bool:
        return bool(self._outside.read(self._object, "bool", self._path, partial(truth, self._object)))

    def __iter__(self) -> Iterator[Any]:
        if type(self._object) in (list, tuple):
            return iter([self[i] for i in range(len(self))])
        if type(self._object) is dict:
            look = lambda: tuple(self._object)  # noqa: E731
            return iter(self._outside.read(self._object, "keys", self._path, look))
        raise self._outside.refuse(f"goes through `{self._path}`, which lies outside of it; pass it as an argument")

    def __call__(self, *args: Any, **options: Any) -> Any:
        value, seen = self._object, self._outside.seen
        if type(value) is partial:
            fixed = [seen(arg, f"{self._path}.args[{i}]") for i, arg in enumerate(value.args)]
            named = {name: seen(arg, f"{self._path}.keywords[{name!r}]") for name, arg in value.keywords.items()}
            return seen(value.func, f"{self._path}.func")(*fixed, *args, **{**named, **options})
        call = getattr(type(value), "__call__", None)  # noqa: B004
        if isinstance(call, types.FunctionType) and not isinstance(value, type):
            return self._outside.copy(call, self._path)(self, *args, **options)
        raise self._outside.refuse(f"calls `{self._path}`, which cannot be followed; pass what it gives as an argument")

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._object)

    def __eq__(self, other: object) -> Any:
        if other is None or "__eq__" not in _methods(type(self._object)):
            return self is other
        return self._used()

    def __hash__(self) -> int:
        return int(self._used()) if "__hash__" in _methods(type(self._object)) else id(self._object)

    def _used(self, *args: Any, **options: Any) -> Any:
        """Everything else, which takes the object as a value or changes it."""
        raise self._outside.refuse(f"uses `{self._path}`, which is read outside of its arguments; pass it as one")


class OutsideArray(OutsideValue):
    """An array or a Variable from outside. It belongs among the inputs, whatever is read of it."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return self._used()

    def _used(self, *args: Any, **options: Any) -> Any:
        raise self._outside.refuse(
            f"uses `{self._path}`, an array or a Variable that is none of its inputs; pass it as one"
        )


_KINDS = (int, float, complex, str, list, dict, set, types.GeneratorType, np.ndarray)
_SPECIAL = {name for kind in _KINDS for name in dir(kind) if name.startswith("__") and callable(getattr(kind, name))}
_OWN = set(dir(object)) | {"__del__", "__array_function__", "__array_finalize__", "__array_wrap__", "__class_getitem__"}
_VALUE = {"__enter__", "__exit__", "__setattr__", "__delattr__", "__repr__", "__str__", "__format__", "__ne__"}
for _name in (_SPECIAL - _OWN) | _VALUE | {"__lt__", "__le__", "__gt__", "__ge__"}:
    if _name not in OutsideValue.__dict__:
        setattr(OutsideValue, _name, OutsideValue._used)
    if _name not in OutsideArray.__dict__:
        setattr(OutsideArray, _name, OutsideArray._used)


# ---------------------------------------------------------------------------------------------- what is what
def _watched(look: Callable[[], Any]) -> Watch:
    """What is read, or the kind of error that reading it raises."""
    try:
        value = look()
    except Exception as error:
        return Watch(partial(_raised, look), type(error), None, True)
    return Watch(look, value, _key(value))


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


def _is_harmless(value: Any) -> bool:
    """Whether neither what it is can change, nor what it gives for the same arguments."""
    if isinstance(value, enum.Enum):
        return is_plain(value.value)
    module, name = str(getattr(value, "__module__", None)), str(getattr(value, "__name__", None))
    if isinstance(value, type):
        if issubclass(value, BaseException | np.generic) or module.startswith("autolab."):
            return True
        return (module == "builtins" and name in _BUILTINS) or value in (np.ndarray, np.dtype)
    if isinstance(value, np.ufunc):
        return getattr(np, name, None) is value
    if isinstance(value, types.BuiltinFunctionType) and not module.startswith("numpy"):
        return module in _PURE_MODULES or (module == "builtins" and name in _BUILTINS and value.__self__ is builtins)
    if callable(value) and module.partition(".")[0] == "numpy":
        return getattr(np, name, None) is value and (name in _OF_NUMPY or name in _own_names())
    if isinstance(value, Primitive):
        return str(value.forward.__module__).startswith("autolab.")
    own = isinstance(value, types.FunctionType) and module.startswith("autolab.")
    return own or isinstance(value, np.dtype | range | types.EllipsisType | types.NotImplementedType)


def _is_of_numpy(value: Any) -> bool:
    """Whether it is called and belongs to NumPy, such as ``np.load`` and what ``np.vectorize`` gives."""
    kind = value if isinstance(value, types.FunctionType | type) else type(value)
    return callable(value) and str(kind.__module__).partition(".")[0] == "numpy"


def _own_names() -> frozenset[str]:
    """AutoLab's functions: NumPy's of these names look at their arguments alone."""
    from .. import functions

    return frozenset(functions.__all__)


def _methods(kind: type) -> set[str]:
    """What a class and its bases define themselves, beside what every object has."""
    return {name for base in kind.__mro__[:-1] for name in vars(base)}


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _is_library(module: types.ModuleType) -> bool:
    """Whether the names of a module stay what they are: AutoLab's and NumPy's are not assigned to."""
    return module.__name__.partition(".")[0] in ("autolab", "numpy") or module.__name__ in _PURE_MODULES


def _named(function: Any) -> Iterator[tuple[str, Any]]:
    """The names that a function's code reads outside of it, and what they stand for."""
    if isinstance(function, types.FunctionType):
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        yield from ((name, _content(cell)) for name, cell in cells)
        for name in _global_names(function.__code__):
            yield name, function.__globals__.get(name, getattr(builtins, name, None))


def _global_names(code: types.CodeType) -> Iterator[str]:
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _global_names(inner)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty as yet
        return None


def _default(function: types.FunctionType, i: int) -> str:
    """The name of the argument that has the i-th default."""
    code = function.__code__
    return code.co_varnames[code.co_argcount - len(function.__defaults__ or ()) + i]
