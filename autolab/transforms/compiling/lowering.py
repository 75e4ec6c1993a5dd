"""Reduces a tape to the steps that each run needs: no dead code, no constants, no repeated computations."""

from __future__ import annotations

import copy
import operator
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ...gpu.traced_function import exact
from .call_tape import CallTape, Step
from .references import Ref, memory, resolved, slots_in

_LEANER = {
    np.dot: np.ndarray.dot,
    np.transpose: np.ndarray.transpose,
    np.reshape: np.ndarray.reshape,
    np.swapaxes: np.ndarray.swapaxes,
    np.squeeze: np.ndarray.squeeze,
}
"""Functions -> methods that do the same for arrays with less overhead."""

_REDUCTIONS = {
    np.sum: np.add.reduce,
    np.ndarray.sum: np.add.reduce,
    np.max: np.maximum.reduce,
    np.amax: np.maximum.reduce,
    np.ndarray.max: np.maximum.reduce,
    np.min: np.minimum.reduce,
    np.amin: np.minimum.reduce,
    np.ndarray.min: np.minimum.reduce,
    np.prod: np.multiply.reduce,
    np.ndarray.prod: np.multiply.reduce,
}
"""Functions -> the ufunc methods that they call, which take half the time and accept a buffer for the result."""


class Lowered:
    """The remaining steps of a tape, and what is known about its slots.

    Attributes
    ----------
    steps : list of Step
    static : dict
        Slot -> an array that is the same in every run.
    memory : list of int
        For each slot, the number of the memory block that it is a view of.
    escaping : set of int
        Memory blocks that outlive a run: they are allocated again each time.
    written : set of int
        Memory blocks that a step writes to.
    """

    def __init__(self, tape: CallTape, escaping: Iterable[int]) -> None:
        self.tape = tape
        self.memory = _numbered([id(memory(value)) for value in tape.values])
        self.escaping = {self.memory[slot] for slot in escaping}
        self.written = {self.memory[step.writes] for step in tape.steps if step.writes is not None}
        self.static: dict[int, np.ndarray] = dict(tape.constants)
        self._same: dict[int, int] = {}
        self._spread: dict[int, Ref] = {}
        steps = [_reduced(replace(step, number=i)) for i, step in enumerate(tape.steps)]
        self.steps = self._pruned(self._without_repeats(steps), set(escaping))

    def copy(self) -> Lowered:
        """A copy, for a program with its own buffers."""
        twin = copy.copy(self)
        twin.static, twin.escaping = dict(self.static), set(self.escaping)
        return twin

    def slot(self, slot: int) -> int:
        """The slot that replaces this one because it holds the same."""
        return self._same.get(slot, slot)

    def is_fresh(self, slot: int) -> bool:
        """Whether the memory of a slot is neither written to nor kept after the run."""
        number = self.memory[slot]
        return number not in self.written and number not in self.escaping

    def _without_repeats(self, steps: list[Step]) -> list[Step]:
        kept: list[Step] = []
        known: dict[Hashable, Step] = {}
        version: dict[int, int] = {}
        for step in steps:
            if step.kind == "update":  # it may write to the memory that an argument is a view of
                known.clear()
            if step.writes is not None:
                version[self.memory[step.writes]] = version.get(self.memory[step.writes], 0) + 1
            args, options = resolved((step.args, step.options), lambda slot: Ref(self.slot(slot)))
            step = self._narrow(replace(step, args=args, options=options))
            made = [slot for _, slot in step.outs]
            if step.kind != "call" or step.writes is not None or not all(map(self.is_fresh, made)):
                kept.append(step)
                continue
            if not any([self.tape.depends[slot] for slot in made]):
                self.static.update({slot: self.tape.values[slot] for slot in made})
                continue
            if step.function is np.broadcast_to and type(step.args[0]) is Ref:
                self._spread[step.outs[0][1]] = step.args[0]
            key = self._key(step, version)
            if key is not None and key in known:
                for (_, slot), (_, first) in zip(step.outs, known[key].outs, strict=True):
                    self._same[slot] = self.slot(first)
                continue
            if key is not None:
                known[key] = step
            kept.append(step)
        return kept

    def _narrow(self, step: Step) -> Step:
        """An elementwise step without explicit broadcasts to a shape that another operand gives it anyway."""
        if not any([type(arg) is Ref and arg.slot in self._spread for arg in step.args]) or not is_elementwise(step):
            return step
        args = list(step.args)
        for i, arg in enumerate(args):
            if type(arg) is Ref and arg.slot in self._spread:
                trial = [*args[:i], self._spread[arg.slot], *args[i + 1 :]]
                shapes = [self.tape.values[one.slot].shape if type(one) is Ref else () for one in trial]
                if np.broadcast_shapes(*shapes) == self.tape.values[step.outs[0][1]].shape:
                    args = trial
        return replace(step, args=tuple(args))

    def _key(self, step: Step, version: dict[int, int]) -> Hashable | None:
        """A key that is equal for calls with equal results; it counts how often each argument was written to."""
        slots = step.slots
        try:
            versions = tuple([version.get(self.memory[slot], 0) for slot in slots])
            key = step.function, _exact(step.args), _exact(step.options), versions
            hash(key)
        except TypeError:
            return None
        return key

    def viewed(self, step: Step) -> int | None:
        """The slot that a step's result is a view of; None if the result is computed."""
        if step.kind != "call" or step.writes is not None or len(step.outs) != 1 or step.outs[0][0] is not None:
            return None
        own = self.memory[step.outs[0][1]]
        return next((slot for slot in step.slots if self.memory[slot] == own), None)

    def _may_raise(self, step: Step) -> bool:
        """Whether values decide if a call raises: it is then made even if nothing needs its result."""
        if step.function is np.power:
            return all([self.tape.values[slot].dtype.kind in "iu" for slot in step.slots])
        picks = step.function in (operator.getitem, np.take, np.ndarray.take) and bool(slots_in(step.args[1:]))
        return picks or "linalg" in str(getattr(step.function, "__module__", None))

    def _pruned(self, steps: list[Step], escaping: set[int]) -> list[Step]:
        needed = {self.memory[self.slot(slot)] for slot in escaping} | {self.memory[slot] for slot in self.tape.sources}
        kept, named = [], {self.slot(slot) for slot in escaping}
        for step in reversed(steps):
            made = {slot for _, slot in step.outs}
            if step.writes is not None:
                if self.memory[step.writes] not in needed:
                    continue
            elif step.kind in ("load", "call") and not (named & made or self._may_raise(step)):
                continue
            kept.append(step)
            named.update(step.slots)
            needed |= {self.memory[slot] for slot in step.slots}
        return kept[::-1]


