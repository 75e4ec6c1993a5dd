"""KernelProgram: the steps of a traced function that its results need, ready to run on arrays of any shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..engine.backend import Array, modules
from .block_plan import BlockPlan, block_plan
from .fused_kernel import kernel_of
from .needed_steps import KernelSteps
from .symbols import KernelTrace, Operation, Symbol, Value

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
