"""The steps of a traced function that some of its values depend on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .symbols import KernelTrace, Operation, Symbol


class KernelSteps:
    """The part of a trace that some of its values depend on.

    Attributes
    ----------
    steps : dict of int to Operation
        In order, by index in the trace, including the inputs.
    inputs : dict of int to str
        The needed inputs, with their labels.
    outputs : tuple of int
        The indices of the results.
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
        """The dtypes of the results."""
        return tuple([self.steps[i].dtype for i in self.outputs])