def _numbered(owners: list[int]) -> list[int]:
    first: dict[int, int] = {}
    return [first.setdefault(owner, i) for i, owner in enumerate(owners)]


def _reduced(step: Step) -> Step:
    """A reduction as the method of the ufunc, which is what NumPy calls."""
    if step.kind != "call" or step.function not in _REDUCTIONS:
        of_array = step.kind == "call" and not step.options and step.args and type(step.args[0]) in (Ref, np.ndarray)
        return replace(step, function=_LEANER.get(step.function, step.function)) if of_array else step
    by_place = dict(zip(("axis", "dtype", "out", "keepdims"), step.args[1:], strict=False))
    named = {"axis": None} | by_place | step.options
    if not {*named} <= {"axis", "dtype", "keepdims"} or type(step.args[0]) is not Ref:
        return step
    options = {key: value for key, value in named.items() if key == "axis" or value not in (None, np._NoValue, False)}
    return replace(step, function=_REDUCTIONS[step.function], args=step.args[:1], options=options)


def _exact(value: Any) -> Hashable:
    if type(value) in (list, tuple):
        return type(value), tuple([_exact(item) for item in value])
    if type(value) is dict:
        return tuple([(key, _exact(item)) for key, item in value.items()])
    if type(value) is slice:
        return slice, _exact((value.start, value.stop, value.step))
    if type(value) is Ref or isinstance(value, type | np.dtype):
        return value
    return exact(value)


def is_elementwise(step: Step) -> bool:
    """Whether a step is an elementwise ufunc with a single result and no options."""
    function = step.function
    return isinstance(function, np.ufunc) and function.signature is None and not step.options and len(step.outs) == 1


def is_of_floats(step: Step, dtype: np.dtype) -> bool:
    """Whether a step is elementwise, with operands and result of this floating-point dtype."""
    function = step.function
    if not is_elementwise(step) or dtype.kind != "f" or function is np.ldexp:
        return False
    return f"{dtype.char * function.nin}->{dtype.char}" in function.types
