"""What a compiled function reads and changes around it: the common walk, with a policy for each kind of thing.

The global random generators, environment variables, and how decimal numbers are computed.
"""

from __future__ import annotations

import os
import sys
from abc import ABCMeta, get_cache_token
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from operator import attrgetter, methodcaller
from threading import local
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any
from weakref import ref

import numpy as np

from ...engine import Variable
from ...engine.reach import (
    CONTAINERS,
    MEMORIES,
    Spot,
    Walk,
    attributes,
    holds,
    is_plain,
    is_the_users,
    progress,
    settled,
    stores,
)
from ...engine.source import attributes_of, codes_in, owners_of, placed, read_in, words_of
from .call_tape import Refusal
from .reached_state import has_array
from .reads import MOST_BYTES, Reads
from .watch import foreign


def generators() -> dict[str, Hashable]:
    """The states of the global random generators, if they are loaded."""
    found: dict[str, Hashable] = {}
    if "random" in sys.modules:
        found["the state of random"] = sys.modules["random"].getstate()
    if "numpy.random" in sys.modules:
        found["the state of numpy.random"] = repr(np.random.get_state())
    return found


def environment() -> dict[str, str]:
    """The environment variables."""
    return dict(os.environ)


def decimal_context() -> Hashable:
    """What decides how decimal numbers are computed here."""
    now = sys.modules["decimal"].getcontext()
    traps = tuple([signal for signal, is_set in now.traps.items() if is_set])
    return now.prec, now.rounding, now.Emin, now.Emax, now.clamp, traps


_ORDERED = (set, dict, MappingProxyType)
_OPAQUE = (ref, attrgetter, methodcaller)
_HOLDERS = (type, ModuleType, *CONTAINERS)
_MOST_ITEMS = 200
_MOST = 3_000


def reads(function: Any, others: list[Any], goes_on: bool = False) -> Reads:
    """Everything that a function can read, given the objects among its arguments, by the attribute names in its code.

    The walk ends at the first thing that cannot be compared, unless ``goes_on``.
    """
    first = {*codes_in(written)} if isinstance(written := getattr(function, "__code__", None), CodeType) else set()
    found: Reads = settled(lambda names, codes: _Around(names, codes, goes_on, first), _roots(function, others)).found
    return found


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
    data = [(v.name or "data", v, v._data, v.data.tobytes()) for v in found.variables if v.data.nbytes <= MOST_BYTES]

    def changed() -> str | None:
        now = generators()
        others = [name for name, v, held, numbers in data if v._data is not held or held.tobytes() != numbers]
        others += [name for name in now if before.get(name) != now[name]]
        return found.changed() or next(iter(others), None)

    return changed


def read_by(ran: set[CodeType], found: Reads, function: Any, others: list[Any], goes_on: bool = False) -> Reads:
    """The part of ``found`` that the code that ran can read; if it is unchanged, the same code runs again."""
    names = frozenset([name for code in ran for name in words_of(code)])
    narrow = _Around(names, ran, goes_on, set(), ran, found.written).walk(_roots(function, others)).found
    narrow.spots += found.noted
    return narrow


def _roots(function: Any, others: list[Any]) -> list[tuple[str, Any]]:
    return [(getattr(function, "__name__", "function"), function), *[("argument", other) for other in others]]


