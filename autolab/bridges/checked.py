"""Another library's function as one function of AutoLab's, so that its gradients are checked and diagnosed as such."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine.variable import Variable
from ..gradcheck.naming.forgotten_way import Traced
from ..shared.binding import Bound


class Called(Protocol):
    """One call of the function: its results, and how they are differentiated."""

    outputs: tuple[np.ndarray, ...]

    def gradients(self, upstream: Sequence[np.ndarray | None]) -> Sequence[np.ndarray | None]:
        """The gradients of all inputs."""
        ...

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        """What each way through the user's own forward contributes to an input's gradient, if that can be told."""
        ...

    @property
    def written_backward(self) -> Callable[..., Any] | None:
        """The backward that the user wrote, if it is one."""
        ...


class _ForeignFunction(FunctionNode):
    """One application: the library computes the results, and the gradients."""

    def __init__(self, run: Callable[[tuple[np.ndarray, ...]], Called], label: str) -> None:
        self._run, self._label = run, label

    @property
    def name(self) -> str:
        return self._label

    @property
    def written_backward(self) -> Any:
        return self._called.written_backward

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self._called = self._run(inputs)
        return self._called.outputs

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        found = self._called.gradients([None if g is None else g.data for g in grad_outputs])
        return tuple([None if g is None else Variable(g, requires_grad=False) for g in found])

    def traced(self, place: int, upstream: Sequence[Any]) -> Traced | None:
        """For the diagnosis: see `Called.traced`."""
        return self._called.traced(place, upstream)


def bound_function(
    run: Callable[[tuple[np.ndarray, ...]], Called], name: str, arrays: Mapping[str, np.ndarray]
) -> Bound:
    """A function of Variables that calls ``run`` on their arrays, bound to the inputs ``arrays``."""

    def fn(*inputs: Variable) -> Any:
        outputs = _ForeignFunction(run, name).apply(inputs)
        return outputs if len(outputs) > 1 else outputs[0]

    fn.__name__ = name
    variables = {key: Variable(np.array(array), name=key) for key, array in arrays.items()}
    return Bound.of_variables(fn, name, variables)
