"""What a function can read around it, and a fast test whether any of it has changed.

Functions generated from source text, with values bound to names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from ...engine import Variable
from ...engine.reach import Spot, attributes, is_plain, progress
from ...engine.source import EMPTY, placed
from ...engine.tracebacks import PACKAGE
from .call_tape import Refusal


class GeneratedFunction:
    """The names bound in a source text, and the function that it defines."""

    def __init__(self, **names: Any) -> None:
        self._names = names
        self._known: dict[int, str] = {}

    def bound(self, value: Any) -> str:
        """The name that a value is bound to in the text."""
        if id(value) not in self._known:
            self._known[id(value)] = name = f"k{len(self._known)}"
            self._names[name] = value
        return self._known[id(value)]

    def made(self, what: str, text: str) -> Any:
        """The function that a text defines; ``what`` names its file in tracebacks."""
        exec(compile(text, f"{PACKAGE}transforms/compiling/<{what}>", "exec"), self._names)
        return self._names[text[len("def ") : text.index("(")]]


MOST_BYTES = 1 << 16
"""Larger arrays are not compared."""


def written(spot: Spot, bound: Callable[[Any], str]) -> str:
    """The expression that looks up a place."""
    name = bound(vars(spot.holder) if spot.how == "class" else spot.holder)
    if spot.how in ("attribute", "cell"):
        return f"{name}.{spot.key}"
    return f"{name}.get()" if spot.how == "context" else f"{name}[{bound(spot.key)}]"


@dataclass
class Reads:
    """What was found, nearest first.

    Attributes
    ----------
    spots : list of Spot
    sizes : list of (path, container, length)
    orders : list of (path, container, tuple)
        The keys of dicts and the items of sets, in order.
    arrays : list of (path, array, bytes)
        NumPy arrays whose values the function may use.
    memories : list of (path, object, bytes)
        Other memory: bytearrays, arrays of the standard library, memoryviews.
    others : list of (path, object, content)
        Objects that advance when they are used: iterators, random generators.
    classes : list of type
    variables, buffers, optimizers
        The state that a program reads and writes: see `ReachedState`.
    written : list of (object, name)
        Attributes that are written and never read, or read only after they were written.
    reread : set of (id of object, name)
        Those of them that the user's code may read.
    asked : list of (object, Spot)
        Attributes that count if the code reads or sets them of this object, and not of another.
    paths : dict
        The path of everything that was met, by its id.
    draws : dict
        What to say of code that draws random numbers, if it runs.
    codes : set
        The code that may run.
    noted : list of Spot
        What the function turned out to depend on when it ran.
    settings : list of (path, function, value)
        Settings of the interpreter that something depends on, and how they are read.
    beyond : Refusal or None
        Something that cannot be compared at each call.
    """

    spots: list[Spot] = field(default_factory=list)
    sizes: list[tuple[str, Any, int]] = field(default_factory=list)
    orders: list[tuple[str, Any, tuple[Any, ...]]] = field(default_factory=list)
    arrays: list[tuple[str, np.ndarray, bytes]] = field(default_factory=list)
    memories: list[tuple[str, Any, bytes]] = field(default_factory=list)
    others: list[tuple[str, Any, Any]] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    classes: list[type] = field(default_factory=list)
    buffers: list[tuple[Any, str]] = field(default_factory=list)
    optimizers: list[Any] = field(default_factory=list)
    written: list[tuple[Any, str]] = field(default_factory=list)
    reread: set[tuple[int, str]] = field(default_factory=set)
    asked: list[tuple[Any, Spot]] = field(default_factory=list)
    paths: dict[int, str] = field(default_factory=dict)
    draws: dict[CodeType, Refusal] = field(default_factory=dict)
    codes: set[CodeType] = field(default_factory=set)
    noted: list[Spot] = field(default_factory=list)
    settings: list[tuple[str, Callable[[], Any], Any]] = field(default_factory=list)
    beyond: Refusal | None = None

    def reached(self) -> list[Any]:
        """The Variables and arrays around it."""
        return [*self.variables, *[array for _, array, _ in self.arrays]]

    def small_arrays(self) -> list[np.ndarray]:
        """The arrays around it, also those in Variables, that are compared."""
        kept = [v._data for v in self.variables if v._data.nbytes <= MOST_BYTES]
        return [*[array for _, array, _ in self.arrays], *[data for data in kept if type(data) is np.ndarray]]

    def compare_written(self) -> None:
        """Compare the attributes that are written as well: no program stores them."""
        places = [(f"{self.paths[id(holder)]}.{name}", attributes(holder), name) for holder, name in self.written]
        self.spots += [Spot.at(*place, "item") for place in places]

    def has_grown(self) -> bool:
        """Whether an object has gained an attribute, as objects do on first use."""
        return any([len(held) > length for _, held, length in self.sizes if isinstance(held, dict)])

    def changed(self) -> str | None:
        """The path of the first thing that has changed."""
        for path, look, value in self.settings:
            if look() != value:
                return path
        for spot in self.spots:
            if not same(spot.now(), spot.value):
                return spot.path
        for path, container, length in self.sizes:
            if len(container) != length:
                return path
        for path, container, order in self.orders:
            now = tuple(container)
            if now != order or (is_plain(order) and not same(now, order)):
                return path
        for path, array, before in self.arrays:
            if array.tobytes() != before:
                return path
        for path, memory, before in self.memories:
            if bytes(memory) != before:
                return path
        return next((path for path, value, before in self.others if progress(value) != before), None)

    def path_of(self, value: Any) -> str | None:
        """The path under which a value is found first."""
        return self.paths.get(id(value)) or next((spot.path for spot in self.spots if value is spot.value), None)

    def line_of(self, path: str, ran: set[CodeType]) -> tuple[str, int] | None:
        """The line that changes the value at a path: one that stores to its last name, or uses its first.

        Parameters
        ----------
        path : str
        ran : set
            The code that ran.
        """
        names = re.findall(r"[^\W\d]\w*", path)
        codes = sorted(self.codes & ran, key=lambda code: code.co_firstlineno)
        steps = [(code.co_filename, step) for code in codes for step in placed(code)]
        for kind, name in (("STORE_", names[-1]), ("", names[0])):
            for file, (line, opname, argument) in steps:
                if opname.startswith(kind) and argument == name:
                    return file, line
        return None

    def guard(self, others: Callable[[Callable[[Any], str]], list[str]]) -> Callable[[], bool]:
        """A test whether everything is unchanged, for each call; ``others`` adds tests as Python source."""
        generated = GeneratedFunction(same=same)
        bound, tests = generated.bound, []
        for spot in self.spots:
            value = spot.value
            text, name = written(spot, bound), bound(value)
            if value is EMPTY and spot.how == "attribute":
                tests.append(f"not hasattr({bound(spot.holder)}, {spot.key!r})")
            elif value is EMPTY and spot.how == "context":
                tests.append(f"{bound(spot.holder)}.get({name}) is {name}")
            elif value is EMPTY:
                tests.append(f"{bound(spot.key)} not in {bound(spot.holder)}")
            else:
                tests.append(f"({text} is {name} or same({text}, {name}))" if is_plain(value) else f"{text} is {name}")
        ordered = [(container, order) for _, container, order in self.orders if order]
        seen = {id(container) for container, _ in ordered}
        sized = [(bound(one), length) for _, one, length in self.sizes if id(one) not in seen]
        tests += [f"len({name}) == {length}" if length else f"not {name}" for name, length in sized]  # `not` is faster
        tests += [keys_alike(bound(container), order, bound) for container, order in ordered]
        tests += [f"{bound(array)}.tobytes() == {bound(before)}" for _, array, before in self.arrays]
        tests += [f"bytes({bound(memory)}) == {bound(before)}" for _, memory, before in self.memories]
        tests += [f"{bound(look)}() == {bound(value)}" for _, look, value in self.settings]
        tests += others(bound)
        body = "\n        and ".join(dict.fromkeys(tests)) or "True"
        text = f"def fits():\n    try:\n        return (\n        {body}\n        )\n"
        text += "    except (LookupError, ValueError, AttributeError):\n        return False\n"
        found: Callable[[], bool] = generated.made("guard", text)
        return found


def keys_alike(text: str, keys: tuple[Any, ...], bound: Callable[[Any], str]) -> str:
    """A test, as Python source, that a dict or set has these keys; 1, 1.0 and True count as different."""
    if not keys:
        return f"not {text}"
    is_equal_enough = not is_plain(keys) or all([type(key) is str for key in keys])
    return f"tuple({text}) == {bound(keys)}" if is_equal_enough else f"same(tuple({text}), {bound(keys)})"


def same(now: Any, before: Any) -> bool:
    """Whether a value is unchanged: plain values are compared by value, all others by identity."""
    if now is before:
        return True
    if type(now) is not type(before) or not is_plain(before):
        return False
    is_exact = not isinstance(before, float | complex | np.generic | tuple)
    return bool(now == before) if is_exact else repr(now) == repr(before)