class _Around(Walk):
    """One walk; ``written`` lists attributes known to be write-only."""

    def __init__(
        self,
        names: frozenset[str],
        codes: Iterable[CodeType],
        goes_on: bool,
        first: set[CodeType],
        only: set[CodeType] | None = None,
        written: Sequence[tuple[Any, str]] = (),
    ) -> None:
        super().__init__(names, codes, only)
        self._goes_on, self._first = goes_on, first
        self._written = {(id(holder), name) for holder, name in written}
        self.found = Reads(codes=self.ran)

    # ------------------------------------------------------------------ the walk
    def goes_on(self) -> bool:
        return (self._goes_on or self.found.beyond is None) and len(self.found.spots) <= _MOST

    def note(self, found: Spot) -> None:
        if found.how != "part":
            self.found.spots.append(found)
            if len(self.found.spots) == _MOST + 1:
                self._too_large(found.path)
        elif type(found.holder) is partial and isinstance(found.value, BuiltinFunctionType) and foreign(found.value):
            self.found.beyond = Refusal(f"it can call {foreign(found.value)}, through {found.path}")

    def follows(self, found: Spot) -> bool:
        """Parts of a library do not change, but may be replaced."""
        of_library = isinstance(found.holder, dict) and found.holder.get("__name__") and found.how == "item"
        return not of_library or isinstance(found.value, ModuleType) or not _is_of_library(found.holder)

    def meet(self, path: str, value: Any) -> None:
        found = self.found
        found.paths[id(value)] = path
        if isinstance(value, Variable):
            found.variables.append(value)
            return
        if isinstance(value, np.ndarray):
            return self._array(path, value)
        if isinstance(value, ModuleType):
            return self.enter(path, value)
        if isinstance(value, MEMORIES):
            return self._memory(path, value)
        if isinstance(value, np.ufunc) and not self._goes_on:
            return  # one with code of the user's is refused when it runs
        if isinstance(value, _OPAQUE):
            self._unknown(path, type(value).__name__)
        self._sizes(path, value)
        if isinstance(value, CONTAINERS) and len(value) > _MOST_ITEMS:
            return self._too_large(path)
        self._settings(path, value)
        if value is os.environ:
            return
        if type(value) is FunctionType:
            self._draws(value)
        elif not isinstance(value, _HOLDERS) and not hasattr(type(value), "_holds"):
            self._advancing(path, value)
        self.enter(path, value)

    def _settings(self, path: str, value: Any) -> None:
        """Note what a class or a number depends on besides itself: others may be registered with an abstract class."""
        is_decimal = getattr(value, "__module__", None) == "decimal"
        look = get_cache_token if isinstance(value, ABCMeta) else decimal_context if is_decimal else None
        look = environment if value is os.getenv or value is os.environ else look
        if look is not None and all([look is not known for _, known, _ in self.found.settings]):
            self.found.settings.append((path, look, look()))

    def _sizes(self, path: str, value: Any) -> None:
        said = holds(value)
        if (said is not None and said[1] != "read") or isinstance(value, local):
            return
        if isinstance(value, type):
            self.found.classes.append(value)
        for container in stores(value):
            self.found.sizes.append((path, container, len(container)))
            if container is value and isinstance(value, _ORDERED) and len(value) <= _MOST_ITEMS:
                self.found.orders.append((path, value, tuple(value)))

    def _array(self, path: str, value: np.ndarray) -> None:
        if value.dtype.hasobject and value.size <= _MOST_ITEMS:
            self.enter(path, value)
        elif value.nbytes > MOST_BYTES:
            self._too_large(path)
        else:
            self.found.arrays.append((path, value, value.tobytes()))

    def _memory(self, path: str, value: Any) -> None:
        if memoryview(value).nbytes > MOST_BYTES:
            self._too_large(path)
        else:
            self.found.memories.append((path, value, bytes(value)))

    def _advancing(self, path: str, value: Any) -> None:
        content = progress(value)
        if content == -1:
            self._unknown(path, type(value).__name__)
        if content is not None:
            self.found.others.append((path, value, content))

    def _too_large(self, path: str) -> None:
        told = f"it can read {path}, which is too large to be compared at each call: pass it as an argument"
        self.found.beyond = Refusal(told)

    def _unknown(self, path: str, what: str) -> None:
        self.found.beyond = Refusal(f"it can read {path} ({what}), the content of which is not compared")

    def _draws(self, function: FunctionType) -> None:
        """Refuse draws from NumPy's global generators, whose functions a profiler does not see; in other functions than
        the compiled one, as soon as these run."""
        if self.only is not None or not is_the_users(function):
            return
        around = function.__globals__
        for code, name in [(one, name) for one in codes_in(function.__code__) for name in one.co_names]:
            value = around.get(name)
            is_named = name == "random" and any([around.get(other) is np for other in owners_of(code, name)])
            if is_named or value is np.random or isinstance(_owner(value), np.random.RandomState):
                where = code.co_filename, next(line for line, _, argument in placed(code) if argument == name)
                refusal = Refusal(f"it uses numpy.random ({name}); expected config.rng", where)
                if not self._goes_on and (code in self._first or not is_named):
                    self.found.beyond = refusal
                else:
                    self.found.draws.setdefault(code, refusal)

    # ------------------------------------------------------------------ attributes
    def attributes(self, path: str, holder: Any, held: Any, whole: bool = False) -> Any:
        if (said := holds(holder)) is not None and "updated" in said[0].values():
            self.found.optimizers.append(holder)
        return super().attributes(path, holder, held, whole)

    def is_compared(self, path: str, holder: Any, name: str, role: str, is_said: bool) -> bool:
        """Whether an attribute is compared; those that a run sets are kept apart."""
        if role == "state":
            if attributes(holder)[name] is not None:
                self.found.buffers.append((holder, name))
            return False
        if role == "asked" and is_said:
            is_named = any([name in attributes_of(code) for code in self.codes])
            if is_named and not self._goes_on and is_plain(attributes(holder)[name]):
                self.found.asked.append((holder, Spot.at(f"{path}.{name}", attributes(holder), name, "item")))
                return False  # another object may have an attribute of this name: the run shows whose is read
            return is_named
        may_be_set = is_said or (is_the_users(type(holder)) and not isinstance(holder, type))
        if role == "updated" or (role != "written" and not (may_be_set and self._is_only_written(holder, name))):
            return True
        self.found.written.append((holder, name))
        if is_said and self._is_read(name):
            self.found.reread.add((id(holder), name))
            if not has_array(value := attributes(holder)[name]):
                self.found.noted.append(Spot(f"{path}.{name}", attributes(holder), name, value, "item"))
        return False

    def _is_only_written(self, holder: Any, name: str) -> bool:
        """Whether the user's code sets an attribute of this name and never reads it."""
        if self.only is not None:
            return (id(holder), name) in self._written
        return name in self.names and not self._is_read(name)

    def _is_read(self, name: str) -> bool:
        """Whether the user's code reads an attribute of this name."""
        return any([name in read_in(code) for code in self.codes])


def _is_of_library(held: dict[str, Any]) -> bool:
    """Whether a dict holds the names of a module of AutoLab or NumPy, and is no copy of them that runs other code."""
    name = str(held["__name__"])
    return name.partition(".")[0] in ("autolab", "numpy") and held is vars(sys.modules.get(name, sys))


def _owner(function: Any) -> Any:
    # functions that Cython made have the attribute without a value
    return getattr(function, "__self__", None) if hasattr(type(function), "__self__") else None
