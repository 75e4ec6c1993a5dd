"""BlockPlan: a program on the CPU, in blocks that stay in the processor's cache from its first step to its last."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..engine.backend import Array
from .steps import KernelSteps
from .symbols import Operation, Value

_BLOCK_BYTES = 1 << 20
"""What a block takes up, all arrays together: about the second cache of a core."""
_WORTH_PLANNING = 1024
"""For fewer elements a plan takes longer than the steps."""


class Whole(NamedTuple):
    """The inputs of a program that have the shape of its results, and whether all others are numbers."""

    shape: tuple[int, ...]
    inputs: tuple[int, ...]
    flat: bool


def whole(values: Mapping[int, Any]) -> Whole | None:
    """Which inputs can be taken block by block along their first axis; None if none can, or it is not worth it."""
    arrays = {i: value for i, value in values.items() if type(value) is np.ndarray and value.ndim}
    shapes = {array.shape for array in arrays.values()}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    found = tuple([i for i, array in arrays.items() if array.shape == shape and array.flags.c_contiguous])
    if not found or arrays[found[0]].size < _WORTH_PLANNING:
        return None
    others = [array.shape for i, array in arrays.items() if i not in found]
    if any([len(other) == len(shape) and other[0] != 1 for other in others]):  # each block needs another part of it
        return None
    return Whole(shape, found, not others)


class BlockPlan:
    """The steps of a program that depend on whole inputs, with a place for every operand and every result.

    A place is used again as soon as its value is not needed any more, and that of a result until the result is there:
    so most steps work in place.

    Attributes
    ----------
    fixed : frozenset of int
        The values that are the same for all blocks: numbers, inputs that are broadcast, and what is computed of them.
    """

    def __init__(self, program: KernelSteps, inputs: tuple[int, ...]) -> None:
        steps, varying = program.steps, set(inputs)
        for i, step in steps.items():
            if not varying.isdisjoint(step.values):
                varying.add(i)
        lines = {i: step for i, step in steps.items() if i in varying and i not in inputs}
        results = {i: steps[i].dtype for i in program.outputs if i in lines}
        self.fixed = frozenset(steps) - varying
        self._inputs, self._results, self._spare = inputs, results, dict[int, np.dtype]()
        self._places = {i: place for place, i in enumerate((*inputs, *self.fixed, *results))}
        self._contents: list[Any] = [None] * len(self._places)
        self._find_places(lines)
        self._calls = [(_writing(step), itemgetter(*self._row(i, step))) for i, step in lines.items()]
        dtypes = [*[steps[i].dtype for i in inputs], *results.values(), *self._spare.values()]
        touched = sum([1 + len(step.values) for step in lines.values()])
        pays = touched >= 2 * (len(inputs) + len(results))
        self._elements = _BLOCK_BYTES // sum([dtype.itemsize for dtype in dtypes]) if pays else sys.maxsize

    def _find_places(self, lines: dict[int, Operation]) -> None:
        """For what lies between inputs and results, from the last step to the first."""
        free: dict[np.dtype, list[int]] = defaultdict(list)
        for i, step in reversed(lines.items()):
            free[step.dtype].append(self._places[i])
            for operand in [o for o in step.values if o not in self._places]:
                dtype = lines[operand].dtype
                if not free[dtype]:
                    free[dtype].append(self._new_place(None))
                    self._spare[free[dtype][0]] = dtype
                self._places[operand] = free[dtype].pop()

    def _new_place(self, content: Any) -> int:
        self._contents.append(content)
        return len(self._contents) - 1

    def _row(self, index: int, step: Operation) -> list[int]:
        """The places of a step's operands and, last, of its result."""
        operands = [self._places[o.index] if isinstance(o, Value) else self._new_place(o) for o in step.operands]
        return [*operands, self._places[index]]

    def run(self, values: Mapping[int, Any], given: Whole) -> dict[int, Array]:
        """The results that depend on whole inputs; ``values`` has the inputs and the `fixed` values."""
        results = {i: np.empty(given.shape, dtype) for i, dtype in self._results.items()}
        arrays = [*[(i, values[i]) for i in self._inputs], *results.items()]
        columns = [(self._places[i], array.reshape(-1) if given.flat else array) for i, array in arrays]
        first = columns[0][1]
        step = max(1, self._elements * len(first) // first.size)
        places = [*self._contents]
        for i in self.fixed:
            places[self._places[i]] = values[i]
        for place, dtype in self._spare.items():
            places[place] = np.empty((min(step, len(first)), *first.shape[1:]), dtype)
        for start in range(0, len(first), step):
            for place, array in columns:
                places[place] = array[start : start + step]
            for place in self._spare if start + step > len(first) else ():
                places[place] = places[place][: len(first) - start]
            for function, row in self._calls:
                function(*row(places))
        return results


def _writing(step: Operation) -> Callable[..., Any]:
    """The function of a step, which takes the place of its result last."""
    function = getattr(np, step.name, None)
    if isinstance(function, np.ufunc):
        return function
    if step.name == "astype":
        return lambda x, out: np.copyto(out, x, casting="unsafe")
    return lambda *places: np.copyto(places[-1], function(*places[:-1]))
