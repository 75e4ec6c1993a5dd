"""Detects, through Python's profiling hook, what a run does without leaving a trace on the tape."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Protocol

import numpy as np

from ...engine import Variable
from ...engine.reach import Spot
from ...engine.tracebacks import PACKAGE
from ...shared.collector import collector_waits
from .call_tape import Line
from .reads import Reads
from .recorded_array import is_library, line_of, users_frame

_PURE = frozenset(
    "math cmath operator _operator itertools functools _functools numpy _abc collections _collections autolab".split()  # noqa: SIM905
)
_IMPURE = frozenset("print input open exec eval compile __import__ globals locals vars breakpoint id".split())  # noqa: SIM905
_ASKED = frozenset(
    [vars(kind)[name].fget.__code__ for kind in Variable.__mro__ for name in ("name", "creator") if name in vars(kind)]
)
"""Attributes that distinguish Variables of the same kind."""
_SETTINGS = frozenset(
    [
        inspect.unwrap(one).__code__
        for one in (
            *(np.geterr, np.seterr, np.geterrcall, np.seterrcall, np.getbufsize, np.setbufsize),
            *(np.get_printoptions, np.set_printoptions),
            *(warnings.simplefilter, warnings.filterwarnings, warnings.resetwarnings),
        )
        if isinstance(inspect.unwrap(one), FunctionType)
    ]
)
"""What reads or changes settings that no call of a program looks at."""
_OPTIMIZERS = PACKAGE + "optimizers"
_UPDATING = ("Optimizer.update", "Optimizer.step", "Optimizer.zero_grad", "apply_gradients", "TakesParameters.__call__")
"""Methods of optimizers that a program can run: all others read or change state that differs after each update."""
_TOOLS = (
    "importlib",
    "contextlib",
    "functools",
    "typing",
    "dataclasses",
    "collections",
    "_collections_abc",
    "abc",
    "enum",
    "operator",
    "warnings",
    "copy",
)
_READING = ("getenv", "_Environ.__getitem__", "_createenviron.<locals>.encode", "_createenviron.<locals>.decode")
"""Functions of `os` that read the environment."""
_HELD = (list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool, slice, range)


class Watching(Protocol):
    """What is told of a call: `CallTape`, for example."""

    ran: set[CodeType]

    def tells_apart(self, value: Variable) -> None:
        """Take note that the name of a value was asked for, or what made it."""

    def refuse(self, what: str, frame: Line = None) -> Any:
        """Take a reason why the function cannot be followed."""


@contextmanager
def watched(tape: Watching, found: Reads) -> Iterator[None]:
    """Refuse on ``tape`` any call into foreign code, and any reading or writing outside the process.

    Garbage collection waits: finalizers of other objects and `gc.callbacks` are not calls of the function.

    Parameters
    ----------
    tape : Watching
    found : Reads
        What the user's code can read.
    """
    codes, draws = found.codes, found.draws
    harmless: set[CodeType] = set()

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            code = frame.f_code
            if code in _of_library or code in harmless:
                return
            if (drawn := draws.get(code)) is not None:
                tape.refuse(drawn.what, drawn.frame)
            if _entered(tape, codes, frame):
                (_of_library if is_library(frame) else harmless).add(code)
        elif event == "c_call" and frame.f_code in codes and (name := foreign(arg)) is not None:
            path = found.path_of(arg) or _method_path(found, arg)
            told = name if path is None or path.endswith(name) else f"{path} ({name})"
            tape.refuse(f"it calls {told}", line_of(users_frame(frame)))

    with collector_waits(), profiled(profile):
        yield


def _method_path(found: Reads, method: Any) -> str | None:
    """The path of a method of an object that is found around the function."""
    path = found.path_of(getattr(method, "__self__", None))
    return None if path is None else f"{path}.{method.__name__}"


_of_library: set[CodeType] = set()
"""Code of AutoLab and NumPy that has run before and needs no attention."""


class AskedAttribute:
    """Stands for an attribute in the class of an object while a function is traced: ``asked`` gets the object's id and
    the name if the user's code reads or sets it."""

    def __init__(self, name: str, codes: set[CodeType], asked: set[tuple[int, str]]) -> None:
        self._name, self._codes, self._asked = name, codes, asked

    def _note(self, holder: Any, frame: FrameType) -> dict[str, Any]:
        if frame.f_code in self._codes:
            self._asked.add((id(holder), self._name))
        return vars(holder)

    def __get__(self, holder: Any, kind: Any = None) -> Any:
        try:
            return self if holder is None else self._note(holder, sys._getframe(1))[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, holder: Any, value: Any) -> None:
        self._note(holder, sys._getframe(1))[self._name] = value

    def __delete__(self, holder: Any) -> None:
        del self._note(holder, sys._getframe(1))[self._name]


