"""OutsideValue: an object from outside a function, as the copy of the function receives it (`outside.py`)."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import partial
from operator import contains, getitem, truth
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.configuration import Config
from .harmless import own_methods
from .traced_function import exact

if TYPE_CHECKING:
    from .outside import Outside


class OutsideValue:
    """An object from outside: reads are watched, and all other uses are refused."""

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
        if isinstance(value, Config) and name != "train":  # the trace itself sets the other modes
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
        raise self._outside.refuse(f"goes through `{self._path}`, which lies outside it; pass it as an argument")

    def __call__(self, *args: Any, **options: Any) -> Any:
        value, seen = self._object, self._outside.seen
        if type(value) is partial:
            fixed = [seen(arg, f"{self._path}.args[{i}]") for i, arg in enumerate(value.args)]
            named = {name: seen(arg, f"{self._path}.keywords[{name!r}]") for name, arg in value.keywords.items()}
            return seen(value.func, f"{self._path}.func")(*fixed, *args, **{**named, **options})
        call = getattr(type(value), "__call__", None)  # noqa: B004
        if isinstance(call, types.FunctionType) and not isinstance(value, type):
            return self._outside.copy(call, self._path)(self, *args, **options)
        raise self._outside.refuse(f"calls `{self._path}`, which cannot be followed; pass its result as an argument")

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._object)

    def __eq__(self, other: object) -> Any:
        if other is None or "__eq__" not in own_methods(type(self._object)):
            return self is other
        return self._used()

    def __hash__(self) -> int:
        return int(self._used()) if "__hash__" in own_methods(type(self._object)) else id(self._object)

    def _used(self, *args: Any, **options: Any) -> Any:
        """All other operations, which use the object as a value or change it."""
        raise self._outside.refuse(f"uses `{self._path}`, which is read outside its arguments; pass it as one")


class OutsideArray(OutsideValue):
    """An array or a Variable from outside. It has to be an input, whatever is read from it."""

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
