"""What a function can read around it, and a fast question whether all of it is as it was."""

from __future__ import annotations

import builtins
import dis
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...engine.outer_names import EMPTY, content_of
from ...engine.tracebacks import PACKAGE
from ...engine.variable import Variable
from ...gpu.traced_function import is_plain
from ..tracing.surroundings import _content, _is_the_users

_MOST_ITEMS = 200
_MOST_BYTES = 1 << 16
_MOST = 3_000
FILE = PACKAGE + "transforms/compiling/<guard>"
_OWN_BOOKS = frozenset(["_found", "_name"])
"""What a link notes for itself."""


@dataclass(frozen=True, eq=False)
class Spot:
    """A place where a value is: an item of a container, or the content of a variable around a function."""

    path: str
    holder: Any
    key: Any

    def now(self) -> Any:
        try:
            return content_of(self.holder) if self.key is EMPTY else self.holder[self.key]
        except (KeyError, IndexError):
            return EMPTY

    def text(self, bound: Callable[[Any], str]) -> str:
        return (
            f"{bound(self.holder)}.cell_contents" if self.key is EMPTY else f"{bound(self.holder)}[{bound(self.key)}]"
        )


@dataclass
class Reads:
    """What was found, nearest first.

    Attributes
    ----------
    spots : list of (Spot, value)
    sizes : list of (path, container, length)
    arrays : list of (path, array, bytes)
        NumPy's arrays whose numbers the function may use.
    others : list of (path, object, content)
        Objects that go on when they are used: iterators, generators of random numbers.
    variables, buffers, optimizers
        The state that a program reads and writes: see `State`.
    written : list of (object, name)
        Attributes that are written and never read.
    codes : set
        The code that may run.
    too_large : str or None
        What is too large to be compared at every call.
    """

    spots: list[tuple[Spot, Any]] = field(default_factory=list)
    sizes: list[tuple[str, Any, int]] = field(default_factory=list)
    arrays: list[tuple[str, np.ndarray, bytes]] = field(default_factory=list)
    others: list[tuple[str, Any, Any]] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    buffers: list[tuple[Any, str]] = field(default_factory=list)
    optimizers: list[Any] = field(default_factory=list)
    written: list[tuple[Any, str]] = field(default_factory=list)
    codes: set[CodeType] = field(default_factory=set)
    too_large: str | None = None

    def has_grown(self) -> bool:
        """Whether an object has got an attribute, as objects do at their first use."""
        return any([len(held) > length for _, held, length in self.sizes if isinstance(held, dict)])

    def changed(self) -> str | None:
        """The path of the first thing that is another now."""
        for spot, value in self.spots:
            if not same(spot.now(), value):
                return spot.path
        for path, container, length in self.sizes:
            if len(container) != length:
                return path
        for path, array, before in self.arrays:
            if array.tobytes() != before:
                return path
        return next((path for path, value, before in self.others if _content(value) != before), None)

    def guard(self, others: Callable[[Callable[[Any], str]], list[str]]) -> Callable[[], bool]:
        """What tells, at every call, whether all is as it was; ``others`` gives more tests, as Python."""
        names: dict[str, Any] = {"same": same}
        known: dict[int, str] = {}

        def bound(value: Any) -> str:
            if id(value) not in known:
                known[id(value)] = f"k{len(known)}"
                names[known[id(value)]] = value
            return known[id(value)]

        tests = []
        for spot, value in self.spots:
            text, name = spot.text(bound), bound(value)
            if value is EMPTY:
                tests.append(f"{bound(spot.key)} not in {bound(spot.holder)}")
            else:
                tests.append(f"({text} is {name} or same({text}, {name}))" if is_plain(value) else f"{text} is {name}")
        tests += [f"len({bound(container)}) == {length}" for _, container, length in self.sizes]
        tests += [f"{bound(array)}.tobytes() == {bound(before)}" for _, array, before in self.arrays]
        tests += others(bound)
        body = "\n        and ".join(tests) or "True"
        text = f"def fits():\n    try:\n        return (\n        {body}\n        )\n"
        exec(compile(f"{text}    except (LookupError, ValueError):\n        return False\n", FILE, "exec"), names)
        found: Callable[[], bool] = names["fits"]
        return found


def same(now: Any, before: Any) -> bool:
    """Whether a value is the one that it was: plain values by what they are, all else by identity."""
    if now is before:
        return True
    if type(now) is not type(before) or not is_plain(before):
        return False
    return bool(repr(now) == repr(before)) if isinstance(before, float | tuple | complex) else bool(now == before)


def reads(function: Any, others: list[Any]) -> Reads:
    """All that a function can read, given objects among its arguments; names of attributes are those in its code."""
    names: set[str] = set()
    codes: set[CodeType] = set()
    while True:
        found = _Walk(names, codes).walk(function, others)
        codes = found.codes
        more = {name for code in found.codes for name in _words(code)}
        if more <= names:
            return found
        names |= more