@contextmanager
def attributes_asked(places: list[tuple[Any, Spot]], codes: set[CodeType]) -> Iterator[set[tuple[int, str]]]:
    """A context that gives the attributes among ``places`` that the user's code has read or set so far."""
    asked: set[tuple[int, str]] = set()
    stands = {(type(holder), place.key): AskedAttribute(place.key, codes, asked) for holder, place in places}
    before = [(Spot.at("", kind, name, "class"), one) for (kind, name), one in stands.items()]
    try:
        for place, one in before:
            place.put(one)
        yield asked
    finally:
        for place, _ in before:
            place.put(place.value)


@contextmanager
def profiled(by: Any) -> Iterator[None]:
    """Set the profiling hook to ``by``; None for a part that each run executes as it is, which may do anything."""
    before = sys.getprofile()
    sys.setprofile(by)
    try:
        yield
    finally:
        sys.setprofile(before)


def _entered(tape: Watching, codes: set[CodeType], frame: FrameType) -> bool:
    """Handle the call of a Python function; returns whether further calls of it need no attention."""
    if frame.f_code in codes:
        tape.ran.add(frame.f_code)
    if frame.f_code in _ASKED and frame.f_back is not None and frame.f_back.f_code in codes:
        tape.tells_apart(frame.f_locals["self"])
    is_of_optimizer = frame.f_code.co_filename.startswith(_OPTIMIZERS)
    asks_optimizer = is_of_optimizer and frame.f_code.co_qualname not in _UPDATING
    if asks_optimizer and frame.f_back is not None and frame.f_back.f_code in codes:
        tape.refuse(f"it calls {frame.f_code.co_qualname}", line_of(users_frame(frame)))
    is_setting = frame.f_code in _SETTINGS
    if is_setting and frame.f_back is not None and frame.f_back.f_code in codes:
        package = str(frame.f_globals["__name__"]).partition(".")[0].replace("numpy", "np")
        tape.refuse(f"it calls {package}.{frame.f_code.co_name}", line_of(users_frame(frame.f_back)))
    if is_library(frame) or frame.f_code in codes:
        return not is_setting and frame.f_code not in _ASKED and not is_of_optimizer
    module = str(frame.f_globals.get("__name__", "?"))
    owner = module.partition(".")[0]
    if owner == "os" and frame.f_code.co_qualname in _READING:
        return True
    is_made = owner in ("autolab", "numpy") and frame.f_code.co_filename == "<string>"  # by dataclasses
    if is_made or owner in _TOOLS or module.startswith("namedtuple_"):
        return True
    is_standard, back = owner in sys.stdlib_module_names - {"__main__"}, frame.f_back
    while back is not None and back.f_code not in codes:
        if (is_standard and is_library(back)) or back.f_code.co_name == "_find_spec":
            return False  # the internals of a library do not count, nor does the module search of an import
        back = back.f_back
    tape.refuse(
        f"it runs code that is not found by name: {module}.{frame.f_code.co_qualname}", line_of(users_frame(back))
    )
    return False


def foreign(function: Any) -> str | None:
    """The name of a C function that does more than arithmetic; None for others."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "?")
    if owner is None or isinstance(owner, ModuleType):
        module = str(getattr(function, "__module__", None) or "builtins")
        if module == "builtins":
            return name if name in _IMPURE else None
        return None if _is_pure(module) else f"{module}.{name}"
    kind = owner if isinstance(owner, type) else type(owner)
    return None if kind in _HELD or owner is object or _is_pure(kind.__module__) else f"{kind.__name__}.{name}"


def _is_pure(module: str) -> bool:
    return module.partition(".")[0] in _PURE and "random" not in module
