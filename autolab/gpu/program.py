"""KernelProgram: the steps of a traced function that its results need, ready to run on arrays of any shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..engine.backend import Array, modules
from .fused_kernel import kernel_of
from .steps import KernelSteps
from .symbols import KernelTrace, Operation, Symbol, Value

_WORTH_REUSING = 1024
"""Arrays of fewer elements are allocated in less time than it takes to look for one that fits."""

Kernel = Callable[[Mapping[str, Any]], list[Array]]


class ProgramLine(NamedTuple):
    """A step with what is known of it beforehand: its operands as indexes or numbers, and the values it uses last."""

    index: int  # type: ignore[assignment]  # tuple has a method of that name
    step: Operation
    operands: list[tuple[int | None, Any]]
    last: list[int]
    is_ufunc: bool


class KernelProgram(KernelSteps):
    """The steps for some of a trace's values, ready to run."""

    def __init__(self, name: str, trace: KernelTrace, outputs: Sequence[Symbol]) -> None:
        super().__init__(name, trace, outputs)
        self._kernels: dict[ModuleType, Kernel | None] = {}
        self._lines = [self._line(i, step) for i, step in self.steps.items() if i not in self.inputs]

    def _line(self, index: int, step: Operation) -> ProgramLine:
        places = [o.index if isinstance(o, Value) else None for o in step.operands]
        ufunc = isinstance(getattr(np, step.name, None), np.ufunc)
        return ProgramLine(index, step, list(zip(places, step.operands, strict=True)), self._last_uses(index), ufunc)

    def _last_uses(self, index: int) -> list[int]:
        """The values that are used for the last time at a step; no inputs and no results, as these are not ours."""
        later = {o.index for i, step in self.steps.items() if i > index for o in _values(step)}
        here = {o.index for o in _values(self.steps[index])}
        return sorted(here - later - set(self.outputs) - set(self.inputs))

    def on(self, xp: ModuleType, given: Mapping[str, Any]) -> list[Array]:
        """The results for arrays of ``xp`` under the inputs' labels: by one kernel on a GPU, else step by step."""
        is_sized = xp is not np and any([type(given[label]) in modules for label in self.inputs.values()])
        kernel = self.kernel(xp) if is_sized else None  # numbers alone do not tell a kernel how many elements there are
        return self.run(xp, given) if kernel is None else kernel(given)

    def kernel(self, xp: ModuleType) -> Kernel | None:
        """What computes all results in one kernel of ``xp``; None if it has no kernels, or a step no words in C."""
        if xp not in self._kernels:
            self._kernels[xp] = kernel_of(self) if hasattr(xp, "ElementwiseKernel") else None
        return self._kernels[xp]

    def run(self, xp: ModuleType, given: Mapping[str, Any]) -> list[Array]:
        """The results, one step after the other; a step writes into an array that is no longer needed, if one fits."""
        values: dict[int, Any] = {i: given[label] for i, label in self.inputs.items()}
        spare: list[Array] = []
        for line in self._lines:
            operands = [number if place is None else values[place] for place, number in line.operands]
            for place in line.last:
                array = values.pop(place)
                if type(array) in modules and type(array) is not Symbol and array.size >= _WORTH_REUSING:
                    spare.append(array)
            values[line.index] = _computed(xp, line, operands, spare)
        return [values[i] for i in self.outputs]


def _values(step: Operation) -> list[Value]:
    return [o for o in step.operands if isinstance(o, Value)]


def _computed(xp: Any, line: ProgramLine, operands: list[Any], spare: list[Array]) -> Array:
    step = line.step
    if step.name == "astype":
        return operands[0].astype(step.dtype)
    if step.name == "constant":
        return operands[0]
    function = getattr(xp, step.name)
    out = _fitting(spare, step.dtype, operands) if spare and line.is_ufunc else None
    return function(*operands) if out is None else function(*operands, out=out)


def _fitting(spare: list[Array], dtype: np.dtype, operands: list[Any]) -> Array | None:
    """An array of the result's shape and dtype out of ``spare``."""
    shapes = {o.shape for o in operands if type(o) in modules}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    for i, array in enumerate(spare):
        if array.shape == shape and array.dtype == dtype:
            return spare.pop(i)
    return None