class _Walk:
    def __init__(self, names: set[str], codes: set[CodeType]) -> None:
        self.names, self.codes = names, codes
        self.found = Reads()
        self._seen: dict[int, Any] = {}
        self._waiting: deque[tuple[str, Any]] = deque()

    def walk(self, function: Any, others: list[Any]) -> Reads:
        self._waiting.extend(
            [(getattr(function, "__name__", "function"), function), *[("argument", o) for o in others]]
        )
        while self._waiting and self.found.too_large is None:
            path, value = self._waiting.popleft()
            if id(value) not in self._seen and not is_plain(value):
                self._seen[id(value)] = value
                self._visit(path, value)
            if len(self.found.spots) > _MOST:
                self.found.too_large = path
        return self.found

    def _spot(self, path: str, holder: Any, key: Any) -> None:
        spot = Spot(path, holder, key)
        value = spot.now()
        self.found.spots.append((spot, value))
        if value is not EMPTY:
            self._waiting.append((path, value))

    def _visit(self, path: str, value: Any) -> None:
        found = self.found
        if isinstance(value, Variable):
            found.variables.append(value)
        elif isinstance(value, np.ndarray):
            if value.nbytes > _MOST_BYTES:
                found.too_large = path
            found.arrays.append((path, value, value.tobytes()))
        elif isinstance(value, FunctionType):
            self._function(path, value)
        elif isinstance(value, MethodType):
            self._waiting.extend([(path, value.__func__), (path, value.__self__)])
        elif isinstance(value, partial):
            self._waiting.extend([(path, part) for part in (value.func, value.args, value.keywords)])
        elif isinstance(value, list | dict | set | frozenset | deque | tuple):
            self._container(path, value)
        elif hasattr(value, "_kinds") and hasattr(value, "_params"):
            self._link(path, value)
        elif hasattr(type(value), "update_one"):
            found.optimizers.append(value)
            self._waiting.append((f"{path}.target", value.target))
        elif isinstance(value, type):
            if _is_the_users(value):
                self._attributes(path, value.__dict__)
                self._waiting.extend([(one.__name__, one) for one in value.__mro__[1:]])
        elif isinstance(value, ModuleType):
            if _is_the_users(value):
                self._attributes(path, vars(value))
        elif _is_the_users(type(value)) and hasattr(value, "__dict__"):
            found.sizes.append((path, value.__dict__, len(value.__dict__)))
            written = [name for name in value.__dict__ if self._is_only_written(name)]
            found.written += [(value, name) for name in written]
            self._attributes(path, value.__dict__, written)
            self._waiting.append((type(value).__name__, type(value)))
        elif (content := _content(value)) is not None:
            found.others.append((path, value, content))

    def _function(self, path: str, function: FunctionType) -> None:
        if not _is_the_users(function) or (function.__code__ in self.found.codes and not function.__closure__):
            return
        self.found.codes.update(_codes(function.__code__))
        for name in _globals_of(function.__code__):
            if name in function.__globals__ or not hasattr(builtins, name):
                self._spot(name, function.__globals__, name)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if content_of(cell) is not EMPTY:
                self._spot(name, cell, EMPTY)
        self._waiting.extend([(path, part) for part in (function.__defaults__, function.__kwdefaults__) if part])
        self._waiting.append((path, getattr(function, "__wrapped__", None)))

    def _container(self, path: str, value: Any) -> None:
        if len(value) > _MOST_ITEMS:
            self.found.too_large = path
            return
        if not isinstance(value, tuple | frozenset):
            self.found.sizes.append((path, value, len(value)))
        if isinstance(value, set | frozenset):
            self._waiting.extend([(path, item) for item in value])
            return
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            if isinstance(value, tuple):
                self._waiting.append((f"{path}[{key}]", value[key]))
            else:
                self._spot(f"{path}[{key!r:.40}]", value, key)

    def _attributes(self, path: str, held: Any, apart: Sequence[str] = ()) -> None:
        for name in list(held):
            if name in self.names and name not in apart:
                self._spot(f"{path}.{name}", held, name)

    def _is_only_written(self, name: str) -> bool:
        """Whether the user's code sets an attribute of this name, and nowhere asks for it."""
        return name in self.names and not any([name in _read_in(code) for code in self.codes])

    def _link(self, path: str, link: Any) -> None:
        self._waiting.append((type(link).__name__, type(link)))
        for name, value in list(link.__dict__.items()):
            if link._kinds.get(name) == "buffer":
                if value is not None:
                    self.found.buffers.append((link, name))
            elif name in getattr(type(link), "_observed", ()) or self._is_only_written(name):
                self.found.written.append((link, name))
            elif name not in _OWN_BOOKS:
                self._spot(f"{path}.{name}", link.__dict__, name)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


@cache
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """The global names that code reads or sets, those of the functions written inside it too."""
    wanted = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
    found = [step.argval for one in _codes(code) for step in dis.get_instructions(one) if step.opname in wanted]
    return tuple(dict.fromkeys(found))


@cache
def _read_in(code: CodeType) -> frozenset[str]:
    """The attributes that code reads, and its strings, which may name one."""
    found = [step.argval for step in dis.get_instructions(code) if step.opname.startswith("LOAD_")]
    return frozenset([name for name in found if isinstance(name, str)])


@cache
def _words(code: CodeType) -> frozenset[str]:
    """What code may use as the name of an attribute: its names, and its strings for `getattr`."""
    return frozenset([*code.co_names, *[one for one in code.co_consts if isinstance(one, str) and one.isidentifier()]])
