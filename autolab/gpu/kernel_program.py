"""KernelProgram: the steps of a traced function that its results need, ready to run on arrays of any shapes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..engine.backend import Array, modules
from .fused_kernel import kernel_of
from .needed_steps import KernelSteps
from .symbols import KernelTrace, Operation, Symbol, Value

# BlockPlan: a program run on the CPU in blocks that stay in the processor's cache from the first step to the last.

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


_SHAPES = 64
"""Number of combinations of shapes for which plans are kept."""

Kernel = Callable[[Mapping[str, Any]], list[Array]]


class ProgramLine(NamedTuple):
    """A step with precomputed information: its operands as indices or numbers, and the values last used here."""

    index: int  # type: ignore[assignment]  # tuple has a method of that name
    step: Operation
    operands: list[tuple[int | None, Any]]
    last: list[int]

    def result(self, xp: Any, values: Mapping[int, Any]) -> Array:
        """The result of the step, from the values of earlier steps."""
        operands = [number if place is None else values[place] for place, number in self.operands]
        if self.step.name == "astype":
            return operands[0].astype(self.step.dtype)
        return operands[0] if self.step.name == "constant" else getattr(xp, self.step.name)(*operands)


class KernelProgram(KernelSteps):
    """The steps for some of a trace's values, ready to run."""

    def __init__(self, name: str, trace: KernelTrace, outputs: Sequence[Symbol]) -> None:
        super().__init__(name, trace, outputs)
        self.labels = frozenset(self.inputs.values())
        self._kernels: dict[ModuleType, Kernel | None] = {}
        self._plans: dict[Any, BlockPlan | None] = {}
        self._lines = [self._line(i, step) for i, step in self.steps.items() if i not in self.inputs]

    def _line(self, index: int, step: Operation) -> ProgramLine:
        places = [o.index if isinstance(o, Value) else None for o in step.operands]
        return ProgramLine(index, step, list(zip(places, step.operands, strict=True)), self._last_uses(index))

    def _last_uses(self, index: int) -> list[int]:
        """The values last used at a step, except inputs and results, which belong to the caller."""
        later = {o for i, step in self.steps.items() if i > index for o in step.values}
        return sorted({*self.steps[index].values} - later - set(self.outputs) - set(self.inputs))

    def on(self, xp: ModuleType, given: Mapping[str, Any]) -> list[Array]:
        """The results for arrays of ``xp``, given by input label: by one kernel on a GPU, else step by step."""
        is_sized = xp is not np and any([type(given[label]) in modules for label in self.inputs.values()])
        kernel = self.kernel(xp) if is_sized else None  # a kernel needs an array to know the number of elements
        return self.run(xp, given) if kernel is None else kernel(given)

    def kernel(self, xp: ModuleType) -> Kernel | None:
        """A kernel that computes all results; None if ``xp`` has no kernels, or a step cannot be written in C."""
        if xp not in self._kernels:
            self._kernels[xp] = kernel_of(self) if hasattr(xp, "ElementwiseKernel") else None
        return self._kernels[xp]

    def run(self, xp: ModuleType, given: Mapping[str, Any]) -> list[Array]:
        """The results, computed step by step; for large NumPy arrays block by block."""
        values: dict[int, Any] = {i: given[label] for i, label in self.inputs.items()}
        plan = self._plan(values) if xp is np else None
        if plan is not None:
            for line in self._lines:
                if line.index in plan.fixed:
                    values[line.index] = line.result(np, values)
            plan.run(values)
        else:
            for line in self._lines:
                values[line.index] = line.result(xp, values)
                for place in line.last:
                    del values[place]
        return [values[i] for i in self.outputs]

    def _plan(self, values: dict[int, Any]) -> BlockPlan | None:
        """The plan for computing arrays of these shapes block by block, if there is one."""
        key = tuple([v.shape if type(v) is np.ndarray else () for v in values.values()])
        if key not in self._plans:
            if len(self._plans) >= _SHAPES:
                self._plans.clear()
            self._plans[key] = block_plan(self, dict(zip(values, key, strict=True)))
        plan = self._plans[key]
        return plan if plan is not None and all([values[i].flags.c_contiguous for i in plan.inputs]) else None
