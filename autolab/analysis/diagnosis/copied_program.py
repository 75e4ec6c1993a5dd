"""A user's program, the objects that it works on by the user's names, and copies of it, so that only copies change."""

from __future__ import annotations

import copy
import inspect
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from ...engine.code_names import content_of, looked_up, outer_names
from ...engine.reach import CONTAINERS, Spot, Walk, is_plain, settled
from ...recording.scopes import is_users

_LIBRARIES = ("builtins", "torch", "jax", "jaxlib", "numpy", "autolab")
_MOST, _MOST_ITEMS = 2_000, 200
_SHARED = (types.ModuleType, type, types.BuiltinFunctionType)
_FUNCTIONS = (*_SHARED, types.FunctionType, types.MethodType, types.MethodWrapperType)


@dataclass(frozen=True)
class Program:
    """A function with its arguments. ``prepared(values)`` returns the objects that cannot be copied, by id."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    prepared: Callable[[list[Any]], dict[int, Any]]

    @cached_property
    def named(self) -> dict[str, Any]:
        """What the program works on, by the user's names: its arguments, and the outer variables of its function."""
        return self.named_now()

    def named_now(self) -> dict[str, Any]:
        """The current state of ``named``: a program may rebind names."""
        found = dict(_outer(self.fn, set()))
        fn, args, kwargs = _bare_call(self.fn, self.args, self.kwargs)
        try:
            bound = inspect.signature(fn).bind(*args, **kwargs)
        except (TypeError, ValueError):
            return found | {f"x{i}": value for i, value in enumerate(args)} | dict(kwargs)
        given = dict(bound.arguments)
        bound.apply_defaults()
        return found | {k: v for k, v in bound.arguments.items() if k in given or not is_plain(v)}

    def __call__(self) -> Any:
        return self.fn(*self.args, **self.kwargs)

    def copied(self) -> Program:
        """A copy of the program that shares nothing that it could change.

        Raises
        ------
        TypeError
            If an argument cannot be copied.
        """
        memo = self.prepared(list(self.named.values()))
        _copy_held_callables(self.fn, [*self.args, *self.kwargs.values()], memo)
        return Program(
            _copied_function(self.fn, memo),
            tuple([_copied(value, memo, f"argument {i + 1}") for i, value in enumerate(self.args)]),
            {name: _copied(value, memo, name) for name, value in self.kwargs.items()},
            self.prepared,
        )


def _copy_held_callables(fn: Any, args: list[Any], memo: dict[int, Any]) -> None:
    """Copy the functions, and the bound methods of lists and the like, that are held by something: a deep copy would
    share them, and through them what they hold. The innermost are the first."""
    found: _HeldCallables = settled(_HeldCallables, [("", fn), *[("", value) for value in args]])
    for value in reversed(found.found):
        if value is fn or id(value) in memo:
            continue
        if isinstance(value, types.FunctionType):
            _copied_function(value, memo)
        else:
            owner = _if_possible(value.__self__, memo, fn)
            memo[id(value)] = getattr(owner, value.__name__)


