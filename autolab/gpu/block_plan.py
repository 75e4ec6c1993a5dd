"""BlockPlan: a program run on the CPU in blocks that stay in the processor's cache from the first step to the last."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from .needed_steps import KernelSteps
from .symbols import Operation, Value

_BLOCK_BYTES = 1 << 20
"""Size of a block, all arrays together: about the second-level cache of a core."""
_WORTH_PLANNING = 1024
"""For fewer elements, planning takes longer than the steps."""

Shapes = Mapping[int, tuple[int, ...]]


class BlockPlan:
    """The steps of a program that depend on whole inputs, with a place in memory for each operand and each result.

    A whole input has the shape of the results; other inputs are the same for all blocks. A place is reused as soon as
    its value is no longer needed, and that of a result until the result is computed, so most steps work in place.

    Attributes
    ----------
    inputs : tuple of int
        The whole inputs.
    fixed : frozenset of int
        Values that are the same for all blocks: numbers, broadcast inputs, and what is computed from them.
    """

    def __init__(self, program: KernelSteps, shapes: Shapes, whole: tuple[int, ...]) -> None:
        steps, varying = program.steps, set(whole)
        for i, step in steps.items():
            if not varying.isdisjoint(step.values):
                varying.add(i)
        lines = {i: step for i, step in steps.items() if i in varying and i not in whole}
        self.inputs, self.fixed = whole, frozenset(steps) - varying
        self._results = {i: steps[i].dtype for i in program.outputs if i in lines}
        self._places = {i: place for place, i in enumerate((*whole, *self._results, *self.fixed))}
        self._contents: list[Any] = [None] * len(self._places)
        self._spare: list[tuple[int, np.dtype]] = []
        self._find_places(lines)
        self._calls = [(_writing(step), itemgetter(*self._row(i, step))) for i, step in lines.items()]
        self._shape = shapes[whole[0]]
        is_flat = all([own in ((), self._shape) for own in shapes.values()])
        self._form = (math.prod(self._shape),) if is_flat else self._shape
        self._length = max(1, self._elements(steps) // math.prod(self._form[1:]))

    def _elements(self, steps: Mapping[int, Operation]) -> int:
        """The number of elements in a block."""
        dtypes = [steps[i].dtype for i in (*self.inputs, *self._results)] + [dtype for _, dtype in self._spare]
        return min(math.prod(self._shape), _BLOCK_BYTES // sum([dtype.itemsize for dtype in dtypes]))

    def _find_places(self, lines: dict[int, Operation]) -> None:
        """Assign places to the intermediate values, from the last step to the first."""
        free: dict[np.dtype, list[int]] = defaultdict(list)
        for i, step in reversed(lines.items()):
            free[step.dtype].append(self._places[i])
            for operand in [o for o in step.values if o not in self._places]:
                dtype = lines[operand].dtype
                if not free[dtype]:
                    free[dtype].append(self._new_place(None))
                    self._spare.append((free[dtype][0], dtype))
                self._places[operand] = free[dtype].pop()

    def _new_place(self, content: Any) -> int:
        self._contents.append(content)
        return len(self._contents) - 1

    def _row(self, index: int, step: Operation) -> list[int]:
        """The places of a step's operands, followed by that of its result."""
        operands = [self._places[o.index] if isinstance(o, Value) else self._new_place(o) for o in step.operands]
        return [*operands, self._places[index]]

    def run(self, values: dict[int, Any]) -> None:
        """Add the results to ``values``, which must contain the whole inputs, C-contiguous, and the fixed values."""
        places = [*self._contents]
        for i in self.fixed:
            places[self._places[i]] = values[i]
        for i, dtype in self._results.items():
            values[i] = np.empty(self._shape, dtype)
        columns = [values[i].reshape(self._form) for i in (*self.inputs, *self._results)]
        for place, dtype in self._spare:
            places[place] = np.empty((self._length, *self._form[1:]), dtype)
        for start in range(0, self._form[0], self._length):
            for place, array in enumerate(columns):
                places[place] = array[start : start + self._length]
            if start + self._length > self._form[0]:
                for place, _ in self._spare:
                    places[place] = places[place][: self._form[0] - start]
            for function, row in self._calls:
                function(*row(places))


def block_plan(program: KernelSteps, shapes: Shapes) -> BlockPlan | None:
    """A plan for computing a program block by block along the first axis, for inputs of these shapes.

    None if no input is whole, if each block would need a different part of another input, or if it does not pay off:
    whole arrays are as fast unless they are large and there are intermediate values.
    """
    steps = program.steps
    touched = sum([1 + len(step.values) for step in steps.values() if step.values])
    shape = np.broadcast_shapes(*shapes.values())
    whole = tuple([i for i, own in shapes.items() if own == shape])
    if not whole or math.prod(shape) < _WORTH_PLANNING:
        return None
    ends = (*whole, *program.outputs)
    is_large = math.prod(shape) * sum([steps[i].dtype.itemsize for i in ends]) > 2 * _BLOCK_BYTES
    has_between = any([step.values and i not in ends for i, step in steps.items()])
    if touched < 2 * len(ends) and not (is_large and has_between):
        return None
    if any([own != shape and len(own) == len(shape) and own[0] != 1 for own in shapes.values()]):
        return None
    return BlockPlan(program, shapes, whole)


def _writing(step: Operation) -> Callable[..., Any]:
    """The function of a step, which takes the array for its result as the last argument."""
    if step.name == "astype":
        return lambda x, out: np.copyto(out, x, casting="unsafe")
    function = getattr(np, step.name)
    if isinstance(function, np.ufunc):
        return lambda *places: function(*places[:-1], out=places[-1])
    return lambda *places: np.copyto(places[-1], function(*places[:-1]))
