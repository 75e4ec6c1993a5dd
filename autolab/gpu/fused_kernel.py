"""A program as a single GPU kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..engine import Array
from ..engine.devices import compiled_kernel
from .c_text import NotInC, computed, operation, parameters
from .needed_steps import KernelSteps

_PLAIN = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


class FusedKernel:
    """Computes all results of a program in one kernel, which CUDA compiles at the first call.

    A result that is an input is returned as the same array.
    """

    def __init__(self, program: KernelSteps, source: tuple[str, str, str, str]) -> None:
        self.source = source
        self._kernel = compiled_kernel(*source)
        self._labels = tuple(program.inputs.values())
        places = {i: k for k, i in enumerate(computed(program))}
        self._results = tuple([places[i] if i in places else program.inputs[i] for i in program.outputs])

    def __call__(self, given: Mapping[str, Any]) -> list[Array]:
        made = self._kernel(*[given[label] for label in self._labels])
        made = made if isinstance(made, tuple) else (made,)
        return [given[place] if isinstance(place, str) else made[place] for place in self._results]


def kernel_source(program: KernelSteps) -> tuple[str, str, str, str] | None:
    """The kernel of a program as arguments of `elementwise_kernel`: input and output parameters, C code, and a name.

    None if there is nothing to compute, or if a step cannot be written in C.
    """
    name = program.name if _PLAIN.match(program.name) else "fused"
    try:
        return (*parameters(program), operation(program), f"autolab_{name}")
    except NotInC:
        return None


def kernel_of(program: KernelSteps) -> FusedKernel | None:
    """The kernel of a program; None if there is none."""
    source = kernel_source(program)
    return None if source is None else FusedKernel(program, source)