class _HeldCallables(Walk):
    """The user's functions and bound methods of Python's own objects that something holds."""

    def __init__(self, names: frozenset[str], codes: frozenset[types.CodeType]) -> None:
        super().__init__(names, codes)
        self.found: list[Any] = []
        self._left = _MOST

    def goes_on(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def note(self, found: Spot) -> None:
        value = found.value
        is_bound = isinstance(value, types.BuiltinMethodType | types.MethodWrapperType)
        if is_bound and isinstance(value.__self__, list | dict | set | deque | tuple | bytearray):
            self.found.append(value)
        is_held = not isinstance(found.holder, types.MappingProxyType)  # classes are not copied
        if is_held and isinstance(value, types.FunctionType) and is_users(value.__code__.co_filename):
            self.found.append(value)

    def meet(self, path: str, value: Any) -> None:
        if not isinstance(value, CONTAINERS) or len(value) <= _MOST_ITEMS:
            self.enter(path, value)


def items(named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """All named objects, including those inside lists, tuples, dicts and objects of the user's classes."""
    waiting, seen = list(named.items()), set()
    while waiting:
        name, value = waiting.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield name, value
        if isinstance(value, dict):
            waiting += [(f"{name}[{key!r}]", inner) for key, inner in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(f"{name}[{i}]", inner) for i, inner in enumerate(value[:1000])]
        elif _is_plain(value):
            waiting += [(f"{name}.{key}", inner) for key, inner in vars(value).items()]


def _is_plain(value: Any) -> bool:
    """Whether it is an object of a user's class."""
    module = type(value).__module__.partition(".")[0]
    is_one = hasattr(value, "__dict__") and not isinstance(value, type | types.FunctionType | types.ModuleType)
    is_model = any(base.__name__ in ("Module", "Link", "Optimizer", "Variable") for base in type(value).__mro__)
    return is_one and not is_model and module not in _LIBRARIES


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


def _outer(fn: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """The outer variables of a function and those that it calls in its module, but no functions, classes, modules.

    An object that is called is ``self``, as in its methods.
    """
    if not callable(fn) or id(fn) in seen:
        return
    seen.add(id(fn))
    inner = fn.func if isinstance(fn, partial) else getattr(fn, "__wrapped__", None)
    if inner is not None:
        yield from _outer(inner, seen)
    elif isinstance(fn, types.MethodType):
        yield "self", fn.__self__
        yield from _outer(fn.__func__, seen)
    elif not isinstance(fn, _FUNCTIONS):
        yield "self", fn
        for method in _own_methods(fn):
            yield from _outer(method.__func__, seen)
    if isinstance(fn, types.FunctionType) and (inner is None or is_users(fn.__code__.co_filename)):
        yield from _around(fn, seen)


def _around(function: types.FunctionType, seen: set[int]) -> Iterator[tuple[str, Any]]:
    for name, value in outer_names(function):
        if _is_users(value, function):
            yield from _outer(value, seen)
        elif not callable(value) or (
            hasattr(value, "__dict__") and not isinstance(value, (*_SHARED, types.FunctionType))
        ):
            yield name, value


def _is_users(value: Any, by: types.FunctionType) -> bool:
    return isinstance(value, types.FunctionType) and (
        value.__globals__ is by.__globals__ or is_users(value.__code__.co_filename)
    )


def _copied(value: Any, memo: dict[int, Any], what: str) -> Any:
    if isinstance(value, types.FunctionType):
        return _copied_function(value, memo)
    try:
        return copy.deepcopy(value, memo)
    except Exception as error:
        raise TypeError(
            f"diagnose: {what} is {type(value).__name__}, which cannot be copied ({error!s:.100}); give lists and "
            "arrays instead of what can be read only once"
        ) from None


def _copied_function(fn: Any, memo: dict[int, Any]) -> Any:
    """The function with copies of its outer variables; the user's functions that it calls are copied, too."""
    if not isinstance(fn, types.FunctionType):
        return _copied(fn, memo, "the function")
    if id(fn) in memo:
        return memo[id(fn)]
    key = id(fn.__globals__)
    names = memo.setdefault(key, dict(fn.__globals__))
    cells = [types.CellType() for _ in fn.__closure__ or ()]
    new = types.FunctionType(fn.__code__, names, fn.__name__, None, tuple(cells) if fn.__closure__ else None)
    memo[id(fn)] = new
    for name in looked_up(fn.__code__):
        if name in fn.__globals__ and names[name] is fn.__globals__[name]:
            names[name] = _if_possible(fn.__globals__[name], memo, fn)
    for cell, own in zip(cells, fn.__closure__ or (), strict=True):
        cell.cell_contents = _if_possible(content_of(own), memo, fn)
    new.__defaults__ = _if_possible(fn.__defaults__, memo, fn)
    new.__kwdefaults__ = _if_possible(fn.__kwdefaults__, memo, fn)
    new.__dict__.update({k: _if_possible(v, memo, fn) for k, v in fn.__dict__.items()})
    new.__module__, new.__qualname__ = fn.__module__, fn.__qualname__
    return new


def _if_possible(value: Any, memo: dict[int, Any], by: types.FunctionType) -> Any:
    if isinstance(value, types.FunctionType):
        return _copied_function(value, memo) if _is_users(value, by) else value
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, _SHARED):
        return value
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # a file, for instance, which is used without copying
        return value


def outer_values(fn: Any) -> list[Any]:
    """The outer variables of a function, as in `Program.named`."""
    return [value for _, value in _outer(fn, set())]
