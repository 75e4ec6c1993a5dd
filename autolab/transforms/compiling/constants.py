"""Constants, recorded while a function is traced: an array that a recorded one indexes has to be on the tape as well.

``table[t]`` and ``np.eye(3)[t]`` ask NumPy's array, which knows nothing of tapes. Therefore, as long as a function is
traced, the arrays in its reach are recorded ones, and so is what it makes with NumPy's names.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from types import CodeType
from typing import Any

import numpy as np

from .call_tape import CallTape
from .nested import unwrapped
from .reads import Reads
from .recorded_array import Recorded, open_tape
from .references import mapped, recorded_in

_MAKING: tuple[Any, ...] = (
    *(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.arange, np.linspace, np.eye, np.identity, np.tri),
    *(np.zeros, np.ones, np.empty, np.full, np.indices),
)
"""Functions that make an array of no array."""


@contextmanager
def recorded_constants(tape: CallTape, found: Reads) -> Iterator[None]:
    """Record the arrays that a function finds around it, and those that it makes."""
    entering = _Entering(tape, found.codes)
    places = []
    try:
        for spot in found.spots:
            value = spot.value
            if spot.holder is not sys.modules and spot.how != "class":
                inside = entering.of(value)
                if inside is not value and spot.put(inside):
                    places.append((spot, value, inside))
        yield
    finally:
        for spot, value, inside in places:
            now = spot.now()
            spot.put(value if now is inside else unwrapped(now))


class _Entering:
    """What stands for each constant."""

    def __init__(self, tape: CallTape, codes: set[CodeType]) -> None:
        self._tape, self._codes = tape, codes
        self._known: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        if type(value) is np.ndarray and value.dtype.kind in "biufc":
            if id(value) not in self._known:
                self._known[id(value)] = self._tape.constant(value)
            return self._known[id(value)]
        if type(value) is tuple:
            inside = tuple(map(self.of, value))
            return value if all([a is b for a, b in zip(value, inside, strict=True)]) else inside
        if value is np:
            return _NumPyInside(self)
        return self.making(value) if any([value is one for one in _MAKING]) else value

    def making(self, function: Any) -> Any:
        """A function that makes arrays; what the user's code makes is recorded."""

        @wraps(function, assigned=("__name__", "__doc__"))
        def make(*args: Any, **options: Any) -> Any:
            tape = self._tape
            if open_tape.get() is not tape or sys._getframe(1).f_code not in self._codes:
                return function(*args, **options)
            if not any([tape.depends[one._slot] for one in recorded_in((args, options))]):
                return tape.call(function, args, options)
            made = function(*mapped(args, _counted), **mapped(options, _counted))
            return tape.constant(made) if type(made) is np.ndarray else made

        return make


def _counted(value: Any) -> Any:
    """A size that is computed, as a number that has to be the same in each run."""
    is_size = isinstance(value, Recorded) and not value._value.ndim and value._value.dtype.kind in "iu"
    return operator.index(value) if is_size else value


class _NumPyInside:
    """NumPy, as the user's code finds it."""

    def __init__(self, entering: _Entering) -> None:
        self.__dict__.update({one.__name__: entering.making(one) for one in _MAKING})

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
