"""The user's names for intermediate values of a forward, observed while it runs.

A name is trustworthy only if it means one value throughout: names that are bound again, changed in place or used for
something else in a helper are omitted; so are all of them if something else traces the execution, such as a debugger.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from ...engine import Variable
from ...transforms.forward_mode import Tape
from ..judging.case import CheckedInput
from ..measuring.point import Arrays, Shape, attempted
from .samples import Named, Points

_MOST = 8
_MOST_EVENTS = 3000
"""A forward that runs more instructions is a loop or a whole program, and is not followed."""

_LARGEST = 1024
_OWN = __name__.partition(".")[0]
_PATHS = [sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")]
_LIBRARIES = (*_PATHS, os.path.dirname(np.__file__), "<frozen", "<__array_function__")


@dataclass(frozen=True, eq=False)
class ForwardParts:
    """The intermediate values of a forward at many points, by the user's names, and the single numbers among them.

    ``known`` holds the forward's names for its inputs and its result, empty if it has none; ``taken`` are all names
    that it uses for something else.
    """

    values: Named
    constants: dict[str, float]
    known: list[str]
    taken: frozenset[str]


def forward_parts(checked: CheckedInput, points: Points, known: Arrays) -> ForwardParts:
    """The parts of the only user-written forward that takes the input and returns the result, at all points; none if it
    cannot be followed.

    A value that equals one of ``known`` (the inputs, the result) everywhere is not a part.
    """
    runs: list[Named] = []
    depths: dict[str, int] = {}
    taken: set[str] = set()
    for arrays, good in points:
        seen = _watched(checked, arrays)
        if seen is None:
            return ForwardParts({}, {}, [""] * len(known), frozenset())
        taken |= seen.values.keys()
        depths = {**seen.depths, **depths}
        found = seen.certain().items()
        runs.append({name: v for name, a in found if (v := _spread(a, checked.shape, good)) is not None})
    names = [name for name in runs[0] if all([name in run for run in runs])]
    columns = {name: np.concatenate([run[name] for run in runs]) for name in names}
    same = [[name for name, v in columns.items() if np.array_equal(v, other)] for other in known]
    single = {name for name, v in columns.items() if (v == v[0]).all()}
    parts = _outermost(columns, known, depths, single)
    constants = [(name, float(v[0])) for name, v in parts.items() if name in single]
    values = [(name, v) for name, v in parts.items() if name not in single and not _is_double(name, columns)]
    names = [next(iter(equal), "") for equal in same]
    return ForwardParts(dict(values[:_MOST]), dict(constants[:_MOST]), names, frozenset(taken.difference(*same)))


def parts_at(checked: CheckedInput) -> Named:
    """The parts of that forward at the given point, of any shape; of those with one value none."""
    subject = checked.case.subject
    seen = _watched(checked, subject.arrays)
    if seen is None:
        return {}
    found, known = seen.certain(), [*subject.arrays, *subject.run().values()]
    parts = _outermost(found, known, seen.depths, {name for name, v in found.items() if not v.ndim})
    return {name: v for name, v in parts.items() if not _is_double(name, found)}


def _outermost(found: Named, known: Arrays, depths: dict[str, int], single: set[str]) -> Named:
    """What is not known, of the outermost function that has any but single numbers: those of helpers tell less."""
    new = [name for name, v in found.items() if np.isfinite(v).all() and not any([np.array_equal(v, a) for a in known])]
    inside = max([depths[name] for name in new], default=0)
    written = min([depths[name] for name in new if name not in single], default=inside)
    outermost = [name for name in new if depths[name] == written]
    return {name: found[name] for name in outermost[: 2 * _MOST]}


def _spread(value: np.ndarray, shape: Shape, good: np.ndarray) -> np.ndarray | None:
    if value.ndim not in (0, len(shape)) or any(n not in (1, m) for n, m in zip(value.shape, shape, strict=False)):
        return None
    return np.broadcast_to(value, shape).ravel()[good.ravel()].astype(float)


def _is_double(name: str, columns: Named) -> bool:
    """Whether another name has the same values at all points: elsewhere they may differ."""
    return any([other != name and np.array_equal(v, columns[name]) for other, v in columns.items()])


def _watched(checked: CheckedInput, arrays: Arrays) -> _Names | None:
    if sys.gettrace() is not None:  # set by something else, such as a debugger
        return None
    names, tape = _Names(), Tape()
    with tape:
        sys.settrace(names.called)
        try:
            run = attempted(checked.case.subject.run, arrays)
        finally:
            sys.settrace(None)
    if run is None or len(tape.steps) != 1 or names.events > _MOST_EVENTS:
        return None
    (step,) = tape.steps
    leaf = run.inputs[checked.place]
    return names if any([x is leaf for x in step.inputs]) and step.outputs[0] is run.outputs[0] else None


class _Names:
    """The first value of every name in the frames of the user's own functions."""

    def __init__(self) -> None:
        self.events = 0
        self.values: Named = {}
        self.unsure: set[str] = set()
        self.depths: dict[str, int] = {}
        self._objects: dict[str, Any] = {}
        self._bits: dict[str, Any] = {}

    def certain(self) -> Named:
        """The names that kept their values; if an array has several, the outermost and first one."""
        found: dict[Any, str] = {}
        for name in sorted(self.values, key=self.depths.__getitem__):
            if name not in self.unsure:
                value = self._objects[name]
                found.setdefault(id(value) if isinstance(value, np.ndarray) else name, name)
        return {name: self.values[name] for name in found.values()}

    def called(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For every Python function that is called: whether to follow it."""
        if self.events > _MOST_EVENTS or not _is_users(frame):
            return None
        frame.f_trace_opcodes = True
        return self._executed

    def _executed(self, frame: FrameType, event: str, arg: Any) -> Any:
        self.events += 1
        if self.events > _MOST_EVENTS:
            return None
        bound = dict(_numbers(frame))
        for name, value in bound.items():
            if name not in self.values:
                self.depths[name], self._objects[name] = _depth(frame), value
                self.values[name], self._bits[name] = np.array(value), _bits(value)
            elif name not in self.unsure and _bits(value) != self._bits[name]:
                self.unsure.add(name)
        if event == "return" and arg is None:  # it raised: what it had computed is not used
            self.unsure.update(bound)
        return self._executed


def _depth(frame: FrameType | None) -> int:
    """The number of followed user functions around this one."""
    depth = 0
    while frame is not None:
        depth += frame.f_trace is not None
        frame = frame.f_back
    return depth


def _numbers(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The variables in a frame, and the attributes of ``self``, that are arrays or numbers."""
    for name, value in frame.f_locals.items():
        attributes = getattr(value, "__dict__", {}) if name == "self" else {}
        own = {f"self.{key}": kept for key, kept in attributes.items() if not key.startswith("_")}
        for key, held in (own or {name: value}).items():
            found = held.data if isinstance(held, Variable) else held
            if _is_number(found):
                yield key, found


def _bits(value: Any) -> Any:
    """A fingerprint of a value, quick to compare at every instruction."""
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def _is_number(value: Any) -> bool:
    if type(value) is np.ndarray:
        return value.dtype.kind in "biuf" and value.size <= _LARGEST
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.complexfloating)


def _is_users(frame: FrameType) -> bool:
    """Whether it runs a function that a user wrote."""
    code, module = frame.f_code, str(frame.f_globals.get("__name__"))
    is_function = not code.co_name.startswith("<") or code.co_name == "<lambda>"
    is_own = module.partition(".")[0] == _OWN  # code generated by a dataclass has no file
    return is_function and not is_own and not code.co_filename.startswith(_LIBRARIES)
