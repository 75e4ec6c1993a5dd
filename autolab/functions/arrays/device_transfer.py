"""Transfers between main memory and a GPU as steps of the graph; gradients return to the device of the input."""

from __future__ import annotations

from typing import Any

from ...authoring.function_node import FunctionNode
from ...engine import Variable, arrays, backend


class Transfer(FunctionNode):
    """A copy on another device: ``to_gpu`` or ``to_cpu``."""

    def __init__(self, to: str) -> None:
        self._to = to

    @property
    def name(self) -> str:
        return self._to

    def input_label(self, i: int) -> str:
        return "x"

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        (x,) = inputs
        self._home = backend.device_name(x)
        return (arrays.to_gpu(x) if self._to == "to_gpu" else arrays.to_cpu(x),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        (g,) = grad_outputs
        if self._home == "cpu":
            return (to_cpu(g),)
        with arrays.device(int(self._home.partition(":")[2])):
            return (to_gpu(g),)


def to_gpu(x: Variable) -> Variable:
    """The value on the current GPU, as a step of the graph; the Variable itself if it is on a GPU."""
    return x if backend.on_gpu(x.data) else Transfer("to_gpu").apply((x,))[0]


def to_cpu(x: Variable) -> Variable:
    """The value in main memory, as a step of the graph; the Variable itself if it is there."""
    return Transfer("to_cpu").apply((x,))[0] if backend.on_gpu(x.data) else x
