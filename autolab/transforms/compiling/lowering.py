"""Reduces a tape to the steps that each run needs: no dead code, no constants, no repeated computations.

Memory for the results of a program: a reused buffer, a new array, or the memory of another array.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Hashable, Iterable, Sequence
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


# The reused memory for the results of a program.


class Buffers:
    """Blocks of memory, each reused for one result after another."""

    def __init__(self, free: Iterable[np.ndarray] = ()) -> None:
        self._free = [*free]
        self._used: dict[int, np.ndarray] = {}

    def array(self, number: int, like: np.ndarray) -> np.ndarray:
        """An array like ``like``, in a block of its own."""
        fits = [block for block in self._free if like.nbytes <= block.nbytes <= 2 * like.nbytes]
        if fits:
            block = min(fits, key=lambda one: one.nbytes)
            self._free = [one for one in self._free if one is not block]
        else:
            block = _aligned(like.nbytes)
        self._used[number] = block
        return np.ndarray(like.shape, like.dtype, block, 0, like.strides)

    def blocks(self) -> list[np.ndarray]:
        """All blocks, for another program that never runs at the same time."""
        return [*self._free, *self._used.values()]

    def release(self, number: int) -> bool:
        """Free the block of a result for the next one; False if it is in none."""
        if number in self._used:
            self._free.append(self._used.pop(number))
            return True
        return False


def _aligned(size: int) -> np.ndarray:
    whole = np.empty(size + 64, np.uint8)
    start = -whole.__array_interface__["data"][0] % 64
    return whole[start : start + size]


def offset(value: np.ndarray, base: np.ndarray) -> int:
    """The distance in bytes from the start of ``base`` to that of ``value``."""
    return int(value.__array_interface__["data"][0]) - int(base.__array_interface__["data"][0])


LARGE = 1 << 16
"""In bytes: smaller arrays stay in the cache anyway."""

_WARNING = (np.maximum, np.minimum)
"""Functions that warn about a third positional argument."""

_WITH_OUT = (np.dot, np.ndarray.dot, np.concatenate, np.cumsum, np.clip)


class Placement:
    """The memory of the results of some steps.

    Attributes
    ----------
    kept : set of int
        Slots that outlive the run.
    """

    def __init__(
        self, low: Lowered, steps: Sequence[Step], escaping: set[int], free: Sequence[np.ndarray] = ()
    ) -> None:
        self._low, self._values, self._buffers = low, low.tape.values, Buffers(free)
        self.kept = {low.slot(slot) for slot in escaping}
        last: dict[int, int] = {}
        for i, step in enumerate(steps):
            for slot in [*step.slots, *[slot for _, slot in step.outs]]:
                last[low.memory[low.slot(slot)]] = i
        kept = {low.memory[slot] for slot in self.kept}
        self._last: dict[int, list[int]] = {}
        for number, i in last.items():
            if number not in kept:
                self._last.setdefault(i, []).append(number)
        self._under = self._overlaid(steps)

    def blocks(self) -> list[np.ndarray]:
        """The memory of the buffers."""
        return self._buffers.blocks()

    def ending(self, i: int) -> list[int]:
        """The memory blocks that are no longer needed after a step."""
        return self._last.get(i, [])

    def release(self, number: int) -> bool:
        """Free the buffer of a result that is no longer needed; False if it has none."""
        return self._buffers.release(number)

    def is_static_view(self, step: Step) -> bool:
        """Whether a step makes a view of a buffer or a constant; the view is then made once, not in every run."""
        low = self._low
        base = low.viewed(step)
        slots = step.slots
        if base is None or any([low.slot(slot) not in low.static for slot in slots]):
            return False
        args, options = resolved((step.args, step.options), lambda slot: low.static[low.slot(slot)])
        found = step.function(*args, **options)
        slot = step.outs[0][1]
        value, base = self._values[slot], low.slot(base)
        if not isinstance(found, np.ndarray) or (found.shape, found.strides) != (value.shape, value.strides):
            return False
        if found.size and offset(found, low.static[base]) != offset(value, self._values[base]):
            return False
        low.static[slot] = found
        return True

    def _overlaid(self, steps: Sequence[Step]) -> dict[int, int]:
        """Large results that outlive the run -> the dead operands whose new memory they reuse: saves an allocation."""
        low, made = self._low, set[int]()
        found: dict[int, int] = {}
        for i, step in enumerate(steps):
            if not is_elementwise(step) or not _takes_out(step):
                continue
            slot = step.outs[0][1]
            value = self._values[slot]
            if low.memory[slot] in low.escaping and value.base is None and value.nbytes >= LARGE:
                for one in made.intersection(step.slots):
                    if low.memory[one] in self.ending(i) and _is_laid(self._values[one], value):
                        found[slot] = one
            elif low.is_fresh(slot) and value.base is None:
                made.add(slot)
        return found

    def under(self, slot: int) -> int | None:
        """The slot of the operand, needed for the last time, whose memory a result overwrites."""
        under = self._under.get(slot)
        return under if under is None or under not in self._low.static else None

    def buffer(self, step: Step, i: int) -> np.ndarray | None:
        """The buffer for the result of a step, if its function accepts one."""
        low = self._low
        if not _takes_out(step) or low.memory[slot := step.outs[0][1]] in low.escaping:
            return None
        if slot in self._under.values():
            return None
        value = self._values[slot]
        if value.base is not None or value.size * value.itemsize != value.nbytes or not value.size:
            return None
        if is_elementwise(step):
            for arg in step.args:
                if type(arg) is Ref and self._gives_way(low.slot(arg.slot), value, i):
                    break
        return self.buffer_of(slot)

    def buffer_of(self, slot: int) -> np.ndarray:
        """Give a slot a buffer."""
        made = self._buffers.array(self._low.memory[slot], self._values[slot])
        self._low.static[slot] = made
        return made

    def _gives_way(self, slot: int, value: np.ndarray, i: int) -> bool:
        """Free the buffer of an operand that is needed here for the last time, if the result has the same layout."""
        static, number = self._low.static.get(slot), self._low.memory[slot]
        if static is None or number not in self.ending(i) or not _is_laid(static, value):
            return False
        return self._buffers.release(number)


def _is_laid(array: np.ndarray, like: np.ndarray) -> bool:
    """Whether two arrays have the same shape, strides and dtype."""
    return (array.shape, array.strides, array.dtype) == (like.shape, like.strides, like.dtype)


def _takes_out(step: Step) -> bool:
    function = step.function
    if "out" in step.options or "where" in step.options or len(step.outs) != 1 or step.outs[0][0] is not None:
        return False
    if isinstance(function, np.ufunc):
        return function.nout == 1 and len(step.args) == function.nin
    owner = getattr(function, "__self__", None)
    return (isinstance(owner, np.ufunc) and function.__name__ in ("reduce", "accumulate")) or function in _WITH_OUT


def settled(step: Step, dtype: np.dtype) -> list[Any]:
    """The arguments, with Python numbers converted to arrays of the result's dtype, as NumPy would do in each run."""
    if not is_of_floats(step, dtype):
        return list(step.args)
    return [np.asarray(arg, dtype) if type(arg) in (int, float) else arg for arg in step.args]


def takes_third(function: Any) -> bool:
    """Whether a function accepts the array for its result by position, which is faster."""
    return isinstance(function, np.ufunc) and function.nout == 1 and function not in _WARNING
