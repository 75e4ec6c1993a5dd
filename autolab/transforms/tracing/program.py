"""A program: a straight line of steps, as data, that can be evaluated for other inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class View:
    """Elements of a slot: element ``i`` of the view is at ``offset + sum(strides * i)``."""

    slot: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def places(self) -> np.ndarray:
        """The position of each element in the slot."""
        grid = np.full(self.shape, self.offset, np.intp)
        for axis, (n, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            grid += (np.arange(n) * stride).reshape([-1 if i == axis else 1 for i in range(len(self.shape))])
        return grid


@dataclass(frozen=True)
class ProgramStep:
    """One operation: ``name`` is in the table of `operations`; the result fills the slot ``out``.

    The operation runs over ``shape``; ``attributes`` are numbers and lists of numbers.
    """

    name: str
    out: int
    operands: tuple[View, ...]
    shape: tuple[int, ...]
    attributes: dict[str, Any]


@dataclass(frozen=True)
class Guard:
    """A condition for the program to be correct: the single element of ``view`` is true, or is false."""

    view: View
    answer: bool


@dataclass(frozen=True, eq=False)
class ArrayProgram:
    """Steps on slots, which are flat arrays, each written once.

    Attributes
    ----------
    slots : tuple of pairs
        The number of elements and the dtype of each slot.
    constants : dict
        Slot -> its elements, which do not depend on inputs.
    inputs, outputs : tuple of View
    steps : tuple of ProgramStep
    guards : tuple of Guard
        Branches that were taken because of a value.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms.tracing import trace
    >>> program = trace(lambda x: [np.exp(x) * 2], [np.ones(3)])
    >>> [step.name for step in program.steps]
    ['exp', 'multiply']
    """

    slots: tuple[tuple[int, np.dtype], ...]
    constants: dict[int, np.ndarray]
    inputs: tuple[View, ...]
    steps: tuple[ProgramStep, ...]
    outputs: tuple[View, ...]
    guards: tuple[Guard, ...]

    def pruned(self) -> ArrayProgram:
        """The same program without unneeded steps and constants; slots keep their numbers."""
        needed = {view.slot for view in self.outputs} | {guard.view.slot for guard in self.guards}
        kept = []
        for step in reversed(self.steps):
            if step.out in needed:
                kept.append(step)
                needed.update([view.slot for view in step.operands])
        constants = {slot: values for slot, values in self.constants.items() if slot in needed}
        return replace(self, steps=tuple(reversed(kept)), constants=constants)
