"""The steps of a traced function that some of its values need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .symbols import KernelTrace, Operation, Symbol


class KernelSteps:
    """What is needed of a trace for some of its values.

    Attributes
    ----------
    steps : dict of int to Operation
        In order, under their indexes in the trace; the inputs among them.
    inputs : dict of int to str
        The inputs that are needed, with their labels.
    outputs : tuple of int
        The indexes of the results.
    """

    def __init__(self, name: str, trace: KernelTrace, outputs: Sequence[Symbol]) -> None:
        self.name, self.outputs = name, tuple([symbol.index for symbol in outputs])
        needed, waiting = set[int](), list(self.outputs)
        while waiting:
            index = waiting.pop()
            if index not in needed:
                needed.add(index)
                waiting += trace.steps[index].values
        self.steps: dict[int, Operation] = {i: trace.steps[i] for i in sorted(needed)}
        self.inputs = {i: step.operands[0] for i, step in self.steps.items() if step.name == "input"}

    @property
    def dtypes(self) -> tuple[np.dtype, ...]:
        """Those of the results."""
        return tuple([self.steps[i].dtype for i in self.outputs])
